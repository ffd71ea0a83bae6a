//! Builds keys from values.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::pattern::{Pattern, Placeholder};
use super::segment::{Segment, value_len};
use super::value_type::{HASH_DIGITS, ValueType, meant};
use crate::argument;
use crate::namespaces::{Error, Result};
use crate::naming::key_name::{DEFAULT_WIDTH, MAX_WIDTH, is_number};
use crate::naming::slug::{Abbreviations, DEFAULT_MAX_LEN, SlugMaker, SlugOptions};

/// What building a key needs besides its values.
pub struct Building<'a> {
    pub slugs: &'a mut SlugMaker,
    pub slug_options: &'a SlugOptions,
    pub abbreviations: &'a Abbreviations,
    /// A longer value is refused.
    pub max_value_bytes: usize,
    /// A longer key is refused.
    pub max_key_bytes: usize,
}

impl Pattern {
    /// Appends the key with these values to `key`, with the optional part if it gets a value. An error
    /// leaves `key` unchanged.
    pub fn build(
        &self,
        values: &[impl AsRef<[u8]>],
        building: &mut Building,
        key: &mut Vec<u8>,
    ) -> Result<()> {
        let start = key.len();
        let built = self.append(values, building, key);
        if built.is_err() {
            key.truncate(start);
        }
        built
    }

    fn append(
        &self,
        values: &[impl AsRef<[u8]>],
        building: &mut Building,
        key: &mut Vec<u8>,
    ) -> Result<()> {
        let limit = self.placeholders().len();
        if values.len() > limit {
            return Err(self.too_many(values.len()));
        }
        let start = key.len();
        let longest = building.max_key_bytes;
        let mut holes = Holes {
            places: self.placeholders(),
            values,
            filled: 0,
            has_tag: self.has_braces(),
            building,
        };
        let (required, optional) = self.parts();
        let optional = match values.len() > self.required_values() {
            true => optional,
            false => &[],
        };
        for (index, segment) in required.iter().chain(optional).enumerate() {
            if index > 0 {
                key.push(b':');
            }
            match segment {
                Segment::Literal(text) => key.extend_from_slice(text),
                Segment::Whole(kind) => holes.fill(kind, b"", key)?,
                Segment::Mixed(mixed) => {
                    key.extend_from_slice(&mixed.prefix);
                    for (kind, literal) in &mixed.holes {
                        holes.fill(kind, literal, key)?;
                    }
                }
            }
            // Checked after each segment, so many long values never make a huge key first.
            let got = key.len() - start;
            if got > longest {
                return Err(key_too_long(longest, got));
            }
        }
        Ok(())
    }
}

impl Pattern {
    #[cold]
    fn too_many(&self, got: usize) -> Error {
        match self.placeholders().len() {
            0 => Error::NoPlaceholders {
                got,
                hint: self.placeholder_hint(),
            },
            limit => Error::TooManyValues { limit, got },
        }
    }
}

fn key_too_long(limit: usize, got: usize) -> Error {
    let too_long = argument::Error::TooLong {
        what: "key",
        config: "keyns.max-key-bytes",
        limit,
        got,
    };
    too_long.into()
}

/// The placeholders of a pattern, and the values for them.
struct Holes<'p, 'b, 'a, V> {
    places: &'p [Placeholder],
    values: &'p [V],
    /// How many of them have their value.
    filled: usize,
    has_tag: bool,
    building: &'b mut Building<'a>,
}

impl<'p, V: AsRef<[u8]>> Holes<'p, '_, '_, V> {
    /// Appends the next value, of this type, and the `literal` behind it.
    fn fill(&mut self, kind: &ValueType, literal: &[u8], key: &mut Vec<u8>) -> Result<()> {
        let value = self.value()?;
        let start = key.len();
        // A regex is slow, so it never runs on a value that is too long for a key anyway.
        let longest = self.building.max_key_bytes;
        if kind.regex().is_some() && value.len() > longest {
            return Err(key_too_long(longest, value.len()));
        }
        if !write(kind, value, self.building, key) {
            return Err(self.refusal(kind, value));
        }
        let len = key.len() - start;
        key.extend_from_slice(literal);
        let written = key.get(start..).unwrap_or_default();
        if let Some(intruder) = self.intruder(kind, written, len) {
            return Err(Error::ValueContains {
                placeholder: self.placeholder(),
                literal: intruder.to_vec(),
                got: value.to_vec(),
            });
        }
        self.filled += 1;
        Ok(())
    }

