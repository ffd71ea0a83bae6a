//! What `INFO keyns` counts of coordination.

use keyns_testkit::{Client, Server};

const FIELDS: [&str; 11] = [
    "calls",
    "errors",
    "dedup_hits",
    "dedup_misses",
    "revision_hits",
    "revision_misses",
    "locks_taken",
    "locks_refused",
    "locks_extended",
    "locks_released",
    "locks_not_held",
];

#[track_caller]
fn counts(client: &mut Client) -> Vec<u64> {
    let count = |field: &str| {
        let field = format!("keyns_coordination_{field}");
        client.info("keyns", &field).parse().unwrap()
    };
    FIELDS.map(count).to_vec()
}

#[test]
fn each_outcome_counts_in_its_own_field() {
    let server = Server::start();
    let mut client = server.client();
    client.run("LPUSH list x");
    client.run("SET text x");
    client.run("SET full:2026 9223372036854775807");
    assert_eq!(counts(&mut client), [0; FIELDS.len()]);
    for (line, fields) in [
        ("KEYNS.LOCK k alice PX 60000", &["calls", "locks_taken"][..]),
        ("KEYNS.LOCK k bob PX 60000", &["calls", "locks_refused"]),
        ("KEYNS.LOCK k alice PX 60000", &["calls", "locks_extended"]),
        ("KEYNS.EXTEND k alice PX 5000", &["calls", "locks_extended"]),
        ("KEYNS.EXTEND k bob PX 5000", &["calls", "locks_not_held"]),
        ("KEYNS.EXTEND no bob PX 5000", &["calls", "locks_not_held"]),
        ("KEYNS.UNLOCK k bob", &["calls", "locks_not_held"]),
        ("KEYNS.UNLOCK k alice", &["calls", "locks_released"]),
        ("KEYNS.UNLOCK k alice", &["calls", "locks_not_held"]),
        ("KEYNS.LOCK k alice PX 0", &["calls", "errors"]),
        ("KEYNS.LOCK list alice PX 5", &["calls", "errors"]),
        ("KEYNS.EXTEND list alice PX 5", &["calls", "errors"]),
        ("KEYNS.UNLOCK list alice", &["calls", "errors"]),
        ("KEYNS.SEEN e", &["calls", "dedup_misses"]),
        ("KEYNS.SEEN e", &["calls", "dedup_hits"]),
        ("KEYNS.SEEN text", &["calls", "dedup_hits"]),
        ("KEYNS.SEEN list", &["calls", "errors"]),
        ("KEYNS.SEEN e EX 0", &["calls", "errors"]),
        ("KEYNS.ADVANCE r 5", &["calls", "revision_misses"]),
        ("KEYNS.ADVANCE r 6", &["calls", "revision_misses"]),
        ("KEYNS.ADVANCE r 6", &["calls", "revision_hits"]),
        ("KEYNS.ADVANCE r 1", &["calls", "revision_hits"]),
        ("KEYNS.ADVANCE text 1", &["calls", "errors"]),
        ("KEYNS.ADVANCE r x", &["calls", "errors"]),
        ("KEYNS.CHECKPOINT c 5", &["calls"]),
        ("KEYNS.CHECKPOINT c 5", &["calls"]),
        ("KEYNS.CHECKPOINT text 5", &["calls", "errors"]),
        ("KEYNS.COUNT n GRAIN DAY GRAIN YEAR", &["calls"]),
        ("KEYNS.COUNT n GRAIN WEEK", &["calls", "errors"]),
        (
            "KEYNS.COUNT full GRAIN YEAR AT 1794735000",
            &["calls", "errors"],
        ),
        ("KEYNS.COUNT.RANGE n GRAIN DAY 0 5", &["calls"]),
        ("KEYNS.COUNT.RANGE n GRAIN DAY 5 0", &["calls", "errors"]),
    ] {
        let mut expected = counts(&mut client);
        for (field, count) in FIELDS.iter().zip(&mut expected) {
            *count += u64::from(fields.contains(field));
        }
        let reply = client.run(line);
        assert_eq!(
            reply.is_error(),
            fields.contains(&"errors"),
            "{line}: {reply:?}"
        );
        assert_eq!(counts(&mut client), expected, "{line}");
    }
    assert_eq!(client.info("keyns", "keyns_naming_calls"), "0");
    assert_eq!(client.info("keyns", "keyns_rate_limits_calls"), "0");
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}

#[test]
fn calls_in_transactions_and_scripts_count_too() {
    let server = Server::start();
    let mut client = server.client();
    client.run("MULTI");
    client.run("KEYNS.LOCK k alice PX 60000");
    client.run("KEYNS.SEEN e");
    client.run("EXEC");
    let script = "
        redis.call('KEYNS.LOCK', 'k', 'bob', 'PX', 60000)
        redis.call('KEYNS.SEEN', 'e')
        redis.call('KEYNS.ADVANCE', 'r', 5)
        return redis.pcall('KEYNS.ADVANCE', 'r', 'x')";
    assert!(
        client
            .call(&["EVAL", script, "3", "k", "e", "r"])
            .is_error()
    );
    // In the order of the fields.
    assert_eq!(counts(&mut client), [6, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0]);
}

/// What the server itself refuses does not reach the module.
#[test]
fn what_does_not_reach_the_module_does_not_count() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET maxmemory 1");
    client.run("KEYNS.LOCK k alice PX 60000");
    client.run("CONFIG SET maxmemory 0");
    client.run("KEYNS.LOCK k alice");
    assert_eq!(counts(&mut client), [0; FIELDS.len()]);
}
