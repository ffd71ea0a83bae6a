//! What a look-up costs: so much for each byte of the key, and no more with more namespaces.

use proptest::prelude::*;

use super::properties::slow_find;
use super::registry;
use crate::namespaces::{Help, Registry, Work};
use crate::naming::kinds::Kinds;
use crate::naming::number_words::Lang;

/// Patterns that differ in a text between two placeholders only.
fn alike(count: usize) -> Registry {
    let pattern = |n: usize| format!("x:a<p:hex>c<q>n{n}-<r>z");
    registry(&(0..count).map(pattern).collect::<Vec<_>>())
}

/// The namespace of a key, the steps that it took to find it, and whether they were enough.
fn look_up<'r>(registry: &'r Registry, key: &str) -> (Option<&'r str>, usize, bool) {
    let mut work = Work::on(key.as_bytes());
    let found = registry.find_within(key.as_bytes(), &mut work);
    let name = found.map(|found| found.namespace.name());
    (name, work.taken_of(key.as_bytes()), !work.is_spent())
}

fn at_length(len: usize, start: &str, end: &str) -> String {
    let filling = "cn1-".repeat(len);
    format!("{start}{}{end}", &filling[..len - start.len() - end.len()])
}

#[test]
fn a_key_that_nearly_fits_ten_thousand_patterns_costs_what_it_costs_with_few() {
    let (few, all) = (alike(100), alike(10_000));
    let near = [
        "x:abcdn17-z".to_owned(),
        "x:a0cqn17-r".to_owned(),
        "x:a0cqn99999-rz".to_owned(),
        "x:agcqn17-rz".to_owned(),
        at_length(1024, "x:a0c", "y"),
        at_length(1024, "x:a0", "z"),
        at_length(1024, "x:ag", "z"),
    ];
    for key in &near {
        let (found, steps, was_enough) = look_up(&all, key);
        assert_eq!((found, was_enough), (None, true), "{key}");
        // Two more digits are two more lengths to look for.
        let (_, few, _) = look_up(&few, key);
        assert!(steps <= few + 2 * key.len(), "{steps} after {few}: {key}");
    }
    for n in [0, 1, 17, 9_999] {
        let key = format!("x:a0cqn{n}-rz");
        let (found, steps, _) = look_up(&all, &key);
        assert_eq!(found, Some(&*format!("n{n}")));
        assert!(steps < 100, "{steps}");
    }
    let key = at_length(1024, "x:a0cqn17-", "z");
    assert_eq!(look_up(&all, &key).0, Some("n17"));
}

#[test]
fn a_key_that_has_the_texts_of_hundreds_of_patterns_is_told_apart_all_the_same() {
    let texts: String = (1_000..1_160).map(|n| format!("n{n}-")).collect();
    let registry = alike(10_000);
    let (found, _, was_enough) = look_up(&registry, &format!("x:a0cq{texts}rz"));
    // The longest texts come first, and of equally long ones the smallest.
    assert_eq!((found, was_enough), (Some("n1000"), true));
}

/// Registries in which a key starts like everything.
fn hostile() -> Vec<(Registry, String)> {
    let types = ["", ":hex", ":path", ":number", ":slug"];
    let types_of = |n: usize| (0..5).map(move |place| types[n / 5_usize.pow(place) % 5]);
    let mixed = (0..3_000).map(|n| {
        let holes = types_of(n).enumerate();
        let holes: String = holes.map(|(at, kind)| format!("<p{at}{kind}>b")).collect();
        format!("x:a{holes}:y")
    });
    let wholes = (0..3_000).map(|n| {
        let holes = types_of(n).enumerate();
        let holes: String = holes.map(|(at, kind)| format!(":<p{at}{kind}>")).collect();
        format!("x{holes}:y")
    });
    let outer = (0..3_000).map(|n| {
        let (head, tail) = ("a".repeat(1 + n / 55), "a".repeat(n % 55));
        format!("x:{head}<p>{tail}:y")
    });
    let inner = (0..3_000).map(|n| {
        let (head, tail) = ("a".repeat(1 + n / 55), "a".repeat(n % 55));
        format!("x:a<p>{head}b{tail}<q>a:y")
    });
    let long = |text: &str| text.repeat(1_010 / text.len());
    vec![
        (
            registry(&mixed.collect::<Vec<_>>()),
            format!("x:a{}:n", long("000b")),
        ),
        (
            registry(&wholes.collect::<Vec<_>>()),
            format!("x:{}n", "0000:".repeat(5)),
        ),
        (
            registry(&outer.collect::<Vec<_>>()),
            format!("x:{}:n", long("a")),
        ),
        (
            registry(&inner.collect::<Vec<_>>()),
            format!("x:a{}:n", long(&format!("{0}b{0}", "a".repeat(60)))),
        ),
    ]
}

