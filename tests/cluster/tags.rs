//! Without a hash tag, what derives keys is refused, and everything else works.

use crate::rows::{WithoutTag, all, words};
use crate::support::{Server, Value};

const NO_HASH_TAG: &str = "ERR cluster mode needs a hash tag in the prefix, as in {app}:doc";

#[test]
fn without_a_hash_tag_what_derives_keys_is_refused_and_writes_nothing() {
    let (_server, mut client) = Server::cluster();
    for (_, row) in all() {
        if let WithoutTag::Refused(line) = row.without_tag {
            let reply = client.call(&words(line, ""));
            assert_eq!(reply, Value::Error(NO_HASH_TAG.into()), "{line}");
        }
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn without_a_hash_tag_what_derives_no_keys_works() {
    let (_server, mut client) = Server::cluster();
    for (_, row) in all() {
        if let WithoutTag::Works(line) = row.without_tag {
            let reply = client.call(&words(line, ""));
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
    }
}
