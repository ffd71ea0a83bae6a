//! Without a hash tag, the module refuses commands that derive keys, and all others work.

use keyns_testkit::{ROWS, Row, Server, Value, assert_same_reply};

const NO_HASH_TAG: &str = "ERR cluster mode needs a hash tag in the prefix, as in {app}:doc";
const NO_SCOPE: &str = "";

/// No key here has a tag. `tests/server/documents/cluster.rs` proves that documents need it in the
/// scope, and that a tag in the kind is not enough.
#[test]
fn without_a_hash_tag_what_derives_keys_is_refused_and_writes_nothing() {
    let (_server, mut client) = Server::cluster();
    for row in ROWS.iter().filter(|row| row.derives_keys()) {
        // Most keys that a row needs cannot be made without a tag either.
        client.apply_settings(row);
        let reply = client.call(&row.call_in(NO_SCOPE));
        assert_eq!(reply, Value::Error(NO_HASH_TAG.into()), "{}", row.line);
        assert_eq!(client.run("DBSIZE").integer(), 0, "{}", row.line);
    }
}

#[test]
fn without_a_hash_tag_what_derives_no_keys_works_with_one_and_is_refused_with_two() {
    let alone = Server::start();
    let (_server, mut client) = Server::cluster();
    // Without a tag there are no documents to ask about.
    let has_document = |row: &Row| row.before.iter().any(|line| line.contains("INGESTMD"));
    let rows = ROWS.iter().filter(|row| !row.derives_keys());
    for row in rows.filter(|row| !has_document(row)) {
        let [reply, expected] = [&mut client, &mut alone.client()].map(|client| {
            assert_eq!(client.run("FLUSHALL").text(), "OK");
            client.prepare(row, NO_SCOPE);
            client.call(&row.call_in(NO_SCOPE))
        });
        assert!(!expected.is_error(), "{}: {expected:?}", row.line);
        match row.named_keys() {
            0 | 1 => assert_same_reply(row, "without a tag", &reply, &expected),
            // The server itself refuses it.
            _ => {
                let is_refused = reply.is_error() && reply.text().starts_with("CROSSSLOT ");
                assert!(is_refused, "{}: {reply:?}", row.line);
            }
        }
    }
}
