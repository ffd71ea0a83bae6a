//! Lengths of time, as in `500ms`, `10s`, `1m`, `2h` and `7d`.

use super::decimal;

/// The microseconds of a period; an integer without a unit counts seconds. `None` if the text is not a
/// period, or the result does not fit into 64 bits.
///
/// ```
/// use keyns_core::text::period;
/// assert_eq!(period::micros(b"90"), Some(90_000_000));
/// assert_eq!(period::micros(b"250ms"), Some(250_000));
/// assert_eq!(period::micros(b"1 week"), None);
/// ```
pub fn micros(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        b"" | b"s" => 1_000_000,
        b"ms" => 1000,
        b"m" => 60_000_000,
        b"h" => 3_600_000_000,
        b"d" => 86_400_000_000,
        _ => return None,
    };
    decimal::parse(number)?.unsigned_abs().checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_a_unit_or_is_in_seconds() {
        for (text, expected) in [
            ("0", 0),
            ("0d", 0),
            ("1", 1_000_000),
            ("1ms", 1000),
            ("1s", 1_000_000),
            ("5m", 300_000_000),
            ("1h", 3_600_000_000),
            ("1d", 86_400_000_000),
            ("365d", 31_536_000_000_000),
            ("213503982d", 18_446_744_044_800_000_000),
        ] {
            assert_eq!(micros(text.as_bytes()), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_period() {
        for text in [
            "",
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
            "213503983d",
            "9223372036854775807d",
            "9223372036854775808s",
            "\u{0}",
            "1\u{0}",
        ] {
            assert_eq!(micros(text.as_bytes()), None, "{text:?}");
        }
    }
}
