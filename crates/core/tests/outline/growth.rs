//! Time that grows with the length of a document, whatever its shape.
//!
//! Only the growth is looked at, as CPU time of the thread: a shape that takes sixteen times as
//! long for sixteen times the bytes is linear, and one that takes 64 times as long is of the order
//! of N^1.5. Between them is what memory costs that does not fit into the caches any more.

use keyns_core::documents::outline::{Cut, Outline};

use crate::shapes::{LONG, STARTS, UNITS, containers, fill, growing, header, ladder};

const SMALL: usize = 32 * 1024;
const LARGE: usize = 16 * SMALL;
/// How many times as long as a small one a large document may take.
const MOST: f64 = 45.0;
/// A measurement that something else disturbed is made again.
const RUNS: usize = 3;

fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock is one that every thread has, and the time is written to a local variable.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The CPU time of one outline.
fn seconds(source: &str, cut: &Cut) -> f64 {
    let start = cpu_seconds();
    let outline = Outline::of(source, cut);
    let seconds = cpu_seconds() - start;
    outline.unwrap_or_else(|error| panic!("{error} in {:?}", source.get(..80)));
    seconds
}

/// An error if a shape takes longer and longer for each byte.
fn check(name: &str, cut: &Cut, shape: impl Fn(usize) -> String) {
    let (small, large) = (shape(SMALL), shape(LARGE));
    let runs = (0..RUNS).map(|_| seconds(&small, cut));
    let least = runs.fold(f64::INFINITY, f64::min);
    let is_linear = (0..RUNS).any(|_| seconds(&large, cut) < MOST * least);
    assert!(is_linear, "{name} takes more than {MOST} times as long");
}

fn check_whole(name: &str, shape: impl Fn(usize) -> String) {
    check(name, &Cut::default(), shape);
}

#[test]
fn repeated_texts_take_linear_time() {
    for unit in UNITS {
        check_whole(&format!("{unit:?}"), |len| fill(unit, len));
    }
}

#[test]
fn texts_repeated_after_others_take_linear_time() {
    for (start, unit) in STARTS {
        let name = format!("{start:?} and {unit:?}");
        check_whole(&name, |len| start.to_string() + &fill(unit, len));
    }
}

#[test]
fn lines_in_many_containers_take_linear_time() {
    for marker in ["> ", "- ", "1. ", "> - "] {
        let opened = containers(marker);
        for (start, unit) in [
            ("a\n", "b\n"),
            ("a\n", "b|c\n"),
            ("a\n", "`\n"),
            ("a\n", "\n"),
            ("[a]: b '\n", "c\n"),
            ("|a|\n|-|\n", "b\n"),
        ] {
            let name = format!("{marker:?} and {start:?} and {unit:?}");
            check_whole(&name, |len| format!("{opened}{start}{}", fill(unit, len)));
        }
        let name = format!("{marker:?} in every line");
        check_whole(&name, |len| fill(&format!("{opened}a\nb\n"), len));
        let name = format!("{marker:?} and a long line of dashes");
        check_whole(&name, |len| format!("{opened}{}x", fill("-", len)));
    }
}

#[test]
fn ladders_of_items_take_linear_time() {
    check_whole("ladders", |len| fill(&ladder(), len));
    let deepest = " ".repeat(200);
    for (start, unit) in [("", "b\n"), ("", "\n"), ("```\n", " \n")] {
        let name = format!("a ladder and {start:?} and {unit:?}");
        let start = ladder() + &deepest + start;
        check_whole(&name, |len| start.clone() + &fill(unit, len));
    }
    check_whole("items far to the right", |len| {
        ladder() + &fill(&format!("{}- b\n", &deepest[2..]), len)
    });
}

#[test]
fn growing_texts_take_linear_time() {
    check_whole("backticks", |len| growing(len, |n| "`".repeat(n) + "a"));
    check_whole("fences", |len| growing(len, |n| "`".repeat(n + 2) + "\n"));
    check_whole("number signs", |len| growing(len, |n| "#".repeat(n) + "\n"));
    check_whole("dashes", |len| growing(len, |n| "-".repeat(n) + "\n"));
    check_whole("stars", |len| growing(len, |n| "*".repeat(n) + "a "));
    check_whole("indentation", |len| growing(len, |n| " ".repeat(n) + "a\n"));
}

