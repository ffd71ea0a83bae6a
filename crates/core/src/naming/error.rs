//! What can be wrong with a name, or with the settings that names are made by.

use crate::text::quoting::Quoted;
use crate::{Mistake, argument};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Argument(#[from] argument::Error),

    /// A prefix with nothing between two `:`, or nothing at all.
    #[error("prefix must have no empty segment, as in doc or {{acme}}:doc, got '{}'", Quoted(.prefix))]
    EmptySegment { prefix: Vec<u8> },

    /// Too many taken names in a row.
    #[error("the next {} names after the counter '{}' exist already (keyns.max-skips)", .limit + 1, Quoted(.key))]
    TooManySkips { limit: u64, key: Vec<u8> },

    /// More keys than one call takes.
    #[error("a call takes at most {limit} keys, got {got}")]
    TooManyKeys { limit: usize, got: usize },

    /// A configured abbreviation that cannot be used.
    #[error("keyns.abbreviations {reason}")]
    Abbreviations { reason: String },

    /// A configured list of kinds that cannot be used.
    #[error("keyns.kinds must be words of [a-z0-9_] that start with a letter, got '{}'", Quoted(.got))]
    Kinds { got: Vec<u8> },
}

impl Mistake for Error {}
