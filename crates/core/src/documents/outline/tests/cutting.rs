//! One chunk for a section, and chunks that are too long.

use super::*;

/// The parts that chunks of at most `max` bytes make of a document.
fn parts(max: usize, source: &str) -> Vec<&str> {
    texts(&cut_at(max, source), source)
}

/// The same, with the table header that each of them repeats.
fn parts_with_header(max: usize, source: &str) -> Vec<(&str, &str)> {
    let of_source = |range: &Range<usize>| &source[range.clone()];
    each(&cut_at(max, source), |e| {
        (of_source(&e.repeated), of_source(&e.span))
    })
}

#[test]
fn all_blocks_of_a_section_can_be_one_chunk() {
    let source = "one\n\n- two\n\n# a\n\n## b\n\nthree\n\n---\n\n```\nfour\n```\n\n> five\n";
    let found = by_section(source);
    assert_eq!(
        texts(&found, source),
        [
            "one\n\n- two\n\n",
            "# a\n\n",
            "## b\n\n",
            "three\n\n---\n\n```\nfour\n```\n\n> five\n",
        ]
    );
    let (section, heading) = (Block::Section, Block::Heading);
    assert_eq!(blocks(&found), [section, heading, heading, section]);
    assert_eq!(parents(&found), [None, None, Some(1), Some(2)]);
    assert_eq!(each(&found, |e| e.level), [0, 1, 2, 2]);
}

#[test]
fn a_deeper_heading_starts_no_chunk_of_its_own_in_a_section() {
    let source = "# a\n#### b\none\n###### c\n## d\n#### e\n";
    let found = by_section(source);
    assert_eq!(
        texts(&found, source),
        ["# a\n", "#### b\none\n###### c\n", "## d\n", "#### e\n"]
    );
    assert_eq!(found.path(&found.elements[1]), ["a"]);
    assert_eq!(found.path(&found.elements[3]), ["a", "d"]);
}

#[test]
fn the_tail_of_a_section_is_behind_its_last_block() {
    let source = "one\n\n---\n\ntwo\n\n[a]: /b\n";
    let found = by_section(source);
    assert_eq!(texts(&found, source), [source]);
    assert_eq!(found.elements[0].tail, "\n[a]: /b\n".len());
}

#[test]
fn a_chunk_that_fits_is_not_split() {
    let source = "one two. three!\n";
    assert_eq!(source.len(), 16);
    assert_eq!(parts(16, source), [source]);
    assert_eq!(parts(15, source).len(), 2);
}

#[test]
fn sections_are_not_split() {
    let source = "# one two three four five six seven\n\n\n";
    assert_eq!(parts(16, source), [source]);
}

#[test]
fn a_paragraph_is_split_behind_sentences() {
    let source = "One two. Three four! Five\nsix? Seven eight nine.\nTen.\n";
    assert_eq!(
        parts(24, source),
        [
            "One two. Three four! ",
            "Five\nsix? ",
            "Seven eight nine.\nTen.\n"
        ]
    );
    let wide = "\u{4e00}\u{3002}\u{4e8c}\u{ff01}\u{4e09}\u{56db}\u{4e94}\u{516d}\u{ff1f}\n";
    assert_eq!(
        parts(16, wide),
        [
            "\u{4e00}\u{3002}\u{4e8c}\u{ff01}",
            "\u{4e09}\u{56db}\u{4e94}\u{516d}\u{ff1f}\n"
        ]
    );
}

#[test]
fn a_point_in_a_word_ends_no_sentence() {
    assert_eq!(
        parts(16, "see a.b.c d.e.f g.h.i\n"),
        ["see a.b.c d.e.f ", "g.h.i\n"]
    );
}

#[test]
fn a_sentence_is_split_behind_lines_and_then_words() {
    assert_eq!(
        parts(20, "one two three\nfour five six seven eight\n"),
        ["one two three\n", "four five six seven ", "eight\n"]
    );
}

#[test]
fn a_word_is_split_between_characters() {
    assert_eq!(
        parts(16, &"a".repeat(40)),
        ["a".repeat(16), "a".repeat(16), "a".repeat(8)]
    );
    let rockets = "\u{1f680}".repeat(9);
    let of = |count: usize| "\u{1f680}".repeat(count);
    assert_eq!(parts(18, &rockets), [of(4), of(4), of(1)]);
    let euros = "\u{20ac}".repeat(12);
    assert_eq!(
        parts(17, &euros),
        [
            "\u{20ac}".repeat(5),
            "\u{20ac}".repeat(5),
            "\u{20ac}".repeat(2)
        ]
    );
}

#[test]
fn a_list_is_split_between_items() {
    let source = "- one\n- two\n  - three\n  - four\n- five\n\n- six\n";
    assert_eq!(
        parts(32, source),
        ["- one\n- two\n  - three\n  - four\n", "- five\n\n- six\n"]
    );
    // An item that is too long itself comes apart between its lines.
    assert_eq!(
        parts(16, source),
        [
            "- one\n",
            "- two\n  - three\n",
            "  - four\n",
            "- five\n\n- six\n"
        ]
    );
}

