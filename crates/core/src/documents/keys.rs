//! The keys of a document and of its parts.
//!
//! ```text
//! doc:guide:001                      hash           the document
//! doc:guide:001:children             set            its chapters
//! doc:guide:001:all_descendants      set            everything below
//! doc:guide:001:sequence             sorted set     the same in reading order
//!
//! ch:risk:001                        hash           a chapter, with the same three keys below
//! ch:risk:001:next, …:previous       strings        its neighbours in reading order
//! ch:risk:001:siblings               set            only with SIBLINGS
//! chunk:assets:001                   hash           a chunk, with nothing below
//! ```

use super::outline::Kind;
use super::text::Text;
use super::{Error, Result};
use crate::key_type::KeyType;
use crate::naming::key_name::{KeyName, Prefix, relation};

/// The keys of everything below a document or a section.
pub struct Below<S> {
    pub children: S,
    pub descendants: S,
    pub sequence: S,
}

impl<S: Text> Below<S> {
    pub fn of(name: &[u8], buffer: &mut Vec<u8>) -> Below<S> {
        let mut key = |what| S::of(relation(name, what, buffer));
        Below {
            children: key("children"),
            descendants: key("all_descendants"),
            sequence: key("sequence"),
        }
    }

    fn into_names(self) -> [S; 3] {
        [self.children, self.descendants, self.sequence]
    }

    fn typed(&self) -> [(&S, KeyType); 3] {
        [
            (&self.children, KeyType::Set),
            (&self.descendants, KeyType::Set),
            (&self.sequence, KeyType::SortedSet),
        ]
    }
}

/// The keys of a document itself.
pub struct DocumentKeys<S> {
    pub own: S,
    pub below: Below<S>,
}

impl<S: Text> DocumentKeys<S> {
    pub fn of(own: S, buffer: &mut Vec<u8>) -> DocumentKeys<S> {
        let below = Below::of(own.bytes(), buffer);
        DocumentKeys { own, below }
    }

    /// All of them, with the type that each has.
    pub fn typed(&self) -> impl Iterator<Item = (&S, KeyType)> + Clone {
        std::iter::once((&self.own, KeyType::Hash)).chain(self.below.typed())
    }
}

/// The keys of a part of a document.
pub struct PartKeys<S> {
    pub own: S,
    pub next: S,
    pub previous: S,
    /// Sections only.
    pub below: Option<Below<S>>,
    /// Only with `SIBLINGS`.
    pub siblings: Option<S>,
}

impl<S: Text> PartKeys<S> {
    pub fn of(own: S, kind: Kind, with_siblings: bool, buffer: &mut Vec<u8>) -> PartKeys<S> {
        let name = own.bytes();
        PartKeys {
            next: S::of(relation(name, "next", buffer)),
            previous: S::of(relation(name, "previous", buffer)),
            below: (kind != Kind::Chunk).then(|| Below::of(name, buffer)),
            siblings: with_siblings.then(|| PartKeys::siblings_of(name, buffer)),
            own,
        }
    }

    pub fn siblings_of(name: &[u8], buffer: &mut Vec<u8>) -> S {
        S::of(relation(name, "siblings", buffer))
    }

    /// [`typed`](PartKeys::typed), to keep.
    pub fn into_typed(self) -> Vec<(S, KeyType)> {
        let types: Vec<KeyType> = self.typed().map(|(_, kind)| kind).collect();
        let below = self.below.into_iter().flat_map(Below::into_names);
        let names = [self.own, self.next, self.previous].into_iter();
        names.chain(below).chain(self.siblings).zip(types).collect()
    }

