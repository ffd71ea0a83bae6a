//! Where a text comes apart.

use super::split::{Seams, split};
use super::*;

/// The pieces of a text without any seams.
fn pieces(text: &str, block: Block, max: usize) -> Vec<&str> {
    pieces_of(text, 0..text.len(), block, max, &Seams::default())
}

fn pieces_of<'a>(
    source: &'a str,
    span: Range<usize>,
    block: Block,
    max: usize,
    seams: &Seams,
) -> Vec<&'a str> {
    let pieces = split(source, &span, block, max, seams);
    pieces
        .into_iter()
        .map(|piece| &source[piece.span])
        .collect()
}

/// All blocks, as each is cut in its own way.
fn in_every_block(text: &str, max: usize, expected: &[&str]) {
    for block in Block::ALL {
        assert_eq!(pieces(text, block, max), expected, "{block:?}");
    }
}

#[test]
fn what_fits_is_one_piece() {
    in_every_block("one. two. three.", 16, &["one. two. three."]);
    in_every_block("", 16, &[""]);
}

#[test]
fn only_the_span_is_split() {
    let source = "before one two three four after";
    let found = pieces_of(source, 7..25, Block::Paragraph, 16, &Seams::default());
    assert_eq!(found, ["one two three ", "four"]);
}

#[test]
fn white_space_stays_at_the_end_of_a_piece() {
    in_every_block(
        "one two three   four five",
        16,
        &["one two three   ", "four five"],
    );
    in_every_block(
        "one two four.     five six",
        16,
        &["one two four.   ", "  five six"],
    );
}

#[test]
fn a_little_white_space_at_the_end_counts() {
    in_every_block(
        "one two three four\n\n\n\n",
        20,
        &["one two three ", "four\n\n\n\n"],
    );
}

#[test]
fn much_white_space_at_the_end_makes_no_piece() {
    let blank = "\n".repeat(100);
    in_every_block(
        &format!("one two{blank}"),
        16,
        &[&format!("one two{blank}")],
    );
    let text = format!("one two three four five{blank}");
    in_every_block(&text, 16, &["one two three ", &format!("four five{blank}")]);
    in_every_block(&blank, 16, &[&blank]);
}

#[test]
fn a_line_never_ends_between_return_and_feed() {
    for text in [
        "one two three a\r\nfour five six seven",
        "one two three.\r\n\r\nfour five six",
        "aaaaaaaaaaaaaaa\r\nbbbbbbbbbbbbbbb\r\nc",
        "one. two. six.\r\r\n\r\n\r\nthree four",
        "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nx",
    ] {
        for (block, max) in Block::ALL
            .into_iter()
            .flat_map(|b| (1..20).map(move |max| (b, max)))
        {
            let found = pieces(text, block, max);
            assert_eq!(found.concat(), text);
            let is_cut = |pair: &[&str]| pair[0].ends_with('\r') && pair[1].starts_with('\n');
            assert!(!found.windows(2).any(is_cut), "{found:?} at {max}");
        }
    }
}

#[test]
fn however_little_room_there_is_the_pieces_end() {
    for max in 0..16 {
        let text = "a\u{1f680} b\r\n\u{e4}. c ";
        let found = pieces(text, Block::Paragraph, max);
        assert_eq!(found.concat(), text);
        assert!(found.iter().all(|piece| !piece.is_empty()));
    }
}

#[test]
fn the_last_seam_that_fits_is_the_best_place() {
    let mut seams = Seams::default();
    for start in [0, 4, 8, 23] {
        seams.before_item(start);
    }
    let source = "aa. bbb\ncc. cc\ncc cc ccdd";
    let all = 0..source.len();
    let found = pieces_of(source, all, Block::List, 16, &seams);
    assert_eq!(found, ["aa. bbb\n", "cc. cc\ncc cc cc", "dd"]);
}

#[test]
fn a_seam_outside_the_span_is_none() {
    let mut seams = Seams::default();
    seams.before_block(0);
    seams.before_block(90);
    let source = "one two three four five";
    let found = pieces_of(source, 4..source.len(), Block::Section, 16, &seams);
    assert_eq!(found, ["two three four ", "five"]);
}

#[test]
fn a_table_without_rows_has_nothing_to_repeat() {
    let mut seams = Seams::default();
    let source = "| a | b | c | d |\n|---|---|---|---|\n";
    seams.table_head(0);
    seams.end_block(source.len());
    let found = split(source, &(0..source.len()), Block::Table, 20, &seams);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|piece| piece.repeated.is_empty()));
}
