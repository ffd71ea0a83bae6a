//! KEYNS.DROP.

use super::keys::{self, Members, PartKeys};
use super::layout::Words;
use super::stored::Stored;
use crate::core::Result;
use crate::server::metrics::DOCUMENT_DROP;
use crate::server::store::{Access, Type, Writer};
use crate::server::{Call, Name};

pub fn drop_document(call: &Call) -> Result<()> {
    let name = Name::new(call.args().required()?);
    DOCUMENT_DROP.time(|| drop_named(call, name))
}

fn drop_named(call: &Call, name: Name) -> Result<()> {
    let store = call.store();
    store.check_together(&name)?;
    let mut writer = Writer::new(&store)?;
    let caller = store.caller();
    let Some(stored) = Stored::read(&store, &caller, name, &Words::new())? else {
        call.reply().integer(0);
        return Ok(());
    };

    let mut buffer = Vec::new();
    let doc = stored.document_keys(&mut buffer);
    keys::check(&store, &caller, doc.typed(), Access::Delete)?;
    let mut parts: Vec<PartKeys> = Vec::with_capacity(stored.parts.len());
    for part in &stored.parts {
        let part = stored.keys_of(part, &mut buffer);
        keys::check(&store, &caller, part.typed(), Access::Delete)?;
        parts.push(part);
    }
    let shared = stored.shared_sets()?;
    let sets = shared.iter().map(|(set, _)| (set, Type::Set));
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
    let own = parts.iter().flat_map(PartKeys::typed).chain(doc.typed());
    gone += writer.remove(own.map(|(key, _)| key))?;
    call.reply().integer(gone as i64);
    Ok(())
}
