//! What one limit says of a request.

use super::Moment;

/// A refusal is a value, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<S> {
    Admitted {
        /// How much could pass at once after this.
        left: u64,
        /// When the limit is as if nothing had ever passed.
        fresh_at: Moment,
        /// What to keep.
        state: S,
    },
    Refused {
        left: u64,
        /// The first moment at which it would pass, if nothing else does before.
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
