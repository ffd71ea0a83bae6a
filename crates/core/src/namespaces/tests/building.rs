//! Keys made of values.

use super::*;

#[test]
fn values_become_keys() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("user:<id:int>:<attribute>", &["42", "name"], "user:42:name"),
        ("session:<sid:hex>[:<attribute>]", &["5f"], "session:5f"),
        (
            "session:<sid:hex>[:<attribute>]",
            &["5f", "x"],
            "session:5f:x",
        ),
        ("cache:<source>:<path...>", &["web", "a:b"], "cache:web:a:b"),
        ("v1:{<tenant>}:w", &["acme"], "v1:{acme}:w"),
        (
            "doc:<s:slug>:<n:number>",
            &["3D Druck f\u{fc}r", "7"],
            "doc:drei_d_druck_fuer:007",
        ),
        (
            "doc:<s:slug>:<n:number>",
            &["VaR", "007"],
            "doc:value_at_risk:007",
        ),
        (
            "doc:<s:slug>:<n:number>",
            &["ab", "000000000007"],
            "doc:ab:007",
        ),
        ("doc:<n:number>", &["0"], "doc:000"),
        ("doc:<n:number>", &["123456789012"], "doc:123456789012"),
        ("page:<p:path>", &["/home/news"], "page:_home_news"),
        ("s:<d:date>:x", &["2024:05:17:09"], "s:2024:05:17:09:x"),
        // printf %s text | sha256sum | cut -c1-16
        ("h:<h:hash>", &["text"], "h:982d9e3eb996f559"),
        ("h:<h:hash>", &[""], "h:e3b0c44298fc1c14"),
        ("h:<h:hash>a<x>", &["", "z"], "h:e3b0c44298fc1c14az"),
        ("h:<h:hash>", &["any: {text} \u{e4}"], "h:4a235629ac5ce751"),
        ("plain:<x>", &["{42}"], "plain:{42}"),
        ("a", &[], "a"),
    ];
    for (text, values, key) in cases {
        let built = build(&pattern(text), values).unwrap();
        assert_eq!(built, *key);
    }
}

#[test]
fn a_value_that_does_not_fit_is_named() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("user:<id:int>:<attribute>", &[], "missing value for <id>"),
        (
            "user:<id:int>:<attribute>",
            &["42"],
            "missing value for <attribute>",
        ),
        ("a:<b>[:<c>:<d>]", &["1", "2"], "missing value for <d>"),
        (
            "a:<b>[:<c>]",
            &["1", "2", "3"],
            "the pattern takes at most 2 values, got 3",
        ),
        (
            "a",
            &["1"],
            "the pattern has no placeholders and takes no values, got 1: a placeholder is written <name>",
        ),
        (
            "user:{userId}:x",
            &["1", "2"],
            "the pattern has no placeholders and takes no values, got 2: a placeholder is written <user_id>, not {userId}",
        ),
        (
            "a:<id:int>",
            &["042"],
            "<id> must be an integer without leading zeros, got '042'",
        ),
        (
            "a:<id:hex>",
            &["5F"],
            "<id> must be hex digits in lower case, got '5F'",
        ),
        (
            "a:<id:uuid>",
            &["5F"],
            "<id> must be a UUID in lower case, got '5F'",
        ),
        (
            "a:<s:slug>",
            &["!?"],
            "<s> must be text with at least two letters or digits for a slug, got '!?'",
        ),
        (
            "a:<n:number>",
            &["-1"],
            "<n> must be a number of 1 to 12 digits, got '-1'",
        ),
        (
            "a:<n:number>",
            &["1234567890123"],
            "<n> must be a number of 1 to 12 digits, got '1234567890123'",
        ),
        (
            "a:<n:number>",
            &[""],
            "<n> must be a number of 1 to 12 digits, got ''",
        ),
        (
            "a:<d:date>",
            &["2024-05-17"],
            "<d> must be a date as YYYY:MM:DD, YYYY:MM:DD:HH or YYYY:MM:DD:HH:MM, got '2024-05-17'",
        ),
        (
            "a:<p:path>",
            &["a:b"],
            "<p> must be text without ':', got 'a:b'",
        ),
        ("a:<p:path>", &[""], "<p> must be text without ':', got ''"),
        ("a:<t>", &["a:b"], "<t> must be text without ':', got 'a:b'"),
        ("a:<t>", &[""], "<t> must be text without ':', got ''"),
        (
            "a:<r...>",
            &["a::b"],
            "<r> must be text without an empty segment, got 'a::b'",
        ),
        (
            "a:<f>.json",
            &["x.json"],
            "<f> must not contain '.json' in this pattern, got 'x.json'",
        ),
        (
            "a:<f>--<g>",
            &["x-", "y"],
            "<f> must not contain '--' in this pattern, got 'x-'",
        ),
        (
            "{<t>}:<x>",
            &["a", "b{"],
            "<x> must not contain '{' in this pattern, got 'b{'",
        ),
        (
            "{<t>}:<x>",
            &["a}", "b"],
            "<t> must not contain '}' in this pattern, got 'a}'",
        ),
        (
            "{<t>}:<x...>",
            &["a", "b:}"],
            "<x> must not contain '}' in this pattern, got 'b:}'",
        ),
    ];
    for (text, values, message) in cases {
        let error = build(&pattern(text), values).unwrap_err();
        assert_eq!(error.to_string(), *message, "{text}");
    }
    let long = "x".repeat(101);
    let error = build(&pattern("a:<t>"), &[long]).unwrap_err();
    assert_eq!(error.to_string(), "<t> must be at most 100 bytes, got 101");
}

#[test]
fn a_key_of_another_namespace_is_not_built() {
    let registry = registry(&["user:<name>", "user:<id:int>"]);
    let build = |name: &str, value: &str| {
        with_defaults(|building, key| registry.build(name.as_bytes(), &[value], building, key))
    };
    assert_eq!(build("n0", "alice").unwrap(), "user:alice");
    assert_eq!(build("n1", "42").unwrap(), "user:42");
    assert_eq!(
        build("n0", "42").unwrap_err().to_string(),
        "'user:42' would belong to the namespace 'n1'"
    );
    assert_eq!(
        build("other", "42").unwrap_err().to_string(),
        "no such namespace 'other'"
    );
}
