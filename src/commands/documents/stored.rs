//! A document as it is stored.

use std::collections::HashSet;

use super::keys::{self, Below, DocumentKeys, Members, PartKeys};
use super::layout::{DOCUMENT, SETS, SIBLINGS, Words};
use crate::core::key_name::{KeyName, Prefix};
use crate::core::outline::Kind;
use crate::core::{Error, Result};
use crate::server::Name;
use crate::server::store::{Access, Caller, Fields, Store, Type};

/// What is known of a stored document without its texts.
pub struct Stored {
    pub name: Name,
    /// In reading order.
    pub parts: Vec<StoredPart>,
    /// The shared sets it is in by its front matter, without their scope.
    pub sets: Vec<Vec<u8>>,
    /// Whether its parts have keys with their siblings.
    pub has_siblings: bool,
}

/// A part of a stored document.
pub struct StoredPart {
    pub name: Name,
    pub kind: Kind,
}

impl Stored {
    /// Reads a document, `None` if there is nothing of it. If only its hash is lost, its sets are
    /// not known any more, and its parts may have siblings.
    pub fn read(
        store: &Store,
        caller: &Caller,
        name: Name,
        words: &Words,
    ) -> Result<Option<Stored>> {
        let (mut sets, mut has_siblings) = (Vec::new(), true);
        let document = document_fields(store, &name, words)?;
        let is_there = document.is_some();
        if let Some(document) = document {
            let names = document.get(&Name::new(SETS.as_bytes()));
            let names = names
                .iter()
                .flat_map(|names| names.as_bytes().split(|&b| b == b' '));
            sets = names
                .filter(|name| !name.is_empty())
                .map(<[u8]>::to_vec)
                .collect();
            has_siblings = document.get(&Name::new(SIBLINGS.as_bytes())).is_some();
        }
        let parts = parts(store, caller, &name, words)?;
        if !is_there && parts.is_empty() {
            return Ok(None);
        }
        Ok(Some(Stored {
            parts,
            name,
            sets,
            has_siblings,
        }))
    }

    pub fn prefix(&self) -> Result<Prefix<'_>> {
        keys::prefix_of(self.name.as_bytes()).ok_or_else(|| not_a_document(&self.name))
    }

    pub fn document_keys(&self, buffer: &mut Vec<u8>) -> DocumentKeys {
        DocumentKeys::of(Name::new(self.name.as_bytes()), buffer)
    }

    /// The keys of a part.
    pub fn keys_of(&self, part: &StoredPart, buffer: &mut Vec<u8>) -> PartKeys {
        let name = Name::new(part.name.as_bytes());
        PartKeys::of(name, part.kind, self.has_siblings, buffer)
    }

    /// The sets that it shares with other documents, and who of it is in them.
    pub fn shared_sets(&self) -> Result<Vec<(Name, Members)>> {
        let has = |kind| self.parts.iter().any(|part| part.kind == kind);
        Ok(keys::shared_sets(&self.prefix()?, has, &self.sets))
    }
}

/// The fields of a document's hash, `None` if there is no such key.
pub fn document_fields<'s>(
    store: &'s Store,
    name: &Name,
    words: &Words,
) -> Result<Option<Fields<'s>>> {
    let Some(fields) = store.fields(name)? else {
        return Ok(None);
    };
    match fields.get(&words.kind) {
        Some(kind) if kind.as_bytes() == DOCUMENT => Ok(Some(fields)),
        _ => Err(not_a_document(name)),
    }
}

pub fn not_a_document(name: &Name) -> Error {
    Error::NotADocument {
        key: name.as_bytes().to_vec(),
    }
}

/// The parts of a document in their sequence, and behind them those that it has lost. What somebody
/// else put there is left out.
fn parts(store: &Store, caller: &Caller, doc: &Name, words: &Words) -> Result<Vec<StoredPart>> {
    let scope = keys::prefix_of(doc.as_bytes()).and_then(|prefix| prefix.scope());
    let below = Below::of(doc.as_bytes(), &mut Vec::new());
    caller.check(&below.sequence, Access::Read)?;
    caller.check(&below.descendants, Access::Read)?;
    let sequence = store.members_in_order(&below.sequence)?;
    let mut names: Vec<Name> = sequence.into_iter().map(|(name, _)| name).collect();
    let known: HashSet<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
    let descendants = store.members(&below.descendants)?.into_iter();
    names.extend(descendants.filter(|name| !known.contains(name.as_bytes())));
    let mut parts = Vec::new();
    for name in names {
        let Some(kind) = kind_of(name.as_bytes(), scope) else {
            continue;
        };
        caller.check(&name, Access::Read)?;
        if store.type_of(&name) == Some(Type::Hash) {
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

/// The kind in the name of a part of a document in this scope.
fn kind_of(name: &[u8], scope: Option<&[u8]>) -> Option<Kind> {
    let name = KeyName::parse(name)?;
    let in_scope = name.scope == scope && name.relation.is_none();
    Kind::of_segment(name.kind).filter(|_| in_scope)
}