#[test]
fn code_html_and_quotes_are_split_between_lines() {
    for source in [
        "```\none. two\nthree. four\nfive\n```\n",
        "    one. two\n    three. four\n",
        "<div>\none. two\nthree. four\n</div>\n",
        "> one. two\n> three. four\n> five\n",
    ] {
        let found = parts(24, source);
        assert!(found.len() > 1, "{source}");
        assert!(found.iter().all(|part| part.ends_with('\n')), "{found:?}");
    }
    let crowded = "```\none two three. four five six\n```\n";
    assert_eq!(
        parts(20, crowded),
        ["```\n", "one two three. ", "four five six\n```\n"]
    );
}

#[test]
fn a_section_is_split_between_blocks() {
    let source = "one. two. three.\n\nfour. five.\n\n- six\n- seven\n";
    let cut = Cut {
        by_section: true,
        max_chunk: Some(32),
        ..Cut::default()
    };
    let found = Outline::of(source, &cut).unwrap();
    assert_eq!(
        texts(&found, source),
        ["one. two. three.\n\nfour. five.\n\n", "- six\n- seven\n"]
    );
    assert_eq!(blocks(&found), [Block::Section; 2]);
}

#[test]
fn the_parts_of_a_table_repeat_its_header() {
    let header = "| a | b |\n|---|---|\n";
    let source = format!("{header}| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n| 7 | 8 |\n| 9 | 0 |\n");
    assert_eq!(
        parts_with_header(40, &source),
        [
            ("", &source[..40]),
            (header, "| 5 | 6 |\n| 7 | 8 |\n"),
            (header, "| 9 | 0 |\n"),
        ]
    );
}

#[test]
fn a_header_longer_than_half_a_part_is_not_repeated() {
    let header = "| a | b |\n|---|---|\n";
    let source = format!("{header}{}", "| 1 | 2 |\n".repeat(5));
    let found = parts_with_header(39, &source);
    assert!(found.iter().all(|(header, _)| header.is_empty()));
    assert_eq!(found.len(), 3);
}

#[test]
fn a_header_is_repeated_in_its_own_table_only() {
    let source =
        "| a |\n|---|\n| 1 |\n| 2 |\n\none two three four five\n\n| b |\n|---|\n| 3 |\n| 4 |\n";
    let cut = Cut {
        by_section: true,
        max_chunk: Some(26),
        ..Cut::default()
    };
    let found = Outline::of(source, &cut).unwrap();
    let parts = texts(&found, source);
    let repeated = each(&found, |e| &source[e.repeated.clone()]);
    let pairs: Vec<_> = repeated.into_iter().zip(parts).collect();
    assert_eq!(
        pairs,
        [
            ("", "| a |\n|---|\n| 1 |\n| 2 |\n\n"),
            ("", "one two three four five\n\n"),
            ("", "| b |\n|---|\n| 3 |\n| 4 |\n"),
        ]
    );
}

#[test]
fn rows_that_are_too_long_come_apart_with_the_header() {
    let header = "| a |\n|---|\n";
    let source = format!("{header}| one two three four five six |\n");
    let found = parts_with_header(32, &source);
    assert_eq!(found[0], ("", header));
    assert!(found[1..].iter().all(|(repeated, _)| *repeated == header));
    assert!(
        found
            .iter()
            .all(|(repeated, own)| repeated.len() + own.len() <= 32)
    );
}

#[test]
fn the_parts_of_a_chunk_are_what_it_was() {
    let source = "# a\n#### one two three four five six\nseven. eight. nine. ten.\n";
    let found = cut_at(16, source);
    let (chunks, heading) = (Kind::Chunk, Block::Heading);
    assert_eq!(
        kinds(&found),
        [Kind::Chapter, chunks, chunks, chunks, chunks, chunks]
    );
    assert_eq!(blocks(&found)[1..4], [heading; 3]);
    assert_eq!(blocks(&found)[4..], [Block::Paragraph; 2]);
    assert_eq!(parents(&found)[1..], [Some(0); 5]);
    assert_eq!(each(&found, |e| e.level), [1, 4, 4, 4, 4, 4]);
    assert_eq!(each(&found, |e| e.end), [6, 2, 3, 4, 5, 6]);
    // The whole title stays with the chunks under a heading that was split.
    let title = "one two three four five six";
    assert_eq!(found.path(&found.elements[5]), ["a", title]);
    assert!(
        each(&found, |e| found.path(e).len())[1..4]
            .iter()
            .all(|&above| above == 1)
    );
}

#[test]
fn the_parts_of_a_chunk_are_labelled_with_their_own_text() {
    let found = cut_at(16, "*one* two. three four.\n");
    assert_eq!(labels(&found), ["one two. three four.", "three four."]);
}

#[test]
fn blank_lines_make_no_part() {
    let source = format!("one two three{}four\n", "\n".repeat(50));
    let found = parts(16, &source);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1], "four\n");
    assert_eq!(found[0].trim_end(), "one two three");
}

#[test]
fn a_tail_is_split_with_its_chunk() {
    let source = "one two\n\n[a]: /first\n[b]: /second\n";
    let found = cut_at(16, source);
    assert_eq!(
        texts(&found, source),
        ["one two\n\n", "[a]: /first\n", "[b]: /second\n"]
    );
    assert_eq!(each(&found, |e| e.tail), [1, 12, 13]);
}
