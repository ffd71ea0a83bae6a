//! Whole numbers as Redis writes and reads them.

/// The digits of `u64::MAX`.
pub const MAX_DIGITS: usize = 20;

/// Reads an integer the way Redis does: no sign but `-`, no spaces, no leading zeros.
///
/// ```
/// use keyns::core::decimal;
/// assert_eq!(decimal::parse(b"-42"), Some(-42));
/// assert_eq!(decimal::parse(b"042"), None);
/// ```
pub fn parse(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = match digits {
        [b'0'] => text.len() == 1,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !plain || digits.len() > MAX_DIGITS {
        return None;
    }
    let negative = digits.len() < text.len();
    digits.iter().try_fold(0i64, |number, digit| {
        let digit = i64::from(digit - b'0');
        let number = number.checked_mul(10)?;
        if negative {
            number.checked_sub(digit)
        } else {
            number.checked_add(digit)
        }
    })
}

/// Writes `number` into `digits` and answers the part that it takes.
pub fn format(mut number: u64, digits: &mut [u8; MAX_DIGITS]) -> &[u8] {
    let mut start = MAX_DIGITS;
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
        start = at;
        if number == 0 {
            break;
        }
    }
    digits.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_redis_reads_them() {
        for (text, number) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("-9223372036854775809", None),
            ("99999999999999999999999", None),
            ("", None),
            ("-", None),
            ("-0", None),
            ("+1", None),
            ("01", None),
            (" 1", None),
            ("1 ", None),
            ("1e3", None),
            ("0x10", None),
        ] {
            assert_eq!(parse(text.as_bytes()), number, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for number in [0, 1, 9, 10, 99, 100, 12345, u64::MAX] {
            let mut digits = [0; MAX_DIGITS];
            assert_eq!(format(number, &mut digits), number.to_string().as_bytes());
        }
    }
}
