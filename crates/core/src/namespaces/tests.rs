//! The rules one by one, and what holds for all patterns and keys.

mod building;
mod definitions;
mod outputs;
mod patterns;
mod presets;
mod properties;
mod regexes;
mod registry;
mod samples;
mod work;

use super::*;
use crate::key_type::{KeyType, Stored};
use crate::namespaces::{Error, Result};
use crate::naming::slug::{Abbreviations, SlugMaker, SlugOptions};

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn namespace(name: &str, pattern: &str) -> Namespace {
    let draft = Draft {
        name: name.as_bytes(),
        pattern: pattern.as_bytes(),
        ..Draft::default()
    };
    Namespace::new(&draft).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

/// A registry of namespaces that are named after their patterns' places: `n0`, `n1`.
pub(super) fn registry(patterns: &[impl AsRef<str>]) -> Registry {
    let mut registry = Registry::new();
    for (index, pattern) in patterns.iter().enumerate() {
        let namespace = namespace(&format!("n{index}"), pattern.as_ref());
        registry.add(namespace).unwrap();
    }
    registry
}

/// With the server's defaults.
fn build(pattern: &Pattern, values: &[impl AsRef<[u8]>]) -> Result<String> {
    with_defaults(|building, key| pattern.build(values, building, key))
}

fn with_defaults<T>(
    build: impl FnOnce(&mut Building, &mut Vec<u8>) -> Result<T>,
) -> Result<String> {
    let mut building = Building {
        slugs: &mut SlugMaker::new(),
        slug_options: &SlugOptions::default(),
        abbreviations: &Abbreviations::default(),
        max_value_bytes: 100,
        max_key_bytes: 1000,
    };
    let mut key = b"before ".to_vec();
    let built = build(&mut building, &mut key);
    if built.is_err() {
        assert_eq!(key, b"before ");
    }
    built.map(|_| String::from_utf8(key.split_off(7)).unwrap())
}

fn texts<'k>(values: &Values<'k>) -> Vec<Option<&'k str>> {
    let text = |value: &'k [u8]| std::str::from_utf8(value).unwrap();
    values.iter().map(|value| value.map(text)).collect()
}
