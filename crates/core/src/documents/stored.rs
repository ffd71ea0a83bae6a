//! A stored document. Anybody may have written its keys, so a name only counts if it could belong to one
//! of its parts.

use super::keys::{DocumentKeys, PartKeys, prefix_of};
use super::outline::Kind;
use super::shared_sets::{Members, is_of_chunks, shared_sets};
use super::text::Text;
use super::{Error, Result};
use crate::naming::key_name::{KeyName, Prefix};
use crate::naming::slug::MAX_MAX_LEN;
use crate::text::decimal::MAX_DIGITS;

/// A stored document without its texts.
pub struct Stored<S> {
    pub name: S,
    /// In reading order.
    pub parts: Vec<StoredPart<S>>,
    /// The shared sets from its front matter, without their scope.
    pub sets: Vec<Vec<u8>>,
    /// Whether its parts have sets of siblings.
    pub has_siblings: bool,
}

/// A part of a stored document.
pub struct StoredPart<S> {
    pub name: S,
    pub kind: Kind,
}

impl<S: Text> Stored<S> {
    pub fn prefix(&self) -> Result<Prefix<'_>> {
        prefix_of(self.name.bytes()).ok_or_else(|| not_a_document(self.name.bytes()))
    }

    pub fn document_keys(&self, buffer: &mut Vec<u8>) -> DocumentKeys<S> {
        DocumentKeys::of(S::of(self.name.bytes()), buffer)
    }

    /// The keys of a part.
    pub fn keys_of(&self, part: &StoredPart<S>, buffer: &mut Vec<u8>) -> PartKeys<S> {
        let name = S::of(part.name.bytes());
        PartKeys::of(name, part.kind, self.has_siblings, buffer)
    }

    pub fn count(&self, kind: Kind) -> usize {
        self.parts.iter().filter(|part| part.kind == kind).count()
    }

    /// The sets that it shares with other documents, and its members in them.
    pub fn shared_sets(&self) -> Result<Vec<(S, Members)>> {
        let has = |kind| self.parts.iter().any(|part| part.kind == kind);
        Ok(shared_sets(&self.prefix()?, has, &self.sets))
    }

    /// The names that are in such a set.
    pub fn members(&self, members: Members) -> Vec<&S> {
        match members {
            Members::Document => vec![&self.name],
            Members::Parts(kind) => names_of(self.parts.iter(), kind).collect(),
        }
    }

    /// An error if its chunks would be in more sets than those of a new document may be.
    pub fn check_tagged(&self, limit: usize) -> Result<()> {
        let tags = self.sets.iter().filter(|set| is_of_chunks(set)).count();
        match tags * self.count(Kind::Chunk) {
            got if got > limit => Err(Error::TooManyMembers { limit, got }),
            _ => Ok(()),
        }
    }
}

/// The names of those parts that are of this kind.
pub fn names_of<'n, S: 'n>(
    parts: impl Iterator<Item = &'n StoredPart<S>>,
    kind: Kind,
) -> impl Iterator<Item = &'n S> {
    let parts = parts.filter(move |part| part.kind == kind);
    parts.map(|part| &part.name)
}

/// The kind in the name of a part in this scope; `None` if the name is not one.
pub fn kind_of_part(name: &[u8], scope: Option<&[u8]>) -> Option<Kind> {
    let name = KeyName::parse(name)?;
    let in_scope = name.scope == scope && name.relation.is_none();
    let is_given = name.slug.len() <= MAX_MAX_LEN && name.number.len() <= MAX_DIGITS;
    Kind::of_segment(name.kind).filter(|_| in_scope && is_given)
}

pub fn not_a_document(name: &[u8]) -> Error {
    Error::NotADocument { key: name.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(name: &str, parts: &[(&str, Kind)], sets: &[&str]) -> Stored<Vec<u8>> {
        let parts = parts.iter().map(|&(name, kind)| StoredPart {
            name: name.into(),
            kind,
        });
        Stored {
            name: name.into(),
            parts: parts.collect(),
            sets: sets.iter().map(|&set| set.into()).collect(),
            has_siblings: false,
        }
    }

    #[test]
    fn only_names_that_could_be_parts_are_believed() {
        let long = format!("chunk:{}:001", "a".repeat(MAX_MAX_LEN + 1));
        for (name, scope, kind) in [
            ("chunk:aa:001", None, Some(Kind::Chunk)),
            ("ch:aa:1", None, Some(Kind::Chapter)),
            ("{t}:para:aa:001", Some("{t}"), Some(Kind::Paragraph)),
            ("{t}:para:aa:001", None, None),
            ("para:aa:001", Some("{t}"), None),
            ("doc:aa:001", None, None),
            ("chunk:aa:001:next", None, None),
            ("chunk:aa:123456789012345678901", None, None),
            ("chunk:_seq", None, None),
            (&long, None, None),
        ] {
            let got = kind_of_part(name.as_bytes(), scope.map(str::as_bytes));
            assert_eq!(got, kind, "{name} in {scope:?}");
        }
    }

    #[test]
    fn a_document_is_in_the_sets_of_what_it_has() {
        let parts = [
            ("{t}:ch:aa:001", Kind::Chapter),
            ("{t}:chunk:bb:001", Kind::Chunk),
            ("{t}:chunk:cc:002", Kind::Chunk),
        ];
        let stored = stored("{t}:doc:aa:001", &parts, &["tag:xx:chunks"]);
        let sets = stored.shared_sets().unwrap();
        let sets: Vec<(&str, Vec<&Vec<u8>>)> = sets
            .iter()
            .map(|(set, who)| (std::str::from_utf8(set).unwrap(), stored.members(*who)))
            .collect();
        let [chapter, b, c] = [0, 1, 2].map(|index| &stored.parts[index].name);
        let expected = [
            ("{t}:level:doc:chunks", vec![&stored.name]),
            ("{t}:level:ch:chunks", vec![chapter]),
            ("{t}:level:chunk:chunks", vec![b, c]),
            ("{t}:tag:xx:chunks", vec![b, c]),
        ];
        assert_eq!(sets, expected);
        assert_eq!(stored.count(Kind::Chunk), 2);
    }

    #[test]
    fn a_name_that_is_none_is_no_document() {
        let error = stored("doc", &[], &[]).shared_sets().err();
        assert_eq!(error, Some(not_a_document(b"doc")));
    }

    #[test]
    fn chunks_are_not_looked_for_in_endlessly_many_sets() {
        let parts = [("chunk:aa:001", Kind::Chunk), ("chunk:bb:002", Kind::Chunk)];
        let sets = ["tag:xx:chunks", "tag:yy:chunks", "author:z:docs"];
        let stored = stored("doc:aa:001", &parts, &sets);
        assert_eq!(stored.check_tagged(4), Ok(()));
        let error = Error::TooManyMembers { limit: 3, got: 4 };
        assert_eq!(stored.check_tagged(3), Err(error));
    }
}
