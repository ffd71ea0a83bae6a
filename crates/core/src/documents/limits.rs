//! Limits for small documents that would take far more memory than their text.

use super::outline::{Kind, Outline, weight};
use super::{Error, Result};

/// The bytes of the largest allowed document for each markup character.
const BYTES_PER_MARKUP: usize = 4;

/// An error if parsing the Markdown would take too much memory.
pub fn check_markup(markdown: &[u8], max_document: usize) -> Result<()> {
    let limit = max_document / BYTES_PER_MARKUP;
    if markdown.len() <= limit {
        return Ok(());
    }
    match weight::markup(markdown) {
        got if got > limit => Err(Error::TooMuchMarkup { limit, got }),
        _ => Ok(()),
    }
}

/// The most set members for tags and siblings, per allowed element.
pub const MEMBERS_PER_ELEMENT: usize = 10;

/// The most bytes of all paths, per allowed byte of a document.
const PATHS_PER_DOCUMENT: usize = 16;

/// How large a document may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub document_bytes: usize,
    pub elements: usize,
    /// The most children of a section with sets of siblings.
    pub siblings: usize,
}

/// An error if the parts of a document that are stored repeatedly would take too much memory.
pub fn check_weight(
    outline: &Outline,
    tags: usize,
    with_siblings: bool,
    limits: Limits,
) -> Result<()> {
    let chunks = outline.elements.iter().filter(|e| e.kind == Kind::Chunk);
    let mut members = tags * chunks.count();
    if with_siblings {
        let children = outline.children();
        if let Some(&got) = children.iter().max()
            && got > limits.siblings
        {
            let limit = limits.siblings;
            return Err(Error::TooManySiblings { limit, got });
        }
        members += children.iter().map(|count| count * count).sum::<usize>();
    }
    let limit = MEMBERS_PER_ELEMENT * limits.elements;
    if members > limit {
        let got = members;
        return Err(Error::TooManyMembers { limit, got });
    }
    let got = outline.paths_len();
    let limit = PATHS_PER_DOCUMENT * limits.document_bytes;
    if got > limit {
        return Err(Error::PathsTooLong { limit, got });
    }
    Ok(())
}
