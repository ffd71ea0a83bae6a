//! The names of a document and its parts: numbered as all names are, and never one that is taken.

use std::collections::BTreeSet;

use keyns_core::naming::key_name::RELATIONS;
use keyns_testkit::{
    Client, Content, Document, GUIDE, Server, Value, assert_same, ingest, keyspace, try_ingest,
    without_counters,
};

#[test]
fn numbers_go_on_across_documents_and_made_names() {
    let server = Server::start();
    let mut client = server.client();
    let markdown = "# Moss\n\nSoft.\n\nGreen.\n";
    ingest(&mut client, "doc", markdown, "");
    assert_eq!(client.run("KEYNS.MAKE chunk soft").text(), "chunk:soft:003");
    assert_eq!(client.run("KEYNS.NEXTID ch COUNT 10").integer(), 2);
    let reply = ingest(&mut client, "doc", markdown, "WIDTH 5");
    assert_eq!(reply["doc"].text(), "doc:moss:00002");
    let names = client.run("KEYNS.NAV doc:moss:00002 SEQUENCE");
    let names: Vec<String> = names.array().iter().map(Value::text).collect();
    assert_eq!(
        names,
        ["ch:moss:00012", "chunk:soft:00004", "chunk:green:00005"]
    );
    assert_eq!(client.run("KEYNS.MAKE doc moss").text(), "doc:moss:003");
}

#[test]
fn slug_numbering_counts_each_slug_and_meets_no_global_number() {
    let server = Server::start();
    let mut client = server.client();
    let markdown = "# Moss\n\nSoft.\n\nSoft.\n\n# Fern\n";
    ingest(&mut client, "doc", markdown, "NUMBERING SLUG");
    let names = |client: &mut Client, doc: &str| {
        let names = client.run(&format!("KEYNS.NAV {doc} SEQUENCE"));
        names.array().iter().map(Value::text).collect::<Vec<_>>()
    };
    assert_eq!(
        names(&mut client, "doc:moss:001"),
        [
            "ch:moss:001",
            "chunk:soft:001",
            "chunk:soft:002",
            "ch:fern:001"
        ]
    );
    assert_eq!(client.run("HGET chunk:_slugs soft").text(), "2");
    assert_eq!(client.run("EXISTS chunk:_seq").integer(), 0);
    // The counter of all slugs must not give those names again, nor the other way round.
    ingest(&mut client, "doc", markdown, "");
    assert_eq!(
        names(&mut client, "doc:moss:002"),
        [
            "ch:moss:002",
            "chunk:soft:003",
            "chunk:soft:004",
            "ch:fern:003"
        ]
    );
    ingest(&mut client, "doc", markdown, "NUMBERING SLUG");
    assert_eq!(
        names(&mut client, "doc:moss:003"),
        [
            "ch:moss:004",
            "chunk:soft:005",
            "chunk:soft:006",
            "ch:fern:004"
        ]
    );
    let made = client.run("KEYNS.MAKE chunk soft NUMBERING SLUG").text();
    assert_eq!(made, "chunk:soft:007");
}

#[test]
fn the_names_of_a_dropped_document_never_come_again() {
    let server = Server::start();
    let mut client = server.client();
    let mut seen = BTreeSet::new();
    for options in [
        "NUMBERING SLUG",
        "",
        "",
        "NUMBERING SLUG",
        "NUMBERING SLUG",
        "",
    ] {
        let markdown = "# Moss\n\nSoft.\n\nSoft.\n\n# Fern\n\n## Moss\n";
        let reply = ingest(&mut client, "doc", markdown, options);
        let document = Document::find(&reply["doc"].text(), &keyspace(&mut client));
        client.call(&["KEYNS.DROP", &document.name]);
        for name in document.names().chain([document.name.as_str()]) {
            assert!(seen.insert(name.to_owned()), "{name} came twice");
        }
    }
}

