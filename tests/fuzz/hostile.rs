//! Values that nobody sends by mistake, and what to do to a call so that it is wrong.

use keyns_testkit::Random;

use crate::call::Call;
use crate::{json, markdown};

/// Numbers at the edges of types and of parsers.
const NUMBERS: [&str; 24] = [
    "0",
    "-1",
    "-0",
    "+1",
    "007",
    "1e3",
    "1.0",
    " 1",
    "1 ",
    "0x10",
    "nan",
    "inf",
    "-inf",
    "4294967296",
    "2147483648",
    "999999999999",
    "9007199254740993",
    "9223372036854775806",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "340282366920938463463374607431768211456",
];

const WORDS: [&str; 26] = [
    "",
    " ",
    ":",
    "::",
    "{",
    "}",
    "{}",
    "{}:doc",
    "{t}",
    "*",
    "?[a-z]",
    "[",
    "\\",
    "%s%n",
    "\r\n",
    "a\r\n+OK\r\n",
    "doc:",
    ":doc",
    "doc::a:001",
    "_seq",
    "null",
    "<x>",
    "\u{202e}abc",
    "\u{feff}",
    "a\u{308}",
    "\u{fdfa}",
];

const LONG: usize = 1 << 20;

pub fn value(random: &mut Random) -> Vec<u8> {
    match random.below(16) {
        0..=4 => number(random).into(),
        5..=8 => random.pick(&WORDS).as_bytes().to_vec(),
        9 => vec![0; *random.pick(&[1, 2, 64])],
        10 => b"\xff\xfe\xc3(\xf0\x9f\x98".to_vec(),
        11 => {
            let length = random.below(40);
            random.bytes(length)
        }
        12 => markdown::hostile(random),
        13 => json::hostile(random),
        14 => json::odd_pattern(random).into(),
        _ => long(random),
    }
}

/// Mostly just long, sometimes a megabyte.
fn long(random: &mut Random) -> Vec<u8> {
    let length = if random.once_in(20) { LONG } else { 3000 };
    let piece: &[u8] =
        random.pick::<&[u8]>(&[b"a", b"1", b"a:", b"\xc3\xa4", b"\0", b"{", b"# a\n"]);
    piece.repeat(length / piece.len())
}

/// Makes a call wrong, in one of the ways in which calls are.
pub fn mutate(call: &mut Call, random: &mut Random, tokens: &[Vec<u8>]) {
    let words = &mut call.words;
    // The name stays.
    let place = |random: &mut Random, words: &Vec<Vec<u8>>| {
        1 + random.below(words.len().max(2) as u64 - 1) as usize
    };
    let at = place(random, words);
    if at >= words.len() {
        return words.push(value(random));
    }
    match random.below(9) {
        0 => drop(words.remove(at)),
        1 => words.insert(at, words[at].clone()),
        2 => {
            let other = place(random, words);
            words.swap(at, other);
        }
        3 => words.insert(at, random.pick(tokens).clone()),
        4 => words[at] = random.pick(tokens).clone(),
        5 => words[at] = value(random),
        6 => words[at] = other_case(&words[at], random),
        7 => words.truncate(at),
        _ => {
            let inside = random.below(words[at].len() as u64 + 1) as usize;
            let byte = *random.pick(b"\0\xff:{}*\n 0-\"<");
            words[at].insert(inside, byte);
        }
    }
}

fn other_case(word: &[u8], random: &mut Random) -> Vec<u8> {
    let turned = word.iter().map(|&byte| match random.below(2) {
        0 => byte.to_ascii_lowercase(),
        _ => byte.to_ascii_uppercase(),
    });
    turned.collect()
}

pub fn number(random: &mut Random) -> &'static str {
    // The ends of what Redis counts with, more often than others.
    const ENDS: [&str; 3] = [
        "9223372036854775806",
        "9223372036854775807",
        "-9223372036854775808",
    ];
    if random.once_in(2) {
        return random.pick::<&str>(&ENDS);
    }
    random.pick::<&str>(&NUMBERS)
}
