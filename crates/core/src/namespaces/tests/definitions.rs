//! What a definition may say.

use super::*;

const DRAFT: Draft = Draft {
    name: b"name",
    pattern: b"a",
    ttl: None,
    class: None,
    key_type: None,
    owner: None,
    readers: Vec::new(),
    description: None,
};

fn refused(draft: Draft) -> String {
    Namespace::new(&draft).unwrap_err().to_string()
}

#[test]
fn the_class_follows_the_ttl() {
    let class = |ttl, class| {
        let namespace = Namespace::new(&Draft {
            ttl,
            class,
            ..DRAFT
        });
        namespace
            .map(|namespace| namespace.class())
            .map_err(|error| error.to_string())
    };
    assert_eq!(class(None, None), Ok(Class::Protected));
    assert_eq!(class(Some(60), None), Ok(Class::Temporary));
    assert_eq!(
        class(Some(60), Some(Class::Evictable)),
        Ok(Class::Evictable)
    );
    assert_eq!(
        class(Some(60), Some(Class::Protected)).unwrap_err(),
        "CLASS PROTECTED must have no TTL, got 60"
    );
    assert_eq!(
        class(None, Some(Class::Evictable)).unwrap_err(),
        "CLASS EVICTABLE needs a TTL"
    );
    assert_eq!(
        class(None, Some(Class::Temporary)).unwrap_err(),
        "CLASS TEMPORARY needs a TTL"
    );
}

#[test]
fn texts_and_numbers_are_bounded() {
    assert!(
        Namespace::new(&Draft {
            name: b"Az09_.:-",
            ..DRAFT
        })
        .is_ok()
    );
    assert_eq!(
        refused(Draft {
            name: b"a b",
            ..DRAFT
        }),
        "name must be 1 to 64 of [A-Za-z0-9_.:-], got 'a b'"
    );
    for name in [&b""[..], &[b'a'; 65], b"\xff", b"a\n"] {
        assert!(refused(Draft { name, ..DRAFT }).starts_with("name must be"));
    }
    for owner in [
        &b""[..],
        &[b'a'; 65],
        b"\xff",
        b"a b",
        b"a'",
        b"a\"",
        b"a\0",
        b"a\\",
    ] {
        let owner = Some(owner);
        assert!(refused(Draft { owner, ..DRAFT }).starts_with("OWNER must be"));
    }
    for description in [&b""[..], &[b'a'; 1001], b"\xff", b"a\nb"] {
        let description = Some(description);
        assert!(
            refused(Draft {
                description,
                ..DRAFT
            })
            .starts_with("DESC must be")
        );
    }
    for ttl in [0, -1, MAX_TTL + 1, i64::MIN] {
        let message = format!(
            "TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '{ttl}'"
        );
        assert_eq!(
            refused(Draft {
                ttl: Some(ttl),
                ..DRAFT
            }),
            message
        );
    }
    for ttl in [MIN_TTL, MAX_TTL] {
        assert!(
            Namespace::new(&Draft {
                ttl: Some(ttl),
                ..DRAFT
            })
            .is_ok()
        );
    }
}

#[test]
fn words_are_read_in_any_case() {
    assert_eq!(Class::parse(b"evictable"), Ok(Class::Evictable));
    assert_eq!(KeyType::parse(b"ZSET"), Ok(KeyType::SortedSet));
    assert_eq!(
        Class::parse(b"other").unwrap_err().to_string(),
        "CLASS must be PROTECTED, EVICTABLE or TEMPORARY, got 'other'"
    );
    assert_eq!(
        KeyType::parse(b"json").unwrap_err().to_string(),
        "TYPE must be string, hash, list, set, zset or stream, got 'json'"
    );
}

#[test]
fn readers_are_sorted_users_and_none_of_them_is_the_owner() {
    let readers = |readers: &[&'static str], owner: Option<&'static str>| {
        let namespace = Namespace::new(&Draft {
            readers: readers.iter().map(|name| name.as_bytes()).collect(),
            owner: owner.map(str::as_bytes),
            ..DRAFT
        });
        namespace
            .map(|namespace| namespace.readers().join(" "))
            .map_err(|error| error.to_string())
    };
    assert_eq!(readers(&[], None), Ok(String::new()));
    assert_eq!(readers(&["b", "A@x", "a"], None), Ok("A@x a b".to_owned()));
    assert_eq!(readers(&["b"], Some("a")), Ok("b".to_owned()));
    assert_eq!(
        readers(&["a", "default"], None),
        Err("READERS must not be 'default'".to_owned())
    );
    for wrong in ["", "a b", "a,b", "\u{e4}", &"x".repeat(65)] {
        let error = readers(&["ok", wrong.to_owned().leak()], None).unwrap_err();
        assert!(error.starts_with("READERS must be names"), "{error}");
    }
    assert_eq!(
        readers(&["b", "a", "b"], None),
        Err("READERS has 'b' twice".to_owned())
    );
    assert_eq!(
        readers(&["b", "a"], Some("a")),
        Err("READERS must not have the owner 'a', who may read and write".to_owned())
    );
    let many: Vec<&'static str> = (0..65).map(|n| &*format!("r{n}").leak()).collect();
    assert!(readers(&many[..64], None).is_ok());
    assert_eq!(
        readers(&many, None),
        Err("READERS must be at most 64 names, got 65".to_owned())
    );
}
