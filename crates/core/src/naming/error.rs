//! Errors about names and about the settings for names.

use crate::text::quoting::Quoted;
use crate::{Mistake, argument};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Argument(#[from] argument::Error),

    /// A prefix with nothing between two `:`, or nothing at all.
    #[error("prefix must have a name in every segment, as in doc or {{acme}}:doc, got '{}'", Quoted(.prefix))]
    EmptySegment { prefix: Vec<u8> },

    /// Too many existing names in a row.
    #[error("the next {} names after the counter '{}' exist already (keyns.max-skips)", .limit + 1, Quoted(.key))]
    TooManySkips { limit: u64, key: Vec<u8> },

    /// More keys than one call takes.
    #[error("a call takes at most {limit} keys, got {got}")]
    TooManyKeys { limit: usize, got: usize },

    /// An invalid abbreviation in the settings.
    #[error("keyns.abbreviations {reason}")]
    Abbreviations { reason: String },

    /// An invalid list of kinds in the settings.
    #[error("keyns.kinds must be words of [a-z0-9_] that start with a letter, got '{}'", Quoted(.got))]
    Kinds { got: Vec<u8> },
}

impl Mistake for Error {}
