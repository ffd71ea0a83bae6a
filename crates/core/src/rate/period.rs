//! Lengths of time, as in `500ms`, `10s`, `1m`, `2h` and `7d`.

use crate::rate::{Error, Result};
use crate::text::decimal;

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
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, unit) = text.split_at(digits);
        let unit = match unit {
            b"" | b"s" => 1_000_000,
            b"ms" => 1000,
            b"m" => 60_000_000,
            b"h" => 3_600_000_000,
            b"d" => DAY,
            _ => 0,
        };
        let micros = match decimal::parse(number) {
            Some(number) => number.unsigned_abs().saturating_mul(unit),
            None => 0,
        };
        Period::of(micros).ok_or_else(|| Error::NotAPeriod {
            option,
            max_days: MAX_DAYS,
            got: text.to_vec(),
        })
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
    fn a_period_has_a_unit_or_is_in_seconds() {
        for (text, micros) in [
            ("1", 1_000_000),
            ("1ms", 1000),
            ("1s", 1_000_000),
            ("5m", 300_000_000),
            ("1h", 3_600_000_000),
            ("1d", 86_400_000_000),
            ("365d", 31_536_000_000_000),
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
            "-1s",
            "+1s",
            "1.5s",
            "01s",
            "1S",
            "1w",
            "1us",
            "s",
            "ms",
            "1 s",
            "1s ",
            "1sm",
            "1501d",
            "9223372036854775807d",
            "9223372036854775808s",
            "\u{0}",
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
