//! KEYNS.CHECK and KEYNS.PARSE.

use keyns_testkit::{Server, Value};

#[test]
fn check_says_what_is_wrong_and_what_would_be_right() {
    let server = Server::start();
    let mut client = server.client3();
    let reply =
        client.run("KEYNS.CHECK doc:portfolio-strategies:1 doc:intro:001 a:b:c:doc:intro:001 user");
    let strings = |codes: &[&str]| Value::Array(codes.iter().map(|c| Value::bulk(c)).collect());
    let report = |valid, problems: &[&str], warnings: &[&str], suggestion| {
        Value::Map(vec![
            (Value::bulk("valid"), Value::Boolean(valid)),
            (Value::bulk("problems"), strings(problems)),
            (Value::bulk("warnings"), strings(warnings)),
            (Value::bulk("suggestion"), suggestion),
        ])
    };
    let better = Value::bulk("doc:portfolio_strategies:001");
    assert_eq!(
        reply.array(),
        [
            report(false, &["HYPHEN", "NUMBER_WIDTH"], &[], better),
            report(true, &[], &[], Value::Null),
            report(true, &[], &["TOO_DEEP"], Value::Null),
            report(
                false,
                &["UNKNOWN_KIND", "SLUG_LENGTH", "NUMBER_WIDTH"],
                &["TOO_GENERIC"],
                Value::Null
            ),
        ]
    );
}

#[test]
fn under_resp2_maps_are_flat_and_booleans_integers() {
    let server = Server::start();
    let mut client = server.client();
    let reply = client.run("KEYNS.CHECK doc:intro:001");
    assert_eq!(reply.array()[0].array().len(), 8);
    assert_eq!(reply.array()[0].fields()["valid"], Value::Integer(1));
    let reply = client.run("KEYNS.PARSE doc:intro:001");
    assert_eq!(reply.array().len(), 10);
    assert_eq!(reply.fields()["scope"], Value::Null);
}

#[test]
fn names_that_were_made_are_valid_and_parse() {
    let server = Server::start();
    let mut client = server.client3();
    for text in [
        "Risk Management",
        "5 Strategien",
        "!!!",
        "",
        "Größe & Maß",
        "北京",
    ] {
        let name = client.call(&["KEYNS.MAKE", "{acme}:doc", text]).text();
        let report = client.call(&["KEYNS.CHECK", &name]).array()[0].fields();
        assert_eq!(report["valid"], Value::Boolean(true), "{name}");
        let parts = client.call(&["KEYNS.PARSE", &name]).fields();
        let part = |field: &str| parts[field].text();
        let joined = [part("scope"), part("kind"), part("slug"), part("number")].join(":");
        assert_eq!(joined, name);
        assert_eq!(parts["relation"], Value::Null);
    }
}

#[test]
fn parse_knows_relations_and_refuses_the_rest() {
    let server = Server::start();
    let mut client = server.client3();
    let parts = client
        .run("KEYNS.PARSE {acme}:ch:risk_management:001:children")
        .fields();
    for (field, value) in [
        ("scope", "{acme}"),
        ("kind", "ch"),
        ("slug", "risk_management"),
        ("number", "001"),
        ("relation", "children"),
    ] {
        assert_eq!(parts[field].text(), value);
    }
    for key in [
        &b"user:42"[..],
        b"",
        b"doc:_seq",
        b"\xff\0",
        b"doc:Intro:001",
        b"::::",
    ] {
        assert_eq!(client.call(&[b"KEYNS.PARSE", key]), Value::Null);
    }
}

#[test]
fn the_known_kinds_are_a_config() {
    let server = Server::start();
    let mut client = server.client3();
    let mut valid = |kinds: &str, key: &str| {
        client.call(&["CONFIG", "SET", "keyns.kinds", kinds]);
        client.call(&["KEYNS.CHECK", key]).array()[0].fields()["valid"] == Value::Boolean(true)
    };
    assert!(valid("article page", "page:intro:001"));
    assert!(!valid("article page", "doc:intro:001"));
    assert!(valid("", "anything:intro:001"));
}

#[test]
fn suggestions_spell_numbers_in_the_language_of_the_server() {
    let server = Server::start();
    let mut client = server.client3();
    let mut suggestion = |lang: &str| {
        client.call(&["CONFIG", "SET", "keyns.lang", lang]);
        client.run("KEYNS.CHECK doc:3d_print:001").array()[0].fields()["suggestion"].text()
    };
    assert_eq!(suggestion("de"), "doc:drei_d_print:001");
    assert_eq!(suggestion("en"), "doc:three_d_print:001");
}

/// Their number was bounded by nothing but the server's buffer.
#[test]
fn a_call_takes_so_many_keys_and_no_more() {
    let server = Server::start();
    let mut client = server.client();
    let call = |count: usize, key: &str| {
        let keys = std::iter::repeat_n(key.to_owned(), count);
        std::iter::once("KEYNS.CHECK".to_owned())
            .chain(keys)
            .collect::<Vec<_>>()
    };
    assert_eq!(client.call(&call(10_000, "a")).array().len(), 10_000);
    let error = client.call(&call(10_001, "a")).text();
    assert_eq!(error, "ERR a call takes at most 10000 keys, got 10001");
    let error = client.call(&call(9, &"a".repeat(1 << 20))).text();
    let expected = "ERR all keys together must be at most 8388608 bytes, got 9437184 (keyns.max-document-bytes)";
    assert_eq!(error, expected);
}

