use proptest::prelude::*;

use super::*;

fn matches(glob: &str, text: &str) -> bool {
    Glob::new(glob.as_bytes()).matches(text.as_bytes())
}

#[test]
fn globs_match_as_in_the_server() {
    for (glob, text, expected) in [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("**", "abc", true),
        ("a*c", "abbc", true),
        ("a*c", "abb", false),
        ("*ab*ab", "abxabab", true),
        ("h?llo", "hello", true),
        ("h?llo", "hllo", false),
        ("h[ae]llo", "hallo", true),
        ("h[^e]llo", "hello", false),
        ("h[a-c]llo", "hbllo", true),
        ("h[c-a]llo", "hbllo", true),
        ("h\\*llo", "h*llo", true),
        ("h\\*llo", "hello", false),
        ("[\\]]", "]", true),
        ("[a", "a", true),
        ("a\\", "a\\", true),
        ("a", "A", false),
    ] {
        assert_eq!(matches(glob, text), expected, "{glob} {text}");
    }
}

#[test]
fn a_glob_of_any_length_has_all_of_its_places() {
    for len in [1, 63, 64, 65, 127, 128, 255, 256, 1000] {
        let text = "ab".repeat(len)[..len].to_owned();
        for glob in [
            text.clone(),
            "?".repeat(len),
            format!("*{text}"),
            format!("{text}*"),
            "[ab]".repeat(len),
        ] {
            assert!(matches(&glob, &text), "{len} {glob}");
            assert!(!matches(&glob, &text[1..]), "{len} {glob}");
        }
        assert!(!matches(&text, &format!("{text}a")), "{len}");
    }
}

#[test]
fn a_longer_glob_than_names_can_need_is_refused() {
    assert!(Glob::parse(&[b'*'; MAX_GLOB_BYTES]).is_ok());
    let error = Glob::parse(&[b'*'; MAX_GLOB_BYTES + 1]).unwrap_err();
    assert_eq!(error.to_string(), "glob must be at most 256 bytes, got 257");
}

#[test]
fn a_hostile_glob_costs_a_byte_no_more_than_any_other_of_its_length() {
    // The work on a byte is a pass over these words, whatever they say.
    for glob in [
        "a*".repeat(127) + "b",
        "*a".repeat(128),
        "[a-z]*".repeat(42),
    ] {
        let words = Glob::parse(glob.as_bytes()).unwrap().stars.len();
        assert!(words <= MAX_GLOB_BYTES / WORD + 1);
    }
    assert!(!matches(&("a*".repeat(127) + "b"), &"a".repeat(100_000)));
}

#[test]
fn a_glob_covers_another_if_it_matches_all_that_the_other_does() {
    for (glob, plain, expected) in [
        ("*", "app:*", true),
        ("*", "*", true),
        ("app:*", "app:*", true),
        ("app:*", "app:*:*", true),
        ("app:*", "app:", true),
        ("app:*:*", "app:*:*", true),
        ("app:*:*", "app:*:profile", true),
        ("a*", "app:*:x", true),
        ("app:?*", "app:x*", true),
        ("[ab]pp:*", "app:*", true),
        ("app:*x*", "app:*x*", true),
        ("app:\\**", "app:*", false),
        ("t:*", "app:*", false),
        ("app:*", "ap*", false),
        ("app:*:profile", "app:*", false),
        ("app:*x", "app:*", false),
        ("app:?", "app:*", false),
        ("app:[a-z]*", "app:*", false),
        ("app:[^x]*", "app:*", false),
        ("app", "app:*", false),
        ("", "*", false),
        ("*?*", "*a*", true),
        ("**", "*", true),
    ] {
        let covers = Glob::new(glob.as_bytes()).covers(plain.as_bytes());
        assert_eq!(covers, expected, "{glob} {plain}");
    }
}

/// By trying every length of every `*`.
fn slow_matches(glob: &[u8], text: &[u8]) -> bool {
    let byte_fits = |part: &Part, byte: u8| match part {
        Part::Star => false,
        Part::Any => true,
        Part::Byte(other) => *other == byte,
        Part::Class(class) => class.contains(byte),
    };
    match (Part::split_first(glob), text) {
        (None, _) => text.is_empty(),
        (Some((Part::Star, rest)), _) => {
            (0..=text.len()).any(|len| slow_matches(rest, &text[len..]))
        }
        (Some((part, rest)), [byte, after @ ..]) => {
            byte_fits(&part, *byte) && slow_matches(rest, after)
        }
        (Some(_), []) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_ways_at_once_find_what_one_after_the_other_does(
        glob in "[ab*?\\[\\]\\\\^-]{0,8}",
        text in "[ab]{0,8}",
    ) {
        let (glob, text) = (glob.as_bytes(), text.as_bytes());
        prop_assert_eq!(Glob::new(glob).matches(text), slow_matches(glob, text));
    }

    #[test]
    fn what_is_covered_is_matched(
        glob in "[ab*?\\[\\]^-]{0,6}",
        plain in "[ab*]{0,5}",
        texts in proptest::collection::vec("[abc\\*]{0,3}", 5),
    ) {
        let glob = Glob::new(glob.as_bytes());
        let mut texts = texts.iter();
        let text: String = plain
            .chars()
            .map(|char| match char {
                '*' => texts.next().cloned().unwrap_or_default(),
                char => char.to_string(),
            })
            .collect();
        if glob.covers(plain.as_bytes()) {
            prop_assert!(glob.matches(text.as_bytes()), "{}", text);
        }
    }
}
