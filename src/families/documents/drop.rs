//! KEYNS.DROP.

use super::REMOVAL;
use super::keys::{self, Members, PartKeys};
use super::layout::Words;
use super::stored::Stored;
use super::within::Within;
use crate::server::Result;
use crate::server::store::{Access, Writer};
use crate::server::{Call, ServerString};
use keyns_core::key_type::KeyType;

/// How many parts one UNLINK is about.
const PARTS_AT_ONCE: usize = 1000;

pub fn drop_document(call: &Call) -> Result<()> {
    let name = ServerString::new(call.args().required()?);
    REMOVAL.time(|| drop_named(call, name))
}

fn drop_named(call: &Call, name: ServerString) -> Result<()> {
    let store = call.store();
    keys::check_place(&store, "dockey", &name)?;
    let mut writer = Writer::new(&store)?;
    let caller = store.caller();
    let within = Within::current();
    let Some(stored) = Stored::read(&store, &caller, name, &Words::new(), &within)? else {
        call.reply().integer(0);
        return Ok(());
    };

    let mut buffer = Vec::new();
    let doc = stored.document_keys(&mut buffer);
    keys::check(&store, &caller, doc.typed(), Access::Delete)?;
    // Their keys are made twice, so that those of all parts never take memory at once.
    for part in &stored.parts {
        let part = stored.keys_of(part, &mut buffer);
        keys::check(&store, &caller, part.typed(), Access::Delete)?;
    }
    let shared = stored.shared_sets()?;
    let sets = shared.iter().map(|(set, _)| (set, KeyType::Set));
    keys::check(&store, &caller, sets, Access::Delete)?;

    let mut gone = 0;
    for (set, members) in &shared {
        if !store.exists(set) {
            continue;
        }
        match members {
            Members::Document => writer.remove_members(set, [&stored.name])?,
            Members::Parts(kind) => {
                let parts = stored.parts.iter().filter(|part| part.kind == *kind);
                writer.remove_members(set, parts.map(|part| &part.name))?
            }
        };
        gone += u64::from(!store.exists(set));
    }
    for parts in stored.parts.chunks(PARTS_AT_ONCE) {
        let parts: Vec<PartKeys> = parts
            .iter()
            .map(|part| stored.keys_of(part, &mut buffer))
            .collect();
        let keys = parts.iter().flat_map(PartKeys::typed);
        gone += writer.remove(keys.map(|(key, _)| key))?;
    }
    gone += writer.remove(doc.typed().map(|(key, _)| key))?;
    call.reply().integer(gone as i64);
    Ok(())
}
