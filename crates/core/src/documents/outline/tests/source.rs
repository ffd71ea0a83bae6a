//! Characters, line endings, front matter and limits.

use super::*;

/// Everything an outline says, apart from where it says it.
fn gist(source: &str) -> Vec<(Kind, Block, Option<usize>, String)> {
    let outline = outline(source);
    let elements = outline.elements.iter();
    elements
        .map(|e| {
            let label: Vec<&str> = outline.label(e).split_whitespace().collect();
            (e.kind, e.block, e.parent, label.join(" "))
        })
        .collect()
}

fn error(source: &str, cut: &Cut) -> String {
    Outline::of(source, cut).unwrap_err().to_string()
}

#[test]
fn all_line_endings_make_the_same_outline() {
    let source = "# a\n\none\ntwo\n\n- three\n- four\n\n```\n# code\n\n```\n## b\n\n    five\n\n> six\n\
        lazy\n\n<div>\n# html\n\n| c |\n|---|\n| d |\n\nSeven\n===\n\n<!--\n\n# e\n-->\n# f\n~~~\n# g\n";
    let expected = gist(source);
    assert_eq!(expected.len(), 13);
    for ending in ["\r\n", "\r"] {
        assert_eq!(gist(&source.replace('\n', ending)), expected, "{ending:?}");
    }
    let mixed = source.replacen('\n', "\r", 9).replacen('\n', "\r\n", 9);
    assert_eq!(gist(&mixed), expected);
}

#[test]
fn line_endings_stay_in_the_spans() {
    for ending in ["\n", "\r\n", "\r"] {
        let source = ["# a", "", "```", "# b", "```", "one", "", "two"].join(ending);
        let first = format!("# a{ending}{ending}");
        let code = format!("```{ending}# b{ending}```{ending}");
        let one = format!("one{ending}{ending}");
        assert_eq!(
            texts(&outline(&source), &source),
            [&first, &code, &one, "two"]
        );
    }
}

#[test]
fn a_tab_is_as_wide_as_commonmark_has_it() {
    assert_eq!(only_block("-\tone\n\n\ttwo\n"), Block::List);
    assert_eq!(only_block(" \tone\n"), Block::Code);
    assert_eq!(title("#\tone\t\n"), "one");
    assert_eq!(only_block(">\tone\n"), Block::Quote);
}

#[test]
fn one_byte_order_mark_is_the_documents() {
    let source = "\u{feff}# a\n";
    let found = outline(source);
    assert_eq!(found.head, 0..3);
    assert_eq!(texts(&found, source), ["# a\n"]);
    assert_eq!(kinds(&outline("\u{feff}\u{feff}# a\n")), [Kind::Chunk]);
    assert_eq!(kinds(&outline("one\n\n\u{feff}# a\n")), [Kind::Chunk; 2]);
}

#[test]
fn nul_stays_in_the_spans() {
    let source = "# a\0b\n\none\0two\n\n```\n\0\n```\n";
    let found = outline(source);
    assert_eq!(texts(&found, source).concat(), source);
    assert_eq!(labels(&found), ["a\u{fffd}b", "one\u{fffd}two", "\u{fffd}"]);
}

#[test]
fn any_characters_stay_in_the_spans() {
    let source = "# \u{4e2d}\u{6587}\n\n\u{1f680} \u{e9} e\u{301}\u{2028}\u{a0}\n\n- \u{fffd}\u{202e}\n\n\u{1}\u{b}\u{c}\u{7f}x\n";
    let found = outline(source);
    assert_eq!(texts(&found, source).concat(), source);
    assert_eq!(labels(&found)[0], "\u{4e2d}\u{6587}");
}

#[test]
fn the_byte_that_is_no_utf8_is_named() {
    for (bytes, at) in [
        (&b"\xff"[..], 0),
        (b"# a\n\n\xc3\x28", 5),
        (b"\xc3\xa4\xc3", 2),
        (b"---\ntitle: \xe4\n---\n", 11),
        (b"\xed\xa0\x80", 0),
    ] {
        let error = Outline::of_bytes(bytes, &Cut::default()).unwrap_err();
        let message = format!("markdown is not valid UTF-8 at byte {at}");
        assert_eq!(error.to_string(), message);
    }
    assert!(Outline::of_bytes("\u{e4}".as_bytes(), &Cut::default()).is_ok());
}

#[test]
fn front_matter_belongs_to_the_head() {
    for (matter, title) in [
        ("---\ntitle: Bread\n---\n", Some("Bread")),
        ("\u{feff}---\r\ntitle: Bread\r\n...\r\n\r\n", Some("Bread")),
        ("+++\ntitle = \"Bread\"\n+++\n\n---\n", Some("Bread")),
        ("---\n# no heading\n---\n", None),
    ] {
        let source = format!("{matter}# Dough\n");
        let found = outline(&source);
        assert_eq!(found.front_matter.title.as_deref(), title);
        assert_eq!(&source[found.head.clone()], matter);
        assert_eq!(labels(&found), ["Dough"]);
        assert_eq!(texts(&found, &source), ["# Dough\n"]);
    }
}

#[test]
fn front_matter_without_an_end_is_content() {
    let found = outline("---\ntitle: Bread\n\n# Dough\n");
    assert_eq!(found.front_matter, FrontMatter::default());
    assert_eq!(labels(&found), ["title: Bread", "Dough"]);
    assert_eq!(found.head, 0..4);
}

#[test]
fn two_rules_later_on_are_no_front_matter() {
    let source = "# a\n\n---\none\n\n---\ntwo\n";
    assert_eq!(labels(&outline(source)), ["a", "one", "two"]);
}

#[test]
fn front_matter_that_cannot_be_read_is_an_error() {
    let message = error("---\na: [1\n---\n# b\n", &Cut::default());
    assert!(message.starts_with("front matter, line "), "{message}");
}

#[test]
fn a_document_has_at_most_so_many_elements() {
    let cut = |max_elements| Cut {
        max_elements,
        ..Cut::default()
    };
    let source = "# a\n\none\n\n## b\n";
    assert!(Outline::of(source, &cut(3)).is_ok());
    let message = "the document has more than 2 elements (keyns.max-elements)";
    assert_eq!(error(source, &cut(2)), message);
    assert!(Outline::of("---\n", &cut(0)).is_ok());
}

#[test]
fn the_parts_of_a_chunk_are_elements_too() {
    let source = "one two three four five six\n";
    let cut = |max_elements| Cut {
        max_chunk: Some(16),
        max_elements,
        ..Cut::default()
    };
    assert_eq!(Outline::of(source, &cut(2)).unwrap().elements.len(), 2);
    let message = "the document has more than 1 elements (keyns.max-elements)";
    assert_eq!(error(source, &cut(1)), message);
}

#[test]
fn more_containers_than_anybody_writes_are_refused() {
    let nested = |depth: usize| "> ".repeat(depth) + "one";
    assert_eq!(
        only_block(&nested(containers::MAX_CONTAINERS)),
        Block::Quote
    );
    let source = format!("# a\n\n{}", nested(containers::MAX_CONTAINERS + 1));
    let message = "line 3 of the markdown may open more than 100 nested quotes and lists";
    assert_eq!(error(&source, &Cut::default()), message);
}
