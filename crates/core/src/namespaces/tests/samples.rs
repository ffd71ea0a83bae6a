//! Patterns, values and keys for the properties, of few parts so that they often meet.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// A pattern's text.
pub fn any_pattern() -> impl Strategy<Value = String> {
    let literal = || select(vec!["a", "b", "ab", "05", "7", "ä"]).prop_map(str::to_owned);
    let hole = || {
        let types = vec![
            "",
            "",
            ":int",
            ":hex",
            ":uuid",
            ":slug",
            ":number",
            ":path",
            ":hash",
            ":/[a-z_]+/",
            r":/\d{1,3}/",
            ":/[a7]b?/",
            ":/.*/",
        ];
        select(types).prop_map(|kind| format!("<#{kind}>"))
    };
    let mixed = || {
        prop_oneof![
            (literal(), hole()).prop_map(|(a, b)| a + &b),
            (hole(), literal()).prop_map(|(a, b)| a + &b),
            (literal(), hole(), literal()).prop_map(|(a, b, c)| a + &b + &c),
            (hole(), literal(), hole()).prop_map(|(a, b, c)| a + &b + &c),
            hole().prop_map(|hole| format!("{{{hole}}}")),
        ]
    };
    let first = prop_oneof![
        6 => literal(),
        1 => hole().prop_map(|hole| format!("{{{hole}}}")),
        1 => (literal(), hole()).prop_map(|(a, b)| a + &b),
    ];
    let segment = || {
        prop_oneof![
            3 => literal(),
            5 => hole(),
            3 => mixed(),
            1 => Just("<#:date>".to_owned()),
            1 => Just("<#...>".to_owned()),
            1 => Just("<#...:/[^b]+/>".to_owned()),
        ]
    };
    let parts = (
        first,
        prop::collection::vec(segment(), 0..4),
        prop::collection::vec(segment(), 0..3),
    );
    let text = parts.prop_map(|(first, required, optional)| {
        let mut text = [vec![first], required].concat().join(":");
        if !optional.is_empty() {
            text += &format!("[:{}]", optional.join(":"));
        }
        number_names(&text)
    });
    text.prop_filter("no pattern", |text| Pattern::parse(text.as_bytes()).is_ok())
}

/// Gives the placeholders names that differ.
fn number_names(text: &str) -> String {
    let mut parts = text.split('#');
    let mut named = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        named += &format!("p{index}{part}");
    }
    named
}

pub fn any_patterns() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any_pattern(), 0..12)
}

/// The namespaces that a registry takes of these patterns.
pub fn registry_of(patterns: &[String]) -> Registry {
    let mut registry = Registry::new();
    for (index, pattern) in patterns.iter().enumerate() {
        let _ = registry.add(namespace(&format!("n{index}"), pattern));
    }
    registry
}

/// A value of the type that a key gives back as it is, except of a hash and a path.
pub fn value_of(kind: &ValueType) -> BoxedStrategy<String> {
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        select(words).boxed()
    };
    match kind {
        ValueType::Date => words(&["2024:02:29", "0001:01:01:00", "9999:12:31:23:59"]),
        ValueType::Uuid => words(&["123e4567-e89b-42d3-a456-426614174000"]),
        ValueType::Hash => any::<String>().boxed(),
        ValueType::Int => any::<i64>().prop_map(|n| n.to_string()).boxed(),
        ValueType::Number => (0..1_000_000_000_000u64)
            .prop_map(|n| n.to_string())
            .boxed(),
        ValueType::Hex => "[0-9a-f]{1,20}".boxed(),
        ValueType::Slug => "[a-z][a-z0-9]{1,29}".boxed(),
        ValueType::Path => "[^:]{1,10}".boxed(),
        ValueType::Text => prop_oneof![Just("7".to_owned()), "[^:]{1,10}".boxed()].boxed(),
        ValueType::Regex(regex) => {
            let some = ["a", "7", "ab", "007", "risk_management", "A:", ""];
            let fitting = some.into_iter().filter(|text| regex.fits(text.as_bytes()));
            words(&fitting.collect::<Vec<_>>())
        }
        ValueType::RestRegex(_) => words(&["a", "::", "a:7:"]),
        ValueType::Rest => "[^:]{1,3}(:[^:]{1,3}){0,3}".boxed(),
    }
}

/// A pattern with values for all of its placeholders, or all but those of the optional part.
pub fn any_filled() -> impl Strategy<Value = (Pattern, Vec<String>)> {
    (any_pattern(), any::<bool>()).prop_flat_map(|(text, whole)| {
        let pattern = pattern(&text);
        let count = match whole {
            true => pattern.placeholders().len(),
            false => pattern.required_values(),
        };
        let places = pattern.placeholders().iter().take(count);
        let values: Vec<_> = places.map(|place| value_of(&place.kind)).collect();
        (Just(pattern), values)
    })
}

const SEGMENTS: &[&str] = &[
    "a",
    "b",
    "ab",
    "aba",
    "05",
    "7",
    "007",
    "42",
    "a7",
    "7a",
    "a7b",
    "ä",
    "{a}",
    "{7}",
    "{",
    "deadbeef",
    "0123456789abcdef",
    "1234567890123456",
    "123e4567-e89b-42d3-a456-426614174000",
    "2024",
    "02",
    "29",
    "2024:02:29",
    "2024-02-29",
    "2024:2:9",
    "x/y",
    "risk_management",
    "Risk Management",
    "A",
    "a-b",
    "+7",
    "DEADBEEF",
    "123E4567E89B42D3A456426614174000",
    "",
    " ",
    "\u{0}",
    "aab",
];

/// A key of such segments, with another separator here and there.
pub fn any_key() -> impl Strategy<Value = Vec<u8>> {
    let separator = prop_oneof![12 => Just(":"), 1 => select(vec!["/", "|", ".", "::"])];
    let segment = prop_oneof![
        30 => select(SEGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..5),
    ];
    prop::collection::vec((segment, separator), 1..7).prop_map(|parts| {
        let mut key = Vec::new();
        for (index, (segment, separator)) in parts.into_iter().enumerate() {
            if index > 0 {
                key.extend_from_slice(separator.as_bytes());
            }
            key.extend(segment);
        }
        key
    })
}
