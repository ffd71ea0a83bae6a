//! The layout of a document in the server's own strings. Each name is created once, and passed to every
//! command that uses it.

use crate::server::ServerString;
use keyns_core::documents::{fields, keys, layout, stored};

impl keyns_core::documents::text::Text for ServerString {
    fn of(bytes: &[u8]) -> ServerString {
        ServerString::new(bytes)
    }

    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

pub type Words = fields::Words<ServerString>;
pub type Fields<'n> = fields::Fields<'n, ServerString>;
pub type Below = keys::Below<ServerString>;
pub type DocumentKeys = keys::DocumentKeys<ServerString>;
pub type PartKeys = keys::PartKeys<ServerString>;
pub type Layout<'a> = layout::Layout<'a, ServerString>;
pub type Section<'n> = layout::Section<'n, ServerString>;
pub type Stored = stored::Stored<ServerString>;
pub type StoredPart = stored::StoredPart<ServerString>;
