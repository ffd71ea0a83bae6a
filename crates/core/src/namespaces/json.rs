//! Namespaces as JSON: what `KEYNS.NS.LOAD` reads and `KEYNS.NS.DUMP` writes.
//!
//! ```json
//! {"namespaces": [{"name": "session", "pattern": "session:<sid:hex>", "ttl": 1800}]}
//! ```

mod tree;

use std::collections::BTreeSet;

use serde::Serialize;

use super::definition::{Class, Draft, MAX_TTL, MIN_TTL, Namespace};
use super::regexes::Regexes;
use super::registry::Registry;
use crate::argument;
use crate::key_type::KeyType;
use crate::namespaces::{Error, Result};
use crate::text::quoting::{Quoted, quoted};
use tree::Json;

const FIELDS: &str = "name, pattern, ttl, class, type, owner, readers or description";

/// The namespaces that a text defines, in its order.
pub fn read(json: &[u8]) -> Result<Vec<Namespace>> {
    let document = tree::parse(json).map_err(|error| Error::Json {
        reason: file_name_hint(json).unwrap_or_else(|| error.to_string()),
    })?;
    let entries = entries(&document).map_err(|reason| Error::Json { reason })?;
    let mut names = BTreeSet::new();
    let mut regexes = Regexes::new();
    let mut namespaces = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let refuse = |reason| Error::Entry {
            entry: label(index, entry),
            reason,
        };
        let namespace = namespace(entry, &regexes).map_err(refuse)?;
        if !names.insert(namespace.name().to_owned()) {
            return Err(refuse("this name appears twice".to_owned()));
        }
        // Checked after each one, so a text full of regexes never exceeds the limit first.
        regexes.add(namespace.pattern());
        regexes.check()?;
        namespaces.push(namespace);
    }
    Ok(namespaces)
}

/// The sentence about a text that is not JSON, but looks like the name of a file with JSON.
fn file_name_hint(text: &[u8]) -> Option<String> {
    const MAX_BYTES: usize = 255;
    let name = text.trim_ascii_end();
    let (_, extension) = name.split_last_chunk::<5>()?;
    let is_name = name.len() <= MAX_BYTES
        && extension.eq_ignore_ascii_case(b".json")
        && !name
            .iter()
            .any(|b| b.is_ascii_control() || b"{[\"".contains(b));
    is_name.then(|| {
        format!(
            "the text looks like the name of a file; send its content: redis-cli -x KEYNS.NS.LOAD <{}",
            Quoted(name)
        )
    })
}

/// The text that [`read`] reads, sorted by name.
pub fn write(registry: &Registry) -> String {
    let document = Document {
        namespaces: registry.iter().map(Entry::of).collect(),
    };
    // Cannot fail: all keys are strings, and it writes to memory.
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

#[derive(Serialize)]
struct Document<'a> {
    namespaces: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    pattern: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<u64>,
    class: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    key_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    readers: &'a [Box<str>],
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

impl Entry<'_> {
    fn of(namespace: &Namespace) -> Entry<'_> {
        Entry {
            name: namespace.name(),
            pattern: namespace.pattern().as_str(),
            ttl: namespace.ttl(),
            class: namespace.class().keyword(),
            key_type: namespace.key_type().map(KeyType::name),
            owner: namespace.owner(),
            readers: namespace.readers(),
            description: namespace.description(),
        }
    }
}

/// Fails with the sentence about a mistake.
type Checked<T> = std::result::Result<T, String>;

fn entries(document: &Json) -> Checked<&[Json]> {
    let Json::Object(fields) = document else {
        return Err("must be an object with the field 'namespaces'".to_owned());
    };
    let mut entries = None;
    for (field, value) in fields {
        match (field.as_str(), value, entries) {
            ("namespaces", Json::Array(list), None) => entries = Some(list.as_slice()),
            ("namespaces", Json::Array(_), Some(_)) => {
                return Err("the field 'namespaces' appears twice".to_owned());
            }
            ("namespaces", ..) => return Err("'namespaces' must be an array".to_owned()),
            _ => {
                return Err(format!(
                    "unknown field '{}', expected namespaces",
                    quoted(field)
                ));
            }
        }
    }
    entries.ok_or_else(|| "must be an object with the field 'namespaces'".to_owned())
}

