//! Turning a stored document into the new one by writing the differences.

use std::collections::HashSet;

use super::super::layout::{Below, Fields, Layout, Section};
use super::super::plan::Change;
use super::Predecessor;
use crate::server::store::{Bounds, Writer};
use crate::server::{Result, ServerString};
use keyns_core::documents::difference::{self, Difference};

impl Predecessor<'_> {
    /// Turns the stored document into the new one.
    pub fn write(&self, layout: &Layout, writer: &mut Writer) -> Result<Change> {
        let replacement = &self.replacement;
        replacement.for_stale_keys(layout, |stale| {
            writer.remove(stale.iter().map(|(key, _)| key)).map(drop)
        })?;
        let mut keys = self.write_document(layout, writer)?;
        layout.for_each_part(|index, part, fields| {
            let written = match replacement.is_kept(index) {
                true => self.change_fields(&part.own, fields, writer),
                false => write_fields(&part.own, fields, writer),
            };
            written.map(|written| keys += written)
        })?;
        for section in layout.sections() {
            keys += self.change_section(layout, &section, writer)?;
        }
        keys += self.change_neighbours(layout, writer)?;
        keys += self.change_shared_sets(layout, writer)?;
        let kept = replacement.kept().count();
        Ok(Change {
            keys,
            kept,
            added: layout.parts.len() - kept,
            removed: replacement.stored.parts.len() - kept,
        })
    }

    fn write_document(&self, layout: &Layout, writer: &mut Writer) -> Result<u64> {
        let doc = &layout.doc.own;
        let fields = layout.document_fields();
        let stale = self.stale_fields(layout)?;
        let stored = self.keyspace.store.fields(doc)?;
        let fields = fields.iter().map(|(field, value)| (field, value));
        let missing = difference::changed_fields(fields, |field| stored.as_ref()?.get(field));
        drop(stored);
        let stale = stale.iter().collect();
        write_difference(doc, Difference { missing, stale }, writer)
    }

    /// Changes the fields of an element that differ, and removes those it no longer has.
    fn change_fields(
        &self,
        key: &ServerString,
        fields: &Fields,
        writer: &mut Writer,
    ) -> Result<u64> {
        let Some(stored) = self.keyspace.store.fields(key)? else {
            // Its hash is lost, but the name still belongs to it.
            return write_fields(key, fields, writer);
        };
        let wanted = fields.iter().map(|(field, value)| (*field, value.get()));
        let missing = difference::changed_fields(wanted, |field| stored.get(field));
        let is_new = |field: &ServerString| {
            let mut fields = fields.iter();
            fields.any(|(new, _)| new.as_bytes() == field.as_bytes())
        };
        let optional = self.keyspace.words.optional().into_iter();
        let stale = optional
            .filter(|field| !is_new(field) && stored.get(field).is_some())
            .collect();
        drop(stored);
        write_difference(key, Difference { missing, stale }, writer)
    }

    fn change_section(
        &self,
        layout: &Layout,
        section: &Section,
        writer: &mut Writer,
    ) -> Result<u64> {
        let Below {
            children,
            descendants,
            sequence,
        } = section.below;
        let mut keys = self.change_set(children, layout.children(section), writer)?;
        keys += self.change_set(descendants, layout.names(&section.run), writer)?;
        keys += self.change_sequence(sequence, layout, section, writer)?;
        for (key, siblings) in layout.siblings(section) {
            keys += self.change_set(key, siblings, writer)?;
        }
        // An only child has no siblings.
        if let Some(key) = layout.without_siblings(section) {
            keys += self.change_set(key, std::iter::empty(), writer)?;
        }
        Ok(keys)
    }

    /// Gives one of the document's own sets exactly these members.
    fn change_set<'n>(
        &self,
        key: &ServerString,
        members: impl Iterator<Item = &'n ServerString>,
        writer: &mut Writer,
    ) -> Result<u64> {
        let stored = self.keyspace.store.members(key, &Bounds::CHECKED)?;
        let change = difference::of_members(&stored, members);
        // Add before removing: an empty set would be deleted for a moment.
        writer.add_members(key, change.missing.iter().copied())?;
        writer.remove_members(key, change.stale.iter().copied())?;
        let is_left = stored.len() + change.missing.len() > change.stale.len();
        Ok(u64::from(is_left && !change.is_empty()))
    }

    fn change_sequence(
        &self,
        key: &ServerString,
        layout: &Layout,
        section: &Section,
        writer: &mut Writer,
    ) -> Result<u64> {
        let store = self.keyspace.store;
        let stored = store.members_in_order(key, &Bounds::CHECKED)?;
        let scores = section.run.clone().map(|index| index + 1).rev();
        let wanted = layout.positions(&section.run).zip(scores);
        let change = difference::of_scores(&stored, wanted);
        writer.set_scores(key, change.missing.iter().copied())?;
        writer.remove_scores(key, change.stale.iter().copied())?;
        let is_left = !section.run.is_empty();
        Ok(u64::from(is_left && !change.is_empty()))
    }

    fn change_neighbours(&self, layout: &Layout, writer: &mut Writer) -> Result<u64> {
        let store = self.keyspace.store;
        // Read the value only if it has the right length.
        let has_len = |(key, value): &(&ServerString, &ServerString)| {
            store.string_len(key) == Some(value.as_bytes().len())
        };
        let (alike, mut changed): (Vec<_>, Vec<_>) = layout.neighbours().partition(has_len);
        let keys: Vec<&ServerString> = alike.iter().map(|(key, _)| *key).collect();
        let stored = store.strings(&keys)?;
        let alike = alike.into_iter().zip(&stored);
        let differing =
            alike.filter(|((_, value), stored)| difference::differs(stored.as_ref(), *value));
        changed.extend(differing.map(|(pair, _)| pair));
        writer.set_strings(changed.iter().copied())?;
        writer.remove(layout.ends().filter(|key| store.exists(key)))?;
        Ok(changed.len() as u64)
    }

    /// Adds the document's members to the shared sets, and removes those that it no longer has.
    fn change_shared_sets(&self, layout: &Layout, writer: &mut Writer) -> Result<u64> {
        let new = layout.shared_sets();
        let mut changed: HashSet<&[u8]> = HashSet::new();
        for (set, members) in &new {
            if writer.add_members(set, layout.members(*members))? > 0 {
                changed.insert(set.as_bytes());
            }
        }
        let parts = layout.parts.iter();
        let names: HashSet<&[u8]> = parts.map(|part| part.own.as_bytes()).collect();
        let old = self.replacement.stored.shared_sets()?;
        for (set, members) in &old {
            let stays = new.iter().any(|(new, _)| new.as_bytes() == set.as_bytes());
            let leaving = self.replacement.leaving(*members, stays, &names);
            if writer.remove_members(set, leaving)? > 0 && self.keyspace.store.exists(set) {
                changed.insert(set.as_bytes());
            }
        }
        Ok(changed.len() as u64)
    }
}

/// Writes a new hash.
fn write_fields(key: &ServerString, fields: &Fields, writer: &mut Writer) -> Result<u64> {
    let fields = fields.iter().map(|(field, value)| (*field, value.get()));
    writer.set_fields(key, fields)?;
    Ok(1)
}

/// Writes the differences of a hash.
fn write_difference(
    key: &ServerString,
    change: Difference<(&ServerString, &ServerString), &ServerString>,
    writer: &mut Writer,
) -> Result<u64> {
    writer.set_fields(key, change.missing.iter().copied())?;
    writer.remove_fields(key, change.stale.iter().copied())?;
    Ok(u64::from(!change.is_empty()))
}