    /// All of them, with the type that each has.
    pub fn typed(&self) -> impl Iterator<Item = (&S, KeyType)> + Clone {
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

/// Reads a prefix for documents.
///
/// ```
/// use keyns_core::documents::keys::document_prefix;
///
/// assert!(document_prefix(b"{acme}:doc").is_ok());
/// assert!(document_prefix(b"doc:guide:001").is_err()); // a whole name
/// assert!(document_prefix(b"chunk").is_err()); // the kind of a part
/// ```
pub fn document_prefix(text: &[u8]) -> Result<Prefix<'_>> {
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

/// The prefix in the name of a document or a part.
pub fn prefix_of(name: &[u8]) -> Option<Prefix<'_>> {
    let parts = KeyName::parse(name).filter(|parts| parts.relation.is_none())?;
    let len = name.len() - parts.slug.len() - parts.number.len() - 2;
    Prefix::of_name(name.get(..len)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Keys = PartKeys<Vec<u8>>;

    fn shown<'k>(keys: impl Iterator<Item = (&'k Vec<u8>, KeyType)>) -> Vec<(&'k str, KeyType)> {
        keys.map(|(key, kind)| (std::str::from_utf8(key).unwrap(), kind))
            .collect()
    }

    #[test]
    fn a_document_has_its_hash_and_what_is_below() {
        let keys = DocumentKeys::of(b"doc:guide:001".to_vec(), &mut Vec::new());
        let expected = [
            ("doc:guide:001", KeyType::Hash),
            ("doc:guide:001:children", KeyType::Set),
            ("doc:guide:001:all_descendants", KeyType::Set),
            ("doc:guide:001:sequence", KeyType::SortedSet),
        ];
        assert_eq!(shown(keys.typed()), expected);
    }

    #[test]
    fn a_part_has_what_its_kind_and_the_call_ask_for() {
        for (kind, with_siblings, count) in [
            (Kind::Chunk, false, 3),
            (Kind::Chunk, true, 4),
            (Kind::Chapter, false, 6),
            (Kind::Subparagraph, true, 7),
        ] {
            let keys = Keys::of(b"x:a:001".to_vec(), kind, with_siblings, &mut Vec::new());
            let typed: Vec<_> = keys
                .typed()
                .map(|(key, kind)| (key.clone(), kind))
                .collect();
            assert_eq!(typed.len(), count, "{kind:?} {with_siblings}");
            assert_eq!(keys.into_typed(), typed);
        }
        let keys = Keys::of(
            b"{t}:chunk:a:001".to_vec(),
            Kind::Chunk,
            true,
            &mut Vec::new(),
        );
        let expected = [
            ("{t}:chunk:a:001", KeyType::Hash),
            ("{t}:chunk:a:001:next", KeyType::String),
            ("{t}:chunk:a:001:previous", KeyType::String),
            ("{t}:chunk:a:001:siblings", KeyType::Set),
        ];
        assert_eq!(shown(keys.typed()), expected);
    }

    #[test]
    fn documents_have_no_prefix_that_could_be_taken_for_another_thing() {
        assert_eq!(document_prefix(b"doc:").unwrap().as_bytes(), b"doc");
        for prefix in ["doc:guide:001", "doc:guide:001:children"] {
            let error = document_prefix(prefix.as_bytes()).unwrap_err();
            assert!(matches!(error, Error::PrefixIsName { .. }), "{prefix}");
        }
        for kind in Kind::ALL {
            let prefix = format!("{{acme}}:{}", kind.segment());
            let error = document_prefix(prefix.as_bytes()).unwrap_err();
            assert!(matches!(error, Error::KindOfAPart { .. }), "{prefix}");
        }
        assert!(document_prefix(b"a::b").is_err());
    }

    #[test]
    fn a_name_tells_its_prefix() {
        for (name, prefix) in [
            ("doc:guide:001", Some("doc")),
            ("a:{t}:doc:guide:001", Some("a:{t}:doc")),
            ("doc:guide:001:children", None),
            ("doc:guide", None),
            ("", None),
        ] {
            let got = prefix_of(name.as_bytes());
            assert_eq!(
                got.map(|p| p.as_bytes()),
                prefix.map(str::as_bytes),
                "{name}"
            );
        }
    }
}
