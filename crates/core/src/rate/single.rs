//! A shortcut for most calls: one bucket or one fixed window on a key that holds nothing else. It
//! returns and writes the same as [`State::take`](super::State::take).

use super::answer::Answer;
use super::change::{Change, Lasting, Value};
use super::part::{Place, Written};
use super::{Bytes, Limit, Moment, Outcome};

/// `None` if the shortcut does not apply.
pub(super) fn take(
    stored: Option<&[u8]>,
    limit: &Limit,
    cost: u64,
    now: Moment,
) -> Option<(Outcome, Option<Change>)> {
    let part = match stored {
        None => None,
        Some(bytes) => {
            let (part, len, place) = Written::read(bytes)?;
            if len != bytes.len() || place != Place::Last {
                return None;
            }
            Some(part)
        }
    };
    match (limit, part) {
        (Limit::Bucket(bucket), None) => {
            let answer = bucket.take(None, cost, now);
            Some(told(limit, answer, now, Written::Bucket))
        }
        (Limit::Bucket(bucket), Some(Written::Bucket(taken))) => {
            let answer = bucket.take(Some(taken), cost, now);
            Some(told(limit, answer, now, Written::Bucket))
        }
        (Limit::Fixed(fixed), None) => {
            let answer = fixed.take(None, cost, now);
            Some(told(limit, answer, now, Written::Fixed))
        }
        (Limit::Fixed(fixed), Some(Written::Fixed(counted))) => {
            let answer = fixed.take(Some(counted), cost, now);
            Some(told(limit, answer, now, Written::Fixed))
        }
        _ => None,
    }
}

fn told<S>(
    limit: &Limit,
    answer: Answer<S>,
    now: Moment,
    part: impl FnOnce(S) -> Written,
) -> (Outcome, Option<Change>) {
    let outcome = |remaining, retry_at: Option<Moment>, fresh_at: Moment| Outcome {
        allowed: retry_at.is_none(),
        limit: limit.most(),
        remaining,
        retry_after_ms: retry_at.map(|at| at.millis_since(now)),
        reset_after_ms: fresh_at.millis_since(now),
        binding: Some(0),
        algorithm: limit.algorithm(),
    };
    match answer {
        Answer::Admitted {
            left,
            fresh_at,
            state,
        } => {
            let mut value = Bytes::new();
            part(state).write(Place::Last, &mut value);
            let change = Change {
                value: Value::Whole(value),
                expiry: Lasting::At(fresh_at.max(now.after(1)).unix_millis()),
            };
            (outcome(left, None, fresh_at), Some(change))
        }
        Answer::Refused {
            left,
            retry_at,
            fresh_at,
        } => (outcome(left, Some(retry_at), fresh_at), None),
    }
}
