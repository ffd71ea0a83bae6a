//! Points in time.

use crate::rate::{Error, Result};

/// A point in time, in microseconds since 2020.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// The bits of a moment in a state: enough until the year 2091.
    pub(super) const BITS: u32 = 51;

    /// 2020-01-01, in microseconds since 1970.
    const START: u64 = 1_577_836_800_000_000;

    /// From microseconds since 1970. A clock before 2020 is wrong, and stands still until it is
    /// corrected.
    pub fn from_unix_micros(micros: u64) -> Result<Moment> {
        let since_start = micros.saturating_sub(Moment::START);
        if since_start >> Moment::BITS != 0 {
            return Err(Error::ClockTooLate);
        }
        Ok(Moment(since_start))
    }

    /// In microseconds since 1970.
    pub fn unix_micros(self) -> u64 {
        self.0.saturating_add(Moment::START)
    }

    /// In milliseconds since 1970, rounded up: an expiry at this time is never early.
    pub fn unix_millis(self) -> u64 {
        self.unix_micros().div_ceil(1000)
    }

    pub(super) fn from_bits(bits: u64) -> Moment {
        Moment(bits & ((1 << Moment::BITS) - 1))
    }

    /// At most the last moment that fits into a state.
    pub(super) fn to_bits(self) -> u64 {
        self.0.min((1 << Moment::BITS) - 1)
    }

    pub(super) fn after(self, micros: u64) -> Moment {
        Moment(self.0.saturating_add(micros))
    }

    pub(super) fn before(self, micros: u64) -> Moment {
        Moment(self.0.saturating_sub(micros))
    }

    /// The microseconds from `earlier` to this, 0 if it is not earlier.
    pub(super) fn since(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The milliseconds from `earlier` to this, rounded up.
    pub fn millis_since(self, earlier: Moment) -> u64 {
        self.since(earlier).div_ceil(1000)
    }
}
