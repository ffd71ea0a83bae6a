//! Which namespace a key belongs to.

use super::*;
use crate::naming::check::Problem;
use crate::naming::kinds::Kinds;
use crate::naming::number_words::Lang;

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
        "the pattern of 'b' cannot be distinguished from that of 'n0'"
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

#[test]
fn a_wrong_key_is_explained() {
    let registry = registry(&[
        "user:<id:int>:<attribute>",
        "user:<id:int>:settings:<name:slug>",
        "cache:<source>:<rest...>",
        "stats:<day:date>:by:<x>",
        "img:<w:int>x<h:int>.png",
        "{<tenant>}:doc:<n:number>",
        "queue:<name>",
    ]);
    type Expected = (
        &'static str,
        Option<&'static str>,
        &'static str,
        &'static str,
    );
    let int = "an integer without leading zeros";
    let date = "a date as YYYY:MM:DD, YYYY:MM:DD:HH or YYYY:MM:DD:HH:MM";
    let cases: &[(&str, Option<Expected>)] = &[
        ("user:x:name", Some(("n0", Some("id"), int, "x"))),
        (
            "user:42",
            Some(("n0", Some("attribute"), "text without ':'", "")),
        ),
        ("user", Some(("n0", Some("id"), int, ""))),
        ("user:042:", Some(("n0", Some("id"), int, "042"))),
        (
            "user:42:settings:X",
            Some(("n1", Some("name"), "a slug of 2 to 30 characters", "X")),
        ),
        (
            "user:42:name:x:y",
            Some(("n0", None, "the end of the key", "x:y")),
        ),
        (
            "cache:web",
            Some(("n2", Some("rest"), "text without an empty segment", "")),
        ),
        (
            "cache:web:a::b",
            Some(("n2", Some("rest"), "text without an empty segment", "a::b")),
        ),
        (
            "stats:2024-05-17:by:z",
            Some(("n3", Some("day"), date, "2024-05-17")),
        ),
        (
            "stats:2024:13:40:by:z",
            Some(("n3", Some("day"), date, "2024:13:40")),
        ),
        ("stats:2024:05:17", Some(("n3", None, "'by'", ""))),
        ("img:20xy.png", Some(("n4", Some("h"), int, "y"))),
        ("img:20", None),
        (
            "{acme}:doc:1",
            Some(("n5", Some("n"), "at least 3 digits", "1")),
        ),
        ("{}:doc:001", None),
        ("queue", Some(("n6", Some("name"), "text without ':'", ""))),
        ("queue:", Some(("n6", Some("name"), "text without ':'", ""))),
        ("User:42:name", None),
        ("other", None),
        ("", None),
        ("queue:mail", None),
    ];
    for (key, expected) in cases {
        let near = registry.nearest(key.as_bytes(), &mut Help::for_one_call());
        let near = near.as_ref().map(|near| {
            let got = std::str::from_utf8(near.got).unwrap();
            (
                near.namespace.name(),
                near.placeholder,
                &*near.expected,
                got,
            )
        });
        assert_eq!(near, *expected, "{key}");
    }
}