#[test]
fn no_registry_makes_a_look_up_take_more_than_its_key_allows() {
    for (registry, key) in hostile() {
        let (found, steps, _) = look_up(&registry, &key);
        assert_eq!(found, None);
        let all = 1024 + 64 * key.len();
        assert!((100..=all).contains(&steps), "{steps} of {all}: {key}");
        // Nor anything else that CHECK does with it.
        let (kinds, key) = (Kinds::default(), key.as_bytes());
        let report = registry.check(key, None, None, &kinds, Lang::De, &mut Help::for_one_call());
        assert!(!report.problems.is_empty());
        assert!(
            registry
                .suggest(key, &kinds, Lang::De, &mut Help::for_one_call())
                .is_none()
        );
    }
}

#[test]
fn who_is_given_up_is_told_so_and_nothing_is_guessed() {
    let types = ["", ":hex", ":path", ":number"];
    let pattern = |n: usize| -> String {
        let kind = |place: u32| types[n / 4_usize.pow(place) % 4];
        let holes = (0..6).map(|at| format!(":<p{at}{}>", kind(at)));
        format!("x{}:y", holes.collect::<String>())
    };
    let registry = registry(&(0..4_096).map(pattern).collect::<Vec<_>>());
    let key = format!("x{}:n", ":000".repeat(6));
    assert_eq!(
        look_up(&registry, &key),
        (None, 1024 + 64 * key.len(), false)
    );
    let report = registry.check(
        key.as_bytes(),
        None,
        None,
        &Kinds::default(),
        Lang::De,
        &mut Help::for_one_call(),
    );
    let codes: Vec<&str> = report
        .problems
        .iter()
        .map(|problem| problem.code())
        .collect();
    assert!(codes.contains(&"NO_NAMESPACE"), "{codes:?}");
    assert_eq!(
        report.details,
        ["too many patterns start like this key to find its namespace"]
    );
    assert_eq!(report.suggestion, None);
}

#[test]
fn a_key_pays_for_no_pattern_that_starts_otherwise() {
    let mut patterns: Vec<String> = (1..=100)
        .flat_map(|head| (0..30).map(move |tail| (head, tail)))
        .map(|(head, tail)| format!("t{}<p>{}", "t".repeat(head), "u".repeat(tail)))
        .collect();
    let key = "app:orders:42";
    patterns.insert(0, "app:<kind>:<id:int>".to_owned());
    let registry = registry(&patterns);
    let (found, steps, _) = look_up(&registry, key);
    assert_eq!(found, Some("n0"));
    assert!(steps <= 10, "{steps}");
}

prop_compose! {
    /// Some forty that have few texts to differ in.
    fn any_alike()(
        parts in prop::collection::vec(("[ab]{0,1}", "[ab]{1,3}", "[ab]{1,2}", "[ab]{0,1}", 0..3_usize), 40)
    ) -> Vec<String> {
        let kinds = ["", ":hex", ":path"];
        let pattern = |(head, one, two, tail, kind): &(String, String, String, String, usize)| {
            format!("x:{head}<p{}>{one}<q>{two}<r>{tail}", kinds[*kind])
        };
        parts.iter().map(pattern).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_that_are_alike_are_told_apart_as_by_a_slow_search(
        patterns in any_alike(),
        keys in prop::collection::vec("x:[abc]{1,12}", 20),
        gone in 0..40_usize,
    ) {
        let mut registry = Registry::new();
        for (index, pattern) in patterns.iter().enumerate() {
            let _ = registry.add(super::namespace(&format!("n{index}"), pattern));
        }
        for _ in 0..2 {
            for key in &keys {
                let found = registry.find(key.as_bytes()).map(|found| found.namespace);
                prop_assert_eq!(found, slow_find(&registry, key.as_bytes()));
            }
            // And what is left afterwards is as if the others had never been there.
            let names: Vec<String> = (0..gone).map(|index| format!("n{index}")).collect();
            for name in &names {
                registry.remove(name.as_bytes());
            }
            let mut rest = Registry::new();
            for namespace in registry.iter() {
                prop_assert_eq!(rest.add(namespace.clone()), Ok(()));
            }
            prop_assert_eq!(&registry, &rest);
        }
    }
}

/// Thousands of keys in one call were explained one by one, each as if it were alone.
#[test]
fn all_keys_of_a_call_share_what_explanations_may_take() {
    let patterns: Vec<String> = (0..2000).map(|n| format!("app:k{n}:<x:int>")).collect();
    let registry = registry(&patterns);
    let kinds = Kinds::default();
    let mut help = Help::for_one_call();
    let mut check = || registry.check(b"app", None, None, &kinds, Lang::De, &mut help);
    let reports: Vec<_> = (0..5000).map(|_| check().details).collect();
    assert_eq!(reports[0].len(), 1, "{:?}", reports[0]);
    assert!(reports[0][0].contains("expected"), "{:?}", reports[0]);
    let last = ["too many keys in one call to look for the nearest namespace"];
    assert_eq!(reports[4999], last);
    // A key that has a namespace needs no help, and a fresh call gets all of it.
    let own = registry.find(b"app:k7:1").map(|found| found.namespace);
    assert!(own.is_some());
    let report = registry.check(
        b"app",
        None,
        None,
        &kinds,
        Lang::De,
        &mut Help::for_one_call(),
    );
    assert_eq!(report.details, reports[0]);
}
