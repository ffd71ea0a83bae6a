//! Which namespace a key belongs to.

use super::*;

fn found<'r>(registry: &'r Registry, key: &str) -> Option<&'r str> {
    let found = registry.find(key.as_bytes())?;
    Some(found.namespace.pattern().as_str())
}

#[test]
fn the_most_specific_pattern_wins() {
    // For each key the patterns that match it, the best first.
    let uuid = "123e4567-e89b-42d3-a456-426614174000";
    let cases: &[(&str, &[&str])] = &[
        ("a:b:c", &["a:b:c", "a:b:<x>", "a:<x>:c", "a:b<r>:c"][..3]),
        ("a:x:c", &["a:<x>:c", "a:<x>:<y>"]),
        // More literal segments beat an earlier one.
        ("a:b:c:d", &["a:<x>:c:d", "a:b:<y>:<z>"]),
        (
            "a:v7",
            &[
                "a:v<n:int>",
                "a:v<n>",
                "a:<s:slug>",
                "a:<p:path>",
                "a:<t>",
                "a:<r...>",
            ],
        ),
        ("a:xyz", &["a:xy<n>", "a:<n>z", "a:<s:slug>"]),
        ("a:xzy", &["a:x<a>y", "a:x<a>", "a:<a>y"]),
        (
            "a:100",
            &[
                "a:<i:int>",
                "a:<n:number>",
                "a:<h:hex>",
                "a:<p:path>",
                "a:<t>",
                "a:<r...>",
            ],
        ),
        ("a:007", &["a:<n:number>", "a:<h:hex>", "a:<p:path>"]),
        ("a:abc", &["a:<h:hex>", "a:<s:slug>", "a:<p:path>", "a:<t>"]),
        ("a:a/b", &["a:<t>", "a:<r...>"]),
        (
            "a:1234567890123456",
            &["a:<h:hash>", "a:<i:int>", "a:<n:number>"],
        ),
        (
            "a:2024:05:17",
            &["a:<d:date>", "a:<y:int>:<m>:<d>", "a:<r...>"],
        ),
        ("a:b", &["a:b", "a:<x>[:<y>]"]),
        ("a:b:c", &["a:b[:<x>]", "a:<x>[:<y>]", "a[:<r...>]"]),
    ];
    for (key, patterns) in cases {
        for (best, pattern) in patterns.iter().enumerate() {
            // In both orders of definition.
            let mut rest = patterns[best..].to_vec();
            assert_eq!(found(&registry(&rest), key), Some(*pattern), "{key}");
            rest.reverse();
            assert_eq!(found(&registry(&rest), key), Some(*pattern), "{key}");
        }
    }
    let ids = registry(&["a:<u:uuid>", "a:<t>"]);
    assert_eq!(found(&ids, &format!("a:{uuid}")), Some("a:<u:uuid>"));
}

#[test]
fn a_better_start_does_not_hide_a_whole_match() {
    let registry = registry(&["a:b:c:d", "a:<x>:c", "a:b<x>:y", "a:<r...>"]);
    assert_eq!(found(&registry, "a:b:c"), Some("a:<x>:c"));
    assert_eq!(found(&registry, "a:bb:c"), Some("a:<x>:c"));
    assert_eq!(found(&registry, "a:bb:y"), Some("a:b<x>:y"));
    assert_eq!(found(&registry, "a:b:d"), Some("a:<r...>"));
    assert_eq!(found(&registry, "a"), None);
    assert_eq!(found(&registry, ""), None);
}

#[test]
fn patterns_with_the_same_keys_are_refused() {
    let cases = [
        ("a:<x>", "a:<y>", true),
        ("a:<x:int>", "a:<y>", false),
        ("a:<x>", "a:<y>[:<z>]", true),
        ("a:<x>:<y>", "a:<y>[:<z>]", true),
        ("a:<x>:b", "a:<y>[:<z>]", false),
        ("a[:<x>]", "a[:<y>]", true),
        ("a:v<x:int>.y", "a:v<z:int>.y", true),
        ("a:v<x:int>.y", "a:v<z:int>.x", false),
        ("a:<x...>", "a:<y...>", true),
        ("a:<x:date>", "a:<y:date>", true),
        ("a", "a", true),
        ("a", "b", false),
    ];
    for (first, second, conflict) in cases {
        for (first, second) in [(first, second), (second, first)] {
            let mut registry = registry(&[first]);
            let added = registry.add(namespace("b", second));
            let error = Error::SamePattern {
                name: "b".to_owned(),
                other: "n0".to_owned(),
            };
            assert_eq!(
                added,
                if conflict { Err(error) } else { Ok(()) },
                "{first} {second}"
            );
            assert_eq!(registry.len(), if conflict { 1 } else { 2 });
        }
    }
    let error = registry(&["a:<x>"])
        .add(namespace("b", "a:<y>"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the pattern of 'b' cannot be told apart from that of 'n0'"
    );
}

#[test]
fn a_definition_can_be_replaced_and_removed() {
    let mut registry = registry(&["a:<x>", "b:<x>[:<y>]", "c:v<n:int>"]);
    assert!(registry.add(namespace("n0", "b:<z>")).is_err());
    assert_eq!(found(&registry, "a:1"), Some("a:<x>"));
    registry.add(namespace("n1", "b:<z>")).unwrap();
    assert_eq!(found(&registry, "b:1"), Some("b:<z>"));
    assert_eq!(found(&registry, "b:1:2"), None);
    assert!(registry.remove(b"n2").is_some() && registry.remove(b"n2").is_none());
    assert_eq!(found(&registry, "c:v1"), None);
    assert!(registry.get(b"n2").is_none() && registry.get(b"n1").is_some());
    let names: Vec<&str> = registry.iter().map(Namespace::name).collect();
    assert_eq!(names, ["n0", "n1"]);
    assert!(registry.remove(b"\xff").is_none());
    registry.remove(b"n0");
    registry.remove(b"n1");
    assert!(registry.is_empty());
    assert_eq!(registry, Registry::new());
}

#[test]
fn a_registry_can_be_shared_and_kept_in_a_static() {
    static KEPT: std::sync::RwLock<Registry> = std::sync::RwLock::new(Registry::new());
    *KEPT.write().unwrap() = registry(&["a:<x>"]);
    let copy = KEPT.read().unwrap().clone();
    KEPT.write().unwrap().remove(b"n0");
    assert_eq!(found(&copy, "a:1"), Some("a:<x>"));
}
