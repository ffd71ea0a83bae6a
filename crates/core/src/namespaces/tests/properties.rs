//! What holds for all patterns, values and keys.

use std::cmp::Reverse;

use proptest::prelude::*;

use super::samples::{any_filled, any_key, any_pattern, any_patterns, registry_of};
use super::*;
use crate::namespaces::segment::{Mixed, Segment};
use crate::naming::kinds::Kinds;
use crate::naming::number_words::Lang;

/// Whether `key` has all these segments, and nothing else.
fn has_form(form: &[Segment], key: &[u8]) -> bool {
    let mut rest = Some(key);
    for segment in form {
        let Some(after) = rest.and_then(|text| segment.split(text, ValueType::fits)) else {
            return false;
        };
        rest = after;
    }
    rest.is_none()
}

/// What is better is less.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank<'a> {
    Literal,
    Mixed(&'a Mixed),
    Whole(&'a ValueType),
}

fn rank(form: &[Segment]) -> impl Ord + '_ {
    let ranks: Vec<Rank> = form
        .iter()
        .map(|segment| match segment {
            Segment::Literal(_) => Rank::Literal,
            Segment::Mixed(mixed) => Rank::Mixed(mixed),
            Segment::Whole(kind) => Rank::Whole(kind),
        })
        .collect();
    let literals = ranks.iter().filter(|&rank| *rank == Rank::Literal).count();
    (Reverse(literals), ranks)
}

/// [`Registry::find`] by trying all patterns.
pub(super) fn slow_find<'r>(registry: &'r Registry, key: &[u8]) -> Option<&'r Namespace> {
    let forms = registry.iter().flat_map(|namespace| {
        let forms = namespace.pattern().forms();
        forms.map(move |form| (namespace, form))
    });
    let matching = forms.filter(|(_, form)| has_form(form, key));
    let best = matching.min_by(|(_, a), (_, b)| rank(a).cmp(&rank(b)));
    best.map(|(namespace, _)| namespace)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_pattern_is_read_as_it_is_written(text in any_pattern()) {
        let pattern = pattern(&text);
        prop_assert_eq!(&pattern.to_string(), &text);
        prop_assert_eq!(Pattern::parse(pattern.to_string().as_bytes()), Ok(pattern));
    }

    #[test]
    fn a_key_gives_back_the_values_it_was_built_of((pattern, values) in any_filled()) {
        let Ok(key) = build(&pattern, &values) else {
            return Ok(());
        };
        let found = pattern.values(key.as_bytes());
        prop_assert!(found.is_some(), "{pattern} {key}");
        let found = found.unwrap_or_default();
        prop_assert_eq!(found.len(), pattern.placeholders().len());
        for (index, place) in pattern.placeholders().iter().enumerate() {
            let expected = values.get(index).map(|value| value.as_bytes());
            let changes = matches!(place.kind, ValueType::Hash | ValueType::Path);
            prop_assert!(found[index] == expected || changes && found[index].is_some());
        }
    }

    #[test]
    fn the_found_namespace_is_that_of_a_slow_search(patterns in any_patterns(), key in any_key()) {
        let registry = registry_of(&patterns);
        let found = registry.find(&key);
        prop_assert_eq!(found.as_ref().map(|found| found.namespace), slow_find(&registry, &key));
        if let Some(found) = found {
            prop_assert_eq!(Some(found.values), found.namespace.pattern().values(&key));
        }
    }

    #[test]
    fn a_built_key_is_found(patterns in any_patterns(), (pattern, values) in any_filled()) {
        let mut registry = registry_of(&patterns);
        prop_assume!(registry.add(namespace("own", pattern.as_str())).is_ok());
        let built = with_defaults(|building, key| registry.build(b"own", &values, building, key));
        if let Ok(key) = built {
            let found = registry.find(key.as_bytes());
            prop_assert_eq!(found.map(|found| found.namespace.name()), Some("own"));
        }
    }

    #[test]
    fn the_order_of_definition_does_not_matter(patterns in any_patterns(), keys in prop::collection::vec(any_key(), 8)) {
        let registry = registry_of(&patterns);
        let mut backwards = Registry::new();
        let all: Vec<Namespace> = registry.iter().rev().cloned().collect();
        for namespace in all {
            prop_assert_eq!(backwards.add(namespace), Ok(()));
        }
        prop_assert_eq!(&registry, &backwards);
        for key in keys {
            prop_assert_eq!(registry.find(&key), backwards.find(&key));
        }
    }

    #[test]
    fn what_is_removed_leaves_nothing_behind(patterns in any_patterns(), more in any_patterns(), keys in prop::collection::vec(any_key(), 8)) {
        let registry = registry_of(&patterns);
        let mut changed = registry.clone();
        for (index, pattern) in more.iter().enumerate() {
            let _ = changed.add(namespace(&format!("more{index}"), pattern));
        }
        for index in 0..more.len() {
            changed.remove(format!("more{index}").as_bytes());
        }
        prop_assert_eq!(&registry, &changed);
        for key in keys {
            prop_assert_eq!(registry.find(&key), changed.find(&key));
        }
    }

    #[test]
    fn exactly_the_patterns_with_a_form_in_common_are_refused(a in any_pattern(), b in any_pattern()) {
        let (one, other) = (pattern(&a), pattern(&b));
        let alike = one.forms().any(|form| other.forms().any(|other| form == other));
        let added = registry(&[a]).add(namespace("b", &b));
        prop_assert_eq!(added.is_err(), alike);
    }

    #[test]
    fn a_suggestion_is_a_key_of_some_namespace(patterns in any_patterns(), key in any_key()) {
        let registry = registry_of(&patterns);
        let suggest = |key: &[u8]| registry.suggest(key, &Kinds::default(), Lang::De, &mut Help::for_one_call());
        let suggestion = suggest(&key);
        if registry.find(&key).is_some() {
            prop_assert_eq!(suggestion, None);
            prop_assert_eq!(registry.nearest(&key, &mut Help::for_one_call()), None);
        } else if let Some(suggestion) = suggestion {
            prop_assert!(registry.find(&suggestion).is_some());
            prop_assert_eq!(suggest(&suggestion), None);
        }
    }

    #[test]
    fn a_near_namespace_says_what_is_wrong(patterns in any_patterns(), key in any_key()) {
        let registry = registry_of(&patterns);
        if let Some(near) = registry.nearest(&key, &mut Help::for_one_call()) {
            prop_assert!(registry.find(&key).is_none());
            prop_assert!(near.namespace.pattern().values(&key).is_none());
            let places = near.namespace.pattern().placeholders();
            let place = places.iter().find(|place| Some(&*place.name) == near.placeholder);
            prop_assert_eq!(place.is_some(), near.placeholder.is_some());
            prop_assert!(place.is_none_or(|place| !place.kind.fits(near.got)));
        }
    }

    #[test]
    fn any_bytes_are_harmless(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        text in "[a:<>\\[\\]{}. b]{0,20}",
        patterns in any_patterns(),
    ) {
        for bytes in [&bytes, text.as_bytes()] {
            if let Ok(pattern) = Pattern::parse(bytes) {
                prop_assert_eq!(pattern.as_str().as_bytes(), bytes);
                let example = pattern.example();
                prop_assert!(example.is_none_or(|key| pattern.values(key.as_bytes()).is_some()));
            }
            let registry = registry_of(&patterns);
            registry.find(bytes);
            registry.nearest(bytes, &mut Help::for_one_call());
            registry.suggest(bytes, &Kinds::default(), Lang::En, &mut Help::for_one_call());
        }
    }
}
