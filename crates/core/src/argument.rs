//! What can be wrong with an argument, whatever it is for.

use std::ops::RangeInclusive;

use crate::Mistake;
use crate::text::decimal;
use crate::text::quoting::Quoted;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A word where none of it, or none at all, is allowed.
    #[error("syntax error near '{}', expected {}", Quoted(.near), expected(.allowed))]
    Syntax {
        near: Vec<u8>,
        allowed: Vec<&'static str>,
    },

    /// An option at the end of a call.
    #[error("{option} needs a value")]
    NoValue { option: &'static str },

    #[error("{option} is given twice")]
    Repeated { option: String },

    #[error("{option} must be given")]
    Missing { option: String },

    /// Fewer arguments than the command's arity lets through.
    #[error("wrong number of arguments")]
    TooFew,

    /// No integer, or one that is out of its bounds.
    #[error("{option} must be {}, got '{}'", integers(.min, .max), Quoted(.got))]
    NotWithin {
        option: &'static str,
        min: i64,
        max: i64,
        got: Vec<u8>,
    },

    /// A value that is none of the words its option knows.
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

    /// The start of derived keys, past the length any sensible one has.
    #[error("{what} must be at most {limit} bytes, got {got}")]
    NameTooLong {
        what: &'static str,
        limit: usize,
        got: usize,
    },
}

impl Mistake for Error {}

impl Error {
    /// [`Error::Syntax`] at `word`, in place of which one of `allowed` may stand.
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

/// A value that callers give as a word, in any case.
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
    /// Each word and what it stands for, in the order in which people read them.
    const WORDS: &'static [(&'static str, Self)];

    /// What a word stands for.
    fn find(word: &[u8]) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        let found = words.find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(word));
        found.map(|(_, value)| *value)
    }

    /// The value that `option` has with this word.
    fn read(option: &'static str, word: &[u8]) -> Result<Self> {
        Self::find(word).ok_or_else(|| Error::NotOneOf {
            option,
            allowed: Self::words(),
            got: word.to_vec(),
        })
    }

    /// What a word stands for that has to be one of these.
    fn expect(word: &[u8]) -> Result<Self> {
        Self::find(word).ok_or_else(|| Error::syntax(word, Self::words()))
    }

    fn words() -> Vec<&'static str> {
        Self::WORDS.iter().map(|(word, _)| *word).collect()
    }
}

/// Reads the integer that `option` has, within its bounds.
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

/// What an integer has to be.
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
}
