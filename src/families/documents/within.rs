//! Limits for reading a stored document, since anybody may have written its keys.

use super::{MAX_DOCUMENT_BYTES, MAX_ELEMENTS};
use crate::families::naming::MAX_TEXT_BYTES;
use crate::server::config::Number;
use crate::server::store::{Bounds, Longest};
use keyns_core::documents::limits::MEMBERS_PER_ELEMENT;
use keyns_core::naming::key_name::MAX_NAME_BYTES;

/// How many fields from front matter the hash of a document may have: there are fewer tokens in it.
pub const MAX_FIELDS: usize = 10_000;

/// What errors call the owner of the keys.
pub const OWNER: &str = "a document";

/// How long a text of a stored document may be.
pub fn longest(what: &'static str, bytes: usize) -> Longest {
    Longest {
        owner: OWNER,
        what,
        bytes,
    }
}

/// The limits for a stored document: those for a new one, but at least their defaults. After lowering a
/// limit you can still read and drop older documents. A document written under a higher limit needs
/// that limit.
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

    /// The most members of one of its sets.
    pub fn members(&self) -> Bounds {
        Bounds {
            owner: OWNER,
            members: self.elements,
            config: "keyns.max-elements",
            name_bytes: MAX_NAME_BYTES,
        }
    }

    /// The most members it may have in the sets of its tags.
    pub fn tagged(&self) -> usize {
        MEMBERS_PER_ELEMENT * self.elements
    }
}
