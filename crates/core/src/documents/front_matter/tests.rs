use proptest::prelude::*;

use super::yaml::{MAX_DEPTH, MAX_TOKENS};
use super::*;

/// The front matter whose lines between the markers are `body`.
fn yaml(body: &str) -> FrontMatter {
    let source = format!("---\n{body}\n---\ncontent");
    let (matter, start) = read(&source).unwrap();
    assert_eq!(&source[start..], "content");
    matter
}

/// The line and the reason of the error that `body` is.
fn error(body: &str) -> (usize, String) {
    match read(&format!("---\n{body}\n---\n")) {
        Err(Error::FrontMatter { line, reason }) => (line, reason),
        other => panic!("{other:?} for {body:?}"),
    }
}

fn content(source: &str) -> &str {
    &source[read(source).unwrap().1..]
}

#[test]
fn text_between_two_rules_is_content() {
    for source in [
        "---\n\nJust text.\n\n---\n\n# Head\n",
        "\u{feff}---\nText\n---\n",
    ] {
        let (matter, start) = read(source).unwrap();
        assert_eq!(matter, FrontMatter::default());
        assert_eq!(
            start,
            source.len() - source.trim_start_matches('\u{feff}').len()
        );
    }
}

#[test]
fn a_block_starts_at_the_first_byte_and_ends_at_a_marker() {
    for (source, rest) in [
        ("---\na: 1\n---\nx", "x"),
        ("---\na: 1\n...\nx", "x"),
        ("--- \t\na: 1\n--- \t\nx", "x"),
        ("---\r\na: 1\r\n---\r\nx", "x"),
        ("---\ra: 1\r---\r\r\nx", "\r\nx"),
        ("---\na: 1\n---", ""),
        ("---\n---\nx", "x"),
        ("---\n\n# nothing\n---\nx", "x"),
        ("\u{feff}---\na: 1\n---\nx", "x"),
        ("+++\na = 1\n---\n+++\nx", "x"),
    ] {
        assert_eq!(content(source), rest, "{source:?}");
    }
}

#[test]
fn what_is_not_closed_is_content() {
    for source in [
        "",
        "---",
        "---\n",
        "---\na: 1\n",
        "---\na: 1\n ---\n",
        "---\na: 1\n--- x\n",
        "---\na: 1\n----\n",
        "---\na: 1\n+++\n",
        "+++\na = 1\n...\n",
        " ---\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "----\na: 1\n---\n",
        "--- x\na: 1\n---\n",
        "# Title\n\n---\na: 1\n---\n",
    ] {
        assert_eq!(read(source), Ok((FrontMatter::default(), 0)), "{source:?}");
        let marked = format!("\u{feff}{source}");
        assert_eq!(content(&marked), source);
    }
    let twice = "\u{feff}\u{feff}---\na: 1\n---\n";
    assert_eq!(content(twice), twice.strip_prefix('\u{feff}').unwrap());
}

#[test]
fn a_block_has_at_most_so_many_bytes() {
    let of_len = |len: usize| format!("---\n#{}\n---\n", "x".repeat(len - 2));
    assert!(read(&of_len(MAX_BYTES)).is_ok());
    let reason = format!("longer than {MAX_BYTES} bytes");
    assert_eq!(read(&of_len(MAX_BYTES + 1)), Err(wrong(1, reason)));
    // Without an end it is content, of any length.
    let open = format!("---\n{}", "x\n".repeat(MAX_BYTES));
    assert_eq!(content(&open), open);
}

#[test]
fn scalars_keep_their_text() {
    let matter = yaml(
        "title: ' The  Title '\nDate: 2024-05-01\ndraft: true\nversion: 1.10\n\
         note: \"a\\tb\"\ntext: |\n  two\n  lines\nfolded: >-\n  one\n  line",
    );
    assert_eq!(matter.title.as_deref(), Some("The  Title"));
    let meta = [
        ("date", "2024-05-01"),
        ("draft", "true"),
        ("version", "1.10"),
        ("note", "a\tb"),
        ("text", "two\nlines\n"),
        ("folded", "one line"),
    ];
    assert_eq!(matter.meta, meta.map(|(k, v)| (k.into(), v.into())));
}

#[test]
fn labels_are_a_scalar_or_a_list_under_either_name() {
    let matter = yaml(
        "AUTHOR: Doe, Jane\nauthors: [Ann, 'Doe, Jane', Bob]\ncategory:\n- a, b\n- ' c '\n\
         Tags: x, y,, x ,\ntag:\n  - 'y, z'\n  - y\n  - 7",
    );
    assert_eq!(matter.authors, ["Doe, Jane", "Ann", "Bob"]);
    assert_eq!(matter.categories, ["a, b", "c"]);
    assert_eq!(matter.tags, ["x", "y", "y, z", "7"]);
    assert_eq!(matter.meta, []);
}

