//! The token bucket: it admits bursts up to its capacity, and refills continuously.
//!
//! A bucket counts in parts of `1/period`. Every microsecond returns `refill` parts: a whole number,
//! so nothing is ever rounded while the limit stays the same.

use super::answer::Answer;
use super::width::{Width, bits};
use super::{Moment, Period};
use crate::rate::{Error, Result};

/// `BUCKET capacity refill period`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    capacity: u64,
    /// The rate in lower terms, which keeps states short.
    refill: u64,
    period: u64,
}

/// How much was missing in a bucket at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    pub(super) at: Moment,
    pub(super) tokens: Tokens,
    /// The width of the bucket's capacity.
    pub(super) width: Width,
}

/// A number of tokens that does not depend on a limit, in parts of `1/2^bits`. They are finer than
/// the parts of the limit it was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    pub(super) raw: u128,
    pub(super) bits: u32,
}

/// The longest time that a bucket may take to fill: as milliseconds, every client can read it exactly.
const MAX_FILL_MICROS: u128 = (1 << 53) * 1000;

impl Bucket {
    pub fn new(capacity: u64, refill: u64, period: Period) -> Result<Bucket> {
        let (refill, period) = lower_terms(refill, period.micros());
        let bucket = Bucket {
            capacity,
            refill,
            period,
        };
        if bucket.parts(capacity) > MAX_FILL_MICROS * u128::from(refill) {
            return Err(Error::FillsTooSlowly);
        }
        Ok(bucket)
    }

    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    pub fn take(&self, taken: Option<Taken>, cost: u64, now: Moment) -> Answer<Taken> {
        let (now, owed) = self.owed(taken, now);
        let owed_then = owed + self.parts(cost);
        let full = self.parts(self.capacity);
        if owed_then > full {
            return Answer::Refused {
                left: self.left(self.tokens(owed)),
                retry_at: now.after(self.micros_for(owed_then - full)),
                fresh_at: now.after(self.micros_for(owed)),
            };
        }
        self.admitted(owed_then, now)
    }

    /// Puts tokens back until the bucket is full; `None` if it is full already.
    pub fn refund(&self, taken: Taken, cost: u64, now: Moment) -> Option<Answer<Taken>> {
        let (now, owed) = self.owed(Some(taken), now);
        (owed > 0).then(|| self.admitted(owed.saturating_sub(self.parts(cost)), now))
    }

    fn admitted(&self, owed: u128, now: Moment) -> Answer<Taken> {
        let tokens = self.tokens(owed);
        Answer::Admitted {
            left: self.left(tokens),
            fresh_at: now.after(self.micros_for(owed)),
            state: Taken {
                at: now,
                tokens,
                width: Width::of_bits(bits(self.capacity) + tokens.bits),
            },
        }
    }

    /// How much is missing in the bucket, and when: time never goes back before the stored moment. A
    /// bucket that has become smaller is empty at worst.
    fn owed(&self, taken: Option<Taken>, now: Moment) -> (Moment, u128) {
        let Some(Taken { at, tokens, .. }) = taken else {
            return (now, 0);
        };
        let owed = self.parts_of(tokens).min(self.parts(self.capacity));
        let refilled = u128::from(self.refill) * u128::from(now.since(at));
        (now.max(at), owed.saturating_sub(refilled))
    }

    fn parts(&self, tokens: u64) -> u128 {
        u128::from(tokens) * u128::from(self.period)
    }

    /// Rounded up, which undoes the rounding down of [`tokens`](Bucket::tokens).
    fn parts_of(&self, tokens: Tokens) -> u128 {
        let Tokens { raw, bits } = tokens;
        // A forged state could have more whole tokens than the arithmetic can hold.
        let whole = u64::try_from(raw >> bits).unwrap_or(u64::MAX);
        let fraction = raw & ((1 << bits) - 1);
        let period = u128::from(self.period);
        u128::from(whole) * period + ((fraction * period + (1 << bits) - 1) >> bits)
    }

    fn tokens(&self, parts: u128) -> Tokens {
        let bits = self.fraction_bits();
        let raw = match u64::try_from(parts) {
            // Usually there are so few that one short division is enough.
            Ok(parts) if parts.leading_zeros() >= bits => ((parts << bits) / self.period).into(),
            _ => {
                let period = u128::from(self.period);
                ((parts / period) << bits) | (((parts % period) << bits) / period)
            }
        };
        Tokens { raw, bits }
    }

    /// Enough bits to distinguish all parts, in steps of three.
    fn fraction_bits(&self) -> u32 {
        bits(self.period).next_multiple_of(3)
    }

    /// The whole tokens that are left when `missing` are taken.
    fn left(&self, missing: Tokens) -> u64 {
        let whole = missing.raw >> missing.bits;
        let begun = u128::from(missing.raw & ((1 << missing.bits) - 1) != 0);
        let left = u128::from(self.capacity).saturating_sub(whole + begun);
        u64::try_from(left).unwrap_or(self.capacity)
    }

    /// The time until this much has come back.
    fn micros_for(&self, parts: u128) -> u64 {
        match u64::try_from(parts) {
            Ok(parts) => parts.div_ceil(self.refill),
            Err(_) => {
                let micros = parts.div_ceil(self.refill.into());
                u64::try_from(micros).unwrap_or(u64::MAX)
            }
        }
    }
}

/// The same rate without common factors of 2 and 5. The greatest common divisor would find more, but
/// takes longer than all the rest.
fn lower_terms(mut refill: u64, mut period: u64) -> (u64, u64) {
    let twos = (refill | period).trailing_zeros();
    refill >>= twos;
    period >>= twos;
    while refill.is_multiple_of(5) && period.is_multiple_of(5) {
        refill /= 5;
        period /= 5;
    }
    (refill, period)
}
