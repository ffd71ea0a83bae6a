//! Dates in keys: `YYYY:MM:DD`, optionally followed by `:HH` and `:MM`.

use super::segment::split_first;
use crate::text::calendar::days_in_month;

/// The segments of a date without and with all that may follow it.
const MAX_SEGMENTS: usize = 5;

/// Splits `text` into the date that it starts with and what is behind its `:`.
///
/// Takes hour and minute if they follow. That is never too much, because a pattern cannot have two
/// digits right behind a date.
pub fn split(text: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let (year, rest) = split_first(text);
    let (month, rest) = split_first(rest?);
    let (day, mut rest) = split_first(rest?);
    let year = number::<4>(year)?;
    let month = number::<2>(month)?;
    let day = number::<2>(day)?;
    if day == 0 || day > days_in_month(year, month)? {
        return None;
    }
    for end in [24, 60] {
        let Some((part, after)) = rest.map(split_first) else {
            break;
        };
        match number::<2>(part) {
            Some(part) if part < end => rest = after,
            _ => break,
        }
    }
    Some((before(text, rest), rest))
}

/// Splits `text` behind what was probably meant as a date: its first segments of digits, at least one
/// segment.
pub fn split_attempt(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let (mut segment, mut rest) = split_first(text);
    for _ in 1..MAX_SEGMENTS {
        let Some((next, after)) = rest.map(split_first) else {
            break;
        };
        if !is_digits(segment) || !is_digits(next) {
            break;
        }
        (segment, rest) = (next, after);
    }
    (before(text, rest), rest)
}

/// The part of `text` in front of its end `rest` and of the `:` between.
fn before<'a>(text: &'a [u8], rest: Option<&[u8]>) -> &'a [u8] {
    match rest {
        Some(rest) => text.get(..text.len() - rest.len() - 1).unwrap_or_default(),
        None => text,
    }
}

fn is_digits(segment: &[u8]) -> bool {
    !segment.is_empty() && segment.iter().all(u8::is_ascii_digit)
}

/// The number that exactly `LEN` digits are.
fn number<const LEN: usize>(digits: &[u8]) -> Option<u16> {
    let digits = <&[u8; LEN]>::try_from(digits).ok()?;
    digits.iter().try_fold(0, |number: u16, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number * 10 + u16::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Split<'a> = Option<(&'a str, Option<&'a str>)>;

    fn check(split: impl Fn(&[u8]) -> Option<(&[u8], Option<&[u8]>)>, text: &str, expected: Split) {
        let expected = expected.map(|(date, rest)| (date.as_bytes(), rest.map(str::as_bytes)));
        assert_eq!(split(text.as_bytes()), expected, "{text}");
    }

    #[test]
    fn a_date_takes_hour_and_minute_if_they_are_there() {
        for (text, expected) in [
            ("2024:05:17", Some(("2024:05:17", None))),
            ("2024:05:17:09", Some(("2024:05:17:09", None))),
            ("2024:05:17:09:30", Some(("2024:05:17:09:30", None))),
            (
                "2024:05:17:09:30:59",
                Some(("2024:05:17:09:30", Some("59"))),
            ),
            ("2024:05:17:log", Some(("2024:05:17", Some("log")))),
            ("2024:05:17:24", Some(("2024:05:17", Some("24")))),
            ("2024:05:17:23:60", Some(("2024:05:17:23", Some("60")))),
            ("2024:05:17:", Some(("2024:05:17", Some("")))),
            ("2024:02:29", Some(("2024:02:29", None))),
            ("2023:02:29", None),
            ("1900:02:29", None),
            ("2024:13:01", None),
            ("2024:00:01", None),
            ("2024:01:00", None),
            ("2024:04:31", None),
            ("2024:5:17", None),
            ("24:05:17", None),
            ("2024:05", None),
            ("2024", None),
            ("", None),
        ] {
            check(split, text, expected);
        }
    }

    #[test]
    fn an_attempt_is_the_digits_or_one_segment() {
        for (text, expected) in [
            ("2024:5:17:log", ("2024:5:17", Some("log"))),
            ("2024-05-17:log", ("2024-05-17", Some("log"))),
            ("2024:13:40", ("2024:13:40", None)),
            ("1:2:3:4:5:6", ("1:2:3:4:5", Some("6"))),
            ("today", ("today", None)),
            ("", ("", None)),
        ] {
            check(|text| Some(split_attempt(text)), text, Some(expected));
        }
    }
}
