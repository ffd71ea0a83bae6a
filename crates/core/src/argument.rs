//! Errors that any argument can have, and the readers that return them.

use std::ops::RangeInclusive;

use crate::Mistake;
use crate::text::quoting::Quoted;
use crate::text::{decimal, period};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An unknown word, or one too many.
    #[error("syntax error near '{}', expected {}", Quoted(.near), expected(.allowed))]
    Syntax {
        near: Vec<u8>,
        allowed: Vec<&'static str>,
    },

    /// An option without its value at the end of a call.
    #[error("{option} needs a value")]
    NoValue { option: &'static str },

    #[error("{option} is given twice")]
    Repeated { option: String },

    /// A keyword behind its own value, which may have been meant as a part of that value.
    #[error("{option} is given twice (quote a value of several words)")]
    RepeatedText { option: &'static str },

    /// Two options of which a call may have one.
    #[error("{option} and {other} cannot be combined")]
    Exclusive {
        option: &'static str,
        other: &'static str,
    },

    #[error("{option} must be given")]
    Missing { option: String },

    /// Fewer arguments than the command's arity lets through.
    #[error("wrong number of arguments")]
    TooFew,

    /// Not an integer, or out of its bounds.
    #[error("{option} must be {}, got '{}'", integers(.min, .max), Quoted(.got))]
    NotWithin {
        option: &'static str,
        min: i64,
        max: i64,
        got: Vec<u8>,
    },

    /// Not a period, or out of its bounds.
    #[error("{option} must be {range}, as in 500ms, 10s, 1m, 2h or 7d, got '{}'", Quoted(.got))]
    NotAPeriod {
        option: &'static str,
        range: String,
        got: Vec<u8>,
    },

    /// Not a period, or not within the bounds in seconds.
    #[error(
        "{option} must be {min} to {max} seconds, as in 90, 90s, 15m, 2h or 7d, got '{}'", Quoted(.got)
    )]
    NotSeconds {
        option: &'static str,
        min: i64,
        max: i64,
        got: Vec<u8>,
    },

    /// A fraction of a second, for an option that counts seconds.
    #[error("{option} must be a whole number of seconds, got '{}'", Quoted(.got))]
    NotWholeSeconds { option: &'static str, got: Vec<u8> },

    /// A value that is not one of the option's words.
    #[error("{option} must be {}, got '{}'", list(.allowed), Quoted(.got))]
    NotOneOf {
        option: &'static str,
        allowed: Vec<&'static str>,
        got: Vec<u8>,
    },

    /// An argument past a configured size.
    #[error("{what} must be at most {limit} bytes, got {got} ({config})")]
    TooLong {
        what: &'static str,
        config: &'static str,
        limit: usize,
        got: usize,
    },

    /// The start of derived keys, longer than any sensible one.
    #[error("{what} must be at most {limit} bytes, got {got}")]
    NameTooLong {
        what: &'static str,
        limit: usize,
        got: usize,
    },
}

impl Mistake for Error {}

impl Error {
    /// [`Error::Syntax`] at `word`, where one of `allowed` is expected.
    pub fn syntax(word: &[u8], allowed: Vec<&'static str>) -> Error {
        Error::Syntax {
            near: word.to_vec(),
            allowed,
        }
    }

    pub fn no_value(option: &'static str) -> Error {
        Error::NoValue { option }
    }

    pub fn too_few() -> Error {
        Error::TooFew
    }

    pub fn repeated(option: impl Into<String>) -> Error {
        Error::Repeated {
            option: option.into(),
        }
    }

    pub fn missing(option: impl Into<String>) -> Error {
        Error::Missing {
            option: option.into(),
        }
    }
}

