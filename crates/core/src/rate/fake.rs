//! A key on a server of the tests' own: its value, its expiry, and how much was written to it.

use super::model::{Rule, limits, moment, period};
use super::{Change, Lasting, Outcome, State, Value, take, take_all};

#[derive(Clone, Debug, Default)]
pub struct Key {
    pub value: Option<Vec<u8>>,
    /// In milliseconds since 1970.
    pub expires_at: u64,
    /// How many bytes all writes so far have had.
    pub bytes_written: usize,
    /// How many of them were of a whole value.
    pub rewrites: usize,
}

/// What KEYNS.RATE.ALL does, with a list of limits for each key.
pub fn rate_all(keys: &mut [Key], lists: &[Vec<Rule>], cost: u64, now: u64) -> (usize, Outcome) {
    let lists: Vec<_> = lists.iter().map(|rules| limits(rules)).collect();
    let asked = keys.iter().map(|key| key.value.as_deref()).zip(&lists);
    let joint = take_all(asked, cost, moment(now)).expect("what was written is a state");
    let changes = if joint.outcome.allowed { keys.len() } else { 0 };
    assert_eq!(joint.changes.len(), changes, "{joint:?}");
    for (key, change) in keys.iter_mut().zip(&joint.changes) {
        key.apply(change, now);
    }
    (joint.key, joint.outcome)
}

impl Key {
    /// What KEYNS.RATE does.
    pub fn rate(&mut self, rules: &[Rule], cost: u64, now: u64) -> Outcome {
        let (outcome, change) = self.judge(rules, cost, now);
        assert_eq!(outcome.allowed, change.is_some(), "{outcome:?}");
        if let Some(change) = change {
            self.apply(&change, now);
        }
        outcome
    }

    /// What KEYNS.RATE.PEEK does.
    pub fn peek(&self, rules: &[Rule], cost: u64, now: u64) -> Outcome {
        self.judge(rules, cost, now).0
    }

    /// What KEYNS.RATE.REFUND does.
    pub fn refund(&mut self, rules: &[Rule], cost: u64, now: u64) -> Outcome {
        let (outcome, change) = self.state().refund(&limits(rules), cost, moment(now));
        if let Some(change) = change {
            self.apply(&change, now);
        }
        outcome
    }

    /// What KEYNS.RATE.BLOCK does; answers the microsecond at which the block is over.
    pub fn block(&mut self, millis: u64, now: u64) -> u64 {
        let (until, change) = self.state().block(period(millis), moment(now));
        if let Some(change) = change {
            self.apply(&change, now);
        }
        until.unix_micros()
    }

    /// Whether a server would have deleted the key.
    pub fn is_expired(&self, now: u64) -> bool {
        self.value.is_some() && now / 1000 >= self.expires_at
    }

    /// Deletes the key if its time has come.
    pub fn expire(&mut self, now: u64) {
        if self.is_expired(now) {
            self.value = None;
        }
    }

    pub fn state(&self) -> State<'_> {
        State::read(self.value.as_deref()).expect("what was written is a state")
    }

    /// Both ways to judge have to say the same.
    fn judge(&self, rules: &[Rule], cost: u64, now: u64) -> (Outcome, Option<Change>) {
        let (limits, now) = (limits(rules), moment(now));
        let told = take(self.value.as_deref(), &limits, cost, now);
        let told = told.expect("what was written is a state");
        assert_eq!(told, self.state().take(&limits, cost, now));
        told
    }

    fn apply(&mut self, change: &Change, now: u64) {
        self.expires_at = match (change.expiry, &self.value) {
            (Lasting::NotBefore(millis), Some(_)) => self.expires_at.max(millis),
            (Lasting::NotBefore(millis) | Lasting::At(millis), _) => millis,
        };
        assert!(self.expires_at > now / 1000, "expires before it is read");
        match &change.value {
            Value::Whole(value) => {
                self.bytes_written += value.len();
                self.rewrites += 1;
                self.value = Some(value.to_vec());
            }
            Value::Ranges(ranges) => {
                let value = self.value.as_mut().expect("there is a value to change");
                for (place, bytes) in ranges {
                    self.bytes_written += bytes.len();
                    value[*place..place + bytes.len()].copy_from_slice(bytes);
                }
            }
        }
        self.state();
    }
}