#[test]
fn null_and_empty_mean_absent() {
    let matter = yaml(
        "title:\nauthor: ~\ncategory: null\ntags: [a, ~, '', NULL]\na:\nb: ~\nc: ''\nd: Null\n\
         e: '~'\nf: !!str null",
    );
    let expected = FrontMatter {
        tags: vec!["a".into()],
        meta: vec![("e".into(), "~".into()), ("f".into(), "null".into())],
        ..FrontMatter::default()
    };
    assert_eq!(matter, expected);
    assert_eq!(yaml("title: ' '").title, None);
    assert_eq!(yaml("~"), FrontMatter::default());
    assert_eq!(yaml("{}"), FrontMatter::default());
}

#[test]
fn what_is_nested_is_ignored() {
    let matter = yaml(
        "title: [a]\nauthors:\n- name: Ann\n  tags: [x]\n- Bob\ntags: {a: b}\n\
         params:\n  title: no\n  list: [1, [2]]\nlist: [1, 2]\nlast: 1",
    );
    assert_eq!(matter.title, None);
    assert_eq!(matter.authors, ["Bob"]);
    assert_eq!(matter.tags, [""; 0]);
    assert_eq!(matter.meta, [("last".into(), "1".into())]);
}

#[test]
fn nul_in_labels_is_replaced() {
    let matter = yaml("title: \"a\\0b\"\ntags: [\"\\0\"]\nx: \"\\0\\e\"");
    assert_eq!(matter.title.as_deref(), Some("a\u{fffd}b"));
    assert_eq!(matter.tags, ["\u{fffd}"]);
    assert_eq!(matter.meta, [("x".into(), "\0\u{1b}".into())]);
}

#[test]
fn errors_name_the_line() {
    for (body, line, reason) in [
        ("a: 1\nb: [", 4, "did not find expected node content"),
        ("a:\n  b: [1]\n\tc: 2", 4, "tabs disallowed"),
        ("a: 1\n\nb: \"x", 4, "found unexpected end of stream"),
        ("a: b: c", 2, "mapping values are not allowed"),
        ("a: 1\nb: \0", 3, "unprintable"),
        ("a: &x 1\nb: *x", 3, "alias"),
        ("a: *x", 2, "anchor"),
        ("- a", 2, "must be a mapping, not a list"),
        ("title: a\nx: 1\nTITLE: b", 4, "title is given twice"),
        ("a: 1\n? [b]\n: c", 3, "a key must be a scalar"),
        ("a: 1\n: c", 3, "a key must not be empty"),
        ("a: 1\n--- # b\nc: 1", 3, "one document"),
        ("a: 1\n... # b\nc: 1", 3, "one document"),
        ("%YAML 1.2\n--- # b\na: 1", 2, "one document"),
        ("a: 1\n...\tb", 3, "one document"),
    ] {
        let (got_line, got_reason) = error(body);
        assert_eq!(got_line, line, "{body:?}: {got_reason}");
        assert!(got_reason.contains(reason), "{body:?}: {got_reason}");
    }
    let crlf = "\u{feff}---\r\na: 1\r\nb: *x\r\n---\r\n";
    assert!(matches!(
        read(crlf),
        Err(Error::FrontMatter { line: 3, .. })
    ));
}

#[test]
fn a_long_key_leaves_room_for_what_is_wrong() {
    let key = "ä".repeat(500);
    let (_, reason) = error(&format!("{key}: 1\n{key}: 2"));
    assert!(reason.ends_with("... is given twice"), "{reason}");
    assert!(reason.chars().count() < 64);
}

#[test]
fn labels_are_counted_once_each() {
    let list = |count: usize| -> String { (0..count).map(|n| format!("- {}\n", n / 2)).collect() };
    assert_eq!(
        yaml(&format!("tags:\n{}", list(2 * MAX_LABELS))).tags.len(),
        MAX_LABELS
    );
    for name in ["tags", "author", "categories"] {
        let (line, reason) = error(&format!("{name}:\n{}", list(2 * MAX_LABELS + 1)));
        assert_eq!(line, 2 + 2 * MAX_LABELS + 1);
        assert_eq!(reason, format!("more than {MAX_LABELS} of {name}"));
    }
}

#[test]
fn nesting_ends_at_a_depth() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("a: {}1{}", open.repeat(depth - 1), close.repeat(depth - 1))
    };
    for (open, close) in [("[", "]"), ("{b: ", "}"), ("\n- ", "")] {
        // Only what is deeper on the same line is deeper in a block.
        let depth = if close.is_empty() { 2 } else { MAX_DEPTH };
        yaml(&nested(open, close, depth));
    }
    let reason = format!("nested deeper than {MAX_DEPTH} levels");
    for body in [
        nested("[", "]", MAX_DEPTH + 1),
        nested("{b: ", "}", MAX_DEPTH + 1),
        format!("a:\n {}", "- ".repeat(MAX_DEPTH + 1)),
        (0..=MAX_DEPTH)
            .map(|n| format!("{}a:\n", " ".repeat(n)))
            .collect(),
    ] {
        assert_eq!(error(&body).1, reason, "{body}");
    }
}

