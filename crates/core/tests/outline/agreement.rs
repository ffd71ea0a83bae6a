//! The same headings as comrak, a parser with which ours shares nothing.

use crate::documents::of_this_repository;
use crate::parsers::{Heading, comraks_headings, our_headings};
use crate::random::Random;

/// Whole lines that make blocks, open and close them, and go on with them.
///
/// Left out is what the two take differently, see [`DIFFERENCES`], and half-open emphasis and code,
/// on which the specification leaves more than one reading.
const LINES: &[&str] = &[
    "",
    "",
    "",
    "text",
    "more *text* here",
    "  indented a little",
    "text with a break  ",
    "text with a break\\",
    "===",
    "---",
    "--",
    "***",
    "- - -",
    "_ _ _",
    "=",
    "> quote",
    "> # in a quote",
    "> - in a quote",
    ">",
    "> ```",
    "> > deeper",
    "- item",
    "- # in an item",
    "- > in an item",
    "-",
    "* item",
    "+ item",
    "1. one",
    "2. two",
    "7) seven",
    "10. ten",
    "- [ ] to do",
    "- [x] done",
    "  - deeper",
    "    - deeper still",
    "  in the item",
    "   in the numbered item",
    "    in the deeper item",
    "  # in the item",
    "    # in code, or in an item",
    "\tafter a tab",
    "      code in an item",
    "```",
    "```rust",
    "````",
    "~~~",
    "  ```",
    "<div>",
    "</div>",
    "<table class='a'>",
    "<!-- comment",
    "<!-- comment -->",
    "-->",
    "<?php",
    "?>",
    "<![CDATA[",
    "]]>",
    "<pre>\n\n# hidden\n</pre>\n",
    "<PRE>\n\n# hidden\n</PRE>\n",
    "<h1>not ours</h1>",
    "[a]: /b\n",
    "[c]: /d 'title'\n",
    "[c]:\n/d\n\"title\"\n",
    "[a] and [c] and [e]",
    "[half",
    "| a | b |\n|---|---|\n",
    "\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |\n",
    "| 1 | 2 |",
    "\\# escaped",
    "#hashtag",
    "####### seven",
    "\u{a0}",
    "\u{2028}# no line",
    "\u{e4}\u{1f680}\u{4e2d}",
];

/// What titles are made of.
const WORDS: &[&str] = &[
    "word",
    "*emphasis*",
    "**strong**",
    "~~gone~~",
    "`code`",
    "`` ` ``",
    "[link](/there)",
    "[a]",
    "[c][a]",
    "[nowhere]",
    "![image](there.png)",
    "<b>html</b>",
    "<http://there.example>",
    "&amp;",
    "&#35;",
    "&unknown;",
    "\\*",
    "\\",
    "#",
    "1 < 2",
    "a_b_c",
    "2 * 3",
    "|",
    "\u{e4}\u{1f680}",
    "\u{a0}",
];

/// A heading of any level, or a line of the others.
fn line(random: &mut Random) -> String {
    if random.below(3) > 0 {
        return random.pick(LINES).to_owned();
    }
    let words: Vec<&str> = (0..random.below(4)).map(|_| random.pick(WORDS)).collect();
    let title = words.join(" ");
    match random.below(8) {
        0 => format!("{title}\n==="),
        1 => format!("{title}\nsecond line\n---"),
        2 => format!("# {title} #"),
        level => {
            let indent = random.pick(&["", "", " ", "   "]);
            format!("{indent}{} {title}", "#".repeat(level - 2))
        }
    }
}

fn document(random: &mut Random) -> String {
    let lines: Vec<String> = (0..random.below(14)).map(|_| line(random)).collect();
    let ending = random.pick(&["\n", "\n", "\r\n", "\r"]);
    // A line in front, or the document may start with front matter.
    format!("\n{}\n", lines.join("\n")).replace('\n', ending)
}

#[test]
fn generated_documents_have_the_headings_that_comrak_finds() {
    let mut headings = 0;
    for seed in 0..20_000 {
        let source = document(&mut Random::seeded(seed));
        let theirs = comraks_headings(&source);
        assert_eq!(our_headings(&source), theirs, "seed {seed}: {source:?}");
        headings += theirs.len();
    }
    assert!(headings > 20_000, "{headings}");
}

#[test]
fn the_documents_of_this_repository_have_the_headings_that_comrak_finds() {
    let documents = of_this_repository();
    assert!(documents.len() > 5);
    for source in documents {
        let theirs = comraks_headings(&source);
        assert!(!theirs.is_empty());
        assert_eq!(our_headings(&source), theirs);
    }
}

/// A document that the two take differently, what each of them finds, and who is right.
struct Difference {
    source: &'static str,
    ours: &'static [(u8, &'static str)],
    comraks: &'static [(u8, &'static str)],
    reason: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        source: "- one\n<x>\n# two\n",
        ours: &[(1, "two")],
        comraks: &[],
        reason: "ours: a tag alone on a line goes on with a paragraph, also outside its container",
    },
    Difference {
        source: "[a]: /b\n---\none\n===\n",
        ours: &[(1, "one")],
        comraks: &[(1, "--- one")],
        reason: "ours: dashes under a definition underline nothing, and are a rule",
    },
    Difference {
        source: "-\n  \n  one\n===\n",
        ours: &[(1, "one")],
        comraks: &[],
        reason: "ours: an item that starts with a blank line ends at the next one",
    },
    Difference {
        source: "one <!X>\n===\n",
        ours: &[(1, "one")],
        comraks: &[(1, "one <!X>")],
        reason: "ours: a declaration needs no more than a letter",
    },
    Difference {
        source: "one\na | b\n--|--\ntwo\n===\n",
        ours: &[(1, "one a | b --|-- two")],
        comraks: &[],
        reason: "open: whether a table that does not start with a pipe ends a paragraph",
    },
    Difference {
        source: "| a |\n|---|\n<x>\n# one\n",
        ours: &[(1, "one")],
        comraks: &[],
        reason: "open: whether a tag alone on a line ends a table",
    },
    Difference {
        source: "| a |\n|---|\n    b\none\n===\n",
        ours: &[],
        comraks: &[(1, "one")],
        reason: "open: whether code ends a table",
    },
    Difference {
        source: "# one\t#\n",
        ours: &[(1, "one #")],
        comraks: &[(1, "one")],
        reason: "comrak: a closing number sign may stand behind a tab",
    },
    Difference {
        source: "<pre>\n</style>\n# one\n",
        ours: &[],
        comraks: &[(1, "one")],
        reason: "comrak: the end tag need not be that of the start tag",
    },
    Difference {
        source: ">\n\t> one\ntwo\n===\n",
        ours: &[],
        comraks: &[(1, "two")],
        reason: "comrak: behind a tab there is code, and no quote that goes on",
    },
    Difference {
        source: "#\u{c}one\n",
        ours: &[(1, "one")],
        comraks: &[],
        reason: "comrak: a form feed is neither a space nor a tab",
    },
];

/// Fails when a new version of either parser changes its mind.
#[test]
fn the_two_differ_in_no_more_than_is_known() {
    let owned = |headings: &[(u8, &str)]| -> Vec<Heading> {
        let headings = headings.iter();
        headings
            .map(|&(level, title)| (level, title.to_owned()))
            .collect()
    };
    for difference in DIFFERENCES {
        let Difference { source, reason, .. } = difference;
        assert_eq!(our_headings(source), owned(difference.ours), "{reason}");
        assert_eq!(
            comraks_headings(source),
            owned(difference.comraks),
            "{reason}"
        );
    }
}
