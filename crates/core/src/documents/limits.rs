//! Limits against documents that are small, and would still take much.

use super::outline::{Kind, Outline, weight};
use super::{Error, Result};

/// How many bytes of the largest document there must be for one character of markup.
const BYTES_PER_MARKUP: usize = 4;

/// An error if the Markdown would take out of all proportion much memory to read.
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

/// How many members of sets there may be for tags and siblings, by the number of elements.
pub const MEMBERS_PER_ELEMENT: usize = 10;

/// How much the paths of all chunks may take, by the size of a document.
const PATHS_PER_DOCUMENT: usize = 16;

/// How large a document may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub document_bytes: usize,
    pub elements: usize,
    /// Children of one section that know each other.
    pub siblings: usize,
}

/// An error if what is written would be out of all proportion to the document: these are the places
/// where it is repeated.
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
