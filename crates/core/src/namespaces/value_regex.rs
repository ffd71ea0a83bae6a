//! The regex of a placeholder: `<attr:/[a-z_]+/>`.
//!
//! It reads bytes and has to match the whole value. The time for that grows with the length of the
//! value and the size of the regex, whatever both contain. It is compiled when its namespace is defined.

mod meaning;
mod shape;

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::sync::Arc;

use regex::bytes::{Regex, RegexBuilder};

use shape::Shape;

/// The longest text of a regex.
pub const MAX_REGEX_BYTES: usize = 256;

/// The largest compiled regex: about a thousand states, as many as a look-up can pay for.
const MAX_COMPILED_BYTES: usize = 32 << 10;
/// The largest cache of a regex while it runs. Larger ones run without.
const MAX_CACHE_BYTES: usize = 16 << 10;
/// How deep groups may nest. Nobody reads more, and the parser's stack grows with it.
const MAX_NESTING: u32 = 32;

/// By the estimate of [`ValueRegex::memory`]. What was accepted once has to load again, so these two may
/// only go down.
const BYTES_OF_EACH: usize = 8 << 10;
const BYTES_OF_A_STATE: usize = 128;

/// How many states a step of [work](super::registry::Work) has a byte tried against, and what each
/// run takes besides.
const STATES_PER_STEP: usize = 16;
const STEPS_OF_A_RUN: usize = 4;

/// How much of its text an error shows.
const SHOWN_BYTES: usize = 64;

/// A compiled regex. Clones share it, and equal ones have the same text and extent.
#[derive(Clone)]
pub struct ValueRegex(Arc<Compiled>);

struct Compiled {
    /// Its text, as its [extent](Extent::key) has it.
    key: Box<str>,
    /// Never cloned: a clone would make its own memory to run in.
    regex: Regex,
    shape: Shape,
}

/// How far a value may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Up to the next `:`.
    Segment,
    /// Up to the end of the key.
    Rest,
}

/// No text of a regex starts with it.
const REST: char = '/';

impl Extent {
    /// The identity of a regex with this text.
    pub(super) fn key(self, text: &str) -> Cow<'_, str> {
        match self {
            Extent::Segment => Cow::Borrowed(text),
            Extent::Rest => Cow::Owned(format!("{REST}{text}")),
        }
    }
}

/// What is wrong with a regex, and the offset of the mistake in bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    pub at: usize,
    /// ASCII.
    pub reason: String,
}

impl ValueRegex {
    /// Reads the text of a regex for values of this extent.
    pub fn compile(text: &str, extent: Extent) -> Result<ValueRegex, Mistake> {
        let whole = |reason: &str| Mistake {
            at: 0,
            reason: reason.to_owned(),
        };
        let meaning = meaning::of(text)?;
        // Before the shape: a regex that is too large to compile is too large to analyse, too.
        let regex = RegexBuilder::new(&format!(r"\A(?:{})\z", meaning.plain))
            .unicode(false)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_CACHE_BYTES)
            .nest_limit(MAX_NESTING + 2)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(limit) => whole(&format!(
                    "the regex takes more than {limit} bytes when compiled"
                )),
                _ => whole("this is no regex"),
            })?;
        let Some(shape) = Shape::of(&meaning.tree, extent) else {
            return Err(whole(match extent {
                Extent::Segment => "no value can match: it has one byte at least, and no ':'",
                Extent::Rest => "no value can match: it has one byte at least",
            }));
        };
        Ok(ValueRegex(Arc::new(Compiled {
            key: extent.key(text).into(),
            regex,
            shape,
        })))
    }

    pub fn text(&self) -> &str {
        let key = self.key();
        key.strip_prefix(REST).unwrap_or(key)
    }

    /// Its identity.
    pub(super) fn key(&self) -> &str {
        &self.0.key
    }

    /// Whether it matches all of a value.
    pub fn fits(&self, value: &[u8]) -> bool {
        !value.is_empty() && self.0.regex.is_match(value)
    }

    /// A value that it matches, if one is known.
    pub fn sample(&self) -> Option<&str> {
        let sample = self.0.shape.sample.as_deref()?;
        self.fits(sample.as_bytes()).then_some(sample)
    }

    /// What it takes to try a value of this length: every byte may meet every state.
    pub fn steps(&self, len: usize) -> usize {
        STEPS_OF_A_RUN + self.0.shape.states.saturating_mul(len) / STATES_PER_STEP
    }

    /// An estimate of its memory, including what it needs to run.
    pub fn memory(&self) -> usize {
        BYTES_OF_EACH + BYTES_OF_A_STATE * self.0.shape.states
    }

    /// More fixed text first, then the one whose longest value is shorter, then the longer text; the rest
    /// only makes the order stable.
    fn rank(&self) -> impl Ord + '_ {
        let Shape { fixed, longest, .. } = self.0.shape;
        let longest = longest.unwrap_or(usize::MAX);
        (
            Reverse(fixed),
            longest,
            Reverse(self.key().len()),
            self.key(),
        )
    }
}

/// `/[a-z_]+/`, in printable ASCII and cut to a readable length.
impl fmt::Display for ValueRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.text().as_bytes();
        let shown = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
        f.write_str("/")?;
        for &byte in shown {
            match byte.is_ascii_graphic() {
                true => write!(f, "{}", char::from(byte))?,
                false => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str(if shown.len() < bytes.len() {
            "..."
        } else {
            "/"
        })
    }
}

impl fmt::Debug for ValueRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.text())
    }
}

impl PartialEq for ValueRegex {
    fn eq(&self, other: &ValueRegex) -> bool {
        self.key() == other.key()
    }
}

impl Eq for ValueRegex {}

impl Ord for ValueRegex {
    fn cmp(&self, other: &ValueRegex) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for ValueRegex {
    fn partial_cmp(&self, other: &ValueRegex) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