/// A value that callers name by a word, in any case.
///
/// ```
/// use keyns_core::argument::Keyword;
/// use keyns_core::naming::slug::Shorten;
///
/// assert_eq!(Shorten::find(b"Cut"), Some(Shorten::Cut));
/// let error = Shorten::read("SHORTEN", b"x").unwrap_err();
/// assert_eq!(error.to_string(), "SHORTEN must be CUT, WORD or VOWELS, got 'x'");
/// ```
pub trait Keyword: Copy + 'static {
    /// Each word and its value, in the order of documentation and errors.
    const WORDS: &'static [(&'static str, Self)];

    /// The value of a word.
    fn find(word: &[u8]) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        let found = words.find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(word));
        found.map(|(_, value)| *value)
    }

    /// The value of the word after `option`.
    fn read(option: &'static str, word: &[u8]) -> Result<Self> {
        Self::find(word).ok_or_else(|| Error::NotOneOf {
            option,
            allowed: Self::words(),
            got: word.to_vec(),
        })
    }

    /// The value of a word that must be one of these.
    fn expect(word: &[u8]) -> Result<Self> {
        Self::find(word).ok_or_else(|| Error::syntax(word, Self::words()))
    }

    fn words() -> Vec<&'static str> {
        Self::WORDS.iter().map(|(word, _)| *word).collect()
    }
}

/// Reads the integer of `option`, within its bounds.
pub fn integer(option: &'static str, text: &[u8], range: RangeInclusive<i64>) -> Result<i64> {
    match decimal::parse(text) {
        Some(number) if range.contains(&number) => Ok(number),
        _ => Err(Error::NotWithin {
            option,
            min: *range.start(),
            max: *range.end(),
            got: text.to_vec(),
        }),
    }
}

/// Reads the seconds of `option`, within its bounds: an integer, or a [period](crate::text::period) of
/// whole seconds.
///
/// ```
/// use keyns_core::argument;
/// assert_eq!(argument::seconds("TTL", b"90", 1..=3600), Ok(90));
/// assert_eq!(argument::seconds("TTL", b"30m", 1..=3600), Ok(1800));
/// assert!(argument::seconds("TTL", b"1500ms", 1..=3600).is_err());
/// ```
pub fn seconds(option: &'static str, text: &[u8], range: RangeInclusive<i64>) -> Result<i64> {
    match decimal::parse(text) {
        Some(number) if range.contains(&number) => Ok(number),
        _ => seconds_with_unit(option, text, range),
    }
}

/// Not inlined, since most callers write a plain integer.
#[inline(never)]
fn seconds_with_unit(option: &'static str, text: &[u8], range: RangeInclusive<i64>) -> Result<i64> {
    const SECOND: u64 = 1_000_000;
    let (min, max) = range.into_inner();
    let got = || text.to_vec();
    match period::micros(text) {
        Some(micros) if !micros.is_multiple_of(SECOND) => {
            Err(Error::NotWholeSeconds { option, got: got() })
        }
        Some(micros) if (min..=max).contains(&(micros / SECOND).cast_signed()) => {
            Ok((micros / SECOND).cast_signed())
        }
        _ => Err(Error::NotSeconds {
            option,
            min,
            max,
            got: got(),
        }),
    }
}

/// Reads the [period](crate::text::period) of `option` in milliseconds: from 1 ms to `max_seconds`.
///
/// ```
/// use keyns_core::argument;
/// assert_eq!(argument::millis("EX", b"90", 3600), Ok(90_000));
/// assert_eq!(argument::millis("EX", b"1500ms", 3600), Ok(1500));
/// ```
pub fn millis(option: &'static str, text: &[u8], max_seconds: i64) -> Result<u64> {
    match decimal::parse(text) {
        Some(seconds) if (1..=max_seconds).contains(&seconds) => Ok(seconds.unsigned_abs() * 1000),
        _ => millis_with_unit(option, text, max_seconds.unsigned_abs()),
    }
}

#[inline(never)]
fn millis_with_unit(option: &'static str, text: &[u8], max_seconds: u64) -> Result<u64> {
    match period::micros(text) {
        Some(micros) if (1..=max_seconds * 1_000_000).contains(&micros) => Ok(micros / 1000),
        _ => Err(Error::NotAPeriod {
            option,
            range: format!("1ms to {max_seconds}s"),
            got: text.to_vec(),
        }),
    }
}

