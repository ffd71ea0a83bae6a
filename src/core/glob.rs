//! Glob patterns as the server reads them in `KEYS` and `SCAN`.

/// Whether `text` matches `glob`: `*` any text, `?` any byte, `[a-c]` and `[^a-c]` one of some bytes,
/// `\` the next byte as it is.
///
/// Only the last `*` is ever tried again, so that the time is bounded by the product of both lengths.
///
/// ```
/// use keyns::core::glob;
///
/// assert!(glob::matches(b"user_*", b"user_profile"));
/// assert!(!glob::matches(b"user_?", b"user_profile"));
/// ```
pub fn matches(mut glob: &[u8], mut text: &[u8]) -> bool {
    // What is behind the last `*`, and the text from where that is tried.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', rest @ ..] = glob {
            glob = rest;
            star = Some((glob, text));
            continue;
        }
        let next = match text {
            [] if glob.is_empty() => return true,
            [] => return false,
            [byte, rest @ ..] => match_byte(glob, *byte).map(|glob| (glob, rest)),
        };
        let again = || {
            let (glob, from) = star?;
            Some((glob, from.get(1..)?))
        };
        match (next, again()) {
            (Some(next), _) => (glob, text) = next,
            (None, Some(next)) => {
                star = Some(next);
                (glob, text) = next;
            }
            (None, None) => return false,
        }
    }
}

/// What is left of `glob` if its first part, which is no `*`, matches `byte`.
fn match_byte(glob: &[u8], byte: u8) -> Option<&[u8]> {
    match glob {
        [b'?', rest @ ..] => Some(rest),
        [b'[', rest @ ..] => {
            let (is_in, rest) = match_class(rest, byte);
            is_in.then_some(rest)
        }
        [b'\\', escaped, rest @ ..] => (*escaped == byte).then_some(rest),
        [other, rest @ ..] => (*other == byte).then_some(rest),
        [] => None,
    }
}

/// Whether `byte` is in the class that `glob` starts with, and what is behind its `]`. One that is
/// not closed goes on to the end.
fn match_class(glob: &[u8], byte: u8) -> (bool, &[u8]) {
    let (negated, mut class) = match glob {
        [b'^', rest @ ..] => (true, rest),
        _ => (false, glob),
    };
    let mut is_in = false;
    loop {
        class = match class {
            [] => return (is_in != negated, class),
            [b']', rest @ ..] => return (is_in != negated, rest),
            [b'\\', escaped, rest @ ..] => {
                is_in |= *escaped == byte;
                rest
            }
            [from, b'-', to, rest @ ..] => {
                is_in |= (*from.min(to)..=*from.max(to)).contains(&byte);
                rest
            }
            [other, rest @ ..] => {
                is_in |= *other == byte;
                rest
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            assert_eq!(
                matches(glob.as_bytes(), text.as_bytes()),
                expected,
                "{glob} {text}"
            );
        }
    }

    #[test]
    fn a_hostile_glob_takes_no_time() {
        let text = [b'a'; 2000];
        assert!(!matches(
            &b"a*"
                .repeat(500)
                .iter()
                .chain(b"b")
                .copied()
                .collect::<Vec<u8>>(),
            &text
        ));
    }

    /// The same by trying every length of every `*`.
    fn slow_matches(glob: &[u8], text: &[u8]) -> bool {
        match (glob, text) {
            ([b'*', rest @ ..], _) => (0..=text.len()).any(|len| slow_matches(rest, &text[len..])),
            (_, [byte, after @ ..]) => {
                match_byte(glob, *byte).is_some_and(|rest| slow_matches(rest, after))
            }
            (_, []) => glob.is_empty(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_last_star_is_enough(glob in "[ab*?\\[\\]\\\\^-]{0,8}", text in "[ab]{0,8}") {
            let (glob, text) = (glob.as_bytes(), text.as_bytes());
            prop_assert_eq!(matches(glob, text), slow_matches(glob, text));
        }
    }
}
