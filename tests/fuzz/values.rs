//! Values that a command is likely to take, by the name of their argument.

use keyns::server::Family;
use keyns::server::spec::{Argument, Kind};
use keyns_testkit::Random;

use crate::pool::Pool;
use crate::{hostile, json, markdown};

/// Mostly a value that fits; sometimes one that somebody hostile would send.
pub fn value(argument: &Argument, family: &Family, random: &mut Random, pool: &Pool) -> Vec<u8> {
    if random.once_in(25) {
        return hostile::value(random);
    }
    let name = argument.name();
    let name = name.as_str();
    match (argument.kind, name) {
        (Kind::Integer, _) => number(name, random).to_string().into(),
        (_, "prefix") => pool.prefix(random),
        (_, "dockey") => pool.document(random),
        // Mostly the data of its like.
        (Kind::Key, _) if !random.once_in(3) => pool.home(family, random),
        (Kind::Key, _) => pool.key(random),
        (_, "markdown") => markdown::document(random),
        (_, "json") => json::namespaces(random),
        (_, "pattern") => json::pattern(random).into(),
        (_, "name") => pool.namespace(random),
        (_, "period") => period(random).into(),
        (_, "owner") => one_of(random, &["ada", "bob", "worker-1"]),
        (_, "readers") => one_of(random, &["eve", "eve,audit", "ada,eve", "a,,b"]),
        (_, "glob") => one_of(random, &["*", "doc*", "?*", "[a-m]*", "*:*"]),
        (_, "file") => one_of(random, &["notes/today.md", "README", "a.b.c", "/etc/"]),
        (_, "value") => one_of(
            random,
            &["42", "7", "ab12cd", "Risk Management", "2026:11:15", "a/b"],
        ),
        _ => text(random),
    }
}

fn number(name: &str, random: &mut Random) -> i64 {
    /// A Sunday in November, so that calls meet in the same buckets.
    const NOON: i64 = 1_763_294_400;
    match name {
        "maxlen" | "maxchunk" | "words" | "width" | "depth" => {}
        // Any magnitude that there is.
        _ if random.once_in(8) => {
            return 10_i64.pow(random.below(19) as u32) + random.between(-1, 1);
        }
        _ => {}
    }
    match name {
        "seconds" | "milliseconds" => *random.pick(&[1, 2, 30, 1000, 86_400]),
        "unix-time" | "from" | "to" if random.once_in(6) => random.between(0, 253_402_300_799),
        "unix-time" | "from" | "to" => NOON + *random.pick(&[0, 1, 59, 61, 3600, 86_400, 90_000]),
        "maxchunk" => random.between(16, 300),
        "maxlen" => random.between(2, 64),
        // Large enough for windows that take many units.
        "cost" | "quantity" if random.once_in(4) => random.between(1, 60),
        "cost" | "quantity" => random.between(1, 3),
        "max" | "capacity" if random.once_in(2) => 1000,
        "revision" | "position" => random.between(-5, 50),
        _ => random.between(1, 12),
    }
}

fn period(random: &mut Random) -> String {
    let unit = *random.pick(&["ms", "s", "m", "h", "d", ""]);
    format!("{}{unit}", random.between(1, 90))
}

pub fn text(random: &mut Random) -> Vec<u8> {
    one_of(
        random,
        &[
            "Risk Management",
            "5 Strategien & 3D Druck",
            "Gr\u{f6}\u{df}e der \u{dc}bung",
            "Value at Risk (VaR)",
            "!!!",
            "  ",
            "a",
            "1.000,50 % of 2024",
            "intro",
            "\u{1f600} smile",
            "\u{4f60}\u{597d}",
        ],
    )
}

fn one_of(random: &mut Random, texts: &[&str]) -> Vec<u8> {
    random.pick(texts).as_bytes().to_vec()
}
