//! KEYNS.EXPORTMD gives back every byte, and KEYNS.DROP leaves nothing behind.

use keyns_testkit::{
    Client, Document, GUIDE, Server, Value, assert_same, draft, for_any, ingest, keyspace, options,
    try_ingest, without_counters,
};

const CASES: u32 = 300;

/// A document that shares its level, tags, author and category with many others.
const NEIGHBOUR: &str = "---\ntags: [rain, wind, birds]\nauthor: wind\ncategory: rain\n---\n\
                         # Rain\n\nfalls.\n\n## Rain\n\n### Rain\n";

fn start() -> Server {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-siblings 10000");
    server
}

#[test]
fn any_document_is_stored_completely_and_comes_back_byte_for_byte() {
    let server = start();
    for_any(CASES, (draft(), options()), |(draft, options)| {
        let mut client = server.client();
        client.run("FLUSHALL");
        let text = draft.text();
        let reply = try_ingest(&mut client, "{a}:doc", &text, &options);
        if reply.is_error() {
            // Noise may look like front matter.
            assert!(
                reply.text().starts_with("ERR front matter, line "),
                "{reply:?}"
            );
            assert_eq!(client.run("DBSIZE").integer(), 0);
            return;
        }
        let name = reply.fields()["doc"].text();
        let keys = without_counters(keyspace(&mut client));
        let document = Document::find(&name, &keys);
        assert_same(&keys, &document.keys());
        document.assert_covers(&text);
        assert_eq!(reply.fields()["keys"].integer(), keys.len() as i64);
        for kind in ["chapters", "paragraphs", "subparagraphs", "chunks"] {
            let parts = document.parts.iter();
            let count = parts.filter(|(_, fields)| format!("{}s", fields["type"]) == kind);
            let count = count.count().to_string();
            assert_eq!(reply.fields()[kind].integer().to_string(), count);
            assert_eq!(document.fields[kind], count);
        }
        let exported = client.call(&["KEYNS.EXPORTMD", &name]);
        assert_eq!(exported, Value::Bulk(text.into_bytes()));
    });
}

#[test]
fn dropping_any_document_leaves_what_was_there_before() {
    let server = start();
    for_any(CASES, (draft(), options()), |(draft, options)| {
        let mut client = server.client();
        client.run("FLUSHALL");
        ingest(&mut client, "doc", NEIGHBOUR, "SIBLINGS");
        let before = without_counters(keyspace(&mut client));
        let reply = try_ingest(&mut client, "doc", draft.text(), &options);
        if reply.is_error() {
            return;
        }
        let size = client.run("DBSIZE").integer();
        let name = reply.fields()["doc"].text();
        let gone = client.call(&["KEYNS.DROP", &name]).integer();
        assert_same(&without_counters(keyspace(&mut client)), &before);
        assert_eq!(gone, size - client.run("DBSIZE").integer());
        assert_eq!(client.call(&["KEYNS.DROP", &name]).integer(), 0);
    });
}

#[test]
fn dropping_leaves_alone_what_others_put_into_the_sequence() {
    let server = start();
    let mut client = server.client();
    ingest(&mut client, "doc", NEIGHBOUR, "");
    client.run("HSET chunk:by_hand:900 text mine");
    client.run("SET chunk:by_hand:900:next mine");
    client.run("SET user:42 mine");
    client.run("HSET {b}:chunk:elsewhere:001 doc doc:field_guide:002");
    let before = without_counters(keyspace(&mut client));
    let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
    for foreign in [
        "chunk:by_hand:900",
        "chunk:falls:001",
        "ch:rain:001",
        "doc:rain:001",
        "user:42",
        "{b}:chunk:elsewhere:001",
        "chunk:never_was:999",
        "",
    ] {
        client.call(&["ZADD", &format!("{name}:sequence"), "2.5", foreign]);
    }
    let size = client.run("DBSIZE").integer();
    let gone = client.call(&["KEYNS.DROP", &name]).integer();
    assert_eq!(gone, size - client.run("DBSIZE").integer());
    assert_same(&without_counters(keyspace(&mut client)), &before);
}

#[test]
fn a_document_that_lost_parts_is_not_exported_but_dropped_whole() {
    let server = start();
    let mut client = server.client();
    let name = ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text();
    client.run("DEL chunk:trees_stand_close:002 ch:meadows:002:sequence para:oaks:001:next");
    client.run("HDEL ch:forests:001 source");
    let error = client.call(&["KEYNS.EXPORTMD", &name]).text();
    assert_eq!(error, "ERR the document's part 'ch:forests:001' is missing");
    client.run("DEL ch:forests:001");
    let error = client.call(&["KEYNS.EXPORTMD", &name]).text();
    assert_eq!(error, "ERR the document's part 'ch:forests:001' is missing");
    let size = client.run("DBSIZE").integer();
    let gone = client.call(&["KEYNS.DROP", &name]).integer();
    let left = without_counters(keyspace(&mut client));
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(gone, size - client.run("DBSIZE").integer());
}

#[test]
fn dropping_refuses_where_a_derived_key_is_something_else() {
    let server = start();
    let mut client = server.client();
    let name = ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text();
    let keys: Vec<String> = without_counters(keyspace(&mut client))
        .into_keys()
        .collect();
    for key in keys {
        let change = |client: &mut Client, to: &str| {
            client.call(&["EVAL", to, "1", &key]);
        };
        client.call(&["COPY", &key, "kept"]);
        change(
            &mut client,
            "redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[1], 'x')",
        );
        let before = server.digest();
        let error = client.call(&["KEYNS.DROP", &name]).text();
        assert!(error.starts_with("WRONGTYPE "), "{key}: {error}");
        assert_eq!(server.digest(), before, "{key}");
        client.call(&["COPY", "kept", &key, "REPLACE"]);
        client.run("DEL kept");
    }
    let gone = client.call(&["KEYNS.DROP", &name]).integer();
    assert!(gone > 0 && without_counters(keyspace(&mut client)).is_empty());
}
