//! All examples of the CommonMark specification.

use crate::documents::commonmark_examples;
use crate::parsers::{comraks_headings, our_blocks, our_headings, pulldowns_blocks};

/// How many examples version 0.31 of the specification has.
const EXAMPLES: usize = 652;

#[test]
fn every_example_has_the_headings_that_comrak_finds() {
    let examples = commonmark_examples();
    assert!(examples.len() >= EXAMPLES, "{}", examples.len());
    for example in examples {
        assert_eq!(
            our_headings(&example),
            comraks_headings(&example),
            "{example}"
        );
    }
}

#[test]
fn every_example_has_the_blocks_that_the_parser_finds() {
    for example in commonmark_examples() {
        assert_eq!(
            our_blocks(&example),
            pulldowns_blocks(&example),
            "{example}"
        );
    }
}
