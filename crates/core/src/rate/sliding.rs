//! The sliding window: at most `max` in any window of its length, exactly.
//!
//! A ring holds the time of every unit that passed. When the oldest units leave the window, new ones
//! take their places, and nothing else in the ring changes.

use super::answer::Answer;
use super::{Moment, Period};

/// `SLIDING max period`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sliding {
    max: u64,
    period: Period,
}

/// The units that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Log<'s> {
    /// When the newest one passed.
    pub(super) newest: Moment,
    pub(super) span: Span,
    /// The ring: the lower six bytes of the time of each unit.
    pub(super) ring: &'s [u8],
}

/// The places of a ring that are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(super) slots: u32,
    /// The place of the oldest unit.
    pub(super) head: u32,
    pub(super) live: u32,
}

/// A log to which units are added, or from which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit<'s> {
    pub(super) log: Log<'s>,
    pub(super) at: Moment,
    /// How many of the oldest leave.
    pub(super) gone: u32,
    /// How many of the others stay.
    pub(super) kept: u32,
    /// How many come at the end.
    pub(super) added: u32,
}

/// The greatest `max` that a setting can allow.
pub const MAX_SLIDING: u64 = 1_000_000;

/// The bytes of a unit.
pub(super) const UNIT: usize = 6;
const UNIT_MASK: u64 = (1 << (8 * UNIT)) - 1;

impl Sliding {
    pub fn new(max: u64, period: Period) -> Sliding {
        Sliding { max, period }
    }

    pub fn max(&self) -> u64 {
        self.max
    }

    pub fn take<'s>(&self, log: Log<'s>, cost: u64, now: Moment) -> Answer<Edit<'s>> {
        // Time never goes back before the stored moment.
        let now = now.max(log.newest);
        let gone = log.older_than(self.period, now);
        let kept = log.span.live - gone;
        let used = u64::from(kept).saturating_add(cost);
        // A cost of 0 passes even if more was counted than a lowered limit allows.
        match (used <= self.max || cost == 0, u32::try_from(cost)) {
            (true, Ok(added)) => Answer::Admitted {
                left: self.max.saturating_sub(used),
                fresh_at: match added {
                    0 => self.fresh_at(&log, kept, now),
                    _ => now.after(self.period.micros()),
                },
                state: Edit {
                    log,
                    at: now,
                    gone,
                    kept,
                    added,
                },
            },
            _ => {
                let too_many = u32::try_from(used.saturating_sub(self.max))
                    .unwrap_or(kept)
                    .min(kept);
                let last_in_the_way = (gone + too_many).saturating_sub(1);
                let waits_for = now.before(log.age_of_kept(last_in_the_way, gone, now));
                Answer::Refused {
                    left: self.max.saturating_sub(u64::from(kept)),
                    retry_at: waits_for.after(self.period.micros()),
                    fresh_at: self.fresh_at(&log, kept, now),
                }
            }
        }
    }

    /// Takes the newest units out again; `None` if there are none.
    pub fn refund<'s>(&self, log: Log<'s>, cost: u64, now: Moment) -> Option<Answer<Edit<'s>>> {
        let now = now.max(log.newest);
        let gone = log.older_than(self.period, now);
        let live = log.span.live - gone;
        if live == 0 {
            return None;
        }
        let kept = live - u32::try_from(cost).unwrap_or(live).min(live);
        let (newest, fresh_at) = match kept {
            0 => (now, now),
            _ => {
                let newest = now.before(log.age_of_kept(gone + kept - 1, gone, now));
                (newest, newest.after(self.period.micros()))
            }
        };
        Some(Answer::Admitted {
            left: self.max.saturating_sub(u64::from(kept)),
            fresh_at,
            state: Edit {
                log,
                at: newest,
                gone,
                kept,
                added: 0,
            },
        })
    }

    fn fresh_at(&self, log: &Log, kept: u32, now: Moment) -> Moment {
        match kept {
            0 => now,
            _ => log.newest.after(self.period.micros()),
        }
    }
}

impl Log<'_> {
    /// How many of the oldest units are at least this old. The search starts at the oldest, in strides
    /// that double: it looks at one unit if none has to leave, and at few if few have to.
    fn older_than(&self, period: Period, now: Moment) -> u32 {
        let live = self.span.live;
        if now.since(self.newest) >= period.micros() {
            return live;
        }
        let is_over = |unit: u32| self.age(unit, now) >= period.micros();
        let (mut over, mut stride) = (0, 1);
        while over + stride <= live && is_over(over + stride - 1) {
            over += stride;
            stride *= 2;
        }
        // The first `over` units have left, and the one a stride after them has not.
        let mut not_over = (over + stride - 1).min(live);
        while over < not_over {
            let middle = over + (not_over - over) / 2;
            match is_over(middle) {
                true => over = middle + 1,
                false => not_over = middle,
            }
        }
        over
    }

    /// How long ago a unit passed that is still in the window: at most as long ago as the first of
    /// them. In a forged ring, a later unit could seem to have left already.
    fn age_of_kept(&self, unit: u32, first: u32, now: Moment) -> u64 {
        self.age(unit, now).min(self.age(first, now))
    }

    /// How long ago a unit passed, the oldest being 0.
    fn age(&self, unit: u32, now: Moment) -> u64 {
        let place = self.span.place(unit) as usize * UNIT;
        let time = match self.ring.get(place..place + UNIT) {
            Some(&[a, b, c, d, e, f]) => u64::from_le_bytes([a, b, c, d, e, f, 0, 0]),
            _ => now.to_bits(),
        };
        now.to_bits().wrapping_sub(time) & UNIT_MASK
    }
}

impl Span {
    /// The place in the ring of a unit, the oldest being 0.
    pub(super) fn place(&self, unit: u32) -> u32 {
        let place = u64::from(self.head) + u64::from(unit);
        let slots = u64::from(self.slots);
        // A unit is one of `slots`, so once around is enough.
        (if place >= slots {
            place - slots.min(place)
        } else {
            place
        }) as u32
    }
}

/// The time of a unit in the ring.
pub(super) fn unit(at: Moment) -> [u8; UNIT] {
    let [a, b, c, d, e, f, _, _] = at.to_bits().to_le_bytes();
    [a, b, c, d, e, f]
}
