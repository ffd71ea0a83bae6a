//! A picture in SVG that reads well on light and on dark pages: it brings its own background, and its
//! colours follow what the reader prefers.

use std::fmt::Write;

/// The classes of what is drawn, on light pages and then on dark ones. (The bars have the colours of
/// Okabe and Ito, which the colour-blind can tell apart.)
const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#24292f}\
.card{fill:#fff;stroke:#d0d7de}.title{font-size:17px;font-weight:600}\
.label{font-size:12px}.faint{font-size:11px;fill:#656d76}\
.number{font-size:12px}.strong{font-weight:700}.grid{stroke:#eaeef2}.one{stroke:#8c959f}\
.ours{fill:#0072b2}.plain{fill:#8fb8d6}.cell{fill:#009e73}.lua{fill:#d98c4a}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.card{fill:#0d1117;stroke:#30363d}\
.faint{fill:#8d96a0}.grid{stroke:#21262d}.one{stroke:#6e7681}.ours{fill:#3b9ee0}\
.plain{fill:#5c7f99}.cell{fill:#2bb38a}.lua{fill:#c9793a}}";

pub struct Svg {
    body: String,
    width: i32,
    height: i32,
}

#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub fn new(width: i32, height: i32) -> Svg {
        Svg {
            body: String::new(),
            width,
            height,
        }
    }

    pub fn bar(&mut self, class: &str, [x, y]: [i32; 2], [width, height]: [i32; 2]) {
        self.add(&format!(
            r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}" rx="2"/>"#
        ));
    }

    /// A line from top to bottom.
    pub fn rule(&mut self, class: &str, x: i32, [from, to]: [i32; 2]) {
        self.add(&format!(
            r#"<line class="{class}" x1="{x}" y1="{from}" x2="{x}" y2="{to}"/>"#
        ));
    }

    pub fn text(&mut self, class: &str, [x, y]: [i32; 2], anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(&format!(
            r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#
        ));
    }

    fn add(&mut self, element: &str) {
        let _ = writeln!(self.body, "{element}");
    }

    /// The whole file. The title is what those are told who do not see the picture.
    pub fn finish(&self, title: &str) -> String {
        let Svg {
            body,
            width,
            height,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n\
             <rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
             {body}</svg>\n",
            width - 1,
            height - 1
        )
    }
}
