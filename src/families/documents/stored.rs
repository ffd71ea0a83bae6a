//! Reading a stored document. Anybody may have written its keys, so what is read is checked.

use std::collections::{HashMap, HashSet};

use super::keys;
use super::keyspace::Keyspace;
use super::layout::{Below, Stored, StoredPart, Words};
use super::within::{Within, longest};
use crate::server::store::{Access, Fields, Store};
use crate::server::{Result, ServerString};
use keyns_core::documents::fields::{DOCUMENT, SETS, SIBLINGS};
use keyns_core::documents::items;
use keyns_core::documents::matching::Item;
use keyns_core::documents::outline::Kind;
use keyns_core::documents::shared_sets::{MAX_SETS_BYTES, read_sets};
use keyns_core::documents::stored::{kind_of_part, not_a_document};
use keyns_core::key_type::KeyType;

/// Reads a document, `None` if nothing of it exists. If only its hash is lost, its sets are unknown,
/// and its parts may have siblings.
pub fn read(keyspace: &Keyspace, name: ServerString, within: &Within) -> Result<Option<Stored>> {
    let (mut sets, mut has_siblings) = (Vec::new(), true);
    let document = document_fields(keyspace.store, &name, &keyspace.words)?;
    let is_there = document.is_some();
    if let Some(document) = &document {
        sets = own_sets(&name, document)?;
        let siblings = ServerString::new(SIBLINGS.as_bytes());
        has_siblings = document.get(&siblings).is_some();
    }
    drop(document);
    let parts = parts(keyspace, &name, within)?;
    if !is_there && parts.is_empty() {
        return Ok(None);
    }
    let stored = Stored {
        parts,
        name,
        sets,
        has_siblings,
    };
    stored.check_tagged(within.tagged())?;
    Ok(Some(stored))
}

/// The shared sets that the document's hash names.
fn own_sets(doc: &ServerString, document: &Fields) -> Result<Vec<Vec<u8>>> {
    let field = ServerString::new(SETS.as_bytes());
    let sets = document.get_within(&field, longest("a field _sets", MAX_SETS_BYTES))?;
    let sets = sets.as_ref().map(ServerString::as_bytes);
    Ok(read_sets(doc.as_bytes(), sets.unwrap_or_default())?)
}

/// The fields of a document's hash, `None` if there is no such key.
pub fn document_fields<'s>(
    store: &'s Store,
    name: &'s ServerString,
    words: &Words,
) -> Result<Option<Fields<'s>>> {
    let Some(fields) = store.fields(name)? else {
        return Ok(None);
    };
    match fields.get(&words.kind) {
        Some(kind) if kind.as_bytes() == DOCUMENT => Ok(Some(fields)),
        _ => Err(not_a_document(name.as_bytes()).into()),
    }
}

/// The parts of a document in sequence, then those missing from its sequence. Foreign members are
/// left out.
fn parts(keyspace: &Keyspace, doc: &ServerString, within: &Within) -> Result<Vec<StoredPart>> {
    let Keyspace {
        store,
        caller,
        words,
    } = keyspace;
    let scope = keys::prefix_of(doc.as_bytes()).and_then(|prefix| prefix.scope());
    let mut parts = Vec::new();
    for name in names_of_parts(keyspace, doc, within)? {
        let Some(kind) = kind_of_part(name.as_bytes(), scope) else {
            continue;
        };
        caller.check(&name, Access::Read)?;
        if store.type_of(&name) == Some(KeyType::Hash) {
            let of_doc = store
                .fields(&name)?
                .and_then(|fields| fields.get(&words.doc));
            if of_doc.is_none_or(|of| of.as_bytes() != doc.as_bytes()) {
                continue;
            }
        }
        parts.push(StoredPart { name, kind });
    }
    Ok(parts)
}

/// The members of a document's sequence, then those that only its descendants have.
fn names_of_parts(
    keyspace: &Keyspace,
    doc: &ServerString,
    within: &Within,
) -> Result<Vec<ServerString>> {
    let Keyspace { store, caller, .. } = keyspace;
    let below = Below::of(doc.as_bytes(), &mut Vec::new());
    caller.check(&below.sequence, Access::Read)?;
    caller.check(&below.descendants, Access::Read)?;
    let bounds = within.members();
    let sequence = store.members_in_order(&below.sequence, &bounds)?;
    let mut names: Vec<ServerString> = sequence.into_iter().map(|(name, _)| name).collect();
    let known: HashSet<&[u8]> = names.iter().map(ServerString::as_bytes).collect();
    let is_lost = |name: &[u8]| !known.contains(name);
    let lost = store.members_that(&below.descendants, &bounds, is_lost)?;
    drop(known);
    names.extend(lost);
    bounds.check_count(&below.descendants, names.len())?;
    Ok(names)
}

/// What tells the parts of a stored document apart.
pub fn items(keyspace: &Keyspace, stored: &Stored) -> Result<Vec<Item>> {
    let Keyspace { store, words, .. } = keyspace;
    let mut items: Vec<Item> = Vec::with_capacity(stored.parts.len());
    let mut indices: HashMap<&[u8], usize> = HashMap::with_capacity(stored.parts.len());
    for (index, part) in stored.parts.iter().enumerate() {
        let fields = match store.type_of(&part.name) {
            Some(KeyType::Hash) => store.fields(&part.name)?,
            _ => None,
        };
        let get = |field: &ServerString| fields.as_ref().and_then(|fields| fields.get(field));
        let parent = get(&words.parent);
        let parent = parent.and_then(|parent| indices.get(parent.as_bytes()).copied());
        let parent = parent.and_then(|parent| items.get(parent));
        let shown = match part.kind {
            Kind::Chunk => get(&words.text),
            _ => get(&words.title),
        };
        items.push(match (&shown, part.kind) {
            (Some(text), Kind::Chunk) => {
                let tail = get(&words.tail);
                let tail = tail.as_ref().map(ServerString::as_bytes);
                items::stored_chunk(text.as_bytes(), tail, parent)
            }
            (Some(title), kind) => items::stored_section(kind, title.as_bytes(), parent),
            (None, _) => items::lost(part.name.as_bytes(), parent),
        });
        indices.insert(part.name.as_bytes(), index);
    }
    Ok(items)
}
