//! Trees a person can read: lines of text, or a Mermaid diagram.

use std::fmt::Write;

/// The most characters of a label in a diagram; longer ones make boxes nobody can read.
const MAX_LABEL_CHARS: usize = 60;

/// A node of a tree; nodes come in reading order, each after its parent.
///
/// Its parent is the nearest node before it that is less deep, however much less. A node without
/// one is a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    pub depth: usize,
    pub key: &'a [u8],
    pub label: &'a [u8],
}

/// Lines with branches, one per node.
///
/// ```
/// use keyns_core::documents::tree::{self, Node};
///
/// let nodes = [
///     Node { depth: 0, key: b"doc:guide:001", label: b"Guide" },
///     Node { depth: 1, key: b"ch:risk:001", label: b"Risk" },
///     Node { depth: 2, key: b"chunk:assets:001", label: b"(paragraph)" },
///     Node { depth: 1, key: b"ch:summary:002", label: b"" },
/// ];
/// let lines = [
///     "doc:guide:001  Guide",
///     "├── ch:risk:001  Risk",
///     "│   └── chunk:assets:001  (paragraph)",
///     "└── ch:summary:002",
/// ];
/// assert_eq!(tree::text(&nodes), lines.join("\n"));
/// ```
pub fn text(nodes: &[Node]) -> String {
    let mut text = String::new();
    // For each level above a line's own, whether nothing follows on it.
    let mut ended: Vec<bool> = Vec::new();
    for (number, (node, place)) in nodes.iter().zip(places(nodes)).enumerate() {
        if number > 0 {
            text.push('\n');
        }
        ended.truncate(place.level);
        for has_ended in ended.iter().skip(1) {
            text.push_str(if *has_ended { "    " } else { "│   " });
        }
        text.push_str(match (place.level, place.is_last) {
            (0, _) => "",
            (_, true) => "└── ",
            (_, false) => "├── ",
        });
        ended.push(place.is_last);
        text.push_str(&shown(node.key));
        let label = shown(node.label);
        if !label.is_empty() {
            text.push_str("  ");
            text.push_str(&label);
        }
    }
    text
}

/// A Mermaid flowchart.
///
/// ```
/// use keyns_core::documents::tree::{self, Node};
///
/// let nodes = [
///     Node { depth: 0, key: b"doc:guide:001", label: b"Guide" },
///     Node { depth: 1, key: b"ch:risk:001", label: b"Risk & \"Reward\"" },
/// ];
/// let lines = [
///     "flowchart TD",
///     "    n0[\"Guide<br>doc:guide:001\"]",
///     "    n1[\"Risk #amp; #quot;Reward#quot;<br>ch:risk:001\"]",
///     "    n0 --> n1",
/// ];
/// assert_eq!(tree::mermaid(&nodes), lines.join("\n"));
/// ```
pub fn mermaid(nodes: &[Node]) -> String {
    let mut chart = String::from("flowchart TD");
    for (number, (node, place)) in nodes.iter().zip(places(nodes)).enumerate() {
        let label = shortened(shown(node.label));
        let _ = write!(chart, "\n    n{number}[\"");
        if !label.is_empty() {
            push_escaped(&mut chart, &label);
            chart.push_str("<br>");
        }
        push_escaped(&mut chart, &shown(node.key));
        chart.push_str("\"]");
        if let Some(parent) = place.parent {
            let _ = write!(chart, "\n    n{parent} --> n{number}");
        }
    }
    chart
}

/// How many nodes are directly below each node.
pub fn children(nodes: &[Node]) -> Vec<usize> {
    let mut children = vec![0; nodes.len()];
    for parent in places(nodes).iter().filter_map(|place| place.parent) {
        if let Some(children) = children.get_mut(parent) {
            *children += 1;
        }
    }
    children
}

/// Where a node is in its tree.
struct Place {
    parent: Option<usize>,
    level: usize,
    is_last: bool,
}

