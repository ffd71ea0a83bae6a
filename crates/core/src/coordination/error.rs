//! Errors of locks, checkpoints and counters.

use crate::text::quoting::Quoted;
use crate::{Mistake, argument};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Argument(#[from] argument::Error),

    /// A lock without an owner.
    #[error("owner must not be empty")]
    NoOwner,

    /// A field whose value should be an integer.
    #[error("the field {field} of '{}' does not hold an integer", Quoted(.key))]
    NotAnIntegerInField { key: Vec<u8>, field: &'static str },

    /// A range that ends before it starts.
    #[error("from must not be after to, got {from} and {to}")]
    RangeBackwards { from: i64, to: i64 },

    /// More buckets than one call reads.
    #[error("the range has {got} buckets, more than {limit}")]
    TooManyBuckets { limit: u64, got: u64 },

    /// A sum that does not fit into 64 bits.
    #[error("the total of '{}' would overflow", Quoted(.key))]
    TotalOverflow { key: Vec<u8> },
}

impl Mistake for Error {}