/// How an error names an entry.
fn label(index: usize, entry: &Json) -> String {
    let name = match entry {
        Json::Object(fields) => fields.iter().find(|(field, _)| field == "name"),
        _ => None,
    };
    match name {
        Some((_, Json::String(name))) => format!("'{}'", quoted(name)),
        _ => format!("at index {index}"),
    }
}

fn namespace(entry: &Json, regexes: &Regexes) -> Checked<Namespace> {
    let Json::Object(fields) = entry else {
        return Err("must be an object".to_owned());
    };
    let mut draft = Draft::default();
    let mut seen = BTreeSet::new();
    for (field, value) in fields {
        if !seen.insert(field) {
            return Err(format!("the field '{}' appears twice", quoted(field)));
        }
        set(&mut draft, field, value)?;
    }
    for field in ["name", "pattern"] {
        if !seen.contains(&field.to_owned()) {
            return Err(format!("the field '{field}' is missing"));
        }
    }
    Namespace::with(&draft, regexes).map_err(|error| error.to_string())
}

fn set<'j>(draft: &mut Draft<'j>, field: &str, value: &'j Json) -> Checked<()> {
    let said = |error: argument::Error| error.to_string();
    match field {
        "name" => draft.name = required(field, value)?,
        "pattern" => draft.pattern = required(field, value)?,
        "ttl" => draft.ttl = ttl(field, value)?,
        "class" => {
            let word = text(field, value)?;
            draft.class = word.map(Class::parse).transpose().map_err(said)?;
        }
        "type" => {
            let word = text(field, value)?;
            draft.key_type = word.map(KeyType::parse).transpose().map_err(said)?;
        }
        "owner" => draft.owner = text(field, value)?,
        "readers" => draft.readers = texts(field, value)?,
        "description" => draft.description = text(field, value)?,
        _ => {
            return Err(format!(
                "unknown field '{}', expected {FIELDS}",
                quoted(field)
            ));
        }
    }
    Ok(())
}

fn required<'j>(field: &str, value: &'j Json) -> Checked<&'j [u8]> {
    let text = text(field, value)?;
    text.ok_or_else(|| format!("{field} must be a string, got null"))
}

fn text<'j>(field: &str, value: &'j Json) -> Checked<Option<&'j [u8]>> {
    match value {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text.as_bytes())),
        other => Err(format!("{field} must be a string, got {}", other.kind())),
    }
}

fn texts<'j>(field: &str, value: &'j Json) -> Checked<Vec<&'j [u8]>> {
    let wrong = |got: &str| format!("{field} must be an array of strings, got {got}");
    let bytes = |entry: &'j Json| match entry {
        Json::String(text) => Ok(text.as_bytes()),
        other => Err(wrong(&format!("an array with {}", other.kind()))),
    };
    match value {
        Json::Null => Ok(Vec::new()),
        Json::Array(list) => list.iter().map(bytes).collect(),
        other => Err(wrong(other.kind())),
    }
}

/// In seconds, or as a period: `1800` and `"30m"` are the same.
fn ttl(field: &str, value: &Json) -> Checked<Option<i64>> {
    match value {
        Json::Null => Ok(None),
        Json::Integer(number) => Ok(Some(*number)),
        Json::String(period) => {
            let seconds = argument::seconds("TTL", period.as_bytes(), MIN_TTL..=MAX_TTL);
            seconds.map(Some).map_err(|error| error.to_string())
        }
        other => {
            let expected = "seconds as an integer, or a period such as \"30m\"";
            Err(format!("{field} must be {expected}, got {}", other.kind()))
        }
    }
}
