//! Patterns are read as written; a key gives back what it was built of; namespaces find their keys.
#![no_main]

use keyns_core::namespaces::Result;
use keyns_core::namespaces::{Building, Draft, Help, Namespace, Pattern, Registry, ValueType};
use keyns_core::naming::kinds::Kinds;
use keyns_core::naming::number_words::Lang;
use keyns_core::naming::slug::{Abbreviations, SlugMaker, SlugOptions};
use libfuzzer_sys::fuzz_target;

/// The lines of a text: a key, values with `=` in front of them, and patterns.
struct Input<'a> {
    key: &'a [u8],
    values: Vec<&'a [u8]>,
    patterns: Vec<&'a [u8]>,
}

impl Input<'_> {
    fn of(text: &[u8]) -> Input<'_> {
        let mut lines = text.split(|&byte| byte == b'\n');
        let key = lines.next().unwrap_or_default();
        let (values, patterns) = lines.partition(|line| line.starts_with(b"="));
        let values: Vec<&[u8]> = values;
        Input {
            key,
            values: values.iter().map(|line| &line[1..]).collect(),
            patterns,
        }
    }
}

const NAMES: [&str; 8] = ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"];

fuzz_target!(|text: &[u8]| {
    let input = Input::of(text);
    let mut registry = Registry::new();
    for (name, text) in NAMES.into_iter().zip(&input.patterns) {
        let pattern = match Pattern::parse(text) {
            Ok(pattern) => pattern,
            Err(error) => {
                assert!(error.to_string().is_ascii());
                continue;
            }
        };
        assert_eq!(pattern.as_str().as_bytes(), *text);
        let example = pattern.example();
        assert!(example.is_none_or(|key| pattern.values(key.as_bytes()).is_some()));
        gives_back(&pattern, &input.values);
        let draft = Draft {
            name: name.as_bytes(),
            pattern: text,
            ..Draft::default()
        };
        let _ = registry.add(Namespace::new(&draft).expect("its pattern was read"));
    }
    is_the_same_backwards(&registry, input.key);
    for name in NAMES {
        let values = as_many_as_fit(&registry, name, &input.values);
        if let Ok(key) =
            built(|building, key| registry.build(name.as_bytes(), values, building, key))
        {
            let found = registry
                .find(&key)
                .expect("a namespace has the keys that it builds");
            assert_eq!(found.namespace.name(), name);
        }
    }
    says_what_is_wrong(&registry, input.key);
});

fn built<T>(build: impl FnOnce(&mut Building, &mut Vec<u8>) -> Result<T>) -> Result<Vec<u8>> {
    let mut building = Building {
        slugs: &mut SlugMaker::new(),
        slug_options: &SlugOptions::default(),
        abbreviations: &Abbreviations::default(),
        max_value_bytes: 1000,
        max_key_bytes: usize::MAX,
    };
    let mut key = b"before ".to_vec();
    let built = build(&mut building, &mut key);
    assert!(
        built.is_ok() || key == b"before ",
        "an error changes nothing"
    );
    built.map(|_| key.split_off(7))
}

fn as_many_as_fit<'v, 'a>(
    registry: &Registry,
    name: &str,
    values: &'v [&'a [u8]],
) -> &'v [&'a [u8]] {
    let namespace = registry.get(name.as_bytes());
    let most = namespace.map_or(0, |namespace| namespace.pattern().placeholders().len());
    &values[..most.min(values.len())]
}

/// A key has the values it was built of, and they build it again.
fn gives_back(pattern: &Pattern, values: &[&[u8]]) {
    let places = pattern.placeholders();
    let values = &values[..places.len().min(values.len())];
    let Ok(key) = built(|building, key| pattern.build(values, building, key)) else {
        return;
    };
    let found = pattern
        .values(&key)
        .expect("a pattern has the keys that it builds");
    assert_eq!(found.len(), places.len());
    for (index, place) in places.iter().enumerate() {
        let (found, given) = (found[index], values.get(index).copied());
        match &place.kind {
            ValueType::Hash | ValueType::Path | ValueType::Slug | ValueType::Number => {
                assert_eq!(found.is_some(), given.is_some());
            }
            _ => assert_eq!(found, given),
        }
    }
    if places.iter().all(|place| place.kind != ValueType::Hash) {
        let again: Vec<&[u8]> = found.iter().copied().flatten().collect();
        let again = built(|building, key| pattern.build(&again, building, key));
        assert_eq!(again.as_ref(), Ok(&key));
    }
}

/// The order of definition does not matter.
fn is_the_same_backwards(registry: &Registry, key: &[u8]) {
    let mut backwards = Registry::new();
    for namespace in registry.iter().rev() {
        assert_eq!(backwards.add(namespace.clone()), Ok(()));
    }
    assert_eq!(registry, &backwards);
    assert_eq!(registry.find(key), backwards.find(key));
}

fn says_what_is_wrong(registry: &Registry, key: &[u8]) {
    let kinds = Kinds::default();
    let suggestion = registry.suggest(key, &kinds, Lang::De, &mut Help::for_one_call());
    let nearest = registry.nearest(key, &mut Help::for_one_call());
    if let Some(found) = registry.find(key) {
        assert_eq!(Some(found.values), found.namespace.pattern().values(key));
        assert_eq!((suggestion, nearest), (None, None));
        return;
    }
    if let Some(suggestion) = suggestion {
        assert!(registry.find(&suggestion).is_some());
    }
    if let Some(near) = nearest {
        let pattern = near.namespace.pattern();
        assert_eq!(pattern.values(key), None);
        let mut places = pattern.placeholders().iter();
        if let Some(name) = near.placeholder {
            let place = places.find(|place| &*place.name == name);
            assert!(
                !place
                    .expect("it is one of the pattern's")
                    .kind
                    .fits(near.got)
            );
        }
    }
    let report = registry.check(key, None, None, &kinds, Lang::De, &mut Help::for_one_call());
    assert!(!report.problems.is_empty());
    assert!(report.details.iter().all(|detail| detail.is_ascii()));
}
