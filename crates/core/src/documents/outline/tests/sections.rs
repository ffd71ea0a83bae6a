//! Which headings make sections, and what is in them.

use super::*;

#[test]
fn headings_of_the_first_three_levels_are_sections() {
    let found = outline("# Bread\n## Dough\n### Yeast\n");
    let sections = [Kind::Chapter, Kind::Paragraph, Kind::Subparagraph];
    assert_eq!(kinds(&found), sections);
    assert_eq!(labels(&found), ["Bread", "Dough", "Yeast"]);
    assert_eq!(each(&found, |e| e.level), [1, 2, 3]);
    assert_eq!(parents(&found), [None, Some(0), Some(1)]);
}

#[test]
fn a_section_is_in_the_nearest_open_one_that_is_shallower() {
    let found = outline("# a\n### b\n## c\n### d\n### e\n# f\n### g\n");
    let above = [None, Some(0), Some(0), Some(2), Some(2), None, Some(5)];
    assert_eq!(parents(&found), above);
}

#[test]
fn a_section_without_a_shallower_one_is_in_the_document() {
    assert_eq!(parents(&outline("### a\n## b\n# c\n")), [None; 3]);
}

#[test]
fn a_section_ends_before_the_next_that_is_not_deeper() {
    let found = outline("# a\none\n## b\ntwo\n### c\n## d\n# e\n");
    assert_eq!(each(&found, |e| e.end), [6, 2, 5, 4, 5, 6, 7]);
}

#[test]
fn a_chunk_is_in_the_section_above_it() {
    let found = outline("zero\n\n# a\none\n## b\ntwo\n# c\nthree\n");
    let above = [None, None, Some(1), Some(1), Some(3), None, Some(5)];
    assert_eq!(parents(&found), above);
    assert_eq!(each(&found, |e| e.level), [0, 1, 1, 2, 2, 1, 1]);
}

#[test]
fn deeper_headings_are_chunks_of_the_section() {
    let found = outline("# a\n#### b\n##### c\n###### d\n");
    assert_eq!(kinds(&found)[1..], [Kind::Chunk; 3]);
    assert_eq!(blocks(&found)[1..], [Block::Heading; 3]);
    assert_eq!(parents(&found)[1..], [Some(0); 3]);
    assert_eq!(each(&found, |e| e.level), [1, 4, 5, 6]);
    assert_eq!(each(&found, |e| e.end), [4, 2, 3, 4]);
}

#[test]
fn chunks_carry_the_titles_of_all_headings_above_them() {
    let found =
        outline("one\n\n# a\n### b\n##### c\ntwo\n#### d\nthree\n###### e\nfour\n# f\nfive\n");
    let paths: Vec<String> = each(&found, |e| found.path(e).join("/"));
    let of_chunks: Vec<(&str, &str)> = labels(&found)
        .into_iter()
        .zip(paths.iter().map(String::as_str))
        .filter(|(label, _)| label.len() > 1)
        .collect();
    assert_eq!(
        of_chunks,
        [
            ("one", ""),
            ("two", "a/b/c"),
            ("three", "a/b/d"),
            ("four", "a/b/d/e"),
            ("five", "f"),
        ]
    );
}

#[test]
fn a_heading_stands_under_the_shallower_ones_only() {
    let found = outline("# a\n#### b\n##### c\n#### d\n## e\n");
    let paths: Vec<String> = each(&found, |e| found.path(e).join("/"));
    assert_eq!(paths, ["", "a", "a/b", "a", "a"]);
}

#[test]
fn chunks_under_one_heading_have_the_same_path() {
    let found = outline("# a\none\n\ntwo\n#### b\nthree\n# a\nfour\n");
    let [_, one, two, _, three, _, four] = found.elements.as_slice() else {
        panic!("{found:?}");
    };
    assert!(found.same_path(one, two));
    assert!(!found.same_path(two, three));
    assert!(!found.same_path(one, four));
}

#[test]
fn a_heading_in_a_quote_is_content() {
    assert_eq!(only_block("> # Said\n> by somebody\n"), Block::Quote);
    assert_eq!(only_block("> Said\n> ====\n"), Block::Quote);
}

#[test]
fn a_heading_in_a_list_is_content() {
    assert_eq!(
        only_block("- # First\n- second\n\n  ## Third\n"),
        Block::List
    );
    assert_eq!(only_block("1. one\n   ===\n"), Block::List);
}

#[test]
fn a_heading_in_html_is_content() {
    assert_eq!(only_block("<div>\n# Hidden\n</div>\n"), Block::Html);
    assert_eq!(
        only_block("<!--\n# Hidden\n\n## Deeper\n-->\n"),
        Block::Html
    );
}

#[test]
fn html_ends_with_its_tag_in_any_case() {
    for tag in ["pre", "script", "style", "textarea"] {
        let tags = [tag.to_owned(), tag.to_uppercase()];
        for (open, close) in tags.iter().flat_map(|o| tags.iter().map(move |c| (o, c))) {
            let source = format!("<{open}>\n\n# Hidden\n\n</{close}>\n\n# Seen\n");
            assert_eq!(outline(&source).first_title(), Some("Seen"), "{source}");
        }
    }
}

#[test]
fn a_number_sign_in_code_is_no_heading() {
    assert_eq!(only_block("```\n# comment\n```\n"), Block::Code);
    assert_eq!(only_block("~~~\n# comment\n\n# not closed"), Block::Code);
    assert_eq!(only_block("    # comment\n"), Block::Code);
    assert_eq!(only_block("\t# comment\n"), Block::Code);
}

#[test]
fn only_what_commonmark_calls_a_heading_is_one() {
    for source in ["#one\n", "####### one\n", "\\# one\n", "one\n\n===\n"] {
        assert_eq!(blocks(&outline(source))[0], Block::Paragraph, "{source:?}");
    }
    for source in ["# one", "   # one\n", "#\tone\n", "# one ###\n", "one\n=\n"] {
        assert_eq!(title(source), "one", "{source:?}");
    }
}

#[test]
fn underlined_headings_are_sections_too() {
    let found = outline("Bread\n=====\n\nDough\nand more\n---\n\nflour\n");
    assert_eq!(kinds(&found), [Kind::Chapter, Kind::Paragraph, Kind::Chunk]);
    assert_eq!(labels(&found), ["Bread", "Dough and more", "flour"]);
    assert_eq!(parents(&found), [None, Some(0), Some(1)]);
}

#[test]
fn headings_with_the_same_title_stay_apart() {
    let found = outline("# a\n## b\n## b\none\n# a\n## b\n");
    assert_eq!(labels(&found), ["a", "b", "b", "one", "a", "b"]);
    let above = [None, Some(0), Some(0), Some(2), None, Some(4)];
    assert_eq!(parents(&found), above);
}

#[test]
fn the_first_chapter_names_the_document() {
    assert_eq!(outline("## a\n# b\n# c\n").first_title(), Some("b"));
    assert_eq!(outline("#\n# b\n").first_title(), Some(""));
    assert_eq!(outline("## a\n\ntext\n").first_title(), None);
}
