//! Markdown documents of every shape, and edits of them, for tests of what holds for any document.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

/// A document in pieces, so that it can be edited the way people do.
#[derive(Clone, Debug)]
pub struct Draft {
    has_byte_order_mark: bool,
    front_matter: String,
    pieces: Vec<String>,
    line_ending: &'static str,
}

impl Draft {
    pub fn text(&self) -> String {
        let mark = if self.has_byte_order_mark {
            "\u{feff}"
        } else {
            ""
        };
        let lines = [&self.front_matter, self.pieces.concat().as_str()].concat();
        format!("{mark}{}", lines.replace('\n', self.line_ending))
    }

    pub fn apply(&mut self, edit: &Edit) {
        let pieces = &mut self.pieces;
        let at = |place: &usize| place % (pieces.len() + 1);
        match edit {
            Edit::Insert(place, piece) => pieces.insert(at(place), piece.clone()),
            Edit::FrontMatter(front_matter) => self.front_matter.clone_from(front_matter),
            Edit::LineEnding(line_ending) => self.line_ending = line_ending,
            _ if pieces.is_empty() => {}
            Edit::Remove(place) => drop(pieces.remove(place % pieces.len())),
            Edit::Change(place, piece) => {
                let place = place % pieces.len();
                pieces[place].clone_from(piece);
            }
            Edit::Duplicate(from, to) => {
                let piece = pieces[from % pieces.len()].clone();
                pieces.insert(at(to), piece);
            }
            Edit::Move(from, to) => {
                let piece = pieces.remove(from % pieces.len());
                pieces.insert(to % (pieces.len() + 1), piece);
            }
        }
    }
}

/// A change of a draft; places count around its end.
#[derive(Clone, Debug)]
pub enum Edit {
    Insert(usize, String),
    Remove(usize),
    Change(usize, String),
    Duplicate(usize, usize),
    Move(usize, usize),
    FrontMatter(String),
    LineEnding(&'static str),
}

pub fn draft() -> impl Strategy<Value = Draft> {
    let parts = (
        proptest::bool::weighted(0.1),
        front_matter(),
        vec(piece(), 0..16),
        line_ending(),
    );
    parts.prop_map(
        |(has_byte_order_mark, front_matter, pieces, line_ending)| Draft {
            has_byte_order_mark,
            front_matter,
            pieces,
            line_ending,
        },
    )
}

pub fn edit() -> impl Strategy<Value = Edit> {
    let place = || 0..100_usize;
    prop_oneof![
        4 => (place(), piece()).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        4 => place().prop_map(Edit::Remove),
        4 => (place(), piece()).prop_map(|(at, piece)| Edit::Change(at, piece)),
        2 => (place(), place()).prop_map(|(from, to)| Edit::Duplicate(from, to)),
        3 => (place(), place()).prop_map(|(from, to)| Edit::Move(from, to)),
        2 => front_matter().prop_map(Edit::FrontMatter),
        1 => line_ending().prop_map(Edit::LineEnding),
    ]
}

/// Options of KEYNS.INGESTMD that decide how a document is cut and named.
pub fn options() -> impl Strategy<Value = String> {
    let max_chunk = prop_oneof![16..40_usize, 40..400_usize];
    let options = (
        prop_oneof![3 => Just(""), 1 => Just("CHUNK BLOCK"), 1 => Just("CHUNK SECTION")],
        proptest::option::weighted(0.4, max_chunk.prop_map(|max| format!("MAXCHUNK {max}"))),
        proptest::option::weighted(0.3, Just("SIBLINGS")),
        proptest::option::weighted(0.2, Just("NUMBERING SLUG")),
        proptest::option::weighted(0.2, (1..=12_usize).prop_map(|n| format!("WIDTH {n}"))),
        proptest::option::weighted(0.2, (2..=64_usize).prop_map(|n| format!("MAXLEN {n}"))),
        proptest::option::weighted(0.1, Just("FILE notes/today.md")),
    );
    options.prop_map(
        |(chunk, max_chunk, siblings, numbering, width, max_len, file)| {
            [
                chunk,
                max_chunk.as_deref().unwrap_or_default(),
                siblings.unwrap_or_default(),
                numbering.unwrap_or_default(),
                width.as_deref().unwrap_or_default(),
                max_len.as_deref().unwrap_or_default(),
                file.unwrap_or_default(),
            ]
            .join(" ")
        },
    )
}

fn line_ending() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")]
}

