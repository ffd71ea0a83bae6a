//! Turns values that almost fit into values that do.

use std::borrow::Cow;

use super::value_regex::ValueRegex;
use super::value_type::ValueType;
use crate::naming::key_name::{DEFAULT_WIDTH, is_number};
use crate::naming::number_words::Lang;
use crate::naming::slug::{Abbreviations, SlugMaker, SlugOptions};

/// Mends values, with slugs in one language.
pub struct Mending {
    slugs: SlugMaker,
    options: SlugOptions,
    abbreviations: Abbreviations,
}

impl Mending {
    pub fn new(lang: Lang) -> Mending {
        Mending {
            slugs: SlugMaker::new(),
            options: SlugOptions {
                lang,
                expand_abbreviations: false,
                ..SlugOptions::default()
            },
            abbreviations: Abbreviations::none(),
        }
    }

    /// `value` if it fits the type, otherwise the value that was probably meant.
    pub fn mend<'k>(&mut self, kind: &ValueType, value: &'k [u8]) -> Option<Cow<'k, [u8]>> {
        if kind.fits(value) {
            return Some(Cow::Borrowed(value));
        }
        let mended = match kind {
            ValueType::Date => mended_date(value)?,
            ValueType::Uuid => mended_uuid(value)?,
            ValueType::Int => mended_int(value),
            ValueType::Number if is_number(value) => padded(value, DEFAULT_WIDTH),
            ValueType::Hash | ValueType::Hex => value.to_ascii_lowercase(),
            ValueType::Slug => {
                let slug = self.slugs.slug(value, &self.options, &self.abbreviations);
                slug?.to_vec()
            }
            ValueType::Path => {
                let bytes = value.iter();
                bytes.map(|&b| if b == b'/' { b'_' } else { b }).collect()
            }
            ValueType::Regex(regex) => return self.mended_by(regex, value).map(Cow::Owned),
            ValueType::Number | ValueType::Text | ValueType::RestRegex(_) | ValueType::Rest => {
                return None;
            }
        };
        kind.fits(&mended).then_some(Cow::Owned(mended))
    }

    /// Tries other cases, other separators between words, and the slug.
    fn mended_by(&mut self, regex: &ValueRegex, value: &[u8]) -> Option<Vec<u8>> {
        let lower = value.to_ascii_lowercase();
        let joined = |from: u8, to: u8| -> Vec<u8> {
            let bytes = lower.iter();
            bytes.map(|&b| if b == from { to } else { b }).collect()
        };
        let spelled = [
            joined(b'-', b'_'),
            joined(b'_', b'-'),
            value.to_ascii_uppercase(),
        ];
        let mut spellings = std::iter::once(lower.clone()).chain(spelled);
        spellings.find(|spelling| regex.fits(spelling)).or_else(|| {
            let slug = self.slugs.slug(value, &self.options, &self.abbreviations)?;
            regex.fits(slug).then(|| slug.to_vec())
        })
    }
}

/// Without `+` and leading zeros.
fn mended_int(value: &[u8]) -> Vec<u8> {
    let (sign, digits) = match value {
        [b'-', digits @ ..] => (&b"-"[..], digits),
        [b'+', digits @ ..] => (&b""[..], digits),
        digits => (&b""[..], digits),
    };
    let zeros = digits.iter().take_while(|&&b| b == b'0').count();
    match digits.get(zeros..) {
        Some([]) | None => b"0".get(..zeros.min(1)).unwrap_or_default().to_vec(),
        Some(digits) => [sign, digits].concat(),
    }
}

/// Lower case, with hyphens and without braces.
fn mended_uuid(value: &[u8]) -> Option<Vec<u8>> {
    let bare = value.strip_prefix(b"{").unwrap_or(value);
    let bare = bare.strip_suffix(b"}").unwrap_or(bare);
    let digits: Vec<u8> = bare.iter().filter(|&&b| b != b'-').copied().collect();
    let mut uuid = Vec::with_capacity(36);
    for (start, end) in [(0, 8), (8, 12), (12, 16), (16, 20), (20, digits.len())] {
        if start > 0 {
            uuid.push(b'-');
        }
        uuid.extend(digits.get(start..end)?.to_ascii_lowercase());
    }
    Some(uuid)
}

/// With `:` between, and two digits each.
fn mended_date(value: &[u8]) -> Option<Vec<u8>> {
    let parts = value.split(|b| matches!(b, b'-' | b'/' | b'.' | b':'));
    let mut date = Vec::with_capacity(16);
    for (index, part) in parts.enumerate() {
        if !is_number(part) {
            return None;
        }
        if index > 0 {
            date.push(b':');
        }
        date.extend(padded(part, 2));
    }
    Some(date)
}

fn padded(digits: &[u8], width: usize) -> Vec<u8> {
    let mut padded = vec![b'0'; width.saturating_sub(digits.len())];
    padded.extend_from_slice(digits);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_almost_fit_are_made_to_fit() {
        let uuid = Some("123e4567-e89b-42d3-a456-426614174000");
        let mut mending = Mending::new(Lang::De);
        for (kind, value, mended) in [
            ("int", "42", Some("42")),
            ("int", "007", Some("7")),
            ("int", "+7", Some("7")),
            ("int", "-007", Some("-7")),
            ("int", "-0", Some("0")),
            ("int", "", None),
            ("int", "+", None),
            ("int", "7a", None),
            ("int", "99999999999999999999", None),
            ("hex", "5F3A", Some("5f3a")),
            ("hex", "xyz", None),
            ("hash", "0123456789ABCDEF", Some("0123456789abcdef")),
            ("hash", "0123", None),
            ("uuid", "123E4567-E89B-42D3-A456-426614174000", uuid),
            ("uuid", "123e4567e89b42d3a456426614174000", uuid),
            ("uuid", "{123e4567-e89b-42d3-a456-426614174000}", uuid),
            ("uuid", "123e4567", None),
            ("uuid", "", None),
            ("slug", "Risk Management", Some("risk_management")),
            ("slug", "!", None),
            ("number", "7", Some("007")),
            ("number", "x", None),
            ("number", "", None),
            ("path", "home/news", Some("home_news")),
            ("path", "", None),
            ("date", "2024-05-17", Some("2024:05:17")),
            ("date", "2024/5/7", Some("2024:05:07")),
            ("date", "2024.05.17", Some("2024:05:17")),
            ("date", "2024:5:17:9:3", Some("2024:05:17:09:03")),
            ("date", "2024-02-30", None),
            ("date", "24-02-03", None),
            ("date", "today", None),
        ] {
            let kind = ValueType::named(kind).unwrap();
            let result = mending.mend(&kind, value.as_bytes());
            assert_eq!(
                result.as_deref(),
                mended.map(str::as_bytes),
                "{kind:?} {value}"
            );
        }
    }
}
