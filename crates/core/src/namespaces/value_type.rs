//! What the value of a placeholder looks like.

use std::borrow::Cow;

use super::date;
use super::value_regex::ValueRegex;
use crate::naming::key_name::{DEFAULT_WIDTH, is_number};
use crate::naming::slug::{DEFAULT_MAX_LEN, is_slug};
use crate::text::decimal;

/// The type of a placeholder, the most specific first: if two patterns match the same key, the one with
/// the type further up wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueType {
    /// `YYYY:MM:DD[:HH[:MM]]`. Only dates and rests contain `:`.
    Date,
    Uuid,
    Hash,
    Int,
    Number,
    Hex,
    Slug,
    /// `<name:/regex/>`. Below the named types, since most regexes allow more than those.
    Regex(ValueRegex),
    Path,
    /// A placeholder without a type.
    Text,
    /// `<name...:/regex/>`: everything up to the end of the key, if the regex matches it.
    RestRegex(ValueRegex),
    /// `<name...>`: everything up to the end of the key.
    Rest,
}

/// How many digits of its SHA-256 a hash in a key has.
pub const HASH_DIGITS: usize = 16;
const UUID_LEN: usize = 36;

impl ValueType {
    /// The types that a pattern can name, in the order in which a message lists them.
    pub const NAMES: &str = "int, hex, uuid, slug, number, date, path or hash";

    /// The type with this name in a pattern.
    pub fn named(name: &str) -> Option<ValueType> {
        Some(match name {
            "int" => ValueType::Int,
            "hex" => ValueType::Hex,
            "uuid" => ValueType::Uuid,
            "slug" => ValueType::Slug,
            "number" => ValueType::Number,
            "date" => ValueType::Date,
            "path" => ValueType::Path,
            "hash" => ValueType::Hash,
            _ => return None,
        })
    }

    /// Whether a key may have `text` as a value of this type. The caller has cut the text out of a
    /// segment, so only dates and rests can contain a `:`.
    pub fn fits(&self, text: &[u8]) -> bool {
        match self {
            ValueType::Date => date::split(text).is_some_and(|(_, after)| after.is_none()),
            ValueType::Uuid => is_uuid(text),
            ValueType::Hash => text.len() == HASH_DIGITS && is_hex(text),
            ValueType::Int => decimal::parse(text).is_some(),
            ValueType::Number => text.len() >= DEFAULT_WIDTH && is_number(text),
            ValueType::Hex => !text.is_empty() && is_hex(text),
            ValueType::Slug => text.len() <= DEFAULT_MAX_LEN && is_slug(text),
            ValueType::Regex(regex) | ValueType::RestRegex(regex) => regex.fits(text),
            ValueType::Path => !text.is_empty() && !text.contains(&b'/'),
            ValueType::Text => !text.is_empty(),
            ValueType::Rest => !has_empty_segment(text),
        }
    }

    /// The length of every value, if the type has a fixed length.
    pub(super) fn fixed_len(&self) -> Option<usize> {
        match self {
            ValueType::Uuid => Some(UUID_LEN),
            ValueType::Hash => Some(HASH_DIGITS),
            _ => None,
        }
    }

    /// Whether a value takes the rest of a key.
    pub(super) fn is_rest(&self) -> bool {
        matches!(self, ValueType::Rest | ValueType::RestRegex(_))
    }

    /// Its regex, if it has one.
    pub fn regex(&self) -> Option<&ValueRegex> {
        match self {
            ValueType::Regex(regex) | ValueType::RestRegex(regex) => Some(regex),
            _ => None,
        }
    }

    /// The steps of its regex, if it has one, on a value of this length.
    pub(super) fn regex_steps(&self, len: usize) -> usize {
        self.regex().map_or(0, |regex| regex.steps(len))
    }

    /// Whether a value may span segments.
    pub(super) fn spans_segments(&self) -> bool {
        self.is_rest() || matches!(self, ValueType::Date)
    }

    /// What a value has to be, in printable ASCII.
    pub fn expected(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            ValueType::Regex(regex) | ValueType::RestRegex(regex) => {
                return Cow::Owned(format!("a match of {regex}"));
            }
            ValueType::Date => "a date as YYYY:MM:DD, YYYY:MM:DD:HH or YYYY:MM:DD:HH:MM",
            ValueType::Uuid => "a UUID in lower case",
            ValueType::Hash => "16 hex digits in lower case",
            ValueType::Int => "an integer without leading zeros",
            ValueType::Number => "at least 3 digits",
            ValueType::Hex => "hex digits in lower case",
            ValueType::Slug => "a slug of 2 to 30 characters",
            ValueType::Path => "text without ':' and '/'",
            ValueType::Text => "text without ':'",
            ValueType::Rest => "text without an empty segment",
        })
    }
}

/// The value that `text` stands for: a number loses its leading zeros, anything else stays.
pub(super) fn meant<'t>(kind: &ValueType, text: &'t [u8]) -> &'t [u8] {
    if !matches!(kind, ValueType::Number) {
        return text;
    }
    let zeros = text.iter().take_while(|&&b| b == b'0').count();
    let start = zeros.min(text.len().saturating_sub(1));
    text.get(start..).unwrap_or_default()
}

fn is_hex(text: &[u8]) -> bool {
    text.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_uuid(text: &[u8]) -> bool {
    text.len() == UUID_LEN
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

fn has_empty_segment(text: &[u8]) -> bool {
    text.split(|&b| b == b':').any(<[u8]>::is_empty)
}