fn front_matter() -> impl Strategy<Value = String> {
    let labels = || {
        vec(
            select(&["rain", "Snow & Ice", "wind", "Größe", "7"][..]),
            0..3,
        )
    };
    let yaml = (labels(), labels(), labels(), 0..3_usize);
    let yaml = yaml.prop_map(|(tags, authors, categories, others)| {
        let mut lines = vec![
            format!("tags: [{}]", tags.join(", ")),
            format!("authors: [{}]", authors.join(", ")),
            format!("category: [{}]", categories.join(", ")),
        ];
        lines.extend((0..others).map(|n| format!("Field{n}: {}", 2 * n)));
        format!("---\n{}\n---\n", lines.join("\n"))
    });
    prop_oneof![
        4 => Just(String::new()),
        4 => yaml,
        1 => Just("---\ntitle: Weather\n...\n\n".to_owned()),
        1 => Just("+++\ntitle = \"Weather\"\n+++\n".to_owned()),
        1 => Just("---\n---\n".to_owned()),
        1 => Just("---\nnever closed\n".to_owned()),
    ]
}

/// Few words, so that the same headings and texts come again and again.
fn words() -> impl Strategy<Value = String> {
    let word = select(
        &[
            "Rain",
            "falls",
            "on *hills*",
            "and",
            "`valleys`",
            "2024",
            "Größe",
            "[far](away)",
            "the",
            "nul\0l",
            "天气。",
            "!!",
        ][..],
    );
    vec(word, 1..4).prop_map(|words| words.join(" "))
}

/// A block, or something that no parser likes.
fn piece() -> impl Strategy<Value = String> {
    let heading = (
        1..=6_usize,
        words(),
        select(&["\n", "\n\n", " ##\n", ""][..]),
    )
        .prop_map(|(level, title, end)| format!("{} {title}{end}", "#".repeat(level)));
    let underlined = (words(), select(&["===\n", "---\n"][..]))
        .prop_map(|(title, line)| format!("{title}\n{line}"));
    let paragraph = (vec(words(), 1..4), select(&["\n", "\n\n", "\n\n\n"][..]))
        .prop_map(|(sentences, end)| format!("{}.{end}", sentences.join(". ")));
    let list = vec(words(), 1..6).prop_map(|items| format!("- {}\n\n", items.join("\n- ")));
    let table = vec(words(), 1..12).prop_map(|rows| {
        format!(
            "| a | b |\n|---|---|\n| {} | x |\n\n",
            rows.join(" | y |\n| ")
        )
    });
    let fixed = select(
        &[
            "1. one\n2. two\n   - deep\n\n",
            "- [ ] open\n- [x] done\n",
            "```rust\n# no heading\n\nfn rain() {}\n```\n",
            "~~~\nnever closed\n",
            "    indented code\n\n",
            "> # quoted heading\n> text\nlazy line\n\n",
            "<div>\n\n# inside\n\n</div>\n\n",
            "<!-- note\n\nstill a note -->\n",
            "---\n\n",
            "***\n",
            "\n\n\n",
            " \t\n",
            "[far]: https://example.org 'away'\n",
            "[^1]: no footnote\n\n",
            "#\n\n",
            "#### \n",
        ][..],
    );
    let noise =
        "[ \\t\\n\\r#>*`~|_+=\\[\\]()<>!&:.\\\\0-9a-cäß\u{0}\u{feff}\u{2028}\u{1F327}-]{0,40}";
    prop_oneof![
        5 => heading,
        1 => underlined,
        6 => paragraph,
        2 => list,
        2 => table,
        3 => fixed.prop_map(str::to_owned),
        2 => noise,
    ]
}

/// Calls `check` with many values, and fails with the smallest that it panics for.
#[track_caller]
pub fn for_any<S: Strategy>(cases: u32, values: S, check: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let result = runner.run(&values, |value| {
        check(value);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
