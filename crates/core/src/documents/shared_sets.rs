//! The sets that documents share, to find documents and parts by kind, category, author or tag.
//!
//! ```text
//! {acme}:level:doc:chunks        every document of the prefix {acme}:doc
//! {acme}:level:ch:chunks         every chapter in the scope; the same for para, subpara and chunk
//! {acme}:category:risk:docs      documents, by the categories of their front matter
//! {acme}:author:ada:docs         documents, by their authors
//! {acme}:tag:hedge:chunks        chunks, by the tags of their documents
//! ```
//!
//! A document keeps the last three in its field `_sets`, without their scope, to be removed from them
//! when its front matter has changed. Anybody may have written that field, so only valid names of such
//! sets count.

use std::collections::BTreeSet;

use super::front_matter::MAX_LABELS;
use super::outline::Kind;
use super::text::Text;
use super::{Error, Result};
use crate::naming::key_name::Prefix;
use crate::naming::slug::{MAX_MAX_LEN, is_slug};

/// The most such sets from front matter: categories, authors and tags.
pub const MAX_SETS: usize = 3 * MAX_LABELS;

/// The longest value of the field: `category:<slug>:docs` and a space for each set.
pub const MAX_SETS_BYTES: usize = MAX_SETS * ("category::docs ".len() + MAX_MAX_LEN);

/// Which elements of a document are in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Document,
    Parts(Kind),
}

/// The sets that a document shares with others, and its members in them: the level of each of its
/// kinds, and those of its front matter, given without their scope.
pub fn shared_sets<S: Text>(
    prefix: &Prefix,
    has: impl Fn(Kind) -> bool,
    of_front_matter: &[Vec<u8>],
) -> Vec<(S, Members)> {
    let mut buffer = Vec::new();
    let mut set =
        |segments: &[&[u8]], members| (S::of(prefix.beside(segments, &mut buffer)), members);
    let of_documents = [b"level", prefix.kind(), b"chunks"];
    let mut sets = vec![set(&of_documents, Members::Document)];
    for kind in Kind::ALL.into_iter().filter(|&kind| has(kind)) {
        let segment = kind.segment().as_bytes();
        sets.push(set(&[b"level", segment, b"chunks"], Members::Parts(kind)));
    }
    for segments in of_front_matter {
        match is_of_chunks(segments) {
            false => sets.push(set(&[segments], Members::Document)),
            true if has(Kind::Chunk) => sets.push(set(&[segments], Members::Parts(Kind::Chunk))),
            true => {}
        }
    }
    sets
}

/// Whether the chunks of a document are in this set, and not the document.
pub fn is_of_chunks(set: &[u8]) -> bool {
    set.ends_with(b":chunks")
}

/// The sets that a document's field names, each once. Other names are left out: they may be any key,
/// even one that the same call writes.
pub fn read_sets(document: &[u8], field: &[u8]) -> Result<Vec<Vec<u8>>> {
    let sets: BTreeSet<&[u8]> = field
        .split(|&b| b == b' ')
        .filter(|set| is_set(set))
        .collect();
    match sets.len() {
        0..=MAX_SETS => Ok(sets.into_iter().map(<[u8]>::to_vec).collect()),
        got => Err(Error::StoredSets {
            key: document.to_vec(),
            limit: MAX_SETS,
            got,
        }),
    }
}

/// Whether front matter can put a document into this set.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(prefix: &str, kinds: &[Kind], front_matter: &[&str]) -> Vec<(String, Members)> {
        let prefix = Prefix::parse(prefix.as_bytes()).unwrap();
        let front_matter: Vec<Vec<u8>> = front_matter.iter().map(|s| s.as_bytes().into()).collect();
        let sets = shared_sets::<Vec<u8>>(&prefix, |kind| kinds.contains(&kind), &front_matter);
        sets.into_iter()
            .map(|(set, members)| (String::from_utf8(set).unwrap(), members))
            .collect()
    }

    #[test]
    fn a_document_is_in_the_sets_of_its_levels_and_of_its_front_matter() {
        let of = |set: &str, members| (set.to_string(), members);
        assert_eq!(
            sets("guide", &[], &[]),
            [of("level:guide:chunks", Members::Document)]
        );
        assert_eq!(
            sets(
                "{acme}:doc",
                &[Kind::Chunk, Kind::Chapter],
                &["category:risk:docs", "tag:hedge:chunks"]
            ),
            [
                of("{acme}:level:doc:chunks", Members::Document),
                of("{acme}:level:ch:chunks", Members::Parts(Kind::Chapter)),
                of("{acme}:level:chunk:chunks", Members::Parts(Kind::Chunk)),
                of("{acme}:category:risk:docs", Members::Document),
                of("{acme}:tag:hedge:chunks", Members::Parts(Kind::Chunk)),
            ]
        );
        // Without chunks there is nobody to be tagged.
        assert_eq!(sets("doc", &[Kind::Chapter], &["tag:a:chunks"]).len(), 2);
    }

    #[test]
    fn only_what_can_be_such_a_set_is_believed() {
        let long = format!("tag:{}:chunks", "a".repeat(MAX_MAX_LEN + 1));
        for (set, believed) in [
            ("category:risk:docs", true),
            ("author:ada_lovelace:docs", true),
            ("tag:hedge:chunks", true),
            ("tag:hedge:docs", false),
            ("category:risk:chunks", false),
            ("category::docs", false),
            ("category:Risk:docs", false),
            ("category:risk:docs:x", false),
            ("level:doc:chunks", false),
            ("doc:_seq", false),
            ("", false),
            (&long, false),
        ] {
            assert_eq!(is_set(set.as_bytes()), believed, "{set}");
        }
    }

    #[test]
    fn a_field_names_each_set_once_and_not_too_many() {
        let field = b"tag:bb:chunks  x tag:aa:chunks tag:bb:chunks doc:_seq";
        let expected = [b"tag:aa:chunks".to_vec(), b"tag:bb:chunks".to_vec()];
        assert_eq!(read_sets(b"doc:a:001", field).unwrap(), expected);
        assert!(read_sets(b"doc:a:001", b"").unwrap().is_empty());

        let many = |count: usize| {
            let sets: Vec<String> = (0..count).map(|i| format!("tag:t{i}:chunks")).collect();
            read_sets(b"doc:a:001", sets.join(" ").as_bytes())
        };
        assert_eq!(many(MAX_SETS).unwrap().len(), MAX_SETS);
        let error = Error::StoredSets {
            key: b"doc:a:001".to_vec(),
            limit: MAX_SETS,
            got: MAX_SETS + 1,
        };
        assert_eq!(many(MAX_SETS + 1), Err(error));
    }
}
