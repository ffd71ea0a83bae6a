//! Whether a key follows the conventions, and which key would.

use std::ffi::CStr;

use super::key_name::{DEFAULT_WIDTH, hash_tag, is_number, is_relation};
use super::number_words::Lang;
use super::slug::{Abbreviations, DEFAULT_MAX_LEN, SlugMaker, SlugOptions, fold_to_ascii};
use super::{Error, Result};

/// Deeper keys than this get a warning.
const MAX_SEGMENTS: usize = 5;
/// Longer keys than this get a warning.
const MAX_CHARS: usize = 50;
const MIN_SLUG_LEN: usize = 2;

/// What makes a key invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    Uppercase,
    Hyphen,
    Space,
    SpecialChar,
    MixedSeparators,
    EmptySegment,
    UnknownKind,
    SlugLength,
    NumberWidth,
}

impl Problem {
    const ALL: [Problem; 9] = [
        Problem::Uppercase,
        Problem::Hyphen,
        Problem::Space,
        Problem::SpecialChar,
        Problem::MixedSeparators,
        Problem::EmptySegment,
        Problem::UnknownKind,
        Problem::SlugLength,
        Problem::NumberWidth,
    ];

    /// The name clients see.
    pub fn code(self) -> &'static str {
        match self {
            Problem::Uppercase => "UPPERCASE",
            Problem::Hyphen => "HYPHEN",
            Problem::Space => "SPACE",
            Problem::SpecialChar => "SPECIAL_CHAR",
            Problem::MixedSeparators => "MIXED_SEPARATORS",
            Problem::EmptySegment => "EMPTY_SEGMENT",
            Problem::UnknownKind => "UNKNOWN_KIND",
            Problem::SlugLength => "SLUG_LENGTH",
            Problem::NumberWidth => "NUMBER_WIDTH",
        }
    }
}

/// The problems of one key, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Problems(u16);

impl Problems {
    fn add(&mut self, problem: Problem) {
        self.0 |= 1 << problem as u16;
    }

    fn add_if(&mut self, condition: bool, problem: Problem) {
        if condition {
            self.add(problem);
        }
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, problem: Problem) -> bool {
        self.0 & 1 << problem as u16 != 0
    }

    /// In the order of [`Problem`].
    pub fn iter(self) -> impl Iterator<Item = Problem> {
        Problem::ALL
            .into_iter()
            .filter(move |&problem| self.contains(problem))
    }
}

/// What makes a valid key a poor one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    TooDeep,
    TooLong,
    TooGeneric,
}

impl Warning {
    /// The name clients see.
    pub fn code(self) -> &'static str {
        match self {
            Warning::TooDeep => "TOO_DEEP",
            Warning::TooLong => "TOO_LONG",
            Warning::TooGeneric => "TOO_GENERIC",
        }
    }
}

/// The kinds that keys may have; none at all means that every kind is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds(Vec<Vec<u8>>);

impl Kinds {
    /// The kinds of documents and their parts.
    pub const DEFAULT: &CStr = c"doc ch para subpara chunk";

    /// Reads a list separated by white space.
    pub fn parse(list: &[u8]) -> Result<Kinds> {
        let kinds: Vec<Vec<u8>> = list
            .split(u8::is_ascii_whitespace)
            .filter(|kind| !kind.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        match kinds.iter().find(|kind| !is_kind(kind)) {
            Some(wrong) => Err(Error::Kinds { got: wrong.clone() }),
            None => Ok(Kinds(kinds)),
        }
    }

    fn knows(&self, kind: &[u8]) -> bool {
        match self.0.as_slice() {
            [] => is_kind(kind),
            known => known.iter().any(|name| name == kind),
        }
    }

    /// The known kind that `kind` most likely means: itself, one it starts with (`document`), or
    /// one that differs in a single letter (`dox`).
    fn nearest(&self, kind: &[u8]) -> Option<&[u8]> {
        const MIN_LEN: usize = 3;
        let candidates = || self.0.iter().filter(|name| name.len() >= MIN_LEN);
        let longest_start = candidates()
            .filter(|name| kind.starts_with(name))
            .max_by_key(|name| name.len());
        longest_start
            .or_else(|| candidates().find(|name| differs_by_one(name, kind)))
            .map(Vec::as_slice)
    }
}

impl Default for Kinds {
    fn default() -> Self {
        let kinds = Kinds::DEFAULT.to_bytes().split(|&b| b == b' ');
        Kinds(kinds.map(<[u8]>::to_vec).collect())
    }
}

fn is_kind(kind: &[u8]) -> bool {
    kind.first().is_some_and(u8::is_ascii_lowercase)
        && kind
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether one letter more, less or other makes `a` of `b`.
fn differs_by_one(a: &[u8], b: &[u8]) -> bool {
    let same_start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let a = a.get(same_start..).unwrap_or_default();
    let b = b.get(same_start..).unwrap_or_default();
    let rest = |text: &'_ [u8]| text.get(1..).map(<[u8]>::to_vec);
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Equal => rest(a).is_some() && rest(a) == rest(b),
        std::cmp::Ordering::Less => rest(b).as_deref() == Some(a),
        std::cmp::Ordering::Greater => rest(a).as_deref() == Some(b),
    }
}

/// The parts of any key, as far as they are there.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape<'a> {
    /// How many bytes of the key are its scope.
    scope_len: usize,
    kind: Option<&'a [u8]>,
    slug: Option<&'a [u8]>,
    number: Option<&'a [u8]>,
    /// A key of our own book-keeping (`doc:_seq`), which has neither slug nor number.
    book_keeping: bool,
}

