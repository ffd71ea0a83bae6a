//! Key patterns: `user:<id:int>:<attribute>`, `session:<sid:hex>[:<attribute>]`.

mod example;
mod parse;
mod placeholder;
mod spelling;

use std::fmt;

use smallvec::SmallVec;

use super::regexes::Regexes;
use super::segment::Segment;
use super::value_regex::ValueRegex;
use super::value_type::{ValueType, meant};
use crate::namespaces::Result;

/// The limits of a pattern. Every key repeats its text, and people should be able to read it.
pub const MAX_PATTERN_BYTES: usize = 512;
pub const MAX_SEGMENTS: usize = 32;
pub const MAX_PLACEHOLDERS: usize = 16;

/// The values of a key, one for each placeholder; `None` for those of an optional part that the
/// key does not have.
pub type Values<'k> = SmallVec<[Option<&'k [u8]>; 4]>;

/// What the keys of a namespace look like.
///
/// ```
/// use keyns_core::namespaces::Pattern;
///
/// let pattern = Pattern::parse(b"session:<sid:hex>[:<attribute>]").unwrap();
/// let values = pattern.values(b"session:5f3a9c").unwrap();
/// assert_eq!(values[..], [Some(&b"5f3a9c"[..]), None]);
/// assert_eq!(pattern.values(b"session:XYZ"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
// Ordered so that the fields for building a key are adjacent.
#[repr(C)]
pub struct Pattern {
    segments: Box<[Segment]>,
    placeholders: Box<[Placeholder]>,
    /// How many segments are not optional.
    required: u16,
    /// How many placeholders are not optional.
    required_values: u16,
    has_braces: bool,
    text: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    pub name: Box<str>,
    pub kind: ValueType,
}

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &[u8]) -> Result<Pattern> {
        Pattern::parse_with(text, &Regexes::new())
    }

    /// Reads a pattern, and reuses these regexes instead of compiling them again.
    pub(super) fn parse_with(text: &[u8], regexes: &Regexes) -> Result<Pattern> {
        parse::parse(text, regexes)
    }

    /// An error about literal text that is a placeholder in other languages: `${id}`, `%s`, `/:id`.
    pub fn check_spelling(&self) -> Result<()> {
        spelling::check(&self.text)
    }

    /// How to write a placeholder, if the pattern has braces that look like one.
    pub(super) fn placeholder_hint(&self) -> String {
        match spelling::literal_tag(&self.text) {
            Some((meant, found)) => spelling::not(&meant, found),
            None => spelling::PLAIN.to_owned(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// In the order in which building takes and matching returns their values.
    pub fn placeholders(&self) -> &[Placeholder] {
        &self.placeholders
    }

    /// How many values every key has, without those of the optional part.
    pub fn required_values(&self) -> usize {
        self.required_values.into()
    }

    /// The segments that every key has, and those of the optional part.
    pub(super) fn parts(&self) -> (&[Segment], &[Segment]) {
        let split = self.segments.split_at_checked(self.required.into());
        split.unwrap_or((&self.segments, &[]))
    }

    /// The rows of segments that a key may have: without the optional part, and with it.
    pub(super) fn forms(&self) -> impl Iterator<Item = &[Segment]> {
        let (required, optional) = self.parts();
        let whole = (!optional.is_empty()).then_some(&*self.segments);
        std::iter::once(required).chain(whole)
    }

    /// The regexes of its placeholders.
    pub(super) fn regexes(&self) -> impl Iterator<Item = &ValueRegex> {
        let places = self.placeholders.iter();
        places.filter_map(|place| place.kind.regex())
    }

    /// Replaces its regexes with equal ones of these.
    pub(super) fn share(&mut self, regexes: &Regexes) {
        let share = |kind: &mut ValueType| {
            if let ValueType::Regex(regex) | ValueType::RestRegex(regex) = kind
                && let Some(shared) = regexes.shared(regex)
            {
                *regex = shared.clone();
            }
        };
        let places = self.placeholders.iter_mut().map(|place| &mut place.kind);
        places.for_each(share);
        for segment in &mut self.segments {
            match segment {
                Segment::Literal(_) => {}
                Segment::Whole(kind) => share(kind),
                Segment::Mixed(mixed) => mixed.holes.iter_mut().for_each(|(kind, _)| share(kind)),
            }
        }
    }

    /// Whether it has a hash tag, which no value may move.
    pub(super) fn has_braces(&self) -> bool {
        self.has_braces
    }

    /// The values of `key`, or `None` if it does not match.
    pub fn values<'k>(&self, key: &'k [u8]) -> Option<Values<'k>> {
        let mut values = Values::new();
        let mut rest = Some(key);
        for (index, segment) in self.segments.iter().enumerate() {
            let Some(text) = rest else {
                values.resize(self.placeholders.len(), None);
                return (index == usize::from(self.required)).then_some(values);
            };
            rest = segment.split(text, |kind, value| {
                values.push(Some(meant(kind, value)));
                kind.fits(value)
            })?;
        }
        rest.is_none().then_some(values)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