#[test]
fn several_keys_are_parsed_in_one_call() {
    let server = Server::start();
    let mut client = server.client3();
    let one = client.run("KEYNS.PARSE doc:intro:001");
    let other = client.run("KEYNS.PARSE {acme}:ch:risk:002:next");
    assert_eq!(one.fields()["slug"].text(), "intro");
    let all = client.run("KEYNS.PARSE doc:intro:001 user:42 {acme}:ch:risk:002:next doc:intro:001");
    assert_eq!(all.array(), [one.clone(), Value::Null, other, one.clone()]);
    // Not in an array of one: programs that parse one key go on as they are.
    assert!(matches!(one, Value::Map(_)), "{one:?}");
    let flat = server.client().run("KEYNS.PARSE doc:intro:001 x");
    assert_eq!(flat.array()[0].array().len(), 10);
    assert_eq!(flat.array()[1], Value::Null);
    let keys = client.run("COMMAND GETKEYS KEYNS.PARSE a b c");
    assert_eq!(keys.array().len(), 3);
}

#[test]
fn several_keys_to_parse_have_the_limits_of_a_check() {
    let server = Server::start();
    let mut client = server.client();
    let call = |count: usize, key: &str| {
        let mut call = vec!["KEYNS.PARSE".to_owned()];
        call.extend(std::iter::repeat_n(key.to_owned(), count));
        call
    };
    assert_eq!(client.call(&call(10_000, "a")).array().len(), 10_000);
    let error = client.call(&call(10_001, "a")).text();
    assert_eq!(error, "ERR a call takes at most 10000 keys, got 10001");
    for count in [1, 2] {
        let error = client.call(&call(count, &"a".repeat((1 << 20) + 1))).text();
        let expected = "ERR key must be at most 1048576 bytes, got 1048577 (keyns.max-text-bytes)";
        assert_eq!(error, expected);
    }
    let error = client.call(&call(9, &"a".repeat(1 << 20))).text();
    let expected = "ERR all keys together must be at most 8388608 bytes, got 9437184 (keyns.max-document-bytes)";
    assert_eq!(error, expected);
}

/// A key of another kind got the convention's codes, and `v1` was called a slug.
#[test]
fn with_namespaces_the_convention_is_silent_about_other_kinds() {
    let server = Server::start();
    let mut client = server.client();
    let nothing: [&str; 0] = [];
    // Without them all is as it was.
    assert_eq!(
        client.problems("userProfile:3779"),
        ["UPPERCASE", "UNKNOWN_KIND", "SLUG_LENGTH"]
    );
    let parts = client.run("KEYNS.PARSE user:v1:5").fields();
    assert_eq!(parts["slug"].text(), "v1");
    client.define("cart", "cart:<id:int>", "");
    client.define("chapter", "{acme}:ch:<title:slug>:<n:number>", "");
    for (key, expected) in [
        ("userProfile:3779", &["NO_NAMESPACE"][..]),
        ("user:v1:5", &["NO_NAMESPACE"]),
        ("User Profile", &["NO_NAMESPACE"]),
        ("", &["NO_NAMESPACE"]),
        ("::", &["NO_NAMESPACE"]),
        ("user:doc:1", &["NO_NAMESPACE"]),
        ("cart:x", &["BAD_FORMAT"]),
        ("cart:7", &nothing),
        // Those of its kinds are judged by it, in any scope and spelling.
        ("doc:intro:001", &["NO_NAMESPACE"]),
        ("doc:intro:1", &["NUMBER_WIDTH", "NO_NAMESPACE"]),
        ("doc", &["SLUG_LENGTH", "NUMBER_WIDTH", "NO_NAMESPACE"]),
        ("shop:Doc:x-1:001", &["UPPERCASE", "HYPHEN", "NO_NAMESPACE"]),
        ("{acme}:ch:intro:001", &nothing),
    ] {
        assert_eq!(client.problems(key), expected, "{key}");
    }
    for key in ["user:v1:5", "userprofile:abc:3779", "a:b:1:next"] {
        assert_eq!(client.call(&["KEYNS.PARSE", key]), Value::Null, "{key}");
    }
    let name = client.run("KEYNS.PARSE doc:intro:001").fields();
    assert_eq!(name["slug"].text(), "intro");
    assert_eq!(name["namespace"], Value::Null);
    let both = client.run("KEYNS.PARSE {acme}:ch:intro:001").fields();
    assert_eq!(both["slug"].text(), "intro");
    assert_eq!(both["namespace"].text(), "chapter");
    // Which kinds it has is a setting, here as elsewhere.
    client.run("CONFIG SET keyns.kinds user");
    assert_eq!(client.problems("doc:intro:1"), ["NO_NAMESPACE"]);
    assert_eq!(
        client.problems("user:v1:5"),
        ["NUMBER_WIDTH", "NO_NAMESPACE"]
    );
    assert_eq!(
        client.run("KEYNS.PARSE user:v1:5").fields()["slug"].text(),
        "v1"
    );
}
