//! Rate limits: pure functions of what is stored, the limits, the cost and the time.
//!
//! ```
//! use keyns_core::rate::{self, Fixed, Limit, Limits, Moment, Period, Value};
//!
//! let mut limits = Limits::default();
//! let minute = Period::parse("FIXED period", b"1m").unwrap();
//! limits.push(Limit::Fixed(Fixed::new(2, minute))).unwrap();
//! let now = Moment::from_unix_micros(1_800_000_000_000_000).unwrap();
//!
//! let (first, change) = rate::take(None, &limits, 1, now).unwrap();
//! assert!(first.allowed && first.remaining == 1);
//! let Value::Whole(kept) = change.unwrap().value else { panic!() };
//! let (all, nothing) = rate::take(Some(&kept), &limits, 2, now).unwrap();
//! assert!(!all.allowed && nothing.is_none());
//! assert_eq!(all.retry_after_ms, Some(60_000));
//! ```

mod answer;
mod bucket;
mod change;
mod error;
mod fixed;
mod joint;
mod limit;
mod moment;
mod part;
mod period;
mod single;
mod sliding;
mod state;
mod width;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod model;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use smallvec::SmallVec;

pub use answer::Answer;
pub use bucket::{Bucket, Taken};
pub use change::{Change, Lasting, Value};
pub use error::{Error, Result};
pub use fixed::{Counted, Fixed};
pub use joint::{Joint, MAX_KEYS, take_all};
pub use limit::{Algorithm, Limit, Limits, MAX_LIMITS};
pub use moment::Moment;
pub use period::Period;
pub use sliding::{Edit, Log, MAX_SLIDING, Sliding};
pub use state::State;

/// Bytes of a state: most are short enough to need no allocation.
pub type Bytes = SmallVec<[u8; 64]>;

/// Judges a request by what is stored for its key, and returns what to store if it passes all limits.
/// `None` if the bytes are no state.
pub fn take(
    stored: Option<&[u8]>,
    limits: &Limits,
    cost: u64,
    now: Moment,
) -> Option<(Outcome, Option<Change>)> {
    let short = limits.single();
    match short.and_then(|limit| single::take(stored, limit, cost, now)) {
        Some(told) => Some(told),
        None => Some(State::read(stored)?.take(limits, cost, now)),
    }
}

/// What the caller learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub allowed: bool,
    /// How much the binding limit admits at once when it is fresh.
    pub limit: u64,
    /// How much it would still admit.
    pub remaining: u64,
    /// When to retry; `None` if allowed.
    pub retry_after_ms: Option<u64>,
    /// When the binding limit is fresh again.
    pub reset_after_ms: u64,
    /// The limit with the longest wait, or else the one with the least left; `None` if the key is
    /// blocked.
    pub binding: Option<usize>,
    /// Of the binding limit.
    pub algorithm: Algorithm,
}

impl Default for Outcome {
    /// The outcome without any limit.
    fn default() -> Outcome {
        Outcome {
            allowed: true,
            limit: 0,
            remaining: 0,
            retry_after_ms: None,
            reset_after_ms: 0,
            binding: None,
            algorithm: Algorithm::Bucket,
        }
    }
}