#[test]
fn a_wrong_key_gets_a_right_one() {
    let registry = registry(&[
        "user:<id:int>:<attribute>",
        "page_cache:<path:path>",
        "stats:<day:date>:by:<x>",
        "img:<w:int>x<h:int>.png",
        "{<tenant>}:doc:<slug:slug>:<n:number>",
        "doc:<slug:slug>:<n:number>",
        "session:<sid:uuid>",
        "token:<t:hex>",
    ]);
    for (key, suggestion) in [
        ("user:042:name", Some("user:42:name")),
        ("User:42:name", Some("user:42:name")),
        ("usr:42:name", Some("user:42:name")),
        ("us:42:name", None),
        ("user/42/name", Some("user:42:name")),
        ("user.42.name", Some("user:42:name")),
        ("user::42:name", Some("user:42:name")),
        ("user:42:name:", Some("user:42:name")),
        ("user:x:name", None),
        ("user:42", None),
        ("user:42:a:b", None),
        ("page-cache:home/news", Some("page_cache:home_news")),
        ("PAGE-CACHE:home", Some("page_cache:home")),
        ("stats:2024-05-17:by:z", Some("stats:2024:05:17:by:z")),
        ("stats:2024:5:7:by:z", Some("stats:2024:05:07:by:z")),
        ("stats:2024/5/7:by:z", Some("stats:2024:05:07:by:z")),
        ("img:020x30.png", Some("img:20x30.png")),
        (
            "{acme}:doc:Risk Management:1",
            Some("{acme}:doc:risk_management:001"),
        ),
        ("{acme}:Doc:intro:001", Some("{acme}:doc:intro:001")),
        (
            "doc:portfolio-strategies:1",
            Some("doc:portfolio_strategies:001"),
        ),
        ("document:intro:1", Some("doc:intro:001")),
        (
            "session:{123E4567E89B42D3A456426614174000}",
            Some("session:123e4567-e89b-42d3-a456-426614174000"),
        ),
        ("token:5F", Some("token:5f")),
        ("token:5f", None),
        ("", None),
    ] {
        let suggested = registry.suggest(
            key.as_bytes(),
            &Kinds::default(),
            Lang::De,
            &mut Help::for_one_call(),
        );
        assert_eq!(suggested.as_deref(), suggestion.map(str::as_bytes), "{key}");
    }
    let long = format!("User:42:{}", "x".repeat(5000));
    assert_eq!(
        registry.suggest(
            long.as_bytes(),
            &Kinds::default(),
            Lang::De,
            &mut Help::for_one_call()
        ),
        None
    );
}

#[test]
fn a_literal_is_guessed_only_if_no_other_is_as_near() {
    let registry = registry(&["card:<x>", "cart:<x>", "user:<x>"]);
    let suggest = |key: &str| {
        registry.suggest(
            key.as_bytes(),
            &Kinds::default(),
            Lang::De,
            &mut Help::for_one_call(),
        )
    };
    assert_eq!(suggest("car:1"), None);
    assert_eq!(suggest("carx:1"), None);
    assert_eq!(suggest("cards:1").as_deref(), Some(&b"card:1"[..]));
    assert_eq!(suggest("uSer:1").as_deref(), Some(&b"user:1"[..]));
}

#[test]
fn an_example_that_another_namespace_claims_is_none() {
    let registry = registry(&["user:<name>", "user:name", "cart:<id:int>"]);
    let example =
        |name: &[u8]| registry.example(registry.get(name).unwrap(), &mut Help::for_one_call());
    assert_eq!(example(b"n0"), None);
    assert_eq!(example(b"n2").as_deref(), Some("cart:42"));
}

#[test]
fn what_is_stored_is_judged_by_the_rules_of_the_namespace() {
    let draft = Draft {
        name: b"session",
        pattern: b"session:<sid>",
        ttl: Some(60),
        key_type: Some(KeyType::Hash),
        ..Draft::default()
    };
    let mut registry = registry(&["user:<id:int>"]);
    registry.add(Namespace::new(&draft).unwrap()).unwrap();
    let stored = |key_type, expires| Some(Stored { key_type, expires });
    let string = Some(KeyType::String);
    for (key, stored, problems, details) in [
        ("session:a", None, &[][..], &[][..]),
        ("session:a", stored(Some(KeyType::Hash), true), &[], &[]),
        (
            "session:a b",
            stored(string, false),
            &[Problem::NoTtl, Problem::WrongType],
            &[
                r#"must expire: EXPIRE "session:a b" 60"#,
                "must be of type hash, is string",
            ],
        ),
        (
            "session:a",
            stored(None, true),
            &[Problem::WrongType],
            &["must be of type hash, is another type"],
        ),
        (
            "user:42",
            stored(string, true),
            &[Problem::UnwantedTtl],
            &["must not expire: PERSIST user:42"],
        ),
    ] {
        let key = key.as_bytes();
        let namespace = registry.find(key).map(|found| found.namespace);
        let report = registry.check(
            key,
            namespace,
            stored,
            &Kinds::default(),
            Lang::De,
            &mut Help::for_one_call(),
        );
        let found: Vec<Problem> = report.problems.iter().collect();
        assert_eq!(found, problems);
        assert_eq!(report.details, details);
        assert_eq!(report.suggestion, None);
    }
}
