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
