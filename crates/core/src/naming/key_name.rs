//! Names of keys: `[scope:]kind:slug:number[:relation]`.

use memchr::{memchr, memrchr};

use super::slug::is_slug;
use super::{Error, Result};
use crate::argument;
use crate::text::decimal::{self, MAX_DIGITS};

/// The relation keys an element may have.
pub const RELATIONS: [&str; 6] = [
    "children",
    "all_descendants",
    "sequence",
    "next",
    "previous",
    "siblings",
];

/// The bounds of `WIDTH`, to which numbers are padded with zeros.
pub const MIN_WIDTH: usize = 1;
pub const MAX_WIDTH: usize = 12;
pub const DEFAULT_WIDTH: usize = 3;

/// The key of one of an element's relations, written over `key`.
pub fn relation<'b>(name: &[u8], relation: &str, key: &'b mut Vec<u8>) -> &'b [u8] {
    key.clear();
    key.extend_from_slice(name);
    key.push(b':');
    key.extend_from_slice(relation.as_bytes());
    key
}

/// Whether the module keeps its own state in a key: the counters of a prefix, and the namespaces in
/// files. No slug starts with `_`, so no name is such a key.
///
/// ```
/// use keyns_core::naming::key_name::is_bookkeeping;
///
/// assert!(is_bookkeeping(b"doc:_seq") && is_bookkeeping(b"{acme}:doc:_slugs"));
/// assert!(!is_bookkeeping(b"event:_a8Fk") && !is_bookkeeping(b"_seq"));
/// ```
pub fn is_bookkeeping(key: &[u8]) -> bool {
    let last = memrchr(b':', key).and_then(|colon| key.get(colon..));
    match last {
        Some(b":_seq" | b":_slugs") => true,
        Some(b":_registry") => key == b"keyns:_registry",
        _ => false,
    }
}

/// A longer prefix is a mistake: every key repeats it, and a document's element does so in more than ten
/// places.
pub const MAX_PREFIX_BYTES: usize = 256;

/// The longest name that any version of this module made: a prefix of 1,024 bytes, which an earlier one
/// allowed, a slug of 512, a number and a relation.
pub const MAX_NAME_BYTES: usize = 2048;

/// An error if an argument is longer than any name can be.
pub fn check_name_len(what: &'static str, key: &[u8]) -> argument::Result<()> {
    match key.len() {
        0..=MAX_NAME_BYTES => Ok(()),
        got => Err(argument::Error::NameTooLong {
            what,
            limit: MAX_NAME_BYTES,
            got,
        }),
    }
}

/// The front of a key: `doc`, `{acme}:doc`, `prod:{acme}:v1:doc`.
///
/// ```
/// use keyns_core::naming::key_name::Prefix;
///
/// let prefix = Prefix::parse(b"{acme}:doc:").unwrap();
/// assert_eq!(prefix.as_bytes(), b"{acme}:doc");
/// assert_eq!(prefix.name(b"intro", 7, 3, &mut Vec::new()), b"{acme}:doc:intro:007");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix<'a>(&'a [u8]);

impl<'a> Prefix<'a> {
    /// Reads a prefix; one trailing `:` means the same as none.
    pub fn parse(text: &'a [u8]) -> Result<Prefix<'a>> {
        let bytes = text.strip_suffix(b":").unwrap_or(text);
        if bytes.len() > MAX_PREFIX_BYTES {
            let too_long = argument::Error::NameTooLong {
                what: "prefix",
                limit: MAX_PREFIX_BYTES,
                got: bytes.len(),
            };
            return Err(too_long.into());
        }
        Prefix::of_name(text)
    }

    /// The same for an existing name, however long it is.
    pub fn of_name(text: &'a [u8]) -> Result<Prefix<'a>> {
        let bytes = text.strip_suffix(b":").unwrap_or(text);
        if has_empty_segment(bytes) {
            return Err(Error::EmptySegment {
                prefix: text.to_vec(),
            });
        }
        Ok(Prefix(bytes))
    }

    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// The last segment: `doc` in `{acme}:doc`.
    pub fn kind(&self) -> &'a [u8] {
        Segments::of(self.0).next_back().unwrap_or_default()
    }

    /// The text in front of the kind: `{acme}` in `{acme}:doc`.
    pub fn scope(&self) -> Option<&'a [u8]> {
        let mut segments = Segments::of(self.0);
        segments.next_back();
        segments.rest
    }