/// How errors describe the allowed integers.
pub fn integers(min: &i64, max: &i64) -> String {
    format!("an integer between {min} and {max}")
}

/// Words in a sentence: `CUT, WORD or VOWELS`.
pub fn list(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn expected(allowed: &[&str]) -> String {
    match allowed {
        [] => "nothing more".to_owned(),
        words => list(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_ascii_whatever_the_caller_sent() {
        let hostile: Vec<u8> = (0..=255).collect();
        let message = Error::syntax(&hostile, vec!["WIDTH"]).to_string();
        assert!(message.is_ascii());
        assert!(!message.bytes().any(|b| b.is_ascii_control()));
        assert!(message.len() < 400);
    }

    #[test]
    fn a_wrong_word_is_told_what_may_stand_in_its_place() {
        for (allowed, expected) in [
            (vec![], "nothing more"),
            (vec!["PX"], "PX"),
            (vec!["REPLACE", "FLUSH"], "REPLACE or FLUSH"),
            (vec!["CUT", "WORD", "VOWELS"], "CUT, WORD or VOWELS"),
        ] {
            let error = Error::syntax(b"EX", allowed).to_string();
            assert_eq!(
                error,
                format!("syntax error near 'EX', expected {expected}")
            );
        }
    }

    #[test]
    fn an_error_about_an_integer_names_option_range_and_value() {
        for text in ["40", "0", "x", "", "1.5", "99999999999999999999"] {
            let error = integer("WIDTH", text.as_bytes(), 1..=12).unwrap_err();
            let expected = format!("WIDTH must be an integer between 1 and 12, got '{text}'");
            assert_eq!(error.to_string(), expected);
        }
        assert_eq!(integer("WIDTH", b"12", 1..=12), Ok(12));
    }

    #[test]
    fn seconds_are_an_integer_or_a_period() {
        for (text, expected) in [
            ("1", 1),
            ("90", 90),
            ("90s", 90),
            ("2000ms", 2),
            ("15m", 900),
            ("2h", 7200),
            ("7d", 604_800),
        ] {
            let seconds = seconds("EX", text.as_bytes(), 1..=604_800);
            assert_eq!(seconds, Ok(expected), "{text}");
        }
        assert_eq!(seconds("KEEP", b"0h", 0..=10), Ok(0));
    }

    #[test]
    fn an_error_about_seconds_names_option_range_value_and_units() {
        for text in [
            "0",
            "-1",
            "0s",
            "8d",
            "1S",
            "1.5",
            "",
            "x",
            "99999999999999999999d",
        ] {
            let error = seconds("EX", text.as_bytes(), 1..=604_800).unwrap_err();
            let expected = format!(
                "EX must be 1 to 604800 seconds, as in 90, 90s, 15m, 2h or 7d, got '{text}'"
            );
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn milliseconds_are_a_period_of_any_unit() {
        for (text, expected) in [
            ("1", 1000),
            ("1ms", 1),
            ("1500ms", 1500),
            ("90s", 90_000),
            ("7d", 604_800_000),
        ] {
            let millis = millis("EX", text.as_bytes(), 604_800);
            assert_eq!(millis, Ok(expected), "{text}");
        }
        for text in ["0", "0ms", "-1", "604801", "8d", "x", "", "1.5s"] {
            let error = millis("EX", text.as_bytes(), 604_800).unwrap_err();
            let expected =
                format!("EX must be 1ms to 604800s, as in 500ms, 10s, 1m, 2h or 7d, got '{text}'");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_part_of_a_second_is_not_rounded() {
        for text in ["1ms", "999ms", "1500ms"] {
            let error = seconds("EX", text.as_bytes(), 1..=10).unwrap_err();
            let expected = format!("EX must be a whole number of seconds, got '{text}'");
            assert_eq!(error.to_string(), expected);
        }
    }
}
