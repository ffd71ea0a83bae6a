//! Another module reacts to changes of locks, revisions and counters while our command still runs.

use keyns_testkit::{Client, Options, Server, Value, server_survives};

/// The other module watches this key and its buckets.
const KEY: &str = "shared:seq";

/// A call that makes a key, and calls that change it in place.
const CHANGES: [(&str, &[&str]); 4] = [
    (
        "KEYNS.LOCK KEY alice PX 60000",
        &[
            "KEYNS.LOCK KEY alice PX 90000",
            "KEYNS.EXTEND KEY alice PX 90000",
            "KEYNS.UNLOCK KEY alice",
        ],
    ),
    (
        "KEYNS.ADVANCE KEY 9",
        &[
            "KEYNS.ADVANCE KEY 8",
            "KEYNS.ADVANCE KEY 10",
            "KEYNS.ADVANCE KEY 10 EX 0",
            "KEYNS.ADVANCE KEY 9223372036854775807",
        ],
    ),
    (
        "KEYNS.CHECKPOINT KEY 9",
        &["KEYNS.CHECKPOINT KEY 10", "KEYNS.CHECKPOINT KEY 1 FORCE"],
    ),
    (
        "KEYNS.COUNT KEY GRAIN YEAR GRAIN DAY GRAIN MINUTE AT 4000000000 BY 9",
        &[
            "KEYNS.COUNT KEY GRAIN YEAR AT 4000000000",
            "KEYNS.COUNT KEY GRAIN MINUTE AT 4000000000 BY 90",
            "KEYNS.COUNT KEY GRAIN DAY AT 4000000000 BY -90",
        ],
    ),
];

fn start() -> (Server, Client) {
    let server = Options::with_meddler().start();
    let client = server.client();
    (server, client)
}

fn call(client: &mut Client, line: &str) -> Value {
    client.run(&line.replace("KEY ", &format!("{KEY} ")))
}

/// Makes each key undisturbed, then lets the other module answer each change of it. Returns the calls
/// that failed.
fn meddle_with_changes<'l>(client: &mut Client, answer: &[&str]) -> Vec<&'l str> {
    let mut failed = Vec::new();
    for (makes, changes) in CHANGES {
        for change in changes {
            client.meddle(&[]);
            client.run("FLUSHALL");
            let reply = call(client, makes);
            assert!(!reply.is_error(), "{makes}: {reply:?}");
            client.meddle(answer);
            let reply = call(client, change);
            failed.extend(reply.is_error().then_some(*change));
        }
    }
    failed
}

#[test]
fn a_key_that_is_gone_or_another_as_soon_as_it_changes_is_no_crash() {
    for answer in [
        &["DEL", "KEY"][..],
        &["FLUSHALL"],
        &["SET", "KEY", "5"],
        &[
            "SET",
            "KEY",
            "a value that is longer than any that was there before",
        ],
        &["APPEND", "KEY", "0"],
        &["SETRANGE", "KEY", "0", "7"],
        &["PERSIST", "KEY"],
        &["PEXPIRE", "KEY", "1"],
        &["INCR", "KEY"],
        &["UNLINK", "KEY"],
        &["HSET", "KEY", "position", "x"],
    ] {
        let (_server, mut client) = start();
        let failed = meddle_with_changes(&mut client, answer);
        assert!(failed.is_empty(), "{answer:?}: {failed:?}");
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }
}

/// Runs a command once, after the first bucket of a call.
const ONCE: &str = "if redis.call('SETNX', 'done', 1) == 1 then redis.call(unpack(ARGV)) end";

