//! How much a call will write, before it does.

use super::about::About;
use super::footprint::{DIGITS, Footprint};
use super::outline::Outline;
use super::slugs::Slugs;
use super::{Error, Result};
use crate::naming::key_name::Prefix;

/// What makes names as long as they will be.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    pub prefix: Prefix<'a>,
    /// The document that is there already, in whose place the new one comes.
    pub document: Option<&'a [u8]>,
    /// To how many digits numbers are padded.
    pub width: usize,
    pub with_slug_counters: bool,
}

/// What a document will take. `kept` has the lengths of the names that elements have already.
pub fn footprint<'a>(
    naming: Naming,
    outline: &'a Outline,
    slugs: &Slugs,
    about: &About,
    kept: impl Fn(usize) -> Option<usize>,
) -> Footprint<'a> {
    let scope = naming.prefix.scope().map_or(0, |scope| scope.len() + 1);
    let number = naming.width.max(DIGITS);
    let name = |kind: &[u8], slug: &[u8]| scope + kind.len() + slug.len() + number + 2;
    let elements = outline.elements.iter().zip(slugs.elements()).enumerate();
    let names = elements.map(|(index, (element, slug))| {
        kept(index).unwrap_or_else(|| name(element.kind.segment().as_bytes(), slug))
    });
    let document_name = match naming.document {
        Some(document) => document.len(),
        None => name(naming.prefix.kind(), slugs.document()),
    };
    let sets = |sets: &[Vec<u8>]| sets.iter().map(|set| scope + set.len()).collect();
    Footprint {
        outline,
        document_name,
        names: names.collect(),
        chunk_sets: sets(&about.chunk_sets),
        document_sets: sets(&about.document_sets),
        document_values: about.values_len(outline),
        with_siblings: about.with_siblings,
        with_slug_counters: naming.with_slug_counters,
    }
}

/// However short the text is, a document may take this much.
const LITTLE: usize = 32 << 20;
/// How many times its text a document may take. The densest one, of one-letter paragraphs under a
/// prefix as tenants have it, takes 900 times its text.
const TIMES_TEXT: usize = 1024;

/// What a document may take in keys.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// By the settings.
    bytes: usize,
    /// By its text: a few kilobytes are not to take the memory of a library.
    for_text: usize,
}

impl Allowed {
    pub fn new(bytes: usize, markdown: &[u8]) -> Allowed {
        Allowed {
            bytes,
            for_text: markdown.len().saturating_mul(TIMES_TEXT).max(LITTLE),
        }
    }

    /// What all of a document takes; an error if that is more.
    pub fn check(&self, footprint: &Footprint) -> Result<usize> {
        let all = footprint.total();
        self.check_bytes(all)?;
        Ok(all)
    }

    fn check_bytes(&self, got: usize) -> Result<()> {
        if got > self.bytes {
            let limit = self.bytes;
            return Err(Error::TooMuchToWrite { limit, got });
        }
        if got > self.for_text {
            let limit = self.for_text;
            return Err(Error::TooMuchForText { limit, got });
        }
        Ok(())
    }
}