fn places(nodes: &[Node]) -> Vec<Place> {
    let mut places = Vec::with_capacity(nodes.len());
    // The number and the depth of every node that the next one can be below.
    let mut above: Vec<(usize, usize)> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        while above.last().is_some_and(|&(_, depth)| depth >= node.depth) {
            above.pop();
        }
        places.push(Place {
            parent: above.last().map(|&(parent, _)| parent),
            level: above.len(),
            is_last: true,
        });
        above.push((number, node.depth));
    }
    // Backwards, a node is the last of its parent unless one at its level was seen since the
    // parent's next sibling.
    let mut seen: Vec<bool> = Vec::new();
    for place in places.iter_mut().rev() {
        seen.resize(place.level + 1, false);
        if let Some(seen) = seen.last_mut() {
            place.is_last = !std::mem::replace(seen, true);
        }
    }
    places
}

/// Text on one line, without characters that command a terminal.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let visible = text.trim().chars().map(|c| match c {
        '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    });
    visible.collect()
}

fn shortened(label: String) -> String {
    if label.chars().count() <= MAX_LABEL_CHARS {
        return label;
    }
    let kept: String = label.chars().take(MAX_LABEL_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}

/// Writes text into a quoted Mermaid label.
///
/// Mermaid reads such a label as HTML, some versions also as Markdown: they render `1. Intro` and links
/// as "Unsupported markdown". A directive (`%%{`) counts anywhere.
fn push_escaped(chart: &mut String, text: &str) {
    let mut before = None;
    let mut could_be_list = true;
    for c in text.chars() {
        let name = match c {
            '"' => "quot",
            '<' => "lt",
            '>' => "gt",
            '&' => "amp",
            _ => "",
        };
        let is_special = match c {
            '#' | '`' | '\\' | '%' | '$' | '*' | '~' | '[' | ']' | '@' => true,
            '-' | '+' | ')' => could_be_list,
            '.' => could_be_list || before == Some('w'),
            '/' => before == Some(':'),
            '_' => !before.is_some_and(char::is_alphanumeric),
            _ => false,
        };
        let _ = match (name, is_special) {
            ("", false) => chart.write_char(c),
            ("", true) => write!(chart, "#{};", u32::from(c)),
            _ => write!(chart, "#{name};"),
        };
        could_be_list &= c.is_ascii_digit();
        before = Some(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree<'a>(nodes: &[(usize, &'a str, &'a str)]) -> Vec<Node<'a>> {
        let nodes = nodes.iter().map(|&(depth, key, label)| Node {
            depth,
            key: key.as_bytes(),
            label: label.as_bytes(),
        });
        nodes.collect()
    }

    fn depths(depths: &[usize]) -> Vec<Node<'static>> {
        let nodes = depths.iter().map(|&depth| Node {
            depth,
            key: b"k",
            label: b"",
        });
        nodes.collect()
    }

    #[test]
    fn a_tree_is_drawn_with_branches() {
        let nodes = tree(&[
            (0, "doc:portfolio_guide:001", "Portfolio Guide"),
            (1, "ch:risk_management:001", "Risk Management"),
            (2, "chunk:correlation_assets:001", "(paragraph)"),
            (2, "para:volatility:001", "Volatility"),
            (1, "ch:summary:002", "Summary"),
        ]);
        let lines = [
            "doc:portfolio_guide:001  Portfolio Guide",
            "├── ch:risk_management:001  Risk Management",
            "│   ├── chunk:correlation_assets:001  (paragraph)",
            "│   └── para:volatility:001  Volatility",
            "└── ch:summary:002  Summary",
        ];
        assert_eq!(text(&nodes), lines.join("\n"));
    }

    #[test]
    fn depth_falls_and_rises_by_any_step() {
        // A node two deeper is a plain child, and its equals are its siblings.
        let lines = [
            "k",
            "├── k",
            "│   └── k",
            "│       ├── k",
            "│       └── k",
            "├── k",
            "└── k",
            "    └── k",
        ];
        let nodes = depths(&[0, 1, 2, 5, 5, 1, 1, 9]);
        assert_eq!(text(&nodes), lines.join("\n"));
    }

    #[test]
    fn several_roots_stand_side_by_side() {
        assert_eq!(text(&depths(&[3, 3, 4, 0, 1])), "k\nk\n└── k\nk\n└── k");
        assert_eq!(text(&[]), "");
        assert_eq!(mermaid(&[]), "flowchart TD");
    }

    #[test]
    fn nothing_in_a_tree_reaches_the_terminal_as_a_command() {
        let nodes = [Node {
            depth: 0,
            key: b"a\x1b[2Jb\xff",
            label: b"x\ny\r\n\x07z\x7f\xc2\x9b \t",
        }];
        let line = "a\u{fffd}[2Jb\u{fffd}  x y  \u{fffd}z\u{fffd}\u{fffd}";
        assert_eq!(text(&nodes), line);
        assert_eq!(mermaid(&nodes).lines().count(), 2);
        assert!(!mermaid(&nodes).contains(|c: char| c.is_control() && c != '\n'));
    }

    #[test]
    fn a_line_without_a_label_ends_with_the_key() {
        assert_eq!(text(&tree(&[(0, "a", ""), (1, "b", " \n")])), "a\n└── b");
        let chart = mermaid(&tree(&[(0, "a:b", " ")]));
        assert_eq!(chart, "flowchart TD\n    n0[\"a:b\"]");
    }

    #[test]
    fn a_diagram_links_every_node_to_its_parent() {
        let chart = mermaid(&depths(&[0, 1, 3, 3, 1]));
        let links: Vec<&str> = chart.lines().filter(|line| line.contains("-->")).collect();
        assert_eq!(
            links,
            [
                "    n0 --> n1",
                "    n1 --> n2",
                "    n1 --> n3",
                "    n0 --> n4"
            ]
        );
    }

    #[test]
    fn a_label_cannot_leave_its_quotes_or_be_markup() {
        for (label, escaped) in [
            ("\"]; click n0", "#quot;#93;; click n0"),
            ("<b>&lt;", "#lt;b#gt;#amp;lt;"),
            ("C#", "C#35;"),
            ("`a` \\n", "#96;a#96; #92;n"),
            ("%%{init: {}}%%", "#37;#37;{init: {}}#37;#37;"),
            ("1. Intro, v2.0", "1#46; Intro, v2.0"),
            ("2) x - y", "2#41; x - y"),
            ("- x", "#45; x"),
            ("*a* _b_ c_d", "#42;a#42; #95;b_ c_d"),
            ("https://a.b", "https:#47;/a.b"),
            ("www.a.b", "www#46;a.b"),
            ("[a](b)", "#91;a#93;(b)"),
            ("Ökonomie für 3", "Ökonomie für 3"),
        ] {
            let chart = mermaid(&tree(&[(0, "{t}:doc:a_b:001", label)]));
            let node = format!("flowchart TD\n    n0[\"{escaped}<br>{{t}}:doc:a_b:001\"]");
            assert_eq!(chart, node);
        }
    }

    #[test]
    fn a_diagram_cuts_labels_before_it_escapes_them() {
        let just_fits = "\"".repeat(MAX_LABEL_CHARS);
        let chart = mermaid(&tree(&[(0, "k", &just_fits)]));
        assert_eq!(chart.matches("#quot;").count(), MAX_LABEL_CHARS);
        assert!(!chart.contains('…'));
        let too_long = "ä".repeat(MAX_LABEL_CHARS + 1);
        let nodes = tree(&[(0, "k", &too_long)]);
        let cut = format!("[\"{}…<br>k\"]", "ä".repeat(MAX_LABEL_CHARS - 1));
        assert!(mermaid(&nodes).ends_with(&cut));
        assert!(text(&nodes).ends_with(&too_long));
    }
}
