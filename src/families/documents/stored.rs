//! A document as it is stored.

use keyns_core::key_type::KeyType;
use std::collections::{BTreeSet, HashSet};

use super::keys::{self, Below, DocumentKeys, Members, PartKeys};
use super::layout::{DOCUMENT, SETS, SIBLINGS, Words};
use super::within::{MAX_SETS, MAX_SETS_BYTES, Within, longest};
use crate::server::Result;
use crate::server::ServerString;
use crate::server::store::{Access, Caller, Fields, Store};
use keyns_core::documents::Error;
use keyns_core::documents::outline::Kind;
use keyns_core::naming::key_name::{KeyName, Prefix};
use keyns_core::naming::slug::{MAX_MAX_LEN, is_slug};
use keyns_core::text::decimal::MAX_DIGITS;

/// What is known of a stored document without its texts.
pub struct Stored {
    pub name: ServerString,
    /// In reading order.
    pub parts: Vec<StoredPart>,
    /// The shared sets it is in by its front matter, without their scope.
    pub sets: Vec<Vec<u8>>,
    /// Whether its parts have keys with their siblings.
    pub has_siblings: bool,
}

/// A part of a stored document.
pub struct StoredPart {
    pub name: ServerString,
    pub kind: Kind,
}

impl Stored {
    /// Reads a document, `None` if there is nothing of it. If only its hash is lost, its sets are
    /// not known any more, and its parts may have siblings.
    pub fn read(
        store: &Store,
        caller: &Caller,
        name: ServerString,
        words: &Words,
        within: &Within,
    ) -> Result<Option<Stored>> {
        let (mut sets, mut has_siblings) = (Vec::new(), true);
        let document = document_fields(store, &name, words)?;
        let is_there = document.is_some();
        if let Some(document) = &document {
            sets = own_sets(&name, document)?;
            has_siblings = document
                .get(&ServerString::new(SIBLINGS.as_bytes()))
                .is_some();
        }
        drop(document);
        let parts = parts(store, caller, &name, words, within)?;
        if !is_there && parts.is_empty() {
            return Ok(None);
        }
        check_tagged(&sets, &parts, within)?;
        Ok(Some(Stored {
            parts,
            name,
            sets,
            has_siblings,
        }))
    }

    pub fn prefix(&self) -> Result<Prefix<'_>> {
        Ok(keys::prefix_of(self.name.as_bytes()).ok_or_else(|| not_a_document(&self.name))?)
    }

    pub fn document_keys(&self, buffer: &mut Vec<u8>) -> DocumentKeys {
        DocumentKeys::of(ServerString::new(self.name.as_bytes()), buffer)
    }

    /// The keys of a part.
    pub fn keys_of(&self, part: &StoredPart, buffer: &mut Vec<u8>) -> PartKeys {
        let name = ServerString::new(part.name.as_bytes());
        PartKeys::of(name, part.kind, self.has_siblings, buffer)
    }

    /// The sets that it shares with other documents, and who of it is in them.
    pub fn shared_sets(&self) -> Result<Vec<(ServerString, Members)>> {
        let has = |kind| self.parts.iter().any(|part| part.kind == kind);
        Ok(keys::shared_sets(&self.prefix()?, has, &self.sets))
    }
}

/// The shared sets that a document says it is in, each once. What is no such set is left out: it
/// may be any key, one that is about to be written too.
fn own_sets(doc: &ServerString, document: &Fields) -> Result<Vec<Vec<u8>>> {
    let field = ServerString::new(SETS.as_bytes());
    let names = document.get_within(&field, longest("a field _sets", MAX_SETS_BYTES))?;
    let names = names
        .as_ref()
        .map(ServerString::as_bytes)
        .unwrap_or_default();
    let names: BTreeSet<&[u8]> = names.split(|&b| b == b' ').filter(|n| is_set(n)).collect();
    if names.len() > MAX_SETS {
        return Err(Error::StoredSets {
            key: doc.as_bytes().to_vec(),
            limit: MAX_SETS,
            got: names.len(),
        }
        .into());
    }
    Ok(names.into_iter().map(<[u8]>::to_vec).collect())
}

/// Whether a document can be in this set by its front matter.
fn is_set(name: &[u8]) -> bool {
    let mut segments = name.split(|&b| b == b':');
    let mut next = || segments.next().unwrap_or_default();
    let (family, slug, members) = (next(), next(), next());
    let is_known = match family {
        b"category" | b"author" => members == b"docs",
        b"tag" => members == b"chunks",
        _ => false,
    };
    is_known && is_slug(slug) && slug.len() <= MAX_MAX_LEN && segments.next().is_none()
}

/// An error if the chunks of a document would have to be looked for in more sets than a new one's
/// could be put into.
fn check_tagged(sets: &[Vec<u8>], parts: &[StoredPart], within: &Within) -> Result<()> {
    let tags = sets.iter().filter(|set| set.ends_with(b":chunks")).count();
    let chunks = parts.iter().filter(|part| part.kind == Kind::Chunk).count();
    let limit = within.tagged();
    match tags * chunks {
        got if got > limit => Err(Error::TooManyMembers { limit, got }.into()),
        _ => Ok(()),
    }
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
        _ => Err(not_a_document(name).into()),
    }
}

pub fn not_a_document(name: &ServerString) -> Error {
    Error::NotADocument {
        key: name.as_bytes().to_vec(),
    }
}

/// The parts of a document in their sequence, and behind them those that it has lost. What somebody
/// else put there is left out.
fn parts(
    store: &Store,
    caller: &Caller,
    doc: &ServerString,
    words: &Words,
    within: &Within,
) -> Result<Vec<StoredPart>> {
    let scope = keys::prefix_of(doc.as_bytes()).and_then(|prefix| prefix.scope());
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
    let mut parts = Vec::new();
    for name in names {
        let Some(kind) = kind_of(name.as_bytes(), scope) else {
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

/// The kind in the name of a part of a document in this scope.
fn kind_of(name: &[u8], scope: Option<&[u8]>) -> Option<Kind> {
    let name = KeyName::parse(name)?;
    let in_scope = name.scope == scope && name.relation.is_none();
    let is_given = name.slug.len() <= MAX_MAX_LEN && name.number.len() <= MAX_DIGITS;
    Kind::of_segment(name.kind).filter(|_| in_scope && is_given)
}
