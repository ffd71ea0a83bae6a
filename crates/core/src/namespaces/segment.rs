//! One segment of a pattern: what is between two `:`.

use std::cmp::Reverse;

use memchr::{memchr, memmem};
use smallvec::SmallVec;

use super::date;
use super::value_type::ValueType;

/// What a pattern has between two `:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Stored inline if short, as most are, so building a key touches less memory.
    Literal(SmallVec<[u8; 24]>),
    /// A placeholder alone, the only kind that may span several segments of a key.
    Whole(ValueType),
    /// Placeholders with literal text around them.
    Mixed(Mixed),
}

/// Literal text and placeholders in turn: `v<n:int>`, `{<tenant>}`, `<width>x<height>.png`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// The text in front of the first placeholder.
    pub prefix: Box<[u8]>,
    /// Every placeholder with the text behind it, which only the last one may lack.
    pub holes: Vec<(ValueType, Box<[u8]>)>,
}

/// Splits a key into its first segment and what is behind its `:`.
pub fn split_first(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    // A plain loop, because segments are too short for more.
    match text.iter().position(|&b| b == b':') {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
        None => (text, None),
    }
}

/// Splits a key behind the value that its first segments are, or were probably meant to be, and the
/// `:` that follows.
pub fn split_value<'k>(kind: &ValueType, text: &'k [u8]) -> (&'k [u8], Option<&'k [u8]>) {
    match kind {
        ValueType::Rest | ValueType::RestRegex(_) => (text, None),
        ValueType::Date => date::split(text).unwrap_or_else(|| date::split_attempt(text)),
        _ => split_first(text),
    }
}

impl Segment {
    /// Takes this segment off the front of `text`, passes every value to `take`, and returns the rest.
    /// `None` if the text does not start like this, or `take` refuses a value.
    pub fn split<'k>(
        &self,
        text: &'k [u8],
        mut take: impl FnMut(&ValueType, &'k [u8]) -> bool,
    ) -> Option<Option<&'k [u8]>> {
        let (value, rest) = match self {
            Segment::Whole(kind) => split_value(kind, text),
            Segment::Literal(_) | Segment::Mixed(_) => split_first(text),
        };
        let is_alike = match self {
            Segment::Literal(literal) => literal.as_slice() == value,
            Segment::Whole(kind) => take(kind, value),
            Segment::Mixed(mixed) => mixed.split(value, take),
        };
        is_alike.then_some(rest)
    }
}

impl Mixed {
    /// The text behind the last placeholder.
    pub fn suffix(&self) -> &[u8] {
        self.holes.last().map_or(&[], |(_, literal)| literal)
    }

    /// The longest text between two placeholders, which separates many similar segments; the first of
    /// several, and empty if the segment has one placeholder.
    pub fn inner(&self) -> &[u8] {
        let between = self.holes.split_last().map_or(&[][..], |(_, holes)| holes);
        let texts = between.iter().map(|(_, literal)| &**literal);
        texts
            .rev()
            .max_by_key(|text| text.len())
            .unwrap_or_default()
    }

    /// Passes every value of a segment to `take`. `false` if the literal text differs, or `take` refuses
    /// a value.
    pub fn split<'k>(
        &self,
        segment: &'k [u8],
        mut take: impl FnMut(&ValueType, &'k [u8]) -> bool,
    ) -> bool {
        let Some(mut rest) = segment.strip_prefix(&*self.prefix) else {
            return false;
        };
        for (kind, literal) in &self.holes {
            let Some((value, after)) =
                value_len(kind, rest, literal).and_then(|len| rest.split_at_checked(len))
            else {
                return false;
            };
            if !take(kind, value) {
                return false;
            }
            rest = after.get(literal.len()..).unwrap_or_default();
        }
        rest.is_empty()
    }

    pub fn fits(&self, segment: &[u8]) -> bool {
        self.split(segment, ValueType::fits)
    }

    /// The steps of all its regexes on a segment of this length.
    pub fn regex_steps(&self, len: usize) -> usize {
        let steps = self.holes.iter().map(|(kind, _)| kind.regex_steps(len));
        steps.fold(0, usize::saturating_add)
    }

    /// More literal text first, then more of it in front; the rest only makes the order stable.
    fn rank(&self) -> impl Ord + '_ {
        let literals = self.holes.iter().map(|(_, literal)| literal.len());
        let literal_len = self.prefix.len() + literals.sum::<usize>();
        let lengths = Reverse((literal_len, self.prefix.len()));
        (lengths, &self.prefix, &self.holes)
    }
}

impl Ord for Mixed {
    fn cmp(&self, other: &Mixed) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Mixed {
    fn partial_cmp(&self, other: &Mixed) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The length of the value that `text` starts with, if `literal` follows: up to the first occurrence,
/// so a key has one reading. Types of fixed length do not search: a hash may contain the text that
/// follows it.
pub fn value_len(kind: &ValueType, text: &[u8], literal: &[u8]) -> Option<usize> {
    let ends_at = |len: &usize| {
        text.get(*len..)
            .is_some_and(|rest| rest.starts_with(literal))
    };
    match literal {
        [] => Some(text.len()),
        _ if kind.fixed_len().as_ref().is_some_and(ends_at) => kind.fixed_len(),
        [byte] => memchr(*byte, text),
        _ => memmem::find(text, literal),
    }
}
