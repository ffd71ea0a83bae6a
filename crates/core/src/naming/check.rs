//! Checks keys against the naming convention.

mod suggest;

pub use suggest::suggest;
pub(crate) use suggest::with_colons;

use super::key_name::{DEFAULT_WIDTH, Segments, hash_tag, is_number, is_relation, segment_count};
use super::kinds::{Kinds, is_kind};
use super::slug::{DEFAULT_MAX_LEN, fold_to_ascii};

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
    // What namespaces add.
    NoNamespace,
    BadFormat,
    NoTtl,
    UnwantedTtl,
    WrongType,
}

impl Problem {
    const ALL: [Problem; 14] = [
        Problem::Uppercase,
        Problem::Hyphen,
        Problem::Space,
        Problem::SpecialChar,
        Problem::MixedSeparators,
        Problem::EmptySegment,
        Problem::UnknownKind,
        Problem::SlugLength,
        Problem::NumberWidth,
        Problem::NoNamespace,
        Problem::BadFormat,
        Problem::NoTtl,
        Problem::UnwantedTtl,
        Problem::WrongType,
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
            Problem::NoNamespace => "NO_NAMESPACE",
            Problem::BadFormat => "BAD_FORMAT",
            Problem::NoTtl => "NO_TTL",
            Problem::UnwantedTtl => "UNWANTED_TTL",
            Problem::WrongType => "WRONG_TYPE",
        }
    }
}

/// The problems of one key, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Problems(u16);

impl Problems {
    pub(crate) fn add(&mut self, problem: Problem) {
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

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
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

/// What makes a key poor but still valid.
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

/// The parts that a key has, of whatever form.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape<'a> {
    /// How many bytes of the key are its scope.
    scope_len: usize,
    kind: Option<&'a [u8]>,
    slug: Option<&'a [u8]>,
    number: Option<&'a [u8]>,
    relation: Option<&'a [u8]>,
    /// Whether it is a book-keeping key (`doc:_seq`), which has neither slug nor number.
    book_keeping: bool,
}

impl<'a> Shape<'a> {
    /// Reads the parts from the end, skipping empty segments.
    fn of(key: &'a [u8]) -> Shape<'a> {
        let mut shape = Shape::default();
        let mut segments = Segments::of(key);
        let mut last = segments.next_filled();
        if last.is_some_and(is_relation) && segments.has_filled() {
            shape.relation = last;
            last = segments.next_filled();
        }
        if shape.relation.is_none() && last.is_some_and(is_book_keeping) && segments.has_filled() {
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
    matches!(segment, [b'_', name @ ..] if is_kind(&name.to_ascii_lowercase()))
}

/// Everything wrong with `key`.
pub fn problems(key: &[u8], kinds: &Kinds) -> Problems {
    let shape = Shape::of(key);
    let is_known = shape.kind.is_none_or(|kind| kinds.knows(&cleaned(kind)));
    let mut problems = problems_of(key, &shape);
    problems.add_if(!is_known, Problem::UnknownKind);
    problems
}

/// Everything wrong with `key` if its kind is one of the convention's, for servers with namespaces: they
/// rule keys of other kinds.
pub fn problems_of_kind(key: &[u8], kinds: &Kinds) -> Problems {
    let shape = Shape::of(key);
    match shape.kind {
        Some(kind) if kinds.knows(&cleaned(kind)) => problems_of(key, &shape),
        _ => Problems::default(),
    }
}

/// What is wrong with a key, whatever its kind.
// Into both of its callers: as a call it costs KEYNS.CHECK some percent.
#[inline(always)]
fn problems_of(key: &[u8], shape: &Shape) -> Problems {
    let mut problems = Problems::default();
    check_bytes(key, shape.scope_len, &mut problems);

    let mut segments = Segments::of(key);
    while let Some(segment) = segments.next_back() {
        problems.add_if(segment.is_empty(), Problem::EmptySegment);
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

/// Checks every byte except a hash tag in the scope, whose text is the tenant's own.
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

/// The warnings about one key, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warnings([Option<Warning>; 3]);

impl Warnings {
    /// In the order of [`Warning`].
    pub fn iter(self) -> impl Iterator<Item = Warning> {
        self.0.into_iter().flatten()
    }
}

/// The warnings about `key`, valid or not.
pub fn warnings(key: &[u8]) -> Warnings {
    let count = segment_count(key);
    // A text has no more characters than bytes.
    let is_long = key.len() > MAX_CHARS && char_count(key) > MAX_CHARS;
    Warnings([
        (count > MAX_SEGMENTS).then_some(Warning::TooDeep),
        is_long.then_some(Warning::TooLong),
        (count == 1).then_some(Warning::TooGeneric),
    ])
}

fn char_count(key: &[u8]) -> usize {
    key.utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
        .sum()
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
