//! What can be wrong with an argument, whatever it is for.

use crate::Mistake;
use crate::text::quoting::Quoted;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A word that is no option of the command, or an option without its value.
    #[error("syntax error near '{}'", Quoted(.near))]
    Syntax { near: Vec<u8> },

    #[error("{option} is given twice")]
    Repeated { option: &'static str },

    #[error("{option} must be given")]
    Missing { option: &'static str },

    /// A value that should be a whole number and is not.
    #[error("{option} must be an integer, got '{}'", Quoted(.got))]
    NotAnInteger { option: &'static str, got: Vec<u8> },

    #[error("{option} must be between {min} and {max}, got {got}")]
    OutOfRange {
        option: &'static str,
        min: i64,
        max: i64,
        got: i64,
    },

    /// Neither an integer nor within its bounds.
    #[error("{option} must be an integer between {min} and {max}, got '{}'", Quoted(.got))]
    NotWithin {
        option: &'static str,
        min: i64,
        max: i64,
        got: Vec<u8>,
    },

    /// A value that is none of the words its option knows.
    #[error("{option} must be {allowed}, got '{}'", Quoted(.got))]
    NotOneOf {
        option: &'static str,
        allowed: &'static str,
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
    /// [`Error::Syntax`] at `word`.
    pub fn syntax(word: &[u8]) -> Error {
        Error::Syntax {
            near: word.to_vec(),
        }
    }
}

/// Words in a sentence: `CUT, WORD or VOWELS`.
pub fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_ascii_whatever_the_caller_sent() {
        let hostile: Vec<u8> = (0..=255).collect();
        let message = Error::syntax(&hostile).to_string();
        assert!(message.is_ascii());
        assert!(!message.bytes().any(|b| b.is_ascii_control()));
        assert!(message.len() < 400);
    }

    #[test]
    fn a_range_error_names_option_range_and_value() {
        let error = Error::OutOfRange {
            option: "WIDTH",
            min: 1,
            max: 12,
            got: 40,
        };
        assert_eq!(error.to_string(), "WIDTH must be between 1 and 12, got 40");
    }
}
