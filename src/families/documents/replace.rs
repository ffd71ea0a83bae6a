//! A new text in the place of a stored document: what is the same keeps its keys, and only what
//! differs is written.

use keyns_core::key_type::KeyType;
use std::collections::{HashMap, HashSet};

use super::items::{new_items, stored_items};
use super::keys::{self, Below, DocumentKeys, Members, PartKeys};
use super::layout::{About, Fields, Layout, META, Section, Words};
use super::size::{self, Allowed};
use super::stored::{Stored, StoredPart, not_a_document};
use super::within::{MAX_FIELDS, Within};
use crate::server::Result;
use crate::server::ServerString;
use crate::server::store::{Access, Bounds, Caller, Store, Writer};
use keyns_core::documents::Error;
use keyns_core::documents::footprint::{Footprint, Kept};
use keyns_core::documents::matching::pairs;
use keyns_core::documents::outline::{Kind, Outline};

/// About how many keys one UNLINK is about.
const KEYS_AT_ONCE: usize = 4000;

/// What a call has done.
#[derive(Default)]
pub struct Change {
    /// How many keys were written.
    pub keys: u64,
    /// How many elements of the old document are in the new one, are new, and are gone.
    pub kept: usize,
    pub added: usize,
    pub removed: usize,
}

/// A stored document and what of it stays.
pub struct Replacement<'a> {
    store: &'a Store<'a>,
    caller: &'a Caller<'a>,
    words: &'a Words,
    stored: Stored,
    /// For each element of the new outline, which stored part it is.
    pairs: Vec<Option<usize>>,
    /// The stored parts that are gone from the new text.
    removed: Vec<usize>,
    within: Within,
}