/// A bucket that is no longer a number may lead to an error, and to nothing worse.
#[test]
fn buckets_that_another_module_spoils_in_the_middle_of_a_call_are_no_crash() {
    let day = format!("{KEY}:2096:10:02");
    let line = "KEYNS.COUNT KEY GRAIN YEAR GRAIN DAY GRAIN MINUTE AT 4000000000";
    for spoils in [
        &["DEL", &day][..],
        &["SET", &day, "no number"],
        &["SET", &day, ""],
        &["SET", &day, "9223372036854775807"],
        &["RENAME", &day, "elsewhere"],
        &["RENAME", "list", &day],
        &["RENAME", "hash", &day],
    ] {
        let (_server, mut client) = start();
        client.run("LPUSH list x");
        client.run("HSET hash f v");
        for _ in 0..2 {
            assert!(!call(&mut client, line).is_error());
        }
        client.meddle(&[&["EVAL", ONCE, "0"], spoils].concat());
        call(&mut client, line);
        assert_eq!(client.run("EXISTS done").integer(), 1);
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }
}

#[test]
fn a_bucket_that_another_module_changes_in_the_middle_of_a_call_is_the_same_on_a_replica() {
    let day = format!("{KEY}:2096:10:02");
    let line = "KEYNS.COUNT KEY GRAIN YEAR GRAIN DAY GRAIN MINUTE AT 4000000000";
    for spoils in [
        &["DEL", &day][..],
        &["SET", &day, "50"],
        &["SET", &day, "no number"],
        &["SET", &day, "9223372036854775807"],
    ] {
        let (server, mut client) = start();
        let replica = server.replica();
        call(&mut client, line);
        client.meddle(&[&["EVAL", ONCE, "0"], spoils].concat());
        // The call fails at the spoiled bucket, after it has written to others.
        client.run(&line.replace("KEY", KEY));
        client.run("WAIT 1 60000");
        assert_eq!(replica.client().snapshot(), client.snapshot(), "{spoils:?}");
    }
}

/// A plain command that makes a key, and calls of ours that do so through the same one.
const MADE: [(&str, &[&str]); 2] = [
    (
        "SET shared:seq 1 PX 60000",
        &[
            "KEYNS.LOCK KEY alice PX 60000",
            "KEYNS.SEEN KEY EX 60",
            "KEYNS.ADVANCE KEY 5",
        ],
    ),
    (
        "SET shared:seq 1",
        &[
            "KEYNS.ADVANCE KEY 5 EX 0",
            "KEYNS.COUNT KEY GRAIN YEAR AT 4000000000 KEEP 0",
        ],
    ),
];

/// SET crashes servers if another module removes the key that it makes, whoever calls it: all servers if
/// it has an expiry, Redis 7.0 also without one. What a server survives alone, it survives with us.
#[test]
fn a_key_that_is_gone_as_soon_as_it_is_made_is_no_crash() {
    for answer in [
        &["DEL", "KEY"][..],
        &["FLUSHALL"],
        &["PEXPIRE", "KEY", "-1"],
    ] {
        // Every server survives this; otherwise the other module would be at fault.
        assert!(server_survives("INCRBY shared:seq 1", answer));
        for (plain, lines) in MADE {
            if !server_survives(plain, answer) {
                println!("{answer:?} ends the server in {plain}");
                continue;
            }
            let (_server, mut client) = start();
            for line in lines.iter().cycle().take(40) {
                client.meddle(&[]);
                client.run("FLUSHALL");
                client.meddle(answer);
                let reply = call(&mut client, line);
                assert!(!reply.is_error(), "{answer:?}: {line}: {reply:?}");
            }
            assert_eq!(client.info("keyns", "keyns_panics"), "0");
        }
    }
}

