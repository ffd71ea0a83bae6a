//! What KEYNS.INGESTMD has to write, told a second time: all keys of a document follow from its
//! hash and those of its parts.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Client, Content, Keyspace, Value};

/// A document with front matter, every kind of section and several kinds of blocks.
pub const GUIDE: &str = "\
---
title: Field Guide
author: Ada Byron
category: Nature
tags: birds, mosses
---

Before anything else.

# Forests

Trees stand close.

## Oaks

- acorns
- leaves

### Bark

| side | colour |
|---|---|
| north | green |

# Meadows

> Grass, mostly.
";

/// Markdown that takes its reader some tenths of a second, by the end of which a test has long done
/// what it wants to do in between.
pub fn long_text() -> String {
    format!("# Long\n\n{}\n\nThe end.\n", "*a_b`c ".repeat(500_000))
}

/// How many documents a server is reading in the background.
#[track_caller]
pub fn parsing(client: &mut Client) -> u64 {
    let count = client.info("keyns", "keyns_documents_parsing");
    count.parse().expect("a count")
}

/// Has the server read all documents in the background, or none.
#[track_caller]
pub fn read_in_background(client: &mut Client, all: bool) {
    let threshold = if all { "0" } else { "536870912" };
    let reply = client.call(&["CONFIG", "SET", "keyns.parse-thread-bytes", threshold]);
    assert_eq!(reply.text(), "OK");
}

/// A hash.
pub type Fields = BTreeMap<String, String>;

/// Sends KEYNS.INGESTMD, with options that are words without spaces.
#[track_caller]
pub fn try_ingest(
    client: &mut Client,
    prefix: &str,
    markdown: impl AsRef<[u8]>,
    options: &str,
) -> Value {
    let mut args = vec![b"KEYNS.INGESTMD", prefix.as_bytes(), markdown.as_ref()];
    args.extend(options.split_whitespace().map(str::as_bytes));
    client.call(&args)
}

/// The same where it must work; answers the fields of the reply.
#[track_caller]
pub fn ingest(
    client: &mut Client,
    prefix: &str,
    markdown: impl AsRef<[u8]>,
    options: &str,
) -> BTreeMap<String, Value> {
    let reply = try_ingest(client, prefix, markdown, options);
    assert!(!reply.is_error(), "{reply:?}");
    reply.fields()
}

/// A document, as its own hash and those of its parts tell it.
#[derive(Clone, Debug)]
pub struct Document {
    pub name: String,
    pub fields: Fields,
    /// The names and the hashes of its parts, in reading order.
    pub parts: Vec<(String, Fields)>,
}

impl Document {
    /// Finds the hashes of a document, whatever its other keys say.
    #[track_caller]
    pub fn find(name: &str, keyspace: &Keyspace) -> Document {
        let mut parts: Vec<(String, Fields)> = keyspace
            .iter()
            .filter_map(|(key, content)| match content {
                Content::Hash(fields) if fields.get("doc").is_some_and(|doc| doc == name) => {
                    Some((key.clone(), fields.clone()))
                }
                _ => None,
            })
            .collect();
        parts.sort_by_key(|(_, fields)| number(fields, "position"));
        Document {
            name: name.into(),
            fields: keyspace[name].hash().clone(),
            parts,
        }
    }