    /// A key in the same scope: `{acme}:tag:risk:chunks` for `{acme}:doc`, written over `key`.
    pub fn beside<'b>(&self, segments: &[&[u8]], key: &'b mut Vec<u8>) -> &'b [u8] {
        key.clear();
        key.extend_from_slice(self.scope().unwrap_or_default());
        for segment in segments {
            if !key.is_empty() {
                key.push(b':');
            }
            key.extend_from_slice(segment);
        }
        key
    }

    /// Whether all keys of this prefix are in one slot of a cluster.
    pub fn has_hash_tag(&self) -> bool {
        hash_tag(self.0).is_some()
    }

    /// The key of the counter that numbers run from, written over `key`.
    pub fn counter<'b>(&self, key: &'b mut Vec<u8>) -> &'b [u8] {
        self.with(b"_seq", key)
    }

    /// The key of the hash with the counters of slugs, written over `key`.
    pub fn slug_counters<'b>(&self, key: &'b mut Vec<u8>) -> &'b [u8] {
        self.with(b"_slugs", key)
    }

    /// The name of the element with this slug and number, written over `key`.
    pub fn name<'b>(
        &self,
        slug: &[u8],
        number: u64,
        width: usize,
        key: &'b mut Vec<u8>,
    ) -> &'b [u8] {
        self.with(slug, key);
        key.push(b':');
        push_number(key, number, width);
        key
    }

    fn with<'b>(&self, segment: &[u8], key: &'b mut Vec<u8>) -> &'b [u8] {
        key.clear();
        key.reserve(self.0.len() + segment.len() + 2 + MAX_DIGITS);
        key.extend_from_slice(self.0);
        key.push(b':');
        key.extend_from_slice(segment);
        key
    }
}

fn push_number(name: &mut Vec<u8>, number: u64, width: usize) {
    let mut digits = [0; MAX_DIGITS];
    let digits = decimal::format(number, &mut digits);
    let zeros = width.saturating_sub(digits.len());
    name.resize(name.len() + zeros, b'0');
    name.extend_from_slice(digits);
}

/// The range of `key` between the braces of its hash tag, as Redis Cluster finds it.
pub fn hash_tag(key: &[u8]) -> Option<std::ops::Range<usize>> {
    let start = memchr(b'{', key)? + 1;
    let len = memchr(b'}', key.get(start..)?)?;
    (len > 0).then_some(start..start + len)
}

/// The parts of a name that KEYNS.MAKE can return, or of one of its relation keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyName<'a> {
    pub scope: Option<&'a [u8]>,
    pub kind: &'a [u8],
    pub slug: &'a [u8],
    pub number: &'a [u8],
    pub relation: Option<&'a [u8]>,
}

impl<'a> KeyName<'a> {
    /// Splits a key into its parts. `None` if it is not such a name.
    ///
    /// ```
    /// use keyns_core::naming::key_name::KeyName;
    ///
    /// let name = KeyName::parse(b"{acme}:ch:risk_management:001:children").unwrap();
    /// assert_eq!(name.scope, Some(&b"{acme}"[..]));
    /// assert_eq!(name.kind, b"ch");
    /// assert_eq!(name.relation, Some(&b"children"[..]));
    /// assert_eq!(KeyName::parse(b"user:42"), None);
    /// ```
    pub fn parse(key: &'a [u8]) -> Option<KeyName<'a>> {
        let mut segments = Segments::of(key);
        let mut last = segments.next_back()?;
        let mut relation = None;
        if is_relation(last) && !has_capitals(last) {
            relation = Some(last);
            last = segments.next_back()?;
        }
        let number = last;
        let slug = segments.next_back()?;
        let prefix = segments.rest?;
        let kind = segments.next_back()?;
        let scope = segments.rest;
        let well_formed = is_number(number) && is_slug(slug) && !has_empty_segment(prefix);
        well_formed.then_some(KeyName {
            scope,
            kind,
            slug,
            number,
            relation,
        })
    }
}

fn has_empty_segment(prefix: &[u8]) -> bool {
    // Most have one segment.
    if !prefix.contains(&b':') {
        return prefix.is_empty();
    }
    let mut segments = Segments::of(prefix);
    std::iter::from_fn(|| segments.next_back()).any(<[u8]>::is_empty)
}

fn has_capitals(segment: &[u8]) -> bool {
    segment.iter().any(u8::is_ascii_uppercase)
}

/// The segments of a key, from its end; a `:` inside the hash tag does not separate.
pub struct Segments<'a> {
    /// The text in front of those already read.
    pub rest: Option<&'a [u8]>,
    tag: Option<std::ops::Range<usize>>,
}

impl<'a> Segments<'a> {
    pub fn of(key: &'a [u8]) -> Segments<'a> {
        Segments {
            rest: Some(key),
            tag: hash_tag(key),
        }
    }

    /// Whether a remaining segment is not empty.
    pub fn has_filled(&self) -> bool {
        self.rest
            .is_some_and(|rest| rest.iter().any(|&b| b != b':'))
    }

    /// The next segment that is not empty.
    pub fn next_filled(&mut self) -> Option<&'a [u8]> {
        loop {
            let segment = self.next_back()?;
            if !segment.is_empty() {
                return Some(segment);
            }
        }
    }

