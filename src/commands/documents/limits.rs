//! Limits against documents that are small, and would still take much.

use super::request::Request;
use crate::core::outline::{Kind, Outline, weight};
use crate::core::{Error, Result};
use crate::server::config::Settings;

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

/// An error if what is written would be out of all proportion to the document: these are the places
/// where it is repeated.
pub fn check_weight(
    request: &Request,
    outline: &Outline,
    tags: usize,
    settings: &Settings,
) -> Result<()> {
    let chunks = outline.elements.iter().filter(|e| e.kind == Kind::Chunk);
    let mut members = tags * chunks.count();
    if request.with_siblings {
        let children = outline.children();
        if let Some(&got) = children.iter().max()
            && got > settings.max_siblings
        {
            let limit = settings.max_siblings;
            return Err(Error::TooManySiblings { limit, got });
        }
        members += children.iter().map(|count| count * count).sum::<usize>();
    }
    let limit = MEMBERS_PER_ELEMENT * settings.max_elements;
    if members > limit {
        let got = members;
        return Err(Error::TooManyMembers { limit, got });
    }
    let got = outline.paths_len();
    let limit = PATHS_PER_DOCUMENT * settings.max_document_bytes;
    if got > limit {
        return Err(Error::PathsTooLong { limit, got });
    }
    Ok(())
}
