//! Keys for a document and its parts, old ones and new ones.

use std::cell::RefCell;

use super::draft::Draft;
use super::keyspace::Keyspace;
use super::layout::{DocumentKeys, PartKeys};
use super::namer::Namer;
use super::request::Request;
use crate::server::store::Access;
use crate::server::{Error, Result, ServerString};
use keyns_core::documents::outline::Kind;
use keyns_core::documents::replacement::Replacement;
use keyns_core::key_type::KeyType;
use keyns_core::naming;
use keyns_core::naming::key_name::Prefix;

/// Finds keys for a document and its parts.
pub struct Naming<'r, 'a> {
    pub request: &'r Request<'a>,
    pub draft: &'a Draft<'a>,
    pub keyspace: &'a Keyspace<'a>,
    pub namer: Namer<'a>,
}

impl Naming<'_, '_> {
    /// New names for everything.
    pub fn name_all(&mut self) -> Result<(DocumentKeys, Vec<PartKeys>)> {
        let (keyspace, slug) = (self.keyspace, self.draft.slugs.document());
        let buffer = RefCell::new(Vec::new());
        let doc = self.namer.take(&self.request.prefix, slug, |name| {
            let keys = DocumentKeys::of(name, &mut buffer.borrow_mut());
            Ok(is_free(keyspace, keys.typed())?.then_some(keys))
        })?;
        let parts = self.name_parts(|_| None)?;
        Ok((doc, parts))
    }

    /// New names for elements that the old document does not have.
    pub fn name_new(
        &mut self,
        old: &Replacement<ServerString>,
    ) -> Result<(DocumentKeys, Vec<PartKeys>)> {
        let with_siblings = self.request.with_siblings;
        let parts = self.name_parts(|index| old.kept_keys(index, with_siblings))?;
        Ok((old.stored.document_keys(&mut Vec::new()), parts))
    }

    fn name_parts(
        &mut self,
        mut known: impl FnMut(usize) -> Option<PartKeys>,
    ) -> Result<Vec<PartKeys>> {
        let (keyspace, draft) = (self.keyspace, self.draft);
        let with_siblings = self.request.with_siblings;
        let mut buffer = Vec::new();
        let prefixes = Kind::ALL.map(|kind| {
            let segment = kind.segment().as_bytes();
            self.request.prefix.beside(&[segment], &mut buffer).to_vec()
        });
        let prefixes = prefixes.iter().map(|prefix| Prefix::of_name(prefix));
        let prefixes = prefixes.collect::<naming::Result<Vec<Prefix>>>()?;
        let buffer = RefCell::new(buffer);
        let elements = &draft.outline.elements;
        let mut parts = Vec::with_capacity(elements.len());
        for (index, (element, slug)) in elements.iter().zip(draft.slugs.elements()).enumerate() {
            if let Some(keys) = known(index) {
                parts.push(keys);
                continue;
            }
            let kind = element.kind;
            let Some(prefix) = prefixes.get(kind as usize) else {
                return Err(Error::Server { call: "a prefix" });
            };
            parts.push(self.namer.take(prefix, slug, |name| {
                let keys = PartKeys::of(name, kind, with_siblings, &mut buffer.borrow_mut());
                Ok(is_free(keyspace, keys.typed())?.then_some(keys))
            })?);
        }
        Ok(parts)
    }
}

/// Whether all keys of a name are free; an error unless the caller may create them.
fn is_free<'k>(
    Keyspace { store, caller, .. }: &Keyspace,
    keys: impl Iterator<Item = (&'k ServerString, KeyType)>,
) -> Result<bool> {
    let mut free = true;
    for (key, wanted) in keys {
        caller.check(key, Access::Create)?;
        free &= match wanted {
            // A taken name is skipped, whatever type it has.
            KeyType::Hash => !store.exists(key),
            _ => !store.exists_as(key, wanted)?,
        };
    }
    Ok(free)
}