/// No server survives it when the other module replaces a key that HSET makes by one of another type,
/// so here the key remains a string.
#[test]
fn a_key_that_is_another_as_soon_as_it_is_made_is_no_crash() {
    for answer in [
        &["SET", "KEY", "5"][..],
        &["APPEND", "KEY", "0"],
        &["PERSIST", "KEY"],
        &["PEXPIRE", "KEY", "1000000"],
        &["INCR", "KEY"],
    ] {
        let (_server, mut client) = start();
        for line in [
            "KEYNS.LOCK KEY alice PX 60000",
            "KEYNS.SEEN KEY EX 60",
            "KEYNS.ADVANCE KEY 5",
            "KEYNS.ADVANCE KEY 5 EX 0",
            "KEYNS.COUNT KEY GRAIN YEAR GRAIN DAY GRAIN MINUTE AT 4000000000",
        ] {
            client.meddle(&[]);
            client.run("FLUSHALL");
            client.meddle(answer);
            let reply = call(&mut client, line);
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }
}

#[test]
fn our_own_commands_can_be_called_from_inside_our_own_calls() {
    let (_server, mut client) = start();
    for answer in [
        &["KEYNS.LOCK", "KEY", "alice", "PX", "70000"][..],
        &["KEYNS.UNLOCK", "KEY", "alice"],
        &["KEYNS.EXTEND", "KEY", "bob", "PX", "70000"],
        &["KEYNS.ADVANCE", "KEY", "500"],
        &["KEYNS.CHECKPOINT", "KEY", "500"],
        &["KEYNS.SEEN", "KEY"],
        &["KEYNS.COUNT", KEY, "GRAIN", "YEAR", "AT", "4000000000"],
        &["KEYNS.COUNT.RANGE", KEY, "GRAIN", "YEAR", "0", "4000000000"],
        &["CONFIG", "SET", "keyns.max-text-bytes", "64"],
        &["MODULE", "UNLOAD", "keyns"],
    ] {
        let failed = meddle_with_changes(&mut client, answer);
        assert!(failed.is_empty(), "{answer:?}: {failed:?}");
    }
    // A lock taken during another call is taken, and its token fits into the order.
    client.meddle(&[]);
    client.run("FLUSHALL");
    let first = client.run("KEYNS.LOCK lock alice PX 60000").integer();
    let inner = ["KEYNS.LOCK", "lock", "alice", "PX", "60000"];
    client.meddle(&inner);
    let outer = call(&mut client, "KEYNS.LOCK KEY alice PX 60000").integer();
    client.meddle(&[]);
    let last = client.run("KEYNS.LOCK lock alice PX 60000").integer();
    assert!(first < outer && outer < last, "{first}, {outer}, {last}");
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}

#[test]
fn who_gets_a_lock_while_it_is_being_announced_has_the_greater_token() {
    let (_server, mut client) = start();
    let takes_over = "
        redis.call('KEYNS.UNLOCK', KEYS[1], 'alice')
        local token = redis.call('KEYNS.LOCK', KEYS[1], 'bob', 'PX', 60000)
        redis.call('SET', 'inner', string.format('%.0f', token))";
    client.run(&format!("KEYNS.LOCK {KEY} alice PX 60000"));
    client.meddle(&["EVAL", takes_over, "1", KEY]);
    let outer = call(&mut client, "KEYNS.LOCK KEY alice PX 90000").integer();
    client.meddle(&[]);
    assert_eq!(client.run(&format!("GET {KEY}")), Value::bulk("bob"));
    let inner: i64 = client.run("GET inner").text().parse().unwrap();
    assert!(outer < inner, "{outer}, {inner}");
}

/// The other module also watches the removal of a key with this name.
#[test]
fn a_lock_that_another_module_takes_as_soon_as_it_is_given_back_is_taken() {
    let (_server, mut client) = start();
    client.run("KEYNS.LOCK k:lock alice PX 60000");
    client.meddle(&["SET", "KEY", "bob", "NX", "PX", "60000"]);
    let reply = client.run("KEYNS.UNLOCK k:lock alice");
    assert_eq!(reply, Value::Integer(1));
    client.meddle(&[]);
    assert_eq!(client.run("GET k:lock"), Value::bulk("bob"));
    assert_eq!(client.run("KEYNS.UNLOCK k:lock alice"), Value::Integer(0));
    // The same for a lock that is removed or replaced when its expiry is announced.
    for answer in [&["DEL", "KEY"][..], &["SET", "KEY", "bob"], &["FLUSHALL"]] {
        for line in [
            "KEYNS.LOCK k:lock alice PX 90000",
            "KEYNS.EXTEND k:lock alice PX 90000",
        ] {
            client.meddle(&[]);
            client.run("DEL k:lock");
            client.run("KEYNS.LOCK k:lock alice PX 60000");
            client.meddle(answer);
            assert!(!client.run(line).is_error(), "{answer:?}: {line}");
        }
    }
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}
