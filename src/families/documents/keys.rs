//! The keys of a document and of its parts.

use crate::server::store::{Access, Caller, Store};
use crate::server::{Result, ServerString};
use keyns_core::documents;
use keyns_core::documents::Error;
use keyns_core::documents::outline::Kind;
use keyns_core::key_type::KeyType;
use keyns_core::naming::key_name::{KeyName, Prefix, check_name_len, relation};

/// The keys of everything below a document or a section.
pub struct Below {
    pub children: ServerString,
    pub descendants: ServerString,
    pub sequence: ServerString,
}

impl Below {
    pub fn of(name: &[u8], buffer: &mut Vec<u8>) -> Below {
        let mut key = |what| ServerString::new(relation(name, what, buffer));
        Below {
            children: key("children"),
            descendants: key("all_descendants"),
            sequence: key("sequence"),
        }
    }

    fn into_names(self) -> [ServerString; 3] {
        [self.children, self.descendants, self.sequence]
    }

    fn typed(&self) -> [(&ServerString, KeyType); 3] {
        [
            (&self.children, KeyType::Set),
            (&self.descendants, KeyType::Set),
            (&self.sequence, KeyType::SortedSet),
        ]
    }
}

/// The keys of a document itself.
pub struct DocumentKeys {
    pub own: ServerString,
    pub below: Below,
}

impl DocumentKeys {
    pub fn of(own: ServerString, buffer: &mut Vec<u8>) -> DocumentKeys {
        let below = Below::of(own.as_bytes(), buffer);
        DocumentKeys { own, below }
    }

    /// All of them, with the type that each has.
    pub fn typed(&self) -> impl Iterator<Item = (&ServerString, KeyType)> {
        std::iter::once((&self.own, KeyType::Hash)).chain(self.below.typed())
    }
}

/// The keys of a part of a document.
pub struct PartKeys {
    pub own: ServerString,
    pub next: ServerString,
    pub previous: ServerString,
    /// Sections only.
    pub below: Option<Below>,
    /// Where they are wanted.
    pub siblings: Option<ServerString>,
}

impl PartKeys {
    pub fn of(
        own: ServerString,
        kind: Kind,
        with_siblings: bool,
        buffer: &mut Vec<u8>,
    ) -> PartKeys {
        let name = own.as_bytes();
        PartKeys {
            next: ServerString::new(relation(name, "next", buffer)),
            previous: ServerString::new(relation(name, "previous", buffer)),
            below: (kind != Kind::Chunk).then(|| Below::of(name, buffer)),
            siblings: with_siblings.then(|| PartKeys::siblings_of(name, buffer)),
            own,
        }
    }

    pub fn siblings_of(name: &[u8], buffer: &mut Vec<u8>) -> ServerString {
        ServerString::new(relation(name, "siblings", buffer))
    }

    /// [`typed`](PartKeys::typed), to keep.
    pub fn into_typed(self) -> Vec<(ServerString, KeyType)> {
        let types: Vec<KeyType> = self.typed().map(|(_, kind)| kind).collect();
        let below = self.below.into_iter().flat_map(Below::into_names);
        let names = [self.own, self.next, self.previous].into_iter();
        names.chain(below).chain(self.siblings).zip(types).collect()
    }

    /// All of them, with the type that each has.
    pub fn typed(&self) -> impl Iterator<Item = (&ServerString, KeyType)> {
        let below = self.below.iter().flat_map(Below::typed);
        let siblings = self.siblings.iter().map(|key| (key, KeyType::Set));
        [
            (&self.own, KeyType::Hash),
            (&self.next, KeyType::String),
            (&self.previous, KeyType::String),
        ]
        .into_iter()
        .chain(below)
        .chain(siblings)
    }
}

/// An error unless the caller may do this with all of these keys, and all have the right type.
pub fn check<'k>(
    store: &Store,
    caller: &Caller,
    keys: impl IntoIterator<Item = (&'k ServerString, KeyType)>,
    access: Access,
) -> Result<()> {
    for (key, wanted) in keys {
        caller.check(key, access)?;
        store.exists_as(key, wanted)?;
    }
    Ok(())
}

/// A prefix as that of documents.
pub fn document_prefix(text: &[u8]) -> documents::Result<Prefix<'_>> {
    let prefix = Prefix::parse(text)?;
    if KeyName::parse(prefix.as_bytes()).is_some() {
        return Err(Error::PrefixIsName {
            prefix: text.to_vec(),
        });
    }
    match Kind::of_segment(prefix.kind()) {
        None => Ok(prefix),
        Some(_) => Err(Error::KindOfAPart {
            kind: prefix.kind().to_vec(),
        }),
    }
}

/// The prefix in the name of a document, or of a part of one.
pub fn prefix_of(name: &[u8]) -> Option<Prefix<'_>> {
    let parts = KeyName::parse(name).filter(|parts| parts.relation.is_none())?;
    let len = name.len() - parts.slug.len() - parts.number.len() - 2;
    Prefix::of_name(name.get(..len)?).ok()
}

/// An error about an argument that is longer than any name, or whose document a cluster keeps in
/// several slots: that of all its keys is the one of its scope.
pub fn check_place(store: &Store, argument: &'static str, name: &ServerString) -> Result<()> {
    check_name_len(argument, name.as_bytes())?;
    if let Some(prefix) = prefix_of(name.as_bytes()) {
        store.check_scope_slot(&prefix)?;
    }
    store.check_together(name)
}

/// Who is in a set that documents share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Document,
    Parts(Kind),
}

/// The sets that a document shares with others, and who of it is in them: the level of each kind it
/// has, and those of its front matter, which are given without their scope.
pub fn shared_sets(
    prefix: &Prefix,
    has: impl Fn(Kind) -> bool,
    of_front_matter: &[Vec<u8>],
) -> Vec<(ServerString, Members)> {
    let mut buffer = Vec::new();
    let mut set = |segments: &[&[u8]], members| {
        (
            ServerString::new(prefix.beside(segments, &mut buffer)),
            members,
        )
    };
    let mut sets = vec![set(
        &[b"level", prefix.kind(), b"chunks"],
        Members::Document,
    )];
    for kind in Kind::ALL.into_iter().filter(|&kind| has(kind)) {
        let segment = kind.segment().as_bytes();
        sets.push(set(&[b"level", segment, b"chunks"], Members::Parts(kind)));
    }
    for segments in of_front_matter {
        match segments.ends_with(b":chunks") {
            false => sets.push(set(&[segments], Members::Document)),
            true if has(Kind::Chunk) => sets.push(set(&[segments], Members::Parts(Kind::Chunk))),
            true => {}
        }
    }
    sets
}
