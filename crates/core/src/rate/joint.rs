//! A request that counts on several keys: it passes the limits of all of them, or takes from none.
//!
//! ```text
//! rate:user:ada      3 left, admits    ─┐
//! rate:ip:192.0.2.1  refuses for 9 s    ├─> refused for 40 s by key 2, and nothing is written
//! rate:tenant:acme   refuses for 40 s  ─┘
//! ```

use smallvec::SmallVec;

use super::{Change, Limits, Moment, Outcome};

/// How many keys one request may count on. With [`MAX_LIMITS`](super::MAX_LIMITS) limits on each, a
/// call judges 64 at most: the server does nothing else meanwhile.
pub const MAX_KEYS: usize = 8;

/// The answers of several keys combined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joint {
    /// The key that speaks for all: the one with the longest wait, or else the one with the least left;
    /// the first of equals.
    pub key: usize,
    /// What that key says.
    pub outcome: Outcome,
    /// What to store, for each key in turn; nothing if one of them refuses.
    pub changes: SmallVec<[Change; 2]>,
}

/// Judges a request by what is stored for each of its keys and by the limits of that key. The error is
/// the index of a key whose bytes are no state.
pub fn take_all<'k>(
    keys: impl IntoIterator<Item = (Option<&'k [u8]>, &'k Limits)>,
    cost: u64,
    now: Moment,
) -> Result<Joint, usize> {
    let mut joint = Joint::default();
    for (key, (stored, limits)) in keys.into_iter().enumerate() {
        let (outcome, change) = super::take(stored, limits, cost, now).ok_or(key)?;
        if key == 0 || speaks_before(&outcome, &joint.outcome) {
            (joint.key, joint.outcome) = (key, outcome);
        }
        joint.changes.extend(change);
    }
    if !joint.outcome.allowed {
        joint.changes.clear();
    }
    Ok(joint)
}

/// Whether an outcome speaks for the request instead of that of an earlier key. A refusal comes first:
/// `None` is the least.
fn speaks_before(new: &Outcome, old: &Outcome) -> bool {
    match new.retry_after_ms == old.retry_after_ms {
        true => new.remaining < old.remaining,
        false => new.retry_after_ms > old.retry_after_ms,
    }
}
