//! How much a call will write, before it does.

use super::layout::About;
use super::request::Request;
use crate::families::naming::numbering::Numbering;
use crate::server::Result;
use crate::server::store::Store;
use keyns_core::documents::Error;
use keyns_core::documents::footprint::{DIGITS, Footprint, Kept};
use keyns_core::documents::outline::Outline;
use keyns_core::documents::slugs::Slugs;

/// What a document will take. `kept` has the lengths of the names that elements have already.
pub fn of<'a>(
    request: &Request,
    outline: &'a Outline,
    slugs: &Slugs,
    about: &About,
    kept: impl Fn(usize) -> Option<usize>,
) -> Footprint<'a> {
    let scope = request.prefix.scope().map_or(0, |scope| scope.len() + 1);
    let number = request.numbers.width.max(DIGITS);
    let name = |kind: &[u8], slug: &[u8]| kind.len() + slug.len() + number + 2;
    let elements = outline.elements.iter().zip(slugs.elements()).enumerate();
    let names = elements.map(|(index, (element, slug))| {
        kept(index).unwrap_or_else(|| scope + name(element.kind.segment().as_bytes(), slug))
    });
    let document_name = match request.replace {
        Some(document) => document.len(),
        None => scope + name(request.prefix.kind(), slugs.document()),
    };
    let sets = |sets: &[Vec<u8>]| sets.iter().map(|set| scope + set.len()).collect();
    Footprint {
        outline,
        document_name,
        names: names.collect(),
        chunk_sets: sets(&about.chunk_sets),
        document_sets: sets(&about.document_sets),
        document_values: about.values_len(outline),
        with_siblings: request.with_siblings,
        with_slug_counters: request.numbers.numbering == Numbering::Slug,
    }
}

/// However short the text is, a document may take this much.
const LITTLE: usize = 32 << 20;
/// How many times its text a document may take. The densest one, of one-letter paragraphs under a
/// prefix as tenants have it, takes 900 times its text.
const TIMES_TEXT: usize = 1024;

/// What a document may take in keys.
#[derive(Clone, Copy)]
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
}

/// An error if all of the document would be more than is allowed, or what is new of it more than the
/// server has room for.
pub fn check(
    store: &Store,
    footprint: &Footprint,
    allowed: Allowed,
    is_kept: impl Fn(usize) -> bool,
    kept: &Kept,
) -> Result<()> {
    let got = footprint.total();
    if got > allowed.bytes {
        let limit = allowed.bytes;
        return Err(Error::TooMuchToWrite { limit, got }.into());
    }
    if got > allowed.for_text {
        let limit = allowed.for_text;
        return Err(Error::TooMuchForText { limit, got }.into());
    }
    store.check_room("the document", footprint.growth(is_kept, kept))
}