#[test]
fn names_that_exist_are_skipped() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET doc:moss:001 x");
    client.run("LPUSH ch:moss:001 x");
    client.run("HSET chunk:soft:001 text mine");
    let foreign = digest_of(&mut client, &["doc:moss:001", "chunk:soft:001"]);
    ingest(&mut client, "doc", "# Moss\n\nSoft.\n", "");
    assert_eq!(client.run("GET doc:_seq").text(), "2");
    assert_eq!(
        client.run("KEYNS.NAV ch:moss:002 NEXT").text(),
        "chunk:soft:002"
    );
    assert_eq!(
        digest_of(&mut client, &["doc:moss:001", "chunk:soft:001"]),
        foreign
    );
    client.run("CONFIG SET keyns.max-skips 1");
    client.run("SET doc:moss:003 x");
    client.run("SET doc:moss:004 x");
    let before = server.digest();
    let error = try_ingest(&mut client, "doc", "# Moss\n\nSoft.\n", "").text();
    assert_eq!(
        error,
        "ERR the next 2 names after the counter 'doc:_seq' exist already (keyns.max-skips)"
    );
    assert_eq!(server.digest(), before);
}

/// What `DEBUG DIGEST-VALUE` says of some keys.
fn digest_of(client: &mut Client, keys: &[&str]) -> Value {
    client.call(&[&["DEBUG", "DIGEST-VALUE"], keys].concat())
}

/// The keys of the guide with siblings in an empty database.
struct GuideKeys {
    /// Hashes of the document and its parts.
    own: Vec<String>,
    relations: Vec<String>,
    /// Counters, and sets that documents share.
    shared: Vec<String>,
}

impl GuideKeys {
    fn of(client: &mut Client) -> GuideKeys {
        client.run("FLUSHALL");
        ingest(client, "doc", GUIDE, "SIBLINGS");
        let mut keys = GuideKeys {
            own: Vec::new(),
            relations: Vec::new(),
            shared: Vec::new(),
        };
        for (key, content) in keyspace(client) {
            let last = key.rsplit(':').next().unwrap_or_default();
            match content {
                Content::Hash(_) => keys.own.push(key),
                _ if RELATIONS.contains(&last) => keys.relations.push(key),
                _ => keys.shared.push(key),
            }
        }
        keys
    }
}

#[test]
fn a_foreign_type_under_any_derived_key_is_an_error_and_nothing_is_written() {
    let server = Server::start();
    let mut client = server.client();
    let keys = GuideKeys::of(&mut client);
    let slug_counters =
        ["doc", "ch", "para", "subpara", "chunk"].map(|kind| format!("{kind}:_slugs"));
    let derived = keys
        .relations
        .iter()
        .chain(&keys.shared)
        .chain(&slug_counters);
    for key in derived {
        client.run("FLUSHALL");
        client.call(&["LPUSH", key, "mine"]);
        let before = server.digest();
        let error = try_ingest(&mut client, "doc", GUIDE, "SIBLINGS").text();
        assert!(error.starts_with("WRONGTYPE "), "{key}: {error}");
        assert_eq!(server.digest(), before, "{key}");
    }
}

#[test]
fn what_is_left_of_another_document_makes_the_number_be_skipped() {
    let server = Server::start();
    let mut client = server.client();
    let keys = GuideKeys::of(&mut client);
    for key in &keys.relations {
        client.run("FLUSHALL");
        let (name, relation) = key.rsplit_once(':').unwrap();
        match relation {
            "next" | "previous" => client.call(&["SET", key, "left over"]),
            "sequence" => client.call(&["ZADD", key, "1", "left over"]),
            _ => client.call(&["SADD", key, "left over"]),
        };
        let left = digest_of(&mut client, &[key]);
        let reply = ingest(&mut client, "doc", GUIDE, "SIBLINGS");
        let document = Document::find(&reply["doc"].text(), &keyspace(&mut client));
        let taken = document
            .names()
            .chain([document.name.as_str()])
            .any(|taken| taken == name);
        assert!(!taken, "{name} was taken");
        assert_eq!(digest_of(&mut client, &[key]), left);
        client.call(&["DEL", key]);
        assert_same(&without_counters(keyspace(&mut client)), &document.keys());
    }
    for key in &keys.own {
        client.run("FLUSHALL");
        client.call(&["LPUSH", key, "mine"]);
        ingest(&mut client, "doc", GUIDE, "SIBLINGS");
        assert_eq!(client.call(&["TYPE", key]).text(), "list");
    }
}
