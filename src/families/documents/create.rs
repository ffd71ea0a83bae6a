//! Writing a new document.

use super::keys;
use super::keyspace::Keyspace;
use super::layout::{Below, Layout, Section};
use super::plan::Change;
use crate::server::Result;
use crate::server::store::{Access, Writer};
use keyns_core::key_type::KeyType;

/// An error unless the caller may add to all shared sets.
pub fn check_shared_sets(keyspace: &Keyspace, layout: &Layout) -> Result<()> {
    let sets = layout.shared_sets();
    let sets = sets.iter().map(|(set, _)| (set, KeyType::Set));
    keys::check(keyspace.store, &keyspace.caller, sets, Access::Create)
}

/// Writes a new document.
pub fn write_all(layout: &Layout, writer: &mut Writer) -> Result<Change> {
    let mut keys = 1 + layout.parts.len() as u64;
    let fields = layout.document_fields();
    writer.set_fields(
        &layout.doc.own,
        fields.iter().map(|(field, value)| (field, value)),
    )?;
    layout.for_each_part(|_, part, fields| {
        let fields = fields.iter().map(|(field, value)| (*field, value.get()));
        writer.set_fields(&part.own, fields)
    })?;
    for section in layout.sections().filter(|section| !section.run.is_empty()) {
        let Below {
            children,
            descendants,
            sequence,
        } = section.below;
        writer.add_members(children, layout.children(&section))?;
        writer.add_members(descendants, layout.names(&section.run))?;
        writer.set_scores(sequence, layout.positions(&section.run))?;
        keys += 3;
        keys += write_siblings(layout, &section, writer)?;
    }
    writer.set_strings(layout.neighbours())?;
    keys += layout.neighbours().count() as u64;
    for (set, members) in layout.shared_sets() {
        writer.add_members(&set, layout.members(members))?;
        keys += 1;
    }
    Ok(Change {
        keys,
        ..Change::default()
    })
}

/// Writes the sets of siblings of a section, if the call asks for them.
fn write_siblings(layout: &Layout, section: &Section, writer: &mut Writer) -> Result<u64> {
    let mut keys = 0;
    for (key, siblings) in layout.siblings(section) {
        writer.add_members(key, siblings)?;
        keys += 1;
    }
    Ok(keys)
}
