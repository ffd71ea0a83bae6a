//! What a chunk is, and what belongs to it.

use super::*;

/// What follows the first block, as far as it is more than blank lines.
fn tail_of_first(source: &str) -> &str {
    let first = &outline(source).elements[0];
    let tail = &source[first.span.end - first.tail..first.span.end];
    tail.trim()
}

#[test]
fn every_block_is_a_chunk_of_its_kind() {
    for (source, block) in [
        ("one\ntwo\n", Block::Paragraph),
        ("#### one\n", Block::Heading),
        ("- one\n", Block::List),
        ("3) one\n", Block::List),
        ("- [ ] one\n", Block::List),
        ("```\none\n```\n", Block::Code),
        ("    one\n", Block::Code),
        ("| one |\n|---|\n", Block::Table),
        ("> one\n", Block::Quote),
        ("<p>one</p>\n", Block::Html),
        ("![one](two.png)\n", Block::Paragraph),
        ("<b>one</b> two\n", Block::Paragraph),
    ] {
        assert_eq!(only_block(source), block, "{source:?}");
    }
}

#[test]
fn a_list_stays_whole() {
    assert_eq!(
        only_block("- one\n\n  two\n\n      three\n- > four\n  1. five\n"),
        Block::List
    );
}

#[test]
fn another_marker_is_another_list() {
    let source = "- one\n* two\n1. three\n1) four\n";
    let found = outline(source);
    assert_eq!(blocks(&found), [Block::List; 4]);
    assert_eq!(
        texts(&found, source),
        ["- one\n", "* two\n", "1. three\n", "1) four\n"]
    );
}

#[test]
fn a_table_stays_whole() {
    let source = "| one | two |\n|:---|---:|\n| `a\\|b` | 2 |\n| 3\n";
    assert_eq!(only_block(source), Block::Table);
}

#[test]
fn code_stays_whole() {
    assert_eq!(only_block("````\none\n\n```\n\n---\n````\n"), Block::Code);
    assert_eq!(only_block("    one\n\n\n    two\n"), Block::Code);
}

#[test]
fn a_quote_stays_whole() {
    assert_eq!(
        only_block("> one\nlazy\n>\n> - two\n>\n> ```\n> three\n"),
        Block::Quote
    );
}

#[test]
fn html_stays_whole() {
    assert_eq!(only_block("<pre>\none\n\ntwo\n</pre>\n"), Block::Html);
    assert_eq!(only_block("<div>\n*one*\n- two\n</div>\n"), Block::Html);
}

#[test]
fn a_rule_is_no_chunk() {
    for rule in ["---", "***", "_ _ _", " - - -"] {
        let source = format!("one\n\n{rule}\n\ntwo\n");
        let found = outline(&source);
        assert_eq!(labels(&found), ["one", "two"], "{rule}");
        let alone = format!("{rule}\n\n{rule}\n");
        assert!(outline(&alone).elements.is_empty(), "{rule}");
    }
}

#[test]
fn text_before_the_first_heading_is_the_documents() {
    let found = outline("one\n\n- two\n\n# a\n");
    assert_eq!(kinds(&found), [Kind::Chunk, Kind::Chunk, Kind::Chapter]);
    assert_eq!(parents(&found), [None; 3]);
    assert_eq!(each(&found, |e| e.level), [0, 0, 1]);
}

#[test]
fn what_is_between_two_blocks_belongs_to_the_first() {
    for between in [
        "\n",
        "\n\n \n\t\n",
        "\n[one]: /two\n",
        "\n[one]: /two\n  'three'\n[four]: <five>\n\n",
        "\n---\n",
        "\n***\n[one]: /two\n\n---\n\n",
    ] {
        let first = format!("one\n{between}");
        let source = format!("{first}two\n");
        let found = outline(&source);
        assert_eq!(texts(&found, &source), [&first, "two\n"]);
        let headed = format!("# {source}");
        let first = format!("# {first}");
        assert_eq!(texts(&outline(&headed), &headed), [&first, "two\n"]);
    }
}

#[test]
fn what_is_before_the_first_block_is_the_documents() {
    for before in [
        "\n\n",
        " \n",
        "---\n\n",
        "[one]: /two\n\n",
        "\t\n***\n[one]: /two\n",
    ] {
        let source = format!("{before}one\n");
        let found = outline(&source);
        assert_eq!(&source[found.head.clone()], before);
        assert_eq!(texts(&found, &source), ["one\n"]);
    }
}

#[test]
fn a_document_without_blocks_is_all_head() {
    for source in [
        "",
        "\n",
        "---\n",
        "[one]: /two",
        "\u{feff}",
        "---\na: 1\n---\n",
    ] {
        let found = outline(source);
        assert_eq!(found.head, 0..source.len());
        assert!(found.elements.is_empty(), "{source:?}");
    }
}

#[test]
fn a_chunk_starts_where_its_line_does() {
    let source = "  one\n\n    two\n\n\tthree\n\n   # a\n  - four\n\n   | b |\n   |---|\n";
    let found = outline(source);
    assert_eq!(
        texts(&found, source),
        [
            "  one\n\n",
            "    two\n\n\tthree\n\n",
            "   # a\n",
            "  - four\n\n",
            "   | b |\n   |---|\n",
        ]
    );
}

#[test]
fn definitions_and_rules_behind_a_block_are_its_tail() {
    for block in [
        "one\n",
        "#### one\n",
        "- one\n",
        "- one\n\n  two\n",
        "- one\n-\n",
        "- - one\n  - \n",
        "1. one\n\n   > two\n",
        "    one\n",
        "```\none\n```\n",
        "| one |\n|---|\n| two |\n",
        "> one\n>\n",
        "<p>one</p>\n",
    ] {
        for tail in [
            "[a]: /b",
            "---",
            "***\n\n[a]: /b 'c'",
            "[a]: /b\n[c]: /d\n[e]:\n/f\n\n[g]: /h",
        ] {
            let source = format!("{block}\n{tail}\n\nnext\n");
            assert_eq!(tail_of_first(&source), tail, "{source}");
            let last = format!("{block}\n\n{tail}");
            assert_eq!(tail_of_first(&last), tail, "{last}");
        }
        assert_eq!(
            outline(&format!("{block}\n \n\nnext\n")).elements[0].tail,
            0
        );
    }
}

#[test]
fn a_rule_in_a_list_is_none_of_its_tail() {
    assert_eq!(tail_of_first("- one\n\n  ---\n\nnext\n"), "");
    assert_eq!(tail_of_first("- one\n\n  ---\n\n---\n\nnext\n"), "---");
}

#[test]
fn sections_have_no_tail() {
    assert_eq!(tail_of_first("# a\n\n---\n\n[b]: /c\n\none\n"), "");
}
