//! What a pattern may be, and which keys and values it has.

use super::*;

#[test]
fn every_mistake_has_its_sentence_and_column() {
    for (text, column, reason) in [
        ("", 1, "a segment is empty"),
        (":a", 1, "a segment is empty"),
        (
            "a::b",
            3,
            "a segment is empty (a placeholder is written <b>, not :b)",
        ),
        ("a:", 3, "a segment is empty"),
        ("a:<b>[:]", 6, "an optional part needs a placeholder"),
        ("a[:<b>:]", 8, "a segment is empty"),
        ("a:[:<b>]", 3, "a segment is empty"),
        ("<a>", 1, "a pattern must start with literal text"),
        ("<a>b:c", 1, "a pattern must start with literal text"),
        ("[:<a>]", 1, "a pattern must start with literal text"),
        ("a:<b", 3, "'<' is not closed"),
        ("a:<b<c>", 3, "'<' is not closed"),
        ("a:b>", 4, "'>' without '<'"),
        ("a[:<b>", 2, "'[' is not closed"),
        ("a]", 2, "']' without '['"),
        ("a[:<b>[:<c>]]", 7, "'[' inside '[]'"),
        ("a[<b>]", 3, "an optional part must start with ':'"),
        ("a[]", 3, "an optional part must start with ':'"),
        ("a[:b]", 2, "an optional part needs a placeholder"),
        ("a[:<b>]c", 8, "nothing may follow the optional part"),
        ("a[:<b>]]", 8, "nothing may follow the optional part"),
        ("{a", 1, "'{' is not closed in its segment"),
        ("a:{b:c}", 3, "'{' is not closed in its segment"),
        ("a:{b[:<c>}]", 3, "'{' is not closed in its segment"),
        ("a}", 2, "'}' without '{'"),
        ("{a{b}}", 3, "'{' inside '{}'"),
        ("{{a}", 2, "'{' inside '{}'"),
        ("a:{{<b>}}", 4, "'{' inside '{}'"),
        ("a:{{id}}:b", 3, "a placeholder is written <id>, not {{id}}"),
        (
            "a:{{ userId }}",
            3,
            "a placeholder is written <user_id>, not {{ userId }}",
        ),
        ("a{}", 3, "'{}' with nothing in it"),
        ("a:<>", 4, "a placeholder needs a name"),
        ("a:<:int>", 4, "a placeholder needs a name"),
        ("a:<...>", 4, "a placeholder needs a name"),
        ("a:<b>:<b:int>", 8, "the placeholder 'b' appears twice"),
        (
            "a:<b><c>",
            6,
            "two placeholders need literal text between them",
        ),
        ("a:<b:int...>", 5, "'...' takes no type"),
        ("a:<b...>:c", 9, "nothing may follow '<b...>'"),
        ("a:<b...>[:<c>]", 9, "nothing may follow '<b...>'"),
        ("a:<b...>]", 9, "']' without '['"),
        ("a:<b...>c", 3, "'<b...>' must be a segment of its own"),
        ("a:c<b...>", 4, "'<b...>' must be a segment of its own"),
        ("a:c<b:date>", 4, "'<b:date>' must be a segment of its own"),
        ("a:<b:date>c", 3, "'<b:date>' must be a segment of its own"),
        ("a b", 2, "white space is not allowed"),
        ("a\u{a0}b", 2, "white space is not allowed"),
        ("a\tb", 2, "white space is not allowed"),
        ("a\0", 2, "the character U+0000 is not allowed"),
        ("a\u{200b}", 2, "the character U+200B is not allowed"),
        ("ä:ö'", 4, "the character ' is not allowed"),
        ("a\"", 2, "the character \" is not allowed"),
        ("a`", 2, "the character ` is not allowed"),
        ("a\\", 2, "the character \\ is not allowed"),
        ("a*", 2, "the character * is not allowed"),
        ("a:b?", 4, "the character ? is not allowed"),
    ] {
        let error = Error::Pattern {
            column,
            reason: reason.to_owned(),
        };
        assert_eq!(Pattern::parse(text.as_bytes()), Err(error), "{text}");
    }
}

