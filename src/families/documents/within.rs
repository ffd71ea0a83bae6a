//! How much of a stored document is read: anybody may have written its keys.

use super::{MAX_DOCUMENT_BYTES, MAX_ELEMENTS};
use crate::families::naming::MAX_TEXT_BYTES;
use crate::server::config::Number;
use crate::server::store::{Bounds, Longest};
use keyns_core::documents::limits::MEMBERS_PER_ELEMENT;
use keyns_core::naming::key_name::MAX_NAME_BYTES;

/// How many fields from front matter the hash of a document may have: there are fewer tokens in it.
pub const MAX_FIELDS: usize = 10_000;

/// Whose keys they are, in errors.
pub const OWNER: &str = "a document";

/// How long a text of a stored document may be.
pub fn longest(what: &'static str, bytes: usize) -> Longest {
    Longest {
        owner: OWNER,
        what,
        bytes,
    }
}

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
        let most = |limit: &Number| limit.size().max(limit.default_size());
        let source = most(&MAX_DOCUMENT_BYTES);
        Within {
            elements: most(&MAX_ELEMENTS),
            source,
            titles: 3 * source + most(&MAX_TEXT_BYTES),
        }
    }

    /// What one of its sets may have.
    pub fn members(&self) -> Bounds {
        Bounds {
            owner: OWNER,
            members: self.elements,
            config: "keyns.max-elements",
            name_bytes: MAX_NAME_BYTES,
        }
    }

    /// How many members it may be in the sets of its tags.
    pub fn tagged(&self) -> usize {
        MEMBERS_PER_ELEMENT * self.elements
    }
}
