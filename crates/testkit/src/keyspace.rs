//! Everything that is in a database, as plain commands see it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Client, Value};

pub type Keyspace = BTreeMap<String, Content>;

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Text(String),
    Hash(BTreeMap<String, String>),
    Set(BTreeSet<String>),
    /// Members with their scores, in order.
    SortedSet(Vec<(String, String)>),
}

impl Content {
    #[track_caller]
    pub fn hash(&self) -> &BTreeMap<String, String> {
        match self {
            Content::Hash(fields) => fields,
            other => panic!("not a hash: {other:?}"),
        }
    }

    #[track_caller]
    fn read(kind: &str, value: &Value) -> Content {
        let texts = || value.array().iter().map(Value::text);
        match kind {
            "string" => Content::Text(value.text()),
            "hash" => {
                let fields = value.fields().into_iter();
                Content::Hash(fields.map(|(field, value)| (field, value.text())).collect())
            }
            "set" => Content::Set(texts().collect()),
            "zset" => {
                let flat: Vec<String> = texts().collect();
                let pairs = flat.chunks(2);
                Content::SortedSet(pairs.map(|p| (p[0].clone(), p[1].clone())).collect())
            }
            other => panic!("no document has a {other}"),
        }
    }
}

/// Reads the whole database of a RESP2 client, but for what expires meanwhile.
#[track_caller]
pub fn keyspace(client: &mut Client) -> Keyspace {
    let keys = client.run("KEYS *");
    let keys: Vec<String> = keys.array().iter().map(Value::text).collect();
    let types = client.pipeline(&keys.iter().map(|key| vec!["TYPE", key]).collect::<Vec<_>>());
    let types: Vec<String> = types.iter().map(Value::text).collect();
    let reads: Vec<Vec<&str>> = keys
        .iter()
        .zip(&types)
        .map(|(key, kind)| match kind.as_str() {
            "string" => vec!["GET", key],
            "hash" => vec!["HGETALL", key],
            "set" => vec!["SMEMBERS", key],
            _ => vec!["ZRANGE", key, "0", "-1", "WITHSCORES"],
        })
        .collect();
    let values = client.pipeline(&reads);
    let there = keys.into_iter().zip(types.iter().zip(&values));
    there
        .filter(|(_, (kind, value))| *kind != "none" && **value != Value::Null)
        .map(|(key, (kind, value))| (key, Content::read(kind, value)))
        .collect()
}

/// The same without the counters, which only ever go up.
#[track_caller]
pub fn without_counters(mut keyspace: Keyspace) -> Keyspace {
    keyspace.retain(|key, _| !key.ends_with(":_seq") && !key.ends_with(":_slugs"));
    keyspace
}

/// Fails with the keys that differ, and only those.
#[track_caller]
pub fn assert_same(got: &Keyspace, expected: &Keyspace) {
    let keys: BTreeSet<&String> = got.keys().chain(expected.keys()).collect();
    let differences: Vec<String> = keys
        .into_iter()
        .filter(|key| got.get(*key) != expected.get(*key))
        .map(|key| {
            let (got, expected) = (got.get(key), expected.get(key));
            format!("{key}\n       got: {got:?}\n  expected: {expected:?}")
        })
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
