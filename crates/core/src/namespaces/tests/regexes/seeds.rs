//! The validators of a common tutorial, said as patterns: both have the same keys.

use proptest::prelude::*;
use proptest::sample::select;
use regex::bytes::Regex;

use super::pattern;

/// As they are written there, and as patterns.
const VALIDATORS: [(&str, &str); 4] = [
    (
        r"^user:\d+:[a-z_]+$",
        r"user:<id:/\d+/>:<attribute:/[a-z_]+/>",
    ),
    (
        r"^session:[a-f0-9]+(?::[a-z_]+)?$",
        "session:<sid:/[a-f0-9]+/>[:<attribute:/[a-z_]+/>]",
    ),
    (
        r"^cache:[a-z]+:.+$",
        "cache:<source:/[a-z]+/>:<path...:/.+/>",
    ),
    (
        r"^counter:[a-z_]+:[a-z]+:\d+(?::\d{4}:\d{2}:\d{2})?$",
        r"counter:<metric:/[a-z_]+/>:<entity:/[a-z]+/>:<id:/\d+/>[:<year:/\d{4}/>:<month:/\d{2}/>:<day:/\d{2}/>]",
    ),
];

fn assert_alike(key: &[u8]) {
    for (validator, text) in VALIDATORS {
        // Without Unicode, as in patterns.
        let validator = Regex::new(&format!("(?-u){validator}")).unwrap();
        let has = pattern(text).values(key).is_some();
        let shown = key.escape_ascii();
        assert_eq!(has, validator.is_match(key), "{shown} {text}");
    }
}

#[test]
fn the_validators_of_the_tutorial_and_their_patterns_have_the_same_keys() {
    for (index, keys) in [
        &["user:123:profile", "user:0:_", "user:007:a_b"][..],
        &["session:abc123", "session:0:cart", "session:f:a_b"],
        &[
            "cache:api:weather:paris",
            "cache:a:b",
            "cache:a::",
            "cache:a:b::c: \u{e4}",
        ],
        &[
            "counter:views:article:42",
            "counter:page_views:x:0:2024:12:09",
            "counter:_:a:1:9999:99:99",
        ],
    ]
    .iter()
    .enumerate()
    {
        for key in *keys {
            assert!(
                pattern(VALIDATORS[index].1)
                    .values(key.as_bytes())
                    .is_some(),
                "{key}"
            );
            assert_alike(key.as_bytes());
        }
    }
    for key in [
        "",
        "user",
        "user:",
        "user:123",
        "user:123:",
        "user::profile",
        "user:abc:profile",
        "user:123:Profile",
        "user:123:profile:x",
        "user:123:profile\n",
        "User:123:profile",
        "user:1 :p",
        "user:-1:p",
        "user:\u{0661}:p",
        " user:1:p",
        "user:1:p1",
        "session",
        "session:",
        "session:xyz",
        "session:ABC",
        "session:abc:",
        "session:abc:Cart",
        "session:abc:cart:x",
        "session::cart",
        "cache:",
        "cache:api",
        "cache:api:",
        "cache:API:x",
        "cache::x",
        "cache:a1:x",
        "cache:a:b\nc",
        "cache:a:\n",
        "counter",
        "counter:views:article",
        "counter:views:article:",
        "counter:views:article:x",
        "counter:views:a_b:1",
        "counter:views:article:1:2024",
        "counter:views:article:1:2024:12",
        "counter:views:article:1:24:12:09",
        "counter:views:article:1:2024:12:9",
        "counter:views:article:1:2024:12:09:",
        "counter:views:article:1:2024:12:09:10",
        "other:1",
    ] {
        assert_alike(key.as_bytes());
    }
}

/// Keys of the parts that theirs have, and of parts that break them.
fn any_key() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "user", "session", "cache", "counter", "42", "abc", "a_b", "5f", "2024", "12", "09", "X",
        "", ":", "::", "\n", " ", "\u{e4}", "a-b",
    ];
    let part = prop_oneof![
        20 => select(words.to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    let first = select(vec!["user", "session", "cache", "counter"]);
    (first, prop::collection::vec(part, 0..8)).prop_map(|(first, parts)| {
        let mut key = first.as_bytes().to_vec();
        for part in parts {
            key.push(b':');
            key.extend(part);
        }
        key
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_key_is_both_a_validators_and_its_patterns_or_neither(key in any_key()) {
        assert_alike(&key);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_fits_if_the_regex_matches_all_of_it(
        regex in select(vec!["[a-z]+", "a|ab", "(?:a|b)*c?", "[^a]", r"\w\d?", "a{1,3}b*", "(?i)Ab", ".", "(|a)b??", r"a\bb|\Ba", "(?m)^a$", "(?s).", "(?U)a+"]),
        value in prop_oneof!["[abc:A0 \n]{0,5}".prop_map(String::into_bytes), prop::collection::vec(any::<u8>(), 0..3)],
    ) {
        let expected = Regex::new(&format!(r"(?-u)\A(?:{regex})\z")).unwrap().is_match(&value);
        let key = [b"a:", value.as_slice()].concat();
        let segment = pattern(&format!("a:<x:/{regex}/>")).values(&key).is_some();
        let rest = pattern(&format!("a:<x...:/{regex}/>")).values(&key).is_some();
        prop_assert_eq!(segment, expected && !value.is_empty() && !value.contains(&b':'));
        prop_assert_eq!(rest, expected && !value.is_empty());
    }
}
