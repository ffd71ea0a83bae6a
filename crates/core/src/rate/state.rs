//! The state of a key: reads it, judges requests by it, and says what to write.

use smallvec::SmallVec;

use super::answer::Answer;
use super::change::{Change, Lasting, Layout};
use super::limit::{Algorithm, Limit, Limits, MAX_LIMITS};
use super::part::{Next, Part, Place, Written, ring_len};
use super::sliding::{Log, MAX_SLIDING};
use super::{Moment, Outcome, Period};

/// The state of a key.
#[derive(Clone, Debug, Default)]
pub struct State<'s> {
    parts: SmallVec<[Part<'s>; 2]>,
    blocked_until: Option<Moment>,
    layout: Layout,
}

/// The most parts of a state: as many limits of each algorithm as a call may have, and a block.
const MAX_PARTS: usize = MAX_LIMITS * Algorithm::ALL.len() + 1;

/// The most places of a ring: the most units that a setting allows, and their room to grow. A client
/// that may write the key can forge a state, and a state is copied when its layout changes.
const MAX_SLOTS: u64 = MAX_SLIDING + MAX_SLIDING / 8;

impl<'s> State<'s> {
    /// Reads what is stored; without a value the state is fresh. `None` if the bytes are no state.
    pub fn read(stored: Option<&'s [u8]>) -> Option<State<'s>> {
        match stored {
            None => Some(State::default()),
            Some(bytes) => State::parse(bytes),
        }
    }

    /// Reads a state; `None` if the bytes are no state.
    pub fn parse(bytes: &'s [u8]) -> Option<State<'s>> {
        let mut state = State::default();
        let (mut at, mut rings) = (0, 0);
        let mut is_complete = false;
        for _ in 0..MAX_PARTS {
            let (part, len, place) = Written::read(bytes.get(at..)?)?;
            match part {
                Written::Bucket(taken) => state.parts.push(Part::Bucket(taken)),
                Written::Fixed(counted) => state.parts.push(Part::Fixed(counted)),
                Written::Sliding(newest, span) => {
                    if u64::from(span.slots) > MAX_SLOTS {
                        return None;
                    }
                    rings += ring_len(&span);
                    state.parts.push(Part::Sliding(Log {
                        newest,
                        span,
                        ring: &[],
                    }));
                }
                Written::Blocked(until) => {
                    if state.blocked_until.replace(until).is_some() {
                        return None;
                    }
                }
            }
            at += len;
            if place == Place::Last {
                is_complete = at + rings == bytes.len();
                break;
            }
        }
        if !is_complete || state.has_too_many_parts() {
            return None;
        }
        state.layout = Layout {
            front: at,
            len: bytes.len(),
        };
        let mut rest = bytes.get(at..)?;
        for part in &mut state.parts {
            if let Part::Sliding(log) = part {
                (log.ring, rest) = rest.split_at_checked(ring_len(&log.span))?;
            }
        }
        Some(state)
    }

    /// Whether it has more parts of one algorithm than a call may have limits. With one more part, it
    /// could not be read again.
    fn has_too_many_parts(&self) -> bool {
        let too_many = |algorithm| {
            let same = self
                .parts
                .iter()
                .filter(|part| part.algorithm() == algorithm);
            same.count() > MAX_LIMITS
        };
        self.parts.len() > MAX_LIMITS && Algorithm::ALL.into_iter().any(too_many)
    }

    /// Judges a request by all limits, and returns what to write if all admit it.
    pub fn take(&self, limits: &Limits, cost: u64, now: Moment) -> (Outcome, Option<Change>) {
        let (ruling, nexts) = self.judge(limits, cost, now);
        if let Some(until) = self.block_after(now) {
            let (untouched, _) = self.judge(limits, 0, now);
            let retry_at = ruling.retry_at().map_or(until, |at| at.max(until));
            return (untouched.outcome_if_blocked(until, retry_at, now), None);
        }
        let change = match ruling.retry_at() {
            None => Some(self.change(nexts, &ruling, now)),
            Some(_) => None,
        };
        (ruling.outcome(now), change)
    }

    fn judge(&self, limits: &Limits, cost: u64, now: Moment) -> (Ruling, Nexts<'s>) {
        let mut ruling = Ruling::default();
        let mut nexts = Nexts::default();
        for (index, nth, limit) in limits.iter() {
            let place = self.place(limit.algorithm(), nth);
            let part = place.and_then(|place| self.parts.get(place));
            let answer = limit.take(part, cost, now);
            if let Some(next) = ruling.hear(index, limit, answer) {
                nexts.push((place, next));
            }
        }
        (ruling, nexts)
    }

    /// Gives back at most what was taken. Limits without a state do not change.
    pub fn refund(&self, limits: &Limits, cost: u64, now: Moment) -> (Outcome, Option<Change>) {
        let mut ruling = Ruling::default();
        let mut nexts = Nexts::default();
        for (index, nth, limit) in limits.iter() {
            let place = self.place(limit.algorithm(), nth);
            let part = place.and_then(|place| self.parts.get(place));
            match limit.refund(part, cost, now) {
                Some(answer) => {
                    let next = ruling.hear(index, limit, answer);
                    nexts.extend(next.map(|next| (place, next)));
                }
                None => {
                    ruling.hear(index, limit, limit.take(part, 0, now));
                }
            }
        }
        let change = (!nexts.is_empty()).then(|| self.change(nexts, &ruling, now));
        (ruling.outcome(now), change)
    }

    /// Refuses everything for a period, and returns until when. A longer block stays as it is.
    pub fn block(&self, period: Period, now: Moment) -> (Moment, Option<Change>) {
        let until = now.after(period.micros());
        if let Some(longer) = self.blocked_until.filter(|&before| before >= until) {
            return (longer, None);
        }
        let parts: SmallVec<[Next; 2]> = self.parts.iter().map(|part| part.unchanged()).collect();
        let expiry = match parts.is_empty() {
            true => Lasting::At(until.unix_millis()),
            false => Lasting::NotBefore(until.unix_millis()),
        };
        let change = Change::new(&parts, Some(until), &self.layout, expiry);
        (until, Some(change))
    }

    #[cfg(test)]
    pub(super) fn parts(&self) -> &[Part<'s>] {
        &self.parts
    }

    /// When the block is over, if it still holds.
    fn block_after(&self, now: Moment) -> Option<Moment> {
        self.blocked_until.filter(|&until| until > now)
    }

    /// The place of a limit's part: limits of one algorithm are identified by their order.
    fn place(&self, algorithm: Algorithm, nth: usize) -> Option<usize> {
        let same = self.parts.iter().enumerate();
        let mut same = same.filter(|(_, part)| part.algorithm() == algorithm);
        same.nth(nth).map(|(place, _)| place)
    }

    /// What to write. Parts that belong to no limit of this call stay as they are.
    fn change(&self, nexts: Nexts<'s>, ruling: &Ruling, now: Moment) -> Change {
        let blocked_until = self.block_after(now);
        let known = nexts.iter().filter(|(place, _)| place.is_some()).count();
        let mut fresh_at = ruling.fresh_at.max(now.after(1));
        if let Some(until) = blocked_until {
            fresh_at = fresh_at.max(until);
        }
        let expiry = match known == self.parts.len() {
            true => Lasting::At(fresh_at.unix_millis()),
            false => Lasting::NotBefore(fresh_at.unix_millis()),
        };
        let mut parts: SmallVec<[Next; 2]> =
            self.parts.iter().map(|part| part.unchanged()).collect();
        for (place, next) in nexts {
            match place.and_then(|place| parts.get_mut(place)) {
                Some(part) => *part = next,
                None => parts.push(next),
            }
        }
        Change::new(&parts, blocked_until, &self.layout, expiry)
    }
}

/// The new parts, with the places of the old ones.
type Nexts<'s> = SmallVec<[(Option<usize>, Next<'s>); 2]>;

