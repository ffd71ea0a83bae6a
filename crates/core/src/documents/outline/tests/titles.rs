//! What a heading says, and what a chunk starts with.

use super::*;

/// `count` characters, of which `c` is one.
fn many(c: char, count: usize) -> String {
    std::iter::repeat_n(c, count).collect()
}

#[test]
fn a_title_is_plain_text() {
    for (source, plain) in [
        ("# *one* **two** ~~three~~\n", "one two three"),
        ("# ***one** two*\n", "one two"),
        ("# `one  two`\n", "one  two"),
        ("# `` one`two ``\n", "one`two"),
        ("# [one](/two \"three\") four\n", "one four"),
        ("# [one] [*two*][one]\n\n[one]: /three\n", "one two"),
        ("# [one](two\n", "[one](two"),
        ("# ![one *two*](three.png)\n", "one two"),
        ("# [![one](two.png)](three)\n", "one"),
        ("# <http://one.example/>\n", "http://one.example/"),
        ("# one <b>two</b><!-- three -->\n", "one two"),
        ("# one &amp; two &#35;3 &copy;\n", "one & two #3 \u{a9}"),
        ("# \\*one\\* \\# \\two\n", "*one* # \\two"),
        ("# [x] one\n", "[x] one"),
        ("# one | two\n", "one | two"),
        ("#   one   \n", "one"),
        ("one\n   two\n===\n", "one two"),
        ("one  \ntwo\\\nthree\n===\n", "one two three"),
        ("one `two\nthree`\n---\n", "one two three"),
    ] {
        assert_eq!(title(source), plain, "{source:?}");
    }
}

#[test]
fn an_empty_heading_has_an_empty_title() {
    for source in [
        "#\n",
        "## \n",
        "### ###\n",
        "#\t\n",
        "# <br>\n",
        "# ![](a.png)\n",
    ] {
        assert_eq!(title(source), "", "{source:?}");
    }
}

#[test]
fn a_title_has_at_most_so_many_bytes() {
    let full = many('a', MAX_TITLE_BYTES);
    assert_eq!(title(&format!("# {full}\n")), full);
    assert_eq!(title(&format!("# {full}b\n")), full);
    assert_eq!(title(&format!("# *{full}* b\n")), full);
    assert_eq!(title(&format!("#### {full}b\n")), full);
}

#[test]
fn a_title_is_cut_between_characters() {
    for (c, count) in [('\u{e4}', 256), ('\u{20ac}', 170), ('\u{1f680}', 128)] {
        let longer = many(c, MAX_TITLE_BYTES);
        assert_eq!(title(&format!("# {longer}\n")), many(c, count));
    }
    // Nothing is added behind a cut.
    let source = format!("# {}\u{e4}*b*\n", many('a', MAX_TITLE_BYTES - 1));
    assert_eq!(title(&source), many('a', MAX_TITLE_BYTES - 1));
}

#[test]
fn nul_is_a_replacement_character_in_titles() {
    assert_eq!(title("# one\0two `\0`\n"), "one\u{fffd}two \u{fffd}");
    let longest = many('\u{fffd}', MAX_TITLE_BYTES / 3);
    assert_eq!(
        title(&format!("# {}\n", many('\0', MAX_TITLE_BYTES))),
        longest
    );
}

#[test]
fn a_chunk_is_labelled_with_the_text_it_starts_with() {
    for (source, label) in [
        ("one *two* `three`\nfour\n", "one two three four"),
        ("- one\n- [x] two\n\n  three\n", "one two  three"),
        (
            "| one | two |\n|---|---|\n| three | four |\n",
            "one two  three four",
        ),
        ("> one\n> > two\n", "one two"),
        ("```rust\none();\n```\n", "one();"),
        ("<p class='one'>two</p>\n", "p class  one  two  p"),
        ("-\n", ""),
    ] {
        let found = outline(source);
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(labels(&found)[0]), words(label), "{source:?}");
    }
}

#[test]
fn a_label_is_shorter_than_a_title_may_be() {
    let found = outline(&many('a', MAX_TITLE_BYTES));
    assert_eq!(labels(&found), [many('a', MAX_LABEL_BYTES)]);
}

#[test]
fn labels_have_no_white_space_around_them() {
    let found = outline("# one \n\n  two\n\n> three\n\n- four\n\n\n    five\n");
    for label in labels(&found) {
        assert_eq!(label, label.trim());
        assert!(!label.is_empty());
    }
}
