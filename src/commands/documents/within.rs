//! How much of a stored document is read: anybody may have written its keys.

use super::limits::MEMBERS_PER_ELEMENT;
use crate::core::front_matter::MAX_LABELS;
use crate::core::key_name::MAX_NAME_BYTES;
use crate::core::slug::MAX_MAX_LEN;
use crate::server::config::{self, DEFAULT_DOCUMENT_BYTES, DEFAULT_ELEMENTS, DEFAULT_TEXT_BYTES};
use crate::server::store::Bounds;

/// How many shared sets a document may be in by its front matter: categories, authors and tags.
pub const MAX_SETS: usize = 3 * MAX_LABELS;

/// How long the field is that names them: `category:<slug>:docs` and a space for each.
pub const MAX_SETS_BYTES: usize = MAX_SETS * ("category::docs ".len() + MAX_MAX_LEN);

/// How many fields from front matter the hash of a document may have: there are fewer tokens in it.
pub const MAX_FIELDS: usize = 10_000;

/// What a stored document may have: as much as a new one, and as much as a new one by default.
/// So whoever lowers a limit can still read and drop what was written before. What was written under
/// a limit above the default needs that limit.
#[derive(Clone, Copy)]
pub struct Within {
    elements: usize,
    /// The bytes of its Markdown.
    pub source: usize,
    /// The bytes of all its titles. In one of a heading, a NUL has become a U+FFFD of three bytes.
    pub titles: usize,
}

impl Within {
    pub fn current() -> Within {
        let settings = config::current();
        let source = settings.max_document_bytes.max(DEFAULT_DOCUMENT_BYTES);
        Within {
            elements: settings.max_elements.max(DEFAULT_ELEMENTS),
            source,
            titles: 3 * source + settings.max_text_bytes.max(DEFAULT_TEXT_BYTES),
        }
    }

    /// What one of its sets may have.
    pub fn members(&self) -> Bounds {
        Bounds {
            members: self.elements,
            name_bytes: MAX_NAME_BYTES,
        }
    }

    /// How many members it may be in the sets of its tags.
    pub fn tagged(&self) -> usize {
        MEMBERS_PER_ELEMENT * self.elements
    }
}