/// The answers of all limits combined.
#[derive(Default)]
struct Ruling {
    /// The limit that speaks for all: the one with the longest wait, or else the one with the least
    /// left.
    binding: Option<Binding>,
    /// When all limits are fresh.
    fresh_at: Moment,
}

struct Binding {
    index: usize,
    most: u64,
    algorithm: Algorithm,
    left: u64,
    /// `None` if it admits.
    retry_at: Option<Moment>,
    fresh_at: Moment,
}

impl Ruling {
    /// Adds the answer of one limit, and returns what that limit would store.
    fn hear<'s>(
        &mut self,
        index: usize,
        limit: &Limit,
        answer: Answer<Next<'s>>,
    ) -> Option<Next<'s>> {
        let (left, retry_at, fresh_at, next) = match answer {
            Answer::Admitted {
                left,
                fresh_at,
                state,
            } => (left, None, fresh_at, Some(state)),
            Answer::Refused {
                left,
                retry_at,
                fresh_at,
            } => (left, Some(retry_at), fresh_at, None),
        };
        self.add(Binding {
            index,
            most: limit.most(),
            algorithm: limit.algorithm(),
            left,
            retry_at,
            fresh_at,
        });
        next
    }

    fn add(&mut self, new: Binding) {
        self.fresh_at = self.fresh_at.max(new.fresh_at);
        let binds = match &self.binding {
            None => true,
            Some(old) if old.retry_at == new.retry_at => new.left < old.left,
            // A refusal comes first: `None` is the least.
            Some(old) => new.retry_at > old.retry_at,
        };
        if binds {
            self.binding = Some(new);
        }
    }

    /// When to retry; `None` if all admit.
    fn retry_at(&self) -> Option<Moment> {
        self.binding.as_ref()?.retry_at
    }

    fn outcome(&self, now: Moment) -> Outcome {
        let Some(binding) = &self.binding else {
            return Outcome::default();
        };
        Outcome {
            allowed: binding.retry_at.is_none(),
            limit: binding.most,
            remaining: binding.left,
            retry_after_ms: binding.retry_at.map(|at| at.millis_since(now)),
            reset_after_ms: binding.fresh_at.millis_since(now),
            binding: Some(binding.index),
            algorithm: binding.algorithm,
        }
    }

    fn outcome_if_blocked(&self, until: Moment, retry_at: Moment, now: Moment) -> Outcome {
        let outcome = self.outcome(now);
        Outcome {
            allowed: false,
            remaining: 0,
            retry_after_ms: Some(retry_at.millis_since(now)),
            reset_after_ms: outcome.reset_after_ms.max(until.millis_since(now)),
            binding: None,
            ..outcome
        }
    }
}