impl<'a> Shape<'a> {
    /// Reads the parts from the end on, passing over empty segments.
    fn of(key: &'a [u8]) -> Shape<'a> {
        let mut shape = Shape::default();
        let mut segments = Segments::of(key);
        let mut last = segments.next_filled();
        if last.is_some_and(is_relation) && segments.has_filled() {
            last = segments.next_filled();
        }
        if last.is_some_and(is_book_keeping) && segments.has_filled() {
            shape.book_keeping = true;
            last = segments.next_filled();
        } else {
            if last.is_some_and(is_number) && segments.has_filled() {
                shape.number = last;
                last = segments.next_filled();
            }
            // A lone segment in front of the number, or of nothing, is the kind.
            if segments.has_filled() {
                shape.slug = last;
                last = segments.next_filled();
            }
        }
        shape.kind = last;
        shape.scope_len = segments.rest.map_or(0, <[u8]>::len);
        shape
    }
}

fn is_book_keeping(segment: &[u8]) -> bool {
    matches!(segment, [b'_', name @ ..] if is_kind(name))
}

/// The segments of a key from its end on; a `:` inside the hash tag separates none.
struct Segments<'a> {
    rest: Option<&'a [u8]>,
    tag: Option<std::ops::Range<usize>>,
}

impl<'a> Segments<'a> {
    fn of(key: &'a [u8]) -> Segments<'a> {
        Segments {
            rest: Some(key),
            tag: hash_tag(key),
        }
    }

    fn has_filled(&self) -> bool {
        self.rest
            .is_some_and(|rest| rest.iter().any(|&b| b != b':'))
    }

    fn next_filled(&mut self) -> Option<&'a [u8]> {
        loop {
            let segment = self.next_back()?;
            if !segment.is_empty() {
                return Some(segment);
            }
        }
    }

    fn next_back(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let in_tag = |at: usize| self.tag.as_ref().is_some_and(|tag| tag.contains(&at));
        let colon = (0..rest.len())
            .rev()
            .find(|&at| rest.get(at) == Some(&b':') && !in_tag(at));
        match colon {
            Some(at) => {
                self.rest = rest.get(..at);
                rest.get(at + 1..)
            }
            None => self.rest.take(),
        }
    }
}

/// Everything wrong with `key`.
pub fn problems(key: &[u8], kinds: &Kinds) -> Problems {
    let mut problems = Problems::default();
    let shape = Shape::of(key);
    check_bytes(key, shape.scope_len, &mut problems);

    let mut segments = Segments::of(key);
    while let Some(segment) = segments.next_back() {
        problems.add_if(segment.is_empty(), Problem::EmptySegment);
    }
    if let Some(kind) = shape.kind {
        problems.add_if(!kinds.knows(&cleaned(kind)), Problem::UnknownKind);
    }
    if shape.book_keeping {
        return problems;
    }
    match shape.slug {
        None => problems.add(Problem::SlugLength),
        Some(slug) => {
            let length = MIN_SLUG_LEN..=DEFAULT_MAX_LEN;
            problems.add_if(!length.contains(&slug.len()), Problem::SlugLength);
            let first = slug.first().copied().unwrap_or_default();
            let starts_badly = first.is_ascii_digit() || first == b'_';
            problems.add_if(starts_badly, Problem::SpecialChar);
        }
    }
    let digits = shape.number.map_or(0, <[u8]>::len);
    problems.add_if(digits < DEFAULT_WIDTH, Problem::NumberWidth);
    problems
}

/// Looks at every byte but those of a hash tag in the scope, whose text is the tenant's own.
fn check_bytes(key: &[u8], scope_len: usize, problems: &mut Problems) {
    let tag = hash_tag(key).filter(|tag| tag.end < scope_len);
    let has_colon = key.contains(&b':');
    for (at, byte) in key.iter().enumerate() {
        if let Some(tag) = &tag
            && (tag.start - 1..=tag.end).contains(&at)
        {
            continue;
        }
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b':' => {}
            b'.' if at < scope_len => {}
            b'A'..=b'Z' => problems.add(Problem::Uppercase),
            b'-' => problems.add(Problem::Hyphen),
            b' ' | b'\t'..=b'\r' => problems.add(Problem::Space),
            b'/' | b'|' if has_colon => problems.add(Problem::MixedSeparators),
            _ => problems.add(Problem::SpecialChar),
        }
    }
}