#[test]
fn tokens_are_counted_before_the_parser_sees_them() {
    // Inside brackets, each of these makes the parser keep tokens.
    for shape in [",", "[", "{a: ", "&a ", "''\n", "a #\n", "? ", "!a "] {
        let reason = error(&format!("x: [[{}", shape.repeat(MAX_TOKENS + 1))).1;
        assert!(reason.contains("brackets"), "{shape}: {reason}");
    }
    yaml(&format!("# {}", "]".repeat(MAX_TOKENS - 1)));
    yaml(&format!("# {}", "\"".repeat(2 * MAX_TOKENS - 2)));
}

/// Shapes that are superlinear, endless or recursive in one YAML parser or another, as long as
/// front matter may be. A stack this small shows that none of them is followed downwards.
#[test]
fn hostile_yaml_comes_to_an_end_on_a_small_stack() {
    const SHAPES: &[&str] = &[
        "- ", "[", "{", "? ", "!! ", "!a ", "&a ", "|", "|\n", ">+\n", "\"", "'", "\\", "{a: ",
        "[a: ", "{? ", "[[],", "[&a ", "\t", " ", "\n", "\r", "a", "a: b\n", "a:\n ", "*a ",
        "%a\n", ": ", ", ", "#", "\u{feff}", "a\n\n", "- |\n\n", "... #\n", "--- #\n", "<<: *a\n",
        "- -\n",
    ];
    let around = [("", ""), ("a:\n", ""), ("a: [[", "]]"), ("a: \"", "\"")];
    let read_all = move || {
        for (shape, (start, end)) in SHAPES.iter().flat_map(|shape| around.map(|a| (shape, a))) {
            // As much as the parser gets to see at all, and as much as there may be.
            for room in [MAX_TOKENS, MAX_BYTES - start.len() - end.len() - 1] {
                let body = format!("{start}{}{end}", shape.repeat(room / shape.len()));
                let _ = read(&format!("---\n{body}\n---\n"));
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(128 * 1024);
    thread.spawn(read_all).unwrap().join().unwrap();
}

#[test]
fn aliases_are_refused_before_they_multiply() {
    let bomb = (1..9).map(|n| format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1));
    let bomb: String = std::iter::once("a0: &a0 lol\n".to_string())
        .chain(bomb)
        .collect();
    assert_eq!(error(&bomb), (3, "an alias is not allowed".into()));
}

#[test]
fn toml_gives_its_title_and_nothing_else() {
    for (body, title) in [
        ("title = \"A Title\"\ntags = ['x']", Some("A Title")),
        ("x = 1\n  TITLE='it''s' # no", None),
        ("title = 'a \\n' # yes", Some("a \\n")),
        (
            r#"title="\"a\" \\ \t\u00e4\U0001F600""#,
            Some("\"a\" \\ \tä😀"),
        ),
        (r#"title = "a\r\nb""#, Some("a\r\nb")),
        ("title = \"a\0\"", Some("a\u{fffd}")),
        ("title = ' a '", Some("a")),
        ("title = ''", None),
        ("title = \"a\\q\"", None),
        ("title = \"\\ud800\"", None),
        ("title = \"\\u00\"", None),
        ("title = \"a", None),
        ("title = \"a\" b", None),
        ("title = \"\"\"\na\"\"\"", None),
        ("title = 3", None),
        ("subtitle = \"a\"", None),
        ("[params]\ntitle = \"a\"", None),
        ("", None),
    ] {
        let source = format!("+++\n{body}\n+++\nx");
        let expected = FrontMatter {
            title: title.map(String::from),
            ..FrontMatter::default()
        };
        assert_eq!(read(&source), Ok((expected, source.len() - 1)), "{body}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_or_refused(pieces in prop::collection::vec(prop::sample::select(&[
        "---\n", "...\n", "+++\n", "---", "\u{feff}", "\n", "\r\n", "\r", "\n  ", "\n ", " ", "\t",
        "- ", "? ", ": ", ":", "a: ", "title: ", "tags: ", "title = ", "a", "ä", "~", "1", ", ",
        "[", "]", "{", "}", "\"", "'", "\\", "\\u00e4", "|\n", ">-\n", "|2+\n", "&a ", "*a ",
        "!!str ", "!<x> ", "! ", "%TAG ! x\n", "%", "#", " # ", "\0", "@", "`", "😀",
    ][..]), 0..40), opening in prop::sample::select(&["", "---\n", "\u{feff}---\r\n", "+++\n"][..])) {
        let source = format!("{opening}{}\n---\n+++\n", pieces.concat());
        match read(&source) {
            Ok((_, start)) => prop_assert!(source.is_char_boundary(start)),
            Err(Error::FrontMatter { line, reason }) => {
                prop_assert!(line <= source.len());
                prop_assert!(!reason.is_empty());
            }
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }
}
