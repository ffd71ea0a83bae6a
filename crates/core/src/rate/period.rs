//! Lengths of time, as in `500ms`, `10s`, `1m`, `2h` and `7d`.

use crate::argument::Error;
use crate::rate::Result;
use crate::text::period;

/// How long a limit's period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    micros: u64,
}

/// The longest period. Two of them fit into the 48 bits in which [`Sliding`](super::Sliding) keeps
/// the time of a unit, so that no age is taken for another.
const MAX_DAYS: u64 = 1500;
const DAY: u64 = 86_400_000_000;

impl Period {
    /// Reads a period; an integer alone is seconds.
    ///
    /// ```
    /// use keyns_core::rate::Period;
    /// assert_eq!(Period::parse("FIXED period", b"90").unwrap().micros(), 90_000_000);
    /// assert_eq!(Period::parse("FIXED period", b"250ms").unwrap().micros(), 250_000);
    /// assert!(Period::parse("FIXED period", b"1 week").is_err());
    /// ```
    pub fn parse(option: &'static str, text: &[u8]) -> Result<Period> {
        let period = period::micros(text).and_then(Period::of);
        Ok(period.ok_or_else(|| Error::NotAPeriod {
            option,
            range: "1ms to 1500d".into(),
            got: text.to_vec(),
        })?)
    }

    /// The longest in seconds.
    pub const MAX_SECONDS: i64 = MAX_DAYS.cast_signed() * 86_400;

    /// A period of so many seconds, or the nearest that there is.
    pub fn of_seconds(seconds: u64) -> Period {
        let seconds = seconds.clamp(1, Period::MAX_SECONDS.unsigned_abs());
        Period {
            micros: seconds * 1_000_000,
        }
    }

    fn of(micros: u64) -> Option<Period> {
        (1..=MAX_DAYS * DAY)
            .contains(&micros)
            .then_some(Period { micros })
    }

    /// In microseconds.
    pub fn micros(self) -> u64 {
        self.micros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_its_bounds() {
        for (text, micros) in [
            ("1", 1_000_000),
            ("1ms", 1000),
            ("1500d", 129_600_000_000_000),
        ] {
            let period = Period::parse("FIXED period", text.as_bytes());
            assert_eq!(period.map(Period::micros), Ok(micros), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_period() {
        for text in [
            "",
            "0",
            "0s",
            "-1",
            "1w",
            "1501d",
            "9223372036854775807d",
            "1\u{0}",
        ] {
            let error = Period::parse("FIXED period", text.as_bytes()).unwrap_err();
            let message = error.to_string();
            assert!(
                message.starts_with("FIXED period must be 1ms to 1500d, as in"),
                "{message}"
            );
        }
    }
}