impl<'a> Replacement<'a> {
    /// Finds the document, which must be there, and compares it with the new outline.
    pub fn of(
        store: &'a Store<'a>,
        caller: &'a Caller<'a>,
        words: &'a Words,
        doc: &[u8],
        outline: &Outline,
        source: &[u8],
    ) -> Result<Replacement<'a>> {
        let name = ServerString::new(doc);
        caller.check(&name, Access::Update)?;
        let within = Within::current();
        let stored = Stored::read(store, caller, name, words, &within)?
            .ok_or_else(|| not_a_document(&ServerString::new(doc)))?;
        let old = stored_items(store, &stored, words)?;
        let pairs = pairs(&old, &new_items(outline, source));
        let kept: HashSet<usize> = pairs.iter().flatten().copied().collect();
        let parts = 0..stored.parts.len();
        Ok(Replacement {
            removed: parts.filter(|index| !kept.contains(index)).collect(),
            pairs,
            store,
            caller,
            words,
            stored,
            within,
        })
    }

    /// An error if the new document would be too large, or more than the server has room for.
    pub fn check_size(&self, size: &Footprint, about: &About, allowed: Allowed) -> Result<()> {
        // What the document says it has does not count, but what is there: anybody may have written
        // its fields.
        let kept = Kept {
            chunk_sets: self.kept_chunk_sets(about)?,
            sibling_members: self.sibling_members(),
        };
        size::check(
            self.store,
            size,
            allowed,
            |index| self.is_kept(index),
            &kept,
        )
    }

    /// How many of the sets of chunks have been there before, with as many members as they need.
    fn kept_chunk_sets(&self, about: &About) -> Result<usize> {
        let prefix = self.stored.prefix()?;
        let parts = self.stored.parts.iter();
        let chunks = parts.filter(|part| part.kind == Kind::Chunk).count();
        let mut buffer = Vec::new();
        let mut is_there = |set: &Vec<u8>| {
            let key = ServerString::new(prefix.beside(&[set], &mut buffer));
            self.stored.sets.contains(set) && self.store.len_of(&key) >= chunks
        };
        Ok(about.chunk_sets.iter().filter(|set| is_there(set)).count())
    }

    /// How many members the sets of siblings of elements have that stay.
    fn sibling_members(&self) -> usize {
        if !self.stored.has_siblings {
            return 0;
        }
        let mut buffer = Vec::new();
        let kept = self.pairs.iter().flatten();
        let kept = kept.filter_map(|&index| self.stored.parts.get(index));
        kept.map(|part| {
            let key = PartKeys::siblings_of(part.name.as_bytes(), &mut buffer);
            self.store.len_of(&key)
        })
        .sum()
    }

    /// How long the name of the element with this index is, if it was there before.
    pub fn kept_name_len(&self, index: usize) -> Option<usize> {
        let part = self.stored.parts.get((*self.pairs.get(index)?)?)?;
        Some(part.name.as_bytes().len())
    }

    pub fn document_keys(&self) -> DocumentKeys {
        self.stored.document_keys(&mut Vec::new())
    }

    /// The keys of the element with this index, if it was there before.
    pub fn kept_keys(&self, index: usize, with_siblings: bool) -> Option<PartKeys> {
        let part = self.stored.parts.get((*self.pairs.get(index)?)?)?;
        let name = ServerString::new(part.name.as_bytes());
        Some(PartKeys::of(
            name,
            part.kind,
            with_siblings,
            &mut Vec::new(),
        ))
    }

    fn is_kept(&self, index: usize) -> bool {
        self.pairs.get(index).is_some_and(Option::is_some)
    }

    fn removed(&self) -> impl Iterator<Item = &StoredPart> {
        let parts = self.removed.iter();
        parts.filter_map(|&index| self.stored.parts.get(index))
    }

    /// Calls `each` with keys that go, some at a time: those of removed parts, and siblings that are
    /// no longer wanted. All of them at once could take much more memory than the document.
    fn for_stale_keys(
        &self,
        layout: &Layout,
        mut each: impl FnMut(&[(ServerString, KeyType)]) -> Result<()>,
    ) -> Result<()> {
        let mut buffer = Vec::new();
        let mut stale = Vec::new();
        for part in self.removed() {
            stale.extend(self.stored.keys_of(part, &mut buffer).into_typed());
            if stale.len() >= KEYS_AT_ONCE {
                each(&stale)?;
                stale.clear();
            }
        }
        if self.stored.has_siblings {
            for (index, keys) in layout.parts.iter().enumerate() {
                if self.is_kept(index) && keys.siblings.is_none() {
                    let siblings = PartKeys::siblings_of(keys.own.as_bytes(), &mut buffer);
                    stale.push((siblings, KeyType::Set));
                }
            }
        }
        each(&stale)
    }

    /// An error unless everything may be changed that is going to be.
    pub fn check(&self, layout: &Layout) -> Result<()> {
        let check = |keys: &mut dyn Iterator<Item = (&ServerString, KeyType)>, access| {
            keys::check(self.store, self.caller, keys, access)
        };
        check(&mut layout.doc.typed(), Access::Update)?;
        self.check_members(layout.doc.typed())?;
        for (index, keys) in layout.parts.iter().enumerate() {
            if self.is_kept(index) {
                check(&mut keys.typed(), Access::Update)?;
                self.check_members(keys.typed())?;
            }
        }
        self.for_stale_keys(layout, |stale| {
            check(
                &mut stale.iter().map(|(key, kind)| (key, *kind)),
                Access::Delete,
            )
        })?;
        for (set, _) in self.stored.shared_sets()? {
            check(&mut std::iter::once((&set, KeyType::Set)), Access::Delete)?;
        }
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

    /// An error if a key that is read to be changed has more members than any document's.
    fn check_members<'k>(
        &self,
        keys: impl Iterator<Item = (&'k ServerString, KeyType)>,
    ) -> Result<()> {
        for (key, kind) in keys {
            if matches!(kind, KeyType::Set | KeyType::SortedSet) {
                self.store.check_members(key, &self.within.members())?;
            }
        }
        Ok(())
    }

    /// Makes the stored document the new one.
    pub fn write(&self, layout: &Layout, writer: &mut Writer) -> Result<Change> {
        self.for_stale_keys(layout, |stale| {
            writer.remove(stale.iter().map(|(key, _)| key)).map(drop)
        })?;
        let mut keys = self.write_document(layout, writer)?;
        layout.for_each_part(|index, part, fields| {
            keys += match self.is_kept(index) {
                true => self.change_fields(&part.own, fields, writer)?,
                false => {
                    let fields = fields.iter().map(|(field, value)| (*field, value.name()));
                    writer.set_fields(&part.own, fields)?;
                    1
                }
            };
            Ok(())
        })?;
        for section in layout.sections() {
            keys += self.change_section(layout, &section, writer)?;
        }
        keys += self.change_neighbours(layout, writer)?;
        keys += self.change_shared_sets(layout, writer)?;
        let kept = self.pairs.iter().flatten().count();
        Ok(Change {
            keys,
            kept,
            added: layout.parts.len() - kept,
            removed: self.stored.parts.len() - kept,
        })
    }

    /// The fields that the document's hash has from us and no longer needs.
    fn stale_fields(&self, layout: &Layout) -> Result<Vec<ServerString>> {
        let fields = layout.document_fields();
        let names: HashSet<&[u8]> = fields.iter().map(|(field, _)| field.as_bytes()).collect();
        let is_stale = |old: &[u8]| is_ours(old) && !names.contains(old);
        self.store
            .field_names_that(&layout.doc.own, MAX_FIELDS, is_stale)
    }

    fn write_document(&self, layout: &Layout, writer: &mut Writer) -> Result<u64> {
        let doc = &layout.doc.own;
        let fields = layout.document_fields();
        let stale = self.stale_fields(layout)?;
        let stored = self.store.fields(doc)?;
        let differs = |(field, value): &&(ServerString, ServerString)| {
            let stored = stored.as_ref().and_then(|stored| stored.get(field));
            stored.is_none_or(|stored| stored.as_bytes() != value.as_bytes())
        };
        let changed: Vec<&(ServerString, ServerString)> = fields.iter().filter(differs).collect();
        drop(stored);
        writer.set_fields(doc, changed.iter().map(|(field, value)| (field, value)))?;
        writer.remove_fields(doc, &stale)?;
        Ok(u64::from(!stale.is_empty() || !changed.is_empty()))
    }

    /// Changes the fields of an element that differ, and removes those it no longer has.
    fn change_fields(
        &self,
        key: &ServerString,
        fields: &Fields,
        writer: &mut Writer,
    ) -> Result<u64> {
        let Some(stored) = self.store.fields(key)? else {
            // It has lost its hash; its name is still its own.
            let fields = fields.iter().map(|(field, value)| (*field, value.name()));
            writer.set_fields(key, fields)?;
            return Ok(1);
        };
        let changed: Vec<(&ServerString, &ServerString)> = fields
            .iter()
            .map(|(field, value)| (*field, value.name()))
            .filter(|(field, value)| {
                let stored = stored.get(field);
                stored.is_none_or(|stored| stored.as_bytes() != value.as_bytes())
            })
            .collect();
        let is_new = |field: &ServerString| {
            let mut fields = fields.iter();
            fields.any(|(new, _)| new.as_bytes() == field.as_bytes())
        };
        let optional = [&self.words.tail, &self.words.header].into_iter();
        let stale: Vec<&ServerString> = optional
            .filter(|field| !is_new(field) && stored.get(field).is_some())
            .collect();
        drop(stored);
        writer.set_fields(key, changed.iter().copied())?;
        writer.remove_fields(key, stale.iter().copied())?;
        Ok(u64::from(!stale.is_empty() || !changed.is_empty()))
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
        // An only child has no siblings any more.
        if let Some(key) = layout.without_siblings(section) {
            keys += self.change_set(key, std::iter::empty(), writer)?;
        }
        Ok(keys)
    }

    /// Makes a set of the document's own have these members and no others.
    fn change_set<'n>(
        &self,
        key: &ServerString,
        members: impl Iterator<Item = &'n ServerString>,
        writer: &mut Writer,
    ) -> Result<u64> {
        let stored = self.store.members(key, &Bounds::CHECKED)?;
        let mut stale: HashSet<&[u8]> = stored.iter().map(ServerString::as_bytes).collect();
        let new: Vec<&ServerString> = members
            .filter(|new| !stale.remove(new.as_bytes()))
            .collect();
        let stale = stored.iter().filter(|old| stale.contains(old.as_bytes()));
        let stale: Vec<&ServerString> = stale.collect();
        // In this order, since a set without members would be gone for a moment.
        writer.add_members(key, new.iter().copied())?;
        writer.remove_members(key, stale.iter().copied())?;
        let is_left = stored.len() + new.len() > stale.len();
        Ok(u64::from(is_left && !(stale.is_empty() && new.is_empty())))
    }

    fn change_sequence(
        &self,
        key: &ServerString,
        layout: &Layout,
        section: &Section,
        writer: &mut Writer,
    ) -> Result<u64> {
        let stored = self.store.members_in_order(key, &Bounds::CHECKED)?;
        let mut scores: HashMap<&[u8], f64> = stored
            .iter()
            .map(|(member, score)| (member.as_bytes(), *score))
            .collect();
        let positions = section.run.clone().map(|index| index + 1).rev();
        let changed: Vec<(&ServerString, &ServerString)> = layout
            .positions(&section.run)
            .zip(positions)
            .filter(|((_, member), position)| {
                scores.remove(member.as_bytes()) != Some(*position as f64)
            })
            .map(|(pair, _)| pair)
            .collect();
        let stale = stored.iter().map(|(member, _)| member);
        let stale: Vec<&ServerString> = stale
            .filter(|old| scores.contains_key(old.as_bytes()))
            .collect();
        writer.set_scores(key, changed.iter().copied())?;
        writer.remove_scores(key, stale.iter().copied())?;
        let is_left = !section.run.is_empty();
        Ok(u64::from(
            is_left && !(stale.is_empty() && changed.is_empty()),
        ))
    }

    fn change_neighbours(&self, layout: &Layout, writer: &mut Writer) -> Result<u64> {
        // What is as long as it should be is read, and nothing that is longer.
        let has_len = |(key, value): &(&ServerString, &ServerString)| {
            self.store.string_len(key) == Some(value.as_bytes().len())
        };
        let (alike, mut changed): (Vec<_>, Vec<_>) = layout.neighbours().partition(has_len);
        let keys: Vec<&ServerString> = alike.iter().map(|(key, _)| *key).collect();
        let stored = self.store.strings(&keys)?;
        let differs = |stored: &Option<ServerString>, value: &ServerString| {
            let stored = stored.as_ref().map(ServerString::as_bytes);
            stored != Some(value.as_bytes())
        };
        let alike = alike.into_iter().zip(&stored);
        changed.extend(alike.filter_map(|(pair, stored)| differs(stored, pair.1).then_some(pair)));
        writer.set_strings(changed.iter().copied())?;
        // Nothing comes before the first element, and nothing after the last.
        let first = layout.parts.first().map(|first| &first.previous);
        let last = layout.parts.last().map(|last| &last.next);
        let ends = first.into_iter().chain(last);
        writer.remove(ends.filter(|key| self.store.exists(key)))?;
        Ok(changed.len() as u64)
    }

    /// Puts what the document has into the sets that documents share, and takes out what it had: but
    /// nothing that is in both, since a new part may have the name of one that was lost.
    fn change_shared_sets(&self, layout: &Layout, writer: &mut Writer) -> Result<u64> {
        let new = layout.shared_sets();
        let mut changed: HashSet<&[u8]> = HashSet::new();
        for (set, members) in &new {
            if writer.add_members(set, layout.members(*members))? > 0 {
                changed.insert(set.as_bytes());
            }
        }
        let names: HashSet<&[u8]> = layout
            .parts
            .iter()
            .map(|part| part.own.as_bytes())
            .collect();
        let is_gone = |part: &&StoredPart| !names.contains(part.name.as_bytes());
        let old = self.stored.shared_sets()?;
        for (set, members) in &old {
            let stays = new.iter().any(|(new, _)| new.as_bytes() == set.as_bytes());
            let gone: Vec<&ServerString> = match (members, stays) {
                (Members::Document, true) => Vec::new(),
                (Members::Document, false) => vec![&self.stored.name],
                (Members::Parts(kind), true) => of_kind(self.removed().filter(is_gone), *kind),
                (Members::Parts(kind), false) => of_kind(self.stored.parts.iter(), *kind),
            };
            if writer.remove_members(set, gone)? > 0 && self.store.exists(set) {
                changed.insert(set.as_bytes());
            }
        }
        Ok(changed.len() as u64)
    }
}

fn of_kind<'n>(parts: impl Iterator<Item = &'n StoredPart>, kind: Kind) -> Vec<&'n ServerString> {
    parts
        .filter(|part| part.kind == kind)
        .map(|part| &part.name)
        .collect()
}

/// Whether a field of a document's hash comes from us; users may add others.
fn is_ours(field: &[u8]) -> bool {
    const OURS: [&[u8]; 7] = [
        b"author",
        b"category",
        b"tags",
        b"file",
        b"source",
        super::layout::SETS.as_bytes(),
        super::layout::SIBLINGS.as_bytes(),
    ];
    OURS.contains(&field) || field.starts_with(META.as_bytes())
}
