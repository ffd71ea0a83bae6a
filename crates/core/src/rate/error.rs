//! What can be wrong with a rate limit.

use crate::text::quoting::Quoted;
use crate::{Mistake, argument};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Argument(#[from] argument::Error),

    #[error("{option} must be 1ms to {max_days}d, as in 500ms, 10s, 1m, 2h or 7d, got '{}'", Quoted(.got))]
    NotAPeriod {
        option: &'static str,
        max_days: u64,
        got: Vec<u8>,
    },

    #[error("one call takes at most {limit} limits")]
    TooManyLimits { limit: usize },

    /// A request that no waiting would let pass.
    #[error(
        "COST must be at most {most}, which is all that the {algorithm} ever admits, got {cost}"
    )]
    NeverAdmitted {
        cost: u64,
        algorithm: &'static str,
        most: u64,
    },

    /// A sliding window that would keep too many units.
    #[error("SLIDING max must be at most {limit}, got {got} (keyns.max-sliding)")]
    SlidingTooLarge { limit: u64, got: u64 },

    /// A bucket that would take too long to count with.
    #[error("a bucket must not take longer than 285000 years to fill")]
    FillsTooSlowly,

    /// A string that no rate limit wrote.
    #[error("not a rate limit: '{}'", Quoted(.key))]
    NotARateLimit { key: Vec<u8> },

    /// A clock beyond what states can keep.
    #[error("the server's clock is past the year 2090")]
    ClockTooLate,
}

impl Mistake for Error {}