    /// The next segment, from the end.
    pub fn next_back(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        // Segments are short: a plain loop beats a search that is fast on long texts.
        let last_in = |text: &[u8]| text.iter().rposition(|&byte| byte == b':');
        let mut colon = last_in(rest);
        if let (Some(at), Some(tag)) = (colon, &self.tag)
            && tag.contains(&at)
        {
            // A `:` inside the tag does not separate.
            colon = last_in(rest.get(..tag.start)?);
        }
        match colon {
            Some(at) => {
                self.rest = rest.get(..at);
                rest.get(at + 1..)
            }
            None => self.rest.take(),
        }
    }
}

/// How many segments a key has.
pub fn segment_count(key: &[u8]) -> usize {
    let colons = |text: &[u8]| text.iter().filter(|&&b| b == b':').count();
    let in_tag = hash_tag(key).and_then(|tag| key.get(tag));
    1 + colons(key) - in_tag.map_or(0, colons)
}

/// Whether a segment is one of [`RELATIONS`], in any case.
#[inline]
pub fn is_relation(segment: &[u8]) -> bool {
    RELATIONS
        .iter()
        .any(|name| name.as_bytes().eq_ignore_ascii_case(segment))
}

/// Whether a segment is all digits.
pub fn is_number(segment: &[u8]) -> bool {
    !segment.is_empty() && segment.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_trailing_colon_means_the_same() {
        assert_eq!(Prefix::parse(b"doc:"), Prefix::parse(b"doc"));
        for bad in [&b""[..], b":", b"doc::", b"a::b", b":doc"] {
            assert!(matches!(
                Prefix::parse(bad),
                Err(Error::EmptySegment { .. })
            ));
        }
        assert!(Prefix::parse(&[b'x'; MAX_PREFIX_BYTES]).is_ok());
        let too_long = [b'x'; MAX_PREFIX_BYTES + 1];
        assert!(Prefix::parse(&too_long).is_err());
        assert_eq!(Prefix::of_name(&too_long).unwrap().as_bytes(), too_long);
        assert!(Prefix::of_name(b"a::b").is_err());
    }

    #[test]
    fn no_name_is_longer_than_the_longest_that_was_given() {
        assert!(check_name_len("key", &[b'x'; MAX_NAME_BYTES]).is_ok());
        assert!(check_name_len("key", &[b'x'; MAX_NAME_BYTES + 1]).is_err());
    }

    #[test]
    fn numbers_are_padded_and_grow() {
        let prefix = Prefix::parse(b"doc").unwrap();
        let mut key = Vec::new();
        for (number, width, name) in [
            (1, 3, "doc:ab:001"),
            (1000, 3, "doc:ab:1000"),
            (5, 1, "doc:ab:5"),
            (5, 12, "doc:ab:000000000005"),
            (u64::MAX, 1, "doc:ab:18446744073709551615"),
        ] {
            assert_eq!(prefix.name(b"ab", number, width, &mut key), name.as_bytes());
        }
        assert_eq!(prefix.counter(&mut key), b"doc:_seq");
        assert_eq!(prefix.slug_counters(&mut key), b"doc:_slugs");
    }

    #[test]
    fn hash_tags_are_found_as_the_cluster_finds_them() {
        for (key, tag) in [
            (&b"{acme}:doc"[..], Some(&b"acme"[..])),
            (b"a{b}c{d}", Some(b"b")),
            (b"{{x}}", Some(b"{x")),
            (b"{}{x}", None),
            (b"{x", None),
            (b"doc", None),
        ] {
            assert_eq!(hash_tag(key).map(|range| &key[range]), tag);
        }
    }

    #[test]
    fn a_name_is_taken_apart_into_what_it_was_made_of() {
        let prefix = Prefix::parse(b"prod:{acme}:v1:doc").unwrap();
        let mut key = Vec::new();
        let name = KeyName::parse(prefix.name(b"intro", 42, 3, &mut key)).unwrap();
        assert_eq!(name.scope, Some(&b"prod:{acme}:v1"[..]));
        assert_eq!(
            (name.kind, name.slug, name.number),
            (&b"doc"[..], &b"intro"[..], &b"042"[..])
        );
        assert_eq!(name.relation, None);
        let tagged = KeyName::parse(b"{a::b}:doc:intro:001").unwrap();
        assert_eq!(tagged.scope, Some(&b"{a::b}"[..]));
        assert_eq!(KeyName::parse(b"{a:b}:intro:001").unwrap().kind, b"{a:b}");
        assert!(Prefix::parse(b"{a::b}:doc").is_ok());
        for key in [
            "",
            "doc",
            "doc:intro",
            "doc:intro:x",
            "doc:_seq",
            "doc:Intro:001",
            ":intro:001",
            "doc:intro:001:kids",
            "a::doc:intro:001",
        ] {
            assert_eq!(KeyName::parse(key.as_bytes()), None, "{key}");
        }
    }
}
