//! Horizontal bars in groups below each other, as SVG.

use super::svg::{Anchor, Svg};

const WIDTH: i32 = 860;
/// Where bars begin and end; left of them are names, right of them numbers.
const LEFT: i32 = 352;
const RIGHT: i32 = 800;
const MARGIN: i32 = 22;
const HEAD: i32 = 76;
const LINE: i32 = 17;
const PANEL_HEAD: i32 = 30;
const BAR: i32 = 13;
const ROW: i32 = 17;
const GAP: i32 = 10;

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Ours,
    Plain,
    RedisCell,
    Lua,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Ours, Kind::Plain, Kind::RedisCell, Kind::Lua];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Ours => "KEYNS",
            Kind::Plain => "plain commands",
            Kind::RedisCell => "redis-cell 0.2.2",
            Kind::Lua => "Lua script",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Kind::Ours => "ours",
            Kind::Plain => "plain",
            Kind::RedisCell => "cell",
            Kind::Lua => "lua",
        }
    }
}

pub struct Figure {
    pub title: String,
    /// Below everything.
    pub notes: Vec<String>,
    pub panel: Panel,
}

/// Groups that share an axis, on which 1 is what all are measured over.
pub struct Panel {
    pub groups: Vec<Group>,
}

pub struct Group {
    pub name: String,
    pub detail: String,
    pub bars: Vec<Bar>,
}

pub struct Bar {
    pub kind: Kind,
    pub name: String,
    pub value: f64,
}

impl Figure {
    pub fn svg(&self) -> String {
        let bottom = HEAD + self.panel.height();
        let notes = LINE * self.notes.len() as i32 + 20;
        let mut svg = Svg::new(WIDTH, bottom + notes);
        svg.text("title", [MARGIN, 32], Anchor::Start, &self.title);
        self.draw_legend(&mut svg);
        self.panel.draw(&mut svg, HEAD);
        for (note, y) in self
            .notes
            .iter()
            .zip((bottom + 20..).step_by(LINE as usize))
        {
            svg.text("faint", [MARGIN, y], Anchor::Start, note);
        }
        svg.finish(&self.title)
    }

    fn draw_legend(&self, svg: &mut Svg) {
        let is_there = |kind: &Kind| {
            let mut bars = self.panel.groups.iter().flat_map(|group| &group.bars);
            bars.any(|bar| bar.kind == *kind)
        };
        let mut left = MARGIN;
        for kind in Kind::ALL.iter().filter(|kind| is_there(kind)) {
            svg.bar(kind.class(), [left, 47], [12, 12]);
            let name = kind.name();
            svg.text("label", [left + 18, 57], Anchor::Start, name);
            left += 44 + 6 * name.len() as i32;
        }
    }
}

impl Panel {
    fn height(&self) -> i32 {
        let groups = self.groups.iter().map(Group::height);
        PANEL_HEAD + groups.sum::<i32>()
    }

    /// The end of the axis.
    fn most(&self) -> f64 {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        bars.map(|bar| bar.value).fold(1.0, f64::max) * 1.02
    }

    fn draw(&self, svg: &mut Svg, top: i32) {
        let most = self.most();
        let at = |value: f64| LEFT + (f64::from(RIGHT - LEFT) * value / most).round() as i32;
        let span = [top + PANEL_HEAD - 6, top + self.height() - GAP / 2];
        for tick in ticks(most) {
            let x = at(tick);
            // What all are measured over stands out.
            let class = if tick == 1.0 { "one" } else { "grid" };
            svg.rule(class, x, span);
            let y = top + PANEL_HEAD - 12;
            svg.text("faint", [x, y], Anchor::Middle, &tick.to_string());
        }
        let mut y = top + PANEL_HEAD;
        for group in &self.groups {
            group.draw(svg, y, &at);
            y += group.height();
        }
    }
}

/// About six round values up to the end, and 1.
fn ticks(most: f64) -> Vec<f64> {
    let steps = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
    let step = steps.into_iter().find(|step| most / step <= 7.0);
    let step = step.unwrap_or(100.0);
    let mut ticks: Vec<f64> = (0..8).map(|at| f64::from(at) * step).collect();
    ticks.retain(|tick| *tick <= most);
    if step > 1.0 {
        ticks.insert(1, 1.0);
    }
    ticks
}

impl Group {
    fn height(&self) -> i32 {
        self.bars.len().max(2) as i32 * ROW + GAP
    }

    fn draw(&self, svg: &mut Svg, top: i32, at: &impl Fn(f64) -> i32) {
        let base = |row: i32| top + row * ROW + BAR - 3;
        svg.text("label strong", [MARGIN, base(0)], Anchor::Start, &self.name);
        svg.text("faint", [MARGIN, base(1)], Anchor::Start, &self.detail);
        for (row, bar) in (0..).zip(&self.bars) {
            let strong = if bar.kind == Kind::Ours {
                " strong"
            } else {
                ""
            };
            let (y, end) = (base(row), at(bar.value));
            let label = format!("label{strong}");
            svg.text(&label, [LEFT - 8, y], Anchor::End, &bar.name);
            let corner = [LEFT, top + row * ROW];
            svg.bar(bar.kind.class(), corner, [end - LEFT, BAR]);
            let number = format!("{:.1}", bar.value);
            let class = format!("number{strong}");
            svg.text(&class, [end + 6, y], Anchor::Start, &number);
        }
    }
}
