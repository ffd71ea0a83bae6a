//! The kinds of keys that an application has.

use std::ffi::CStr;

use super::{Error, Result};

/// The kinds that keys may have; an empty list allows every kind.
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

    /// Whether keys may have this kind.
    pub fn knows(&self, kind: &[u8]) -> bool {
        match self.0.as_slice() {
            [] => is_kind(kind),
            known => known.iter().any(|name| name == kind),
        }
    }

    /// The known kind that `kind` most likely means: itself, one it starts with (`document`), or
    /// one that differs in a single letter (`dox`).
    pub fn nearest(&self, kind: &[u8]) -> Option<&[u8]> {
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

/// Whether a kind can have this name.
pub fn is_kind(kind: &[u8]) -> bool {
    kind.first().is_some_and(u8::is_ascii_lowercase)
        && kind
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether `a` and `b` differ by one letter: added, missing or replaced.
pub fn differs_by_one(a: &[u8], b: &[u8]) -> bool {
    let same_start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let a = a.get(same_start..).unwrap_or_default();
    let b = b.get(same_start..).unwrap_or_default();
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Equal => !a.is_empty() && a.get(1..) == b.get(1..),
        std::cmp::Ordering::Less => b.get(1..) == Some(a),
        std::cmp::Ordering::Greater => a.get(1..) == Some(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_can_be_chosen() {
        let kinds = Kinds::parse(b" article  page\n").unwrap();
        assert!(kinds.knows(b"page") && kinds.knows(b"article"));
        assert!(!kinds.knows(b"doc"));
        let any = Kinds::parse(b"").unwrap();
        assert!(any.knows(b"anything"));
        assert!(!any.knows(b"7up") && !any.knows(b"Doc") && !any.knows(b""));
        assert!(Kinds::parse(b"doc Page").is_err());
    }

    #[test]
    fn the_nearest_kind_starts_alike_or_is_one_letter_off() {
        let kinds = Kinds::default();
        for (kind, nearest) in [
            ("document", Some("doc")),
            ("chunks", Some("chunk")),
            ("subparagraph", Some("subpara")),
            ("dox", Some("doc")),
            ("docc", Some("doc")),
            ("dc", Some("doc")),
            ("chnk", Some("chunk")),
            ("user", None),
            ("", None),
        ] {
            let found = kinds.nearest(kind.as_bytes());
            assert_eq!(found, nearest.map(str::as_bytes), "{kind}");
        }
    }
}
