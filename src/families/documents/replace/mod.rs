//! Replacing a stored document: unchanged elements keep their keys, and only differences are written.

mod check;
mod write;

use super::keyspace::Keyspace;
use super::layout::PartKeys;
use super::stored;
use super::within::Within;
use crate::server::store::Access;
use crate::server::{Result, ServerString};
use keyns_core::documents::about::About;
use keyns_core::documents::footprint::{Footprint, Kept};
use keyns_core::documents::items::new_items;
use keyns_core::documents::outline::{Kind, Outline};
use keyns_core::documents::replacement::Replacement;
use keyns_core::documents::stored::not_a_document;

/// The document to be replaced.
pub struct Predecessor<'a> {
    keyspace: &'a Keyspace<'a>,
    pub replacement: Replacement<ServerString>,
    within: Within,
}

impl<'a> Predecessor<'a> {
    /// Reads the document, which must exist, and compares it with the new outline.
    pub fn find(
        keyspace: &'a Keyspace<'a>,
        doc: &[u8],
        outline: &Outline,
        source: &[u8],
    ) -> Result<Predecessor<'a>> {
        let name = ServerString::new(doc);
        keyspace.caller.check(&name, Access::Update)?;
        let within = Within::current();
        let stored = stored::read(keyspace, name, &within)?.ok_or_else(|| not_a_document(doc))?;
        let old = stored::items(keyspace, &stored)?;
        Ok(Predecessor {
            replacement: Replacement::new(stored, &old, &new_items(outline, source)),
            keyspace,
            within,
        })
    }

    /// The length of an element's name, if the element existed before.
    pub fn name_len(&self, index: usize) -> Option<usize> {
        let part = self.replacement.old(index)?;
        Some(part.name.as_bytes().len())
    }

    /// How much of a footprint is new. Only existing keys count, not what the document's fields claim:
    /// anybody may have written them.
    pub fn growth(&self, footprint: &Footprint, about: &About) -> Result<usize> {
        let kept = Kept {
            chunk_sets: self.kept_chunk_sets(about)?,
            sibling_members: self.sibling_members(),
        };
        Ok(footprint.growth(|index| self.replacement.is_kept(index), &kept))
    }

    /// How many of the sets of chunks exist already, with enough members.
    fn kept_chunk_sets(&self, about: &About) -> Result<usize> {
        let stored = &self.replacement.stored;
        let prefix = stored.prefix()?;
        let chunks = stored.count(Kind::Chunk);
        let mut buffer = Vec::new();
        let mut is_there = |set: &Vec<u8>| {
            let key = ServerString::new(prefix.beside(&[set], &mut buffer));
            stored.sets.contains(set) && self.keyspace.store.len_of(&key) >= chunks
        };
        Ok(about.chunk_sets.iter().filter(|set| is_there(set)).count())
    }

    /// The number of members in the sibling sets of elements that stay.
    fn sibling_members(&self) -> usize {
        if !self.replacement.stored.has_siblings {
            return 0;
        }
        let mut buffer = Vec::new();
        let members = self.replacement.kept().map(|part| {
            let key = PartKeys::siblings_of(part.name.as_bytes(), &mut buffer);
            self.keyspace.store.len_of(&key)
        });
        members.sum()
    }
}
