//! Checks whether the caller may change everything that a replacement changes.

use std::collections::HashSet;

use super::super::keys;
use super::super::layout::Layout;
use super::super::within::MAX_FIELDS;
use super::Predecessor;
use crate::server::store::Access;
use crate::server::{Result, ServerString};
use keyns_core::documents::Error;
use keyns_core::documents::fields::is_ours;
use keyns_core::key_type::KeyType;

impl Predecessor<'_> {
    /// An error unless the caller may make every change.
    pub fn check(&self, layout: &Layout) -> Result<()> {
        self.check_kept(layout.doc.typed())?;
        for (index, keys) in layout.parts.iter().enumerate() {
            if self.replacement.is_kept(index) {
                self.check_kept(keys.typed())?;
            }
        }
        self.replacement.for_stale_keys(layout, |stale| {
            let stale = stale.iter().map(|(key, kind)| (key, *kind));
            self.check_access(stale, Access::Delete)
        })?;
        let sets = self.replacement.stored.shared_sets()?;
        let sets = sets.iter().map(|(set, _)| (set, KeyType::Set));
        self.check_access(sets, Access::Delete)?;
        match self.stale_fields(layout)?.len() {
            got if got > MAX_FIELDS => Err(Error::StoredFields {
                key: layout.doc.own.as_bytes().to_vec(),
                limit: MAX_FIELDS,
                got,
            }
            .into()),
            _ => Ok(()),
        }
    }

    fn check_access<'k>(
        &self,
        keys: impl Iterator<Item = (&'k ServerString, KeyType)>,
        access: Access,
    ) -> Result<()> {
        keys::check(self.keyspace.store, &self.keyspace.caller, keys, access)
    }

    /// An error unless the caller may change the keys that stay, and none of those to be read has more
    /// members than any document's.
    fn check_kept<'k>(
        &self,
        keys: impl Iterator<Item = (&'k ServerString, KeyType)> + Clone,
    ) -> Result<()> {
        self.check_access(keys.clone(), Access::Update)?;
        for (key, kind) in keys {
            if matches!(kind, KeyType::Set | KeyType::SortedSet) {
                let store = self.keyspace.store;
                store.check_members(key, &self.within.members())?;
            }
        }
        Ok(())
    }

    /// The module's fields in the document's hash that the new text no longer has.
    pub(super) fn stale_fields(&self, layout: &Layout) -> Result<Vec<ServerString>> {
        let fields = layout.document_fields();
        let names: HashSet<&[u8]> = fields.iter().map(|(field, _)| field.as_bytes()).collect();
        let is_stale = |old: &[u8]| is_ours(old) && !names.contains(old);
        let store = self.keyspace.store;
        store.field_names_that(&layout.doc.own, MAX_FIELDS, is_stale)
    }
}
