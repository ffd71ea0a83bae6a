//! The sets that documents share, so that one can be found by what it is or what it is about.
//!
//! ```text
//! {acme}:level:doc:chunks        every document of the prefix {acme}:doc
//! {acme}:level:ch:chunks         every chapter in the scope; the same for para, subpara and chunk
//! {acme}:category:risk:docs      documents, by the categories of their front matter
//! {acme}:author:ada:docs         documents, by their authors
//! {acme}:tag:hedge:chunks        chunks, by the tags of their documents
//! ```
//!
//! A document keeps the last three in its field `_sets`, without their scope, so that it can leave them
//! when its front matter is long gone. Anybody may have written that field: only what can be such a set
//! is believed.

use std::collections::BTreeSet;

use super::front_matter::MAX_LABELS;
use super::outline::Kind;
use super::text::Text;
use super::{Error, Result};
use crate::naming::key_name::Prefix;
use crate::naming::slug::{MAX_MAX_LEN, is_slug};

/// How many of these sets a document may be in by its front matter: categories, authors and tags.
pub const MAX_SETS: usize = 3 * MAX_LABELS;

/// How long the field is that names them: `category:<slug>:docs` and a space for each.
pub const MAX_SETS_BYTES: usize = MAX_SETS * ("category::docs ".len() + MAX_MAX_LEN);

/// Who of a document is in such a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Document,
    Parts(Kind),
}

/// The sets that a document shares with others, and who of it is in them: the level of each kind it
/// has, and those of its front matter, which are given without their scope.
pub fn shared_sets<S: Text>(
    prefix: &Prefix,
    has: impl Fn(Kind) -> bool,
    of_front_matter: &[Vec<u8>],
) -> Vec<(S, Members)> {
    let mut buffer = Vec::new();
    let mut set =
        |segments: &[&[u8]], members| (S::of(prefix.beside(segments, &mut buffer)), members);
    let of_documents = [b"level", prefix.kind(), b"chunks"];
    let mut sets = vec![set(&of_documents, Members::Document)];
    for kind in Kind::ALL.into_iter().filter(|&kind| has(kind)) {
        let segment = kind.segment().as_bytes();
        sets.push(set(&[b"level", segment, b"chunks"], Members::Parts(kind)));
    }
    for segments in of_front_matter {
        match is_of_chunks(segments) {
            false => sets.push(set(&[segments], Members::Document)),
            true if has(Kind::Chunk) => sets.push(set(&[segments], Members::Parts(Kind::Chunk))),
            true => {}
        }
    }
    sets
}

/// Whether the chunks of a document are in this set, and not the document.
pub fn is_of_chunks(set: &[u8]) -> bool {
    set.ends_with(b":chunks")
}

/// The sets that a document says it is in, each once. What is no such set is left out: it may be any
/// key, one that is about to be written too.
pub fn read_sets(document: &[u8], field: &[u8]) -> Result<Vec<Vec<u8>>> {
    let sets: BTreeSet<&[u8]> = field
        .split(|&b| b == b' ')
        .filter(|set| is_set(set))
        .collect();
    match sets.len() {
        0..=MAX_SETS => Ok(sets.into_iter().map(<[u8]>::to_vec).collect()),
        got => Err(Error::StoredSets {
            key: document.to_vec(),
            limit: MAX_SETS,
            got,
        }),
    }
}

/// Whether a document can be in this set by its front matter.
fn is_set(name: &[u8]) -> bool {
    let mut segments = name.split(|&b| b == b':');
    let mut next = || segments.next().unwrap_or_default();
    let (family, slug, members) = (next(), next(), next());
    let is_known = match family {
        b"category" | b"author" => members == b"docs",
        b"tag" => members == b"chunks",
        _ => false,
    };
    is_known && is_slug(slug) && slug.len() <= MAX_MAX_LEN && segments.next().is_none()
}
