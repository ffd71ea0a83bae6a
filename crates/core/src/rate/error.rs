//! The mistakes that a call about rate limits can make.

use crate::text::quoting::Quoted;
use crate::{Mistake, argument};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Argument(#[from] argument::Error),

    #[error("give at most {limit} limits for each key")]
    TooManyLimits { limit: usize },

    #[error("numkeys is {numkeys}, but only {follow} arguments follow it")]
    TooFewKeys { numkeys: usize, follow: usize },

    /// Something else where the limits begin, most likely because numkeys is wrong.
    #[error(
        "syntax error near '{}', expected BUCKET, FIXED or SLIDING (numkeys is {numkeys}, so the last key is '{}')",
        Quoted(.near), Quoted(.last)
    )]
    NoLimitAfterKeys {
        near: Vec<u8>,
        numkeys: usize,
        last: Vec<u8>,
    },

    /// A list without a limit, before AND or after it.
    #[error("give BUCKET, FIXED or SLIDING {place} AND")]
    EmptyList { place: &'static str },

    #[error("the key '{}' is given twice", Quoted(.key))]
    KeyTwice { key: Vec<u8> },

    /// Lists of limits for some of the keys, or for more than there are.
    #[error("numkeys is {numkeys}: give {}", lists(.numkeys))]
    ListsForKeys { numkeys: usize },

    /// A request that would not pass after any wait.
    #[error("COST must be at most {most}, the most that {algorithm} can ever admit, got {cost}")]
    NeverAdmitted {
        cost: u64,
        algorithm: &'static str,
        most: u64,
    },

    /// A sliding window that would keep too many units.
    #[error("SLIDING max must be at most {limit}, got {got} (keyns.max-sliding)")]
    SlidingTooLarge { limit: u64, got: u64 },

    /// A bucket whose times would not fit.
    #[error("a bucket must not take longer than 285000 years to fill")]
    FillsTooSlowly,

    /// A string that these commands did not write.
    #[error("not a rate limit: '{}'", Quoted(.key))]
    NotARateLimit { key: Vec<u8> },

    /// A clock past the last moment that fits into a state.
    #[error("the server's clock is past the year 2090")]
    ClockTooLate,
}

impl Mistake for Error {}

/// How many lists of limits go with so many keys.
fn lists(keys: &usize) -> String {
    match keys {
        1 => "one list of limits, without AND".to_owned(),
        keys => format!("one list of limits for all keys, or {keys} lists separated by AND"),
    }
}
