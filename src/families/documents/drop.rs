//! KEYNS.DROP.

use super::REMOVAL;
use super::keys;
use super::keyspace::Keyspace;
use super::layout::{PartKeys, Stored};
use super::stored;
use super::within::Within;
use crate::server::Result;
use crate::server::store::{Access, Writer};
use crate::server::{Call, ServerString};
use keyns_core::key_type::KeyType;

/// How many parts one UNLINK removes.
const PARTS_AT_ONCE: usize = 1000;

pub fn drop_document(call: &Call) -> Result<()> {
    let name = ServerString::new(call.args().required()?);
    REMOVAL.time(|| drop_named(call, name))
}

fn drop_named(call: &Call, name: ServerString) -> Result<()> {
    let store = call.store();
    keys::check_place(&store, "dockey", &name)?;
    let mut writer = Writer::new(&store)?;
    let keyspace = Keyspace::of(&store);
    let gone = match stored::read(&keyspace, name, &Within::current())? {
        None => 0,
        Some(stored) => {
            check(&keyspace, &stored)?;
            remove(&keyspace, &stored, &mut writer)?
        }
    };
    call.reply().integer(gone as i64);
    Ok(())
}

/// An error unless the caller may remove everything.
fn check(keyspace: &Keyspace, stored: &Stored) -> Result<()> {
    let Keyspace { store, caller, .. } = keyspace;
    let mut buffer = Vec::new();
    let doc = stored.document_keys(&mut buffer);
    keys::check(store, caller, doc.typed(), Access::Delete)?;
    // The keys are built here and again for the removal, so those of all parts never take memory at once.
    for part in &stored.parts {
        let part = stored.keys_of(part, &mut buffer);
        keys::check(store, caller, part.typed(), Access::Delete)?;
    }
    let sets = stored.shared_sets()?;
    let sets = sets.iter().map(|(set, _)| (set, KeyType::Set));
    keys::check(store, caller, sets, Access::Delete)
}

/// Removes everything, and returns the number of removed keys.
fn remove(keyspace: &Keyspace, stored: &Stored, writer: &mut Writer) -> Result<u64> {
    let store = keyspace.store;
    let mut gone = 0;
    for (set, members) in &stored.shared_sets()? {
        if store.exists(set) {
            writer.remove_members(set, stored.members(*members))?;
            gone += u64::from(!store.exists(set));
        }
    }
    let mut buffer = Vec::new();
    for parts in stored.parts.chunks(PARTS_AT_ONCE) {
        let parts = parts.iter();
        let parts: Vec<PartKeys> = parts
            .map(|part| stored.keys_of(part, &mut buffer))
            .collect();
        let keys = parts.iter().flat_map(PartKeys::typed);
        gone += writer.remove(keys.map(|(key, _)| key))?;
    }
    let doc = stored.document_keys(&mut buffer);
    gone += writer.remove(doc.typed().map(|(key, _)| key))?;
    Ok(gone)
}
