//! Every type under every key that a call uses.

use keyns_testkit::{Holds, ROWS};

use crate::stage::Stage;

const TYPES: [&str; 6] = ["string", "hash", "list", "set", "zset", "stream"];

#[test]
fn a_wrong_type_is_an_error_that_changes_nothing() {
    let mut stage = Stage::start();
    for row in ROWS {
        for used in row.keys {
            for kind in TYPES {
                stage.set(row);
                stage.put(used.key, kind);
                let case = format!("{} with a {kind} in {}", row.line, used.key);
                if !used.holds.takes(kind) {
                    let error = stage.refused(None, &row.call());
                    assert!(error.starts_with("WRONGTYPE"), "{case}: {error}");
                    continue;
                }
                let reply = stage.any_reply(&row.call());
                let any = matches!(used.holds, Holds::Anything | Holds::Nothing);
                assert!(!any || !reply.is_error(), "{case}: {reply:?}");
            }
        }
    }
}

/// The right type, and nothing in it that the module would have written.
#[test]
fn a_wrong_value_gets_a_reply_and_an_error_changes_nothing() {
    let values: [&[u8]; 9] = [
        b"",
        b"-1",
        b"01",
        b"9223372036854775807",
        b"9223372036854775808",
        b"1e3",
        b"\0",
        b"\xff\xfe\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09",
        &[b'7'; 20_000],
    ];
    let mut stage = Stage::start();
    for row in ROWS {
        for used in row.keys {
            for value in values {
                stage.set(row);
                let key = used.key.as_bytes();
                let put: &[&[u8]] = match used.holds {
                    Holds::Text => &[b"SET", key, value],
                    Holds::Hash => &[b"HSET", key, b"type", value, b"position", value],
                    Holds::Set => &[b"SADD", key, value],
                    Holds::SortedSet => &[b"ZADD", key, b"0.5", value],
                    Holds::Anything | Holds::Nothing => continue,
                };
                stage.client.call(put);
                stage.any_reply(&row.call());
            }
        }
    }
}
