//! Keys for a document and its parts, old ones and new ones.

use keyns_core::key_type::KeyType;
use std::cell::RefCell;

use super::keys::{DocumentKeys, PartKeys};
use super::namer::Namer;
use super::replace::Replacement;
use super::request::Request;
use crate::server::store::{Access, Caller, Store};
use crate::server::{Error, Result, ServerString};
use keyns_core::documents::outline::{Kind, Outline};
use keyns_core::documents::slugs::Slugs;
use keyns_core::naming;
use keyns_core::naming::key_name::Prefix;

/// Finds keys for a document and its parts.
pub struct Naming<'a> {
    pub request: &'a Request<'a>,
    pub slugs: &'a Slugs,
    pub store: &'a Store<'a>,
    pub caller: &'a Caller<'a>,
    pub namer: Namer<'a>,
}

impl Naming<'_> {
    /// New names for everything.
    pub fn name_all(&mut self, outline: &Outline) -> Result<(DocumentKeys, Vec<PartKeys>)> {
        let (store, caller) = (self.store, self.caller);
        let buffer = RefCell::new(Vec::new());
        let doc = self
            .namer
            .take(&self.request.prefix, self.slugs.document(), |name| {
                let keys = DocumentKeys::of(name, &mut buffer.borrow_mut());
                Ok(is_free(store, caller, keys.typed())?.then_some(keys))
            })?;
        let parts = self.name_parts(outline, |_| None)?;
        Ok((doc, parts))
    }

    /// New names for what the old document does not have.
    pub fn name_new(
        &mut self,
        outline: &Outline,
        old: &Replacement,
    ) -> Result<(DocumentKeys, Vec<PartKeys>)> {
        let with_siblings = self.request.with_siblings;
        let parts = self.name_parts(outline, |index| old.kept_keys(index, with_siblings))?;
        Ok((old.document_keys(), parts))
    }

    fn name_parts(
        &mut self,
        outline: &Outline,
        mut known: impl FnMut(usize) -> Option<PartKeys>,
    ) -> Result<Vec<PartKeys>> {
        let (store, caller) = (self.store, self.caller);
        let with_siblings = self.request.with_siblings;
        let mut buffer = Vec::new();
        let prefixes = Kind::ALL.map(|kind| {
            let segment = kind.segment().as_bytes();
            self.request.prefix.beside(&[segment], &mut buffer).to_vec()
        });
        let prefixes = prefixes.iter().map(|prefix| Prefix::of_name(prefix));
        let prefixes = prefixes.collect::<naming::Result<Vec<Prefix>>>()?;
        let buffer = RefCell::new(buffer);
        let mut parts = Vec::with_capacity(outline.elements.len());
        for (index, (element, slug)) in outline
            .elements
            .iter()
            .zip(self.slugs.elements())
            .enumerate()
        {
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
                Ok(is_free(store, caller, keys.typed())?.then_some(keys))
            })?);
        }
        Ok(parts)
    }
}

/// Whether a name is free that these keys belong to; an error unless the caller may create them.
fn is_free<'k>(
    store: &Store,
    caller: &Caller,
    keys: impl Iterator<Item = (&'k ServerString, KeyType)>,
) -> Result<bool> {
    let mut free = true;
    for (key, wanted) in keys {
        caller.check(key, Access::Create)?;
        free &= match wanted {
            // A name that is taken is no mistake, whatever it is taken by.
            KeyType::Hash => !store.exists(key),
            _ => !store.exists_as(key, wanted)?,
        };
    }
    Ok(free)
}