/// What makes `key` a poor one, valid or not.
pub fn warnings(key: &[u8]) -> impl Iterator<Item = Warning> {
    let mut segments = Segments::of(key);
    let count = std::iter::from_fn(|| segments.next_back()).count();
    let chars: usize = key
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
        .sum();
    [
        (count > MAX_SEGMENTS, Warning::TooDeep),
        (chars > MAX_CHARS, Warning::TooLong),
        (count == 1, Warning::TooGeneric),
    ]
    .into_iter()
    .filter_map(|(applies, warning)| applies.then_some(warning))
}

/// The valid key nearest to the invalid `key`, if there is one that it can have meant.
pub fn suggest(key: &[u8], kinds: &Kinds, lang: Lang) -> Option<Vec<u8>> {
    if problems(key, kinds).is_empty() {
        return None;
    }
    let key = with_colons(key);
    let shape = Shape::of(&key);
    let behind_kind = key.get(shape.scope_len..)?;
    let (mut scope, mut kind) = (key.get(..shape.scope_len)?, cleaned(shape.kind?));
    let mut slug = shape.slug.map(<[u8]>::to_vec);
    if !kinds.knows(&kind) {
        if let Some(nearest) = kinds.nearest(&kind) {
            kind = nearest.to_vec();
        } else {
            // A slug that was written with colons: the kind is further in front.
            let at = known_segment(scope, kinds)?;
            let words = key.get(at.end..key.len() - behind_kind.len())?;
            slug = Some([words, b" ", shape.kind?, b" ", &slug?].concat());
            kind = cleaned(scope.get(at.clone())?);
            scope = scope.get(..at.start.saturating_sub(1))?;
        }
    }
    let mut suggestion = cleaned_scope(scope);
    suggestion.extend_from_slice(&kind);
    if shape.book_keeping {
        let name = behind_kind
            .rsplit(|&b| b == b':')
            .find(|s| is_book_keeping(s));
        suggestion.push(b':');
        suggestion.extend_from_slice(name?);
    } else {
        let options = SlugOptions {
            lang,
            expand_abbreviations: false,
            ..SlugOptions::default()
        };
        let mut maker = SlugMaker::default();
        suggestion.push(b':');
        suggestion.extend_from_slice(maker.slug(&slug?, &options, &Abbreviations::default())?);
        suggestion.push(b':');
        let number = shape.number.unwrap_or(b"1");
        suggestion.resize(
            suggestion.len() + DEFAULT_WIDTH.saturating_sub(number.len()),
            b'0',
        );
        suggestion.extend_from_slice(number);
    }
    if let Some(relation) = Segments::of(&key).next_back().filter(|s| is_relation(s)) {
        suggestion.push(b':');
        suggestion.extend_from_slice(relation);
    }
    problems(&suggestion, kinds)
        .is_empty()
        .then_some(suggestion)
}

/// `key` with `:` for other separators, and without empty segments.
fn with_colons(key: &[u8]) -> Vec<u8> {
    let tag = hash_tag(key);
    let mut out = Vec::with_capacity(key.len());
    for (at, &byte) in key.iter().enumerate() {
        let in_tag = tag.as_ref().is_some_and(|tag| tag.contains(&at));
        let separates = !in_tag && matches!(byte, b':' | b'/' | b'|');
        if !separates {
            out.push(byte);
        } else if !matches!(out.last(), None | Some(b':')) {
            out.push(b':');
        }
    }
    if out.last() == Some(&b':') {
        out.pop();
    }
    out
}

/// Where in `scope` its last segment is that is a known kind.
fn known_segment(scope: &[u8], kinds: &Kinds) -> Option<std::ops::Range<usize>> {
    let mut segments = Segments::of(scope);
    loop {
        let segment = segments.next_back()?;
        let start = segments.rest.map_or(0, |rest| rest.len() + 1);
        if kinds.knows(&cleaned(segment)) {
            return Some(start..start + segment.len());
        }
    }
}

/// A scope with `:` behind it, tidied up outside its hash tag; nothing for an empty one.
fn cleaned_scope(scope: &[u8]) -> Vec<u8> {
    let mut out = match hash_tag(scope) {
        Some(tag) => {
            let braces = tag.start - 1..tag.end + 1;
            let part = |range| scope.get(range).unwrap_or_default();
            [
                cleaned(part(0..braces.start)),
                part(braces.clone()).to_vec(),
                cleaned(part(braces.end..scope.len())),
            ]
            .concat()
        }
        None => cleaned(scope),
    };
    if !out.is_empty() {
        out.push(b':');
    }
    out
}

/// `text` with only the characters that scopes and kinds may have.
fn cleaned(text: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(text.len());
    fold_to_ascii(text, &mut folded);
    folded
        .iter()
        .filter_map(|&byte| match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b':' | b'.' => Some(byte),
            b'A'..=b'Z' => Some(byte.to_ascii_lowercase()),
            b'-' | b' ' | b'\t'..=b'\r' => Some(b'_'),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
