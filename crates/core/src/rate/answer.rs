//! What one limit says about a request.

use super::Moment;

/// A refusal is a value, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<S> {
    Admitted {
        /// How much could still pass at once afterwards.
        left: u64,
        /// When the limit is as if nothing had ever passed.
        fresh_at: Moment,
        /// What to store.
        state: S,
    },
    Refused {
        left: u64,
        /// When the same request would pass, if no other passes before.
        retry_at: Moment,
        fresh_at: Moment,
    },
}

impl<S> Answer<S> {
    pub(super) fn map<T>(self, map: impl FnOnce(S) -> T) -> Answer<T> {
        match self {
            Answer::Admitted {
                left,
                fresh_at,
                state,
            } => Answer::Admitted {
                left,
                fresh_at,
                state: map(state),
            },
            Answer::Refused {
                left,
                retry_at,
                fresh_at,
            } => Answer::Refused {
                left,
                retry_at,
                fresh_at,
            },
        }
    }
}
