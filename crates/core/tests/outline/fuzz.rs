//! Input that nobody would write, for a bounded time. A failure names its seed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use keyns_core::documents::outline::{Cut, Outline};

use crate::documents::{commonmark_examples, of_this_repository};
use crate::random::Random;

const TIME: Duration = Duration::from_secs(5);

/// What is put into documents to break them.
const SPLINTERS: &[&[u8]] = &[
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\t",
    b"    ",
    b"# ",
    b"\n===\n",
    b"\n---\n",
    b"- ",
    b"1. ",
    b"> ",
    b">",
    b"```",
    b"\n~~~\n",
    b"|",
    b"|---|\n",
    b"[",
    b"]",
    b"](",
    b"[a]: ",
    b"![",
    b"<",
    b">",
    b"<!--",
    b"-->",
    b"<?",
    b"<![CDATA[",
    b"<div>\n",
    b"</PRE>",
    b"*",
    b"**",
    b"_",
    b"~",
    b"`",
    b"\\",
    b"&",
    b"&#0;",
    b"\0",
    b"\x0b",
    b"\x0c",
    b"\x7f",
    b"\xff",
    b"\xc3",
    b"\xa4",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xf0\x9f\x9a\x80",
    b"---\na: [1\n---\n",
    b"+++\n",
];

/// Runs a check with one seed after the other, until the time is up.
fn for_a_while(check: impl Fn(&mut Random)) {
    let start = Instant::now();
    let mut seed = 0;
    while start.elapsed() < TIME {
        let run = AssertUnwindSafe(|| check(&mut Random::seeded(seed)));
        assert!(catch_unwind(run).is_ok(), "seed {seed} fails");
        seed += 1;
    }
    assert!(seed > 100, "{seed} runs are too few");
}

/// A document has an outline that is all of it, or an error in plain ASCII.
fn check(source: &[u8], random: &mut Random) {
    let cut = Cut {
        by_section: random.below(2) == 0,
        max_chunk: (random.below(3) > 0).then(|| 16 + random.below(200)),
        max_elements: 1 + random.below(10_000),
    };
    let outline = match Outline::of_bytes(source, &cut) {
        Ok(outline) => outline,
        Err(error) => return assert!(error.to_string().is_ascii()),
    };
    let mut read = source[outline.head.clone()].to_vec();
    for element in &outline.elements {
        read.extend_from_slice(&source[element.span.clone()]);
        assert!(outline.path(element).len() <= 6);
    }
    assert_eq!(read, source);
    assert!(outline.elements.len() <= cut.max_elements);
}

/// Changes a document in a few places.
fn break_up(document: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        let at = random.below(document.len() + 1);
        let end = (at + random.below(40)).min(document.len());
        match random.below(4) {
            0 => drop(document.drain(at..end)),
            1 => {
                let copy = document[at..end].to_vec();
                let to = random.below(document.len() + 1);
                document.splice(to..to, copy);
            }
            2 => {
                let splinter = random.pick(SPLINTERS);
                document.splice(at..at, splinter.iter().copied());
            }
            _ => {
                let splinters = random.pick(SPLINTERS).repeat(random.below(120));
                document.splice(at..end, splinters);
            }
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    for_a_while(|random| {
        let len = random.below(400);
        let source = match random.below(3) {
            0 => random.bytes(len),
            1 => random.bytes(len).iter().map(|byte| byte & 0x7f).collect(),
            _ => (0..len / 4)
                .flat_map(|_| random.pick(SPLINTERS))
                .copied()
                .collect(),
        };
        check(&source, random);
    });
}

#[test]
fn broken_documents_never_panic() {
    let mut documents = commonmark_examples();
    documents.extend(of_this_repository());
    for_a_while(|random| {
        let document = documents[random.below(documents.len())].as_bytes();
        let from = random.below(document.len() + 1);
        let mut part = document[from..].to_vec();
        part.truncate(4000);
        break_up(&mut part, random);
        check(&part, random);
    });
}
