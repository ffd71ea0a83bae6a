//! Whole numbers as Redis writes and reads them.

/// The digits of `u64::MAX`.
pub const MAX_DIGITS: usize = 20;

/// Reads an integer the way Redis does: no sign but `-`, no spaces, no leading zeros.
///
/// ```
/// use keyns_core::text::decimal;
/// assert_eq!(decimal::parse(b"-42"), Some(-42));
/// assert_eq!(decimal::parse(b"042"), None);
/// ```
pub fn parse(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_negative = digits.len() < text.len();
    let size = match digits {
        [b'0'] if !is_negative => 0,
        [b'1'..=b'9', ..] if digits.len() < MAX_DIGITS => magnitude(digits)?,
        _ => return None,
    };
    match is_negative {
        false => i64::try_from(size).ok(),
        true => 0i64.checked_sub_unsigned(size),
    }
}

/// The value of fewer than [`MAX_DIGITS`] digits, which always fits.
fn magnitude(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number * 10 + u64::from(digit))
    })
}

/// Writes `number` into `digits` and returns the part that it takes.
pub fn format(mut number: u64, digits: &mut [u8; MAX_DIGITS]) -> &[u8] {
    let mut start = MAX_DIGITS;
    // Two digits at a time, since division is what takes time.
    while number >= 10 {
        let pair = (number % 100) as u8;
        number /= 100;
        start -= 2;
        if let Some(place) = digits.get_mut(start..start + 2) {
            place.copy_from_slice(&[b'0' + pair / 10, b'0' + pair % 10]);
        }
    }
    if number > 0 || start == MAX_DIGITS {
        start -= 1;
        if let Some(place) = digits.get_mut(start) {
            *place = b'0' + number as u8;
        }
    }
    digits.get(start..).unwrap_or_default()
}

/// Like [`format`], for a signed number.
///
/// ```
/// use keyns_core::text::decimal::{self, MAX_DIGITS};
/// assert_eq!(decimal::format_signed(-42, &mut [0; MAX_DIGITS]), b"-42");
/// ```
pub fn format_signed(number: i64, digits: &mut [u8; MAX_DIGITS]) -> &[u8] {
    let len = format(number.unsigned_abs(), digits).len();
    // A signed number has at most 19 digits.
    let start = MAX_DIGITS - len - usize::from(number < 0);
    if let (true, Some(sign)) = (number < 0, digits.get_mut(start)) {
        *sign = b'-';
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
        for number in [0, 1, 9, 10, 90, 99, 100, 101, 999, 1000, 12345, u64::MAX] {
            let mut digits = [0; MAX_DIGITS];
            assert_eq!(format(number, &mut digits), number.to_string().as_bytes());
        }
    }

    #[test]
    fn signed_numbers_are_written_as_they_are_read() {
        for number in [0, 1, -1, -9, -10, 12345, -12345, i64::MAX, i64::MIN] {
            let mut digits = [0; MAX_DIGITS];
            let text = format_signed(number, &mut digits);
            assert_eq!(text, number.to_string().as_bytes());
            assert_eq!(parse(text), Some(number));
        }
    }
}