    /// All keys that several documents must have, with the sets that they share.
    #[track_caller]
    pub fn keys_of_all<'a>(
        names: impl IntoIterator<Item = &'a String>,
        keyspace: &Keyspace,
    ) -> Keyspace {
        let mut all = Keyspace::new();
        for name in names {
            assert!(keyspace.contains_key(name), "{name} is not there");
            for (key, content) in Document::find(name, keyspace).keys() {
                match (all.get_mut(&key), content) {
                    (Some(Content::Set(members)), Content::Set(more)) => members.extend(more),
                    (_, content) => {
                        all.insert(key, content);
                    }
                }
            }
        }
        all
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|(name, _)| name.as_str())
    }

    /// All keys that it must have, shared ones with its own members alone.
    pub fn keys(&self) -> Keyspace {
        let mut keys = Keyspace::new();
        keys.insert(self.name.clone(), Content::Hash(self.fields.clone()));
        for (name, fields) in &self.parts {
            keys.insert(name.clone(), Content::Hash(fields.clone()));
        }
        for above in self.names().chain([self.name.as_str()]) {
            keys.extend(self.keys_below(above));
        }
        let names: Vec<&str> = self.names().collect();
        for pair in names.windows(2) {
            keys.insert(format!("{}:next", pair[0]), Content::Text(pair[1].into()));
            keys.insert(
                format!("{}:previous", pair[1]),
                Content::Text(pair[0].into()),
            );
        }
        keys.extend(self.shared_sets());
        keys
    }

    fn keys_below(&self, above: &str) -> Keyspace {
        let parent = |fields: &Fields| fields["parent"].clone();
        let children = self.parts.iter().filter(|(_, f)| parent(f) == above);
        let children: BTreeSet<String> = children.map(|(name, _)| name.clone()).collect();
        // Parents come before their children.
        let mut below = BTreeSet::from([above.to_owned()]);
        let mut sequence = Vec::new();
        for (name, fields) in &self.parts {
            if below.contains(&parent(fields)) {
                below.insert(name.clone());
                sequence.push((name.clone(), fields["position"].clone()));
            }
        }
        below.remove(above);
        let mut keys = Keyspace::new();
        if children.is_empty() {
            return keys;
        }
        if self.fields.contains_key("_siblings") && children.len() > 1 {
            for child in &children {
                let others = children.iter().filter(|other| *other != child);
                let others = Content::Set(others.cloned().collect());
                keys.insert(format!("{child}:siblings"), others);
            }
        }
        keys.insert(format!("{above}:children"), Content::Set(children));
        keys.insert(format!("{above}:all_descendants"), Content::Set(below));
        keys.insert(format!("{above}:sequence"), Content::SortedSet(sequence));
        keys
    }

    fn shared_sets(&self) -> Keyspace {
        let (scope, kind) = self.scope_and_kind();
        let mut sets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut add = |set: String, name: &str| {
            sets.entry(set).or_default().insert(name.into());
        };
        add(format!("{scope}level:{kind}:chunks"), &self.name);
        for (name, _) in &self.parts {
            let kind = name[scope.len()..].split(':').next().unwrap_or_default();
            add(format!("{scope}level:{kind}:chunks"), name);
        }
        let of_front_matter = self.fields.get("_sets").map_or("", String::as_str);
        for set in of_front_matter.split_whitespace() {
            let set = format!("{scope}{set}");
            if set.ends_with(":docs") {
                add(set, &self.name);
                continue;
            }
            for (name, fields) in &self.parts {
                if fields["type"] == "chunk" {
                    add(set.clone(), name);
                }
            }
        }
        let sets = sets.into_iter();
        sets.map(|(set, members)| (set, Content::Set(members)))
            .collect()
    }

    /// `("{acme}:", "doc")` for `{acme}:doc:guide:001`.
    fn scope_and_kind(&self) -> (&str, &str) {
        let prefix = self.name.rsplitn(3, ':').nth(2).expect("a prefix");
        match prefix.rfind(':') {
            Some(colon) => (&prefix[..=colon], &prefix[colon + 1..]),
            None => ("", prefix),
        }
    }

    /// Fails unless the parts, one after the other, are the whole source.
    #[track_caller]
    pub fn assert_covers(&self, source: &str) {
        let mut at = self.fields.get("source").map_or(0, String::len);
        assert_eq!(
            self.fields.get("source").map_or("", String::as_str),
            &source[..at]
        );
        for (index, (name, fields)) in self.parts.iter().enumerate() {
            assert_eq!(number(fields, "position"), index + 1, "{name}");
            assert_eq!(number(fields, "offset"), at, "{name}");
            let end = at + number(fields, "length");
            let header = match fields.contains_key("header") {
                true => number(fields, "header"),
                false => 0,
            };
            let text = fields.get("text").unwrap_or_else(|| &fields["source"]);
            assert_eq!(&text[header..], &source[at..end], "{name}");
            at = end;
        }
        assert_eq!(at, source.len());
        assert_eq!(number(&self.fields, "bytes"), source.len());
    }

    /// A keyspace with every name of this document as its place: equal for equal documents, however
    /// their parts are called.
    pub fn with_places_for_names(&self, keyspace: Keyspace) -> Keyspace {
        let places = self.names().enumerate();
        let mut places: BTreeMap<&str, String> = places
            .map(|(index, name)| (name, format!("#{}", index + 1)))
            .collect();
        places.insert(&self.name, "#doc".into());
        let place = |name: String| places.get(name.as_str()).cloned().unwrap_or(name);
        let of_key = |key: String| match key.rsplit_once(':') {
            Some((name, relation)) if places.contains_key(name) => {
                format!("{}:{relation}", places[name])
            }
            _ => place(key),
        };
        let of_content = |content| match content {
            Content::Text(text) => Content::Text(place(text)),
            Content::Hash(mut fields) => {
                for field in ["doc", "parent"] {
                    let name = fields.remove(field);
                    fields.extend(name.map(|name| (field.to_owned(), place(name))));
                }
                Content::Hash(fields)
            }
            Content::Set(members) => Content::Set(members.into_iter().map(place).collect()),
            Content::SortedSet(members) => {
                let members = members.into_iter();
                Content::SortedSet(members.map(|(name, score)| (place(name), score)).collect())
            }
        };
        let keys = keyspace.into_iter();
        keys.map(|(key, content)| (of_key(key), of_content(content)))
            .collect()
    }
}

#[track_caller]
fn number(fields: &Fields, field: &str) -> usize {
    fields[field].parse().expect("a number")
}