    /// Why the next placeholder refuses a value.
    fn refusal(&self, kind: &ValueType, value: &[u8]) -> Error {
        let (placeholder, got) = (self.placeholder(), value.to_vec());
        match kind.regex() {
            Some(regex) if !regex.fits(value) => Error::NoMatch {
                placeholder,
                regex: regex.to_string(),
                got,
            },
            // The regex matches, so the value contains a `:`.
            Some(_) => Error::BadValue {
                placeholder,
                expected: ValueType::Text.expected(),
                got,
            },
            None => Error::BadValue {
                placeholder,
                expected: accepted(kind),
                got,
            },
        }
    }

    /// The name of the next placeholder. Only errors need it, and fetching it costs a cache miss.
    fn placeholder(&self) -> String {
        let place = self.places.get(self.filled);
        place.map_or_else(String::new, |place| place.name.to_string())
    }

    fn value(&self) -> Result<&'p [u8]> {
        let Some(value) = self.values.get(self.filled).map(AsRef::as_ref) else {
            return Err(Error::ValueMissing {
                placeholder: self.placeholder(),
            });
        };
        match self.building.max_value_bytes {
            limit if value.len() > limit => Err(Error::ValueTooLong {
                placeholder: self.placeholder(),
                limit,
                got: value.len(),
            }),
            _ => Ok(value),
        }
    }

    /// The part of the first `len` bytes of `written` that they must not contain: a brace, which would
    /// move the hash tag, or the literal behind them, where the value would seem to end.
    fn intruder<'w>(&self, kind: &ValueType, written: &'w [u8], len: usize) -> Option<&'w [u8]> {
        let (value, literal) = written.split_at_checked(len)?;
        let brace = match self.has_tag {
            true => value.iter().position(|byte| matches!(byte, b'{' | b'}')),
            false => None,
        };
        match brace {
            Some(at) => value.get(at..at + 1),
            None if value_len(kind, written, literal) == Some(len) => None,
            None => Some(literal),
        }
    }
}

/// Appends `value` as a key contains it. `false` if the type refuses it.
fn write(kind: &ValueType, value: &[u8], building: &mut Building, key: &mut Vec<u8>) -> bool {
    match kind {
        ValueType::Hash => append_hash(value, key),
        ValueType::Slug => append_slug(value, building, key),
        ValueType::Number => append_number(value, key),
        ValueType::Path => {
            let slashless = |&byte: &u8| if byte == b'/' { b'_' } else { byte };
            key.extend(value.iter().map(slashless));
            !value.is_empty() && !value.contains(&b':')
        }
        _ => {
            key.extend_from_slice(value);
            kind.fits(value) && (kind.spans_segments() || !value.contains(&b':'))
        }
    }
}

/// The digits that `printf %s value | sha256sum` starts with.
fn append_hash(value: &[u8], key: &mut Vec<u8>) -> bool {
    let hex = |digit: u8| match digit {
        0..10 => b'0' + digit,
        _ => b'a' + digit - 10,
    };
    let digest = Sha256::digest(value);
    for byte in digest.iter().take(HASH_DIGITS / 2) {
        key.extend_from_slice(&[hex(byte >> 4), hex(byte & 15)]);
    }
    true
}

fn append_slug(value: &[u8], building: &mut Building, key: &mut Vec<u8>) -> bool {
    let options = SlugOptions {
        max_len: building.slug_options.max_len.min(DEFAULT_MAX_LEN),
        ..*building.slug_options
    };
    let slug = building.slugs.slug(value, &options, building.abbreviations);
    key.extend_from_slice(slug.unwrap_or_default());
    slug.is_some()
}

/// Appends a number, padded to its least width.
fn append_number(value: &[u8], key: &mut Vec<u8>) -> bool {
    if value.len() > MAX_WIDTH || !is_number(value) {
        return false;
    }
    let digits = meant(&ValueType::Number, value);
    let zeros = DEFAULT_WIDTH.saturating_sub(digits.len());
    key.resize(key.len() + zeros, b'0');
    key.extend_from_slice(digits);
    true
}

/// What `KEYNS.KEY` accepts: for some types more than a key contains.
fn accepted(kind: &ValueType) -> Cow<'static, str> {
    match kind {
        ValueType::Slug => "text with at least two letters or digits for a slug".into(),
        ValueType::Number => "a number of 1 to 12 digits".into(),
        ValueType::Path => "text without ':'".into(),
        _ => kind.expected(),
    }
}
