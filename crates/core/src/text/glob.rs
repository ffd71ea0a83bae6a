//! Glob patterns as the server reads them in `KEYS`, `SCAN` and ACL rules.
//!
//! A glob is parsed once, into places with a set of bytes each and a mark for each `*`. Matching then
//! follows all possible ways at the same time, each as a bit in a row of words:
//!
//! ```text
//! a*[bc]   places   a   [bc]  end     "ab"   ways   1 0 0   before the text
//!          star     -    *     -                    0 1 0   after a
//!                                                   0 1 1   after b: the end is reached, it matches
//! ```
//!
//! Every byte of a text costs the same, a few operations on each word, so no glob is slow.

use smallvec::SmallVec;

use crate::argument::{Error, Result};

/// Longer globs have no use for names.
pub const MAX_GLOB_BYTES: usize = 256;

/// A glob, ready for many texts: `*` any text, `?` any byte, `[a-c]` and `[^a-c]` one of some bytes,
/// `\` the next byte as it is.
///
/// ```
/// use keyns_core::text::glob::Glob;
///
/// let glob = Glob::new(b"user_*");
/// assert!(glob.matches(b"user_profile"));
/// assert!(!glob.matches(b"group_profile"));
/// ```
#[derive(Clone, Debug)]
pub struct Glob {
    /// For every byte, a row of words: the places that accept it.
    takes: Box<[u64]>,
    /// The places after a `*`, including the end.
    stars: Box<[u64]>,
    /// The number of places.
    end: usize,
}

impl Glob {
    /// Reads a glob of any length.
    pub fn new(glob: &[u8]) -> Glob {
        // Every place needs a byte, and the end is one more.
        let words = glob.len() / WORD + 1;
        let mut read = Glob {
            takes: vec![0; words * 256].into(),
            stars: vec![0; words].into(),
            end: 0,
        };
        let mut rest = glob;
        while let Some((part, after)) = Part::split_first(rest) {
            rest = after;
            match part {
                Part::Star => set(&mut read.stars, read.end),
                Part::Any => read.place(|_| true),
                Part::Byte(byte) => read.place(|other| other == byte),
                Part::Class(class) => read.place(|byte| class.contains(byte)),
            }
        }
        read
    }

    /// Reads a glob that a client sent.
    pub fn parse(glob: &[u8]) -> Result<Glob> {
        if glob.len() > MAX_GLOB_BYTES {
            return Err(Error::NameTooLong {
                what: "glob",
                limit: MAX_GLOB_BYTES,
                got: glob.len(),
            });
        }
        Ok(Glob::new(glob))
    }

    fn place(&mut self, takes: impl Fn(u8) -> bool) {
        let rows = self.takes.chunks_exact_mut(self.stars.len());
        for (byte, row) in (0..=u8::MAX).zip(rows) {
            if takes(byte) {
                set(row, self.end);
            }
        }
        self.end += 1;
    }

    pub fn matches(&self, text: &[u8]) -> bool {
        let mut ways = Ways::of(self);
        text.iter().all(|&byte| ways.go(byte)) && ways.have_ended()
    }

    /// Whether it matches everything that `plain` matches, in which only `*` is special. `false` may be
    /// wrong, `true` never is.
    ///
    /// ```
    /// use keyns_core::text::glob::Glob;
    ///
    /// assert!(Glob::new(b"app:*").covers(b"app:*:profile"));
    /// assert!(!Glob::new(b"app:*:profile").covers(b"app:*"));
    /// ```
    pub fn covers(&self, plain: &[u8]) -> bool {
        let mut ways = Ways::of(self);
        let goes_on = plain.iter().all(|&byte| match byte {
            b'*' => ways.stay(),
            byte => ways.go(byte),
        });
        goes_on && ways.have_ended()
    }
}

const WORD: usize = u64::BITS as usize;

fn set(row: &mut [u64], place: usize) {
    if let Some(word) = row.get_mut(place / WORD) {
        *word |= 1 << (place % WORD);
    }
}

/// The places that the text so far may have reached.
struct Ways<'g> {
    glob: &'g Glob,
    /// Inline for as many words as most globs need.
    at: SmallVec<[u64; 5]>,
}

impl<'g> Ways<'g> {
    fn of(glob: &'g Glob) -> Ways<'g> {
        let mut at = SmallVec::from_elem(0, glob.stars.len());
        set(&mut at, 0);
        Ways { glob, at }
    }

    /// Takes the next byte. `false` if no way is left.
    fn go(&mut self, byte: u8) -> bool {
        let words = self.at.len();
        let row = usize::from(byte) * words;
        let takes = self.glob.takes.get(row..row + words).unwrap_or_default();
        let (mut carried, mut left) = (0, 0);
        for ((at, takes), stars) in self.at.iter_mut().zip(takes).zip(&self.glob.stars) {
            let taken = *at & takes;
            *at = taken << 1 | carried | *at & stars;
            carried = taken >> (WORD - 1);
            left |= *at;
        }
        left != 0
    }

    /// Takes any text: only the ways at a `*` are sure to remain.
    fn stay(&mut self) -> bool {
        let mut left = 0;
        for (at, stars) in self.at.iter_mut().zip(&self.glob.stars) {
            *at &= stars;
            left |= *at;
        }
        left != 0
    }

    fn have_ended(&self) -> bool {
        let end = self.glob.end;
        self.at
            .get(end / WORD)
            .is_some_and(|word| word >> (end % WORD) & 1 != 0)
    }
}

/// What a glob consists of.
enum Part {
    Star,
    Any,
    Byte(u8),
    Class(Class),
}

impl Part {
    fn split_first(glob: &[u8]) -> Option<(Part, &[u8])> {
        Some(match glob {
            [] => return None,
            [b'*', rest @ ..] => (Part::Star, rest),
            [b'?', rest @ ..] => (Part::Any, rest),
            [b'[', rest @ ..] => {
                let (class, rest) = Class::split_first(rest);
                (Part::Class(class), rest)
            }
            [b'\\', escaped, rest @ ..] => (Part::Byte(*escaped), rest),
            [other, rest @ ..] => (Part::Byte(*other), rest),
        })
    }
}

/// A set of bytes.
#[derive(Default)]
struct Class {
    bytes: [u64; 256 / WORD],
    negated: bool,
}

impl Class {
    /// The class after a `[`, and the rest after its `]`. An unclosed class extends to the end.
    fn split_first(glob: &[u8]) -> (Class, &[u8]) {
        let (negated, mut rest) = match glob {
            [b'^', rest @ ..] => (true, rest),
            _ => (false, glob),
        };
        let mut class = Class {
            negated,
            ..Class::default()
        };
        loop {
            rest = match rest {
                [] => return (class, rest),
                [b']', rest @ ..] => return (class, rest),
                [b'\\', escaped, rest @ ..] => {
                    set(&mut class.bytes, usize::from(*escaped));
                    rest
                }
                [from, b'-', to, rest @ ..] => {
                    for byte in *from.min(to)..=*from.max(to) {
                        set(&mut class.bytes, usize::from(byte));
                    }
                    rest
                }
                [other, rest @ ..] => {
                    set(&mut class.bytes, usize::from(*other));
                    rest
                }
            };
        }
    }

    fn contains(&self, byte: u8) -> bool {
        let word = self.bytes.get(usize::from(byte) / WORD);
        let is_in = word.is_some_and(|word| word >> (usize::from(byte) % WORD) & 1 != 0);
        is_in != self.negated
    }
}

#[cfg(test)]
mod tests;