#[test]
fn pairs_far_apart_take_linear_time() {
    for (open, close) in [
        ("[", "]"),
        ("[", "](b)"),
        ("![", "](b)"),
        ("*a ", " b*"),
        ("*a _b ", " b* c_"),
        ("_a ", " b*"),
        ("*", "*"),
        ("<", ">"),
    ] {
        let name = format!("{open:?} and {close:?}");
        check_whole(&name, |len| {
            let count = len / (open.len() + close.len());
            format!("{}x{}", open.repeat(count), close.repeat(count))
        });
    }
}

#[test]
fn definitions_take_linear_time() {
    check_whole("different ones", |len| {
        growing(len, |n| format!("[a{n}]: b\n"))
    });
    check_whole("different ones in use", |len| {
        let definitions = growing(len / 2, |n| format!("[a{n}]: b\n"));
        definitions + "\n" + &growing(len / 2, |n| format!("[a{n}] "))
    });
    check_whole("long labels", |len| {
        fill(&format!("[{}]: b\n", "a".repeat(900)), len)
    });
    for (name, part) in [
        ("title", "\\!"),
        ("title of lines", "t\n"),
        ("entities", "&amp;"),
    ] {
        check_whole(&format!("a long {name} in use"), |len| {
            let title = fill(part, len / 2);
            format!("[a]: b \"{title}\"\n\n{}", fill("# [a]\n", len / 2))
        });
    }
}

#[test]
fn tables_take_linear_time() {
    check_whole("a wide one", |len| header(len / 4));
    check_whole("a wide one with short rows", |len| {
        header(len / 12) + &fill("|a|\n", len * 2 / 3)
    });
    let square = |len: usize| ((len / 8) as f64).sqrt() as usize;
    check_whole("as many columns as rows", |len| {
        header(square(len)) + &fill("|a|\n", len)
    });
    check_whole("headers that do not fit", |len| {
        let columns = square(len);
        let parts = header(columns).replacen("|a", "|a|a", 1);
        fill(&parts, len)
    });
}

fn check_splitting(max_chunk: usize, by_section: bool) {
    let cut = Cut {
        by_section,
        max_chunk: Some(max_chunk),
        ..Cut::default()
    };
    for text in LONG {
        check(&format!("{text:?}"), &cut, |len| fill(text, len));
    }
    for start in [
        "x ",
        "|a|\n|-|\n",
        "|a long head|\n|-|\n",
        "```\n",
        "<div>\n",
        "#### ",
    ] {
        let name = format!("{start:?} and rows");
        check(&name, &cut, |len| start.to_string() + &fill("|b|\n", len));
    }
    check("a wide table", &cut, |len| {
        header(len / 8) + &fill("|b", len / 2)
    });
    check("white space", &cut, |len| {
        format!("a{}b{}", fill(" ", len / 2), fill("\n", len / 2))
    });
}

#[test]
fn splitting_blocks_takes_linear_time() {
    check_splitting(16, false);
}

#[test]
fn splitting_sections_takes_linear_time() {
    check_splitting(16, true);
}

#[test]
fn splitting_into_long_parts_takes_linear_time() {
    check_splitting(1000, true);
}

#[test]
fn sections_of_many_blocks_take_linear_time() {
    let cut = Cut {
        by_section: true,
        ..Cut::default()
    };
    for text in ["a\n\n", "#### a\n", "- a\n\n* b\n\n", "# a\nb\n\nc\n"] {
        check(&format!("{text:?}"), &cut, |len| fill(text, len));
    }
}

#[test]
fn what_could_take_longer_is_refused() {
    let is_refused = |source: String| Outline::of(&source, &Cut::default()).is_err();
    for marker in ["> ", ">", "- ", "1. ", "> - "] {
        let opened = containers(marker);
        assert!(!is_refused(format!("{opened}a\n")), "{marker:?}");
        assert!(is_refused(format!("{opened}> a\n")), "{marker:?}");
        assert!(is_refused(format!("a\r{opened}- a\n")), "{marker:?}");
    }
    // Lines that go on with a paragraph from outside keep all its items open.
    let tower: String = (0..5)
        .map(|floor| format!(">{}{}a\n> b\n", " ".repeat(80 * floor), "- ".repeat(40)))
        .collect();
    assert!(is_refused(tower));
    assert!(!is_refused(ladder()));
    assert!(is_refused(ladder() + &" ".repeat(200) + "- > a\n"));
}