#[test]
fn mistakes_with_values_in_them_read_like_this() {
    for (text, message) in [
        (
            &b"user:<id:integer>"[..],
            "PATTERN at column 10: unknown type 'integer', expected int, hex, uuid, slug, number, date, path or hash",
        ),
        (
            b"user:<id:>",
            "PATTERN at column 10: unknown type '', expected int, hex, uuid, slug, number, date, path or hash",
        ),
        (
            b"user:<Id>",
            "PATTERN at column 7: a placeholder's name must be 1 to 32 of [a-z0-9_] and start with a letter, got 'Id'",
        ),
        (
            "a:<ü>".as_bytes(),
            "PATTERN at column 4: a placeholder's name must be 1 to 32 of [a-z0-9_] and start with a letter, got '\\xc3\\xbc'",
        ),
        (
            "ä:\u{ff}".as_bytes().strip_suffix(b"\xbf").unwrap(),
            "PATTERN at column 3: this is not valid UTF-8",
        ),
    ] {
        let error = Pattern::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn what_follows_a_date_cannot_be_its_hour() {
    let reason = "a date must be followed by literal text that cannot be an hour or a minute";
    for text in ["05", "<x>", "<x>.log", "1<x>", "<d:date>"] {
        for (text, column) in [
            (format!("a:<e:date>:{text}"), 12),
            (format!("a:<e:date>[:{text}:<y>]"), 13),
        ] {
            let error = Error::Pattern {
                column,
                reason: reason.to_owned(),
            };
            assert_eq!(Pattern::parse(text.as_bytes()), Err(error), "{text}");
        }
    }
    for text in ["log", "5", "005", "12<x>", "x<x>", "{<x>}"] {
        pattern(&format!("a:<e:date>:{text}"));
    }
}

#[test]
fn sizes_are_bounded() {
    let long = "a".repeat(MAX_PATTERN_BYTES);
    pattern(&long);
    assert_eq!(
        Pattern::parse(format!("{long}a").as_bytes())
            .unwrap_err()
            .to_string(),
        "PATTERN must be at most 512 bytes, got 513"
    );
    let segments = ["a"; MAX_SEGMENTS].join(":");
    pattern(&segments);
    assert_eq!(
        Pattern::parse(format!("{segments}:a").as_bytes())
            .unwrap_err()
            .to_string(),
        "PATTERN at column 65: a pattern has at most 32 segments"
    );
    let holes: String = (0..MAX_PLACEHOLDERS).map(|n| format!(":<p{n}>")).collect();
    pattern(&format!("a{holes}"));
    let error = Pattern::parse(format!("a{holes}:<q>").as_bytes()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("a pattern has at most 16 placeholders")
    );
    let name = "n".repeat(32);
    pattern(&format!("a:<{name}>"));
    assert!(Pattern::parse(format!("a:<{name}n>").as_bytes()).is_err());
}

#[test]
fn keys_give_their_values() {
    type Expected = Option<&'static [Option<&'static str>]>;
    let cases: &[(&str, &str, Expected)] = &[
        (
            "user:<id:int>:<attribute>",
            "user:42:name",
            Some(&[Some("42"), Some("name")]),
        ),
        ("user:<id:int>:<attribute>", "user:42", None),
        ("user:<id:int>:<attribute>", "user:42:", None),
        ("user:<id:int>:<attribute>", "user:42:a:b", None),
        ("user:<id:int>:<attribute>", "User:42:a", None),
        (
            "session:<sid:hex>[:<attribute>]",
            "session:5f",
            Some(&[Some("5f"), None]),
        ),
        (
            "session:<sid:hex>[:<attribute>]",
            "session:5f:a",
            Some(&[Some("5f"), Some("a")]),
        ),
        ("session:<sid:hex>[:<attribute>]", "session:5f:", None),
        ("a[:b:<c>:d]", "a", Some(&[None])),
        ("a[:b:<c>:d]", "a:b", None),
        ("a[:b:<c>:d]", "a:b:c:d", Some(&[Some("c")])),
        (
            "cache:<source>:<path...>",
            "cache:web:a:b:c",
            Some(&[Some("web"), Some("a:b:c")]),
        ),
        ("cache:<source>:<path...>", "cache:web:a::c", None),
        ("cache:<source>:<path...>", "cache:web:", None),
        (
            "cache:<source>[:<path...>]",
            "cache:web",
            Some(&[Some("web"), None]),
        ),
        (
            "n.slack:v1:{<tenant>}:w",
            "n.slack:v1:{acme}:w",
            Some(&[Some("acme")]),
        ),
        ("n.slack:v1:{<tenant>}:w", "n.slack:v1:{}:w", None),
        ("n.slack:v1:{<tenant>}:w", "n.slack:v1:acme:w", None),
        (
            "img:<w:int>x<h:int>.png",
            "img:20x30.png",
            Some(&[Some("20"), Some("30")]),
        ),
        ("img:<w:int>x<h:int>.png", "img:20x30.png.png", None),
        ("img:<w:int>x<h:int>.png", "img:20xy.png", None),
        ("img:<w:int>x<h:int>.png", "img:.png", None),
        ("f:<file>.json", "f:a.b.json", Some(&[Some("a.b")])),
        ("f:<file>.json", "f:a.json.json", None),
        ("f:<file>.json", "f:.json", None),
        ("f:<a>--<b>", "f:a---b", Some(&[Some("a"), Some("-b")])),
        (
            "f:<h:hash>a",
            "f:aaaaaaaaaaaaaaaaa",
            Some(&[Some("aaaaaaaaaaaaaaaa")]),
        ),
        ("s:<d:date>", "s:2024:05:17", Some(&[Some("2024:05:17")])),
        (
            "s:<d:date>",
            "s:2024:05:17:09:30",
            Some(&[Some("2024:05:17:09:30")]),
        ),
        ("s:<d:date>", "s:2024:05:17:09:30:00", None),
        ("s:<d:date>", "s:2024:02:30", None),
        (
            "s:<d:date>:by:<x>",
            "s:2024:05:17:09:by:z",
            Some(&[Some("2024:05:17:09"), Some("z")]),
        ),
        ("d:<n:number>", "d:007", Some(&[Some("7")])),
        ("d:<n:number>", "d:000", Some(&[Some("0")])),
        ("d:<n:number>", "d:1000", Some(&[Some("1000")])),
        ("d:<n:number>", "d:07", None),
        ("ä:ö", "ä:ö", Some(&[])),
    ];
    for (text, key, expected) in cases {
        let pattern = pattern(text);
        let values = pattern.values(key.as_bytes());
        assert_eq!(
            values.as_ref().map(texts).as_deref(),
            *expected,
            "{text} {key}"
        );
        assert_eq!(pattern.to_string(), *text);
    }
}

#[test]
fn types_know_their_values() {
    let uuid = "123e4567-e89b-42d3-a456-426614174000";
    let slug_30 = "a".repeat(30);
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "int",
            &["0", "-1", "42", "9223372036854775807"],
            &["", "01", "-0", "+1", "1.0", "x", "9223372036854775808"],
        ),
        ("hex", &["0", "00", "5f3a9c"], &["", "5F", "0x1", "g"]),
        (
            "uuid",
            &[uuid],
            &[
                "",
                &uuid[1..],
                "123E4567-e89b-42d3-a456-426614174000",
                "123e4567ae89b-42d3-a456-426614174000",
            ],
        ),
        (
            "slug",
            &["ab", "a_", "a1", &slug_30],
            &[
                "",
                "a",
                "1a",
                "_a",
                "Ab",
                "a-b",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            ],
        ),
        (
            "number",
            &["001", "042", "1000", "00001"],
            &["", "1", "01", "-01", "1x1"],
        ),
        ("path", &["a", "a_b", "a.b"], &["", "a/b"]),
        (
            "hash",
            &["0123456789abcdef"],
            &[
                "",
                "0123456789abcde",
                "0123456789ABCDEF",
                "0123456789abcdef0",
            ],
        ),
        (
            "date",
            &["2024:05:17", "2024:05:17:00:59"],
            &["", "2024", "2024:05:17:"],
        ),
    ];
    for (kind, good, bad) in cases {
        let kind = ValueType::named(kind).unwrap();
        for text in *good {
            assert!(kind.fits(text.as_bytes()), "{kind:?} {text}");
        }
        for text in *bad {
            assert!(!kind.fits(text.as_bytes()), "{kind:?} {text}");
        }
    }
    assert_eq!(ValueType::named("text"), None);
}

#[test]
fn examples_are_keys_of_their_pattern() {
    for (text, example) in [
        ("user:<id:int>:<attribute>", Some("user:42:attribute")),
        ("s:<a:hex>[:<b:number>]", Some("s:5f3a9c:001")),
        (
            "{<tenant>}:<x:slug>:<y:path>",
            Some("{tenant}:risk_management:home_news"),
        ),
        (
            "d:<d:date>:x<u:uuid>",
            Some("d:2024:05:17:x123e4567-e89b-42d3-a456-426614174000"),
        ),
        ("h:<h:hash>:<r...>", Some("h:06c83efcd22e3b75:a:b")),
        ("a:<ab>b<x>", Some("a:xbx")),
        ("a:<ab>b<ax>x", None),
    ] {
        let pattern = pattern(text);
        let key = pattern.example();
        assert!(
            key.as_ref()
                .is_none_or(|key| pattern.values(key.as_bytes()).is_some())
        );
        assert_eq!(key.as_deref(), example, "{text}");
    }
}
