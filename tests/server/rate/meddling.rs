//! Another module reacts to changes of rate limits while our command still runs.

use keyns_testkit::{Client, Options, Server};

/// The other module watches this key.
const KEY: &str = "rate:seq";

/// Calls that make a state, and calls that change it in place: a short state, which may also grow and
/// shrink, and long ones, where a few bytes change.
const CHANGES: [(&[&str], &[&str]); 3] = [
    (
        &["KEYNS.RATE KEY BUCKET 90 1 1500d COST 60"],
        &[
            "KEYNS.RATE KEY BUCKET 90 1 1500d",
            "KEYNS.RATE.REFUND KEY BUCKET 90 1 1500d COST 1",
            "KEYNS.RATE.REFUND KEY BUCKET 90 1 1500d COST 90",
            "KEYNS.RATE KEY BUCKET 90 1 1500d FIXED 9 1500d SLIDING 9 1500d",
            "KEYNS.RATE.BLOCK KEY 1d",
            "KEYNS.THROTTLE KEY 89 1 129600000",
        ],
    ),
    (
        &["KEYNS.RATE KEY BUCKET 90 1 1500d SLIDING 900 1500d COST 60"],
        &[
            "KEYNS.RATE KEY BUCKET 90 1 1500d",
            "KEYNS.RATE KEY SLIDING 900 1500d COST 2",
            "KEYNS.RATE.REFUND KEY SLIDING 900 1500d BUCKET 90 1 1500d COST 1",
        ],
    ),
    (
        &[
            "KEYNS.RATE KEY SLIDING 900 1500d COST 60",
            "KEYNS.RATE.BLOCK KEY 1d",
        ],
        &[
            "KEYNS.RATE.BLOCK KEY 2d",
            "KEYNS.RATE.REFUND KEY SLIDING 900 1500d COST 1",
        ],
    ),
];

fn start() -> (Server, Client) {
    let server = Options::with_meddler().start();
    let client = server.client();
    (server, client)
}

#[track_caller]
fn call(client: &mut Client, line: &str) {
    let reply = client.run(&line.replace("KEY ", &format!("{KEY} ")));
    assert!(!reply.is_error(), "{line}: {reply:?}");
}

/// Makes each state undisturbed, then lets the other module answer each change of it.
#[track_caller]
fn meddle_with_changes(client: &mut Client, answer: &[&str]) {
    for (state, changes) in CHANGES {
        for change in changes {
            client.meddle(&[]);
            client.call(&["DEL", KEY]);
            for line in state {
                call(client, line);
            }
            client.meddle(answer);
            call(client, change);
        }
    }
}

#[test]
fn a_limit_that_is_gone_or_another_as_soon_as_it_changes_is_no_crash() {
    for answer in [
        &["DEL", "KEY"][..],
        &["FLUSHALL"],
        &["SET", "KEY", "5"],
        &["APPEND", "KEY", "more than there was"],
        &["SETRANGE", "KEY", "0", "other bytes"],
        &["PERSIST", "KEY"],
        &["PEXPIRE", "KEY", "1"],
    ] {
        let (_server, mut client) = start();
        meddle_with_changes(&mut client, answer);
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }
}

/// No server survives it when a key is deleted while SET makes it with an expiry (proved by the test of
/// the same kind for locks), so here the other module leaves a key there.
#[test]
fn a_limit_that_is_another_as_soon_as_it_is_made_is_no_crash() {
    for answer in [
        &["SET", "KEY", "5"][..],
        &["APPEND", "KEY", "more than there was"],
        &["PERSIST", "KEY"],
        &["PEXPIRE", "KEY", "1000000"],
    ] {
        let (_server, mut client) = start();
        for line in CHANGES.iter().flat_map(|(state, _)| *state) {
            client.meddle(answer);
            client.call(&["DEL", KEY]);
            call(&mut client, line);
        }
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }
}

#[test]
fn our_own_commands_can_be_called_from_inside_our_own_calls() {
    let (_server, mut client) = start();
    let inner = ["KEYNS.RATE", "KEY", "BUCKET", "90", "1", "1500d"];
    for answer in [
        &inner[..],
        &["KEYNS.RATE.BLOCK", "KEY", "1d"],
        &["KEYNS.RATE", "other", "SLIDING", "9", "1500d"],
        &["CONFIG", "SET", "keyns.max-sliding", "900"],
        &["MODULE", "UNLOAD", "keyns"],
    ] {
        meddle_with_changes(&mut client, answer);
    }
    // A call within a call takes from the limit, too.
    client.meddle(&[]);
    client.call(&["DEL", KEY]);
    call(&mut client, "KEYNS.RATE KEY BUCKET 90 1 1500d");
    client.meddle(&inner);
    call(&mut client, "KEYNS.RATE KEY BUCKET 90 1 1500d");
    client.meddle(&[]);
    let left = client.rule(&format!("KEYNS.RATE.REFUND {KEY} BUCKET 90 1 1500d COST 1"));
    assert_eq!(left.remaining, 88);
}

/// Calls on several keys, of which the other module watches one and changes another.
const ON_SEVERAL: [&str; 4] = [
    "KEYNS.RATE.ALL 2 rate:seq other BUCKET 90 1 1500d",
    "KEYNS.RATE.ALL 2 other rate:seq BUCKET 90 1 1500d",
    "KEYNS.RATE.ALL 2 rate:seq other SLIDING 900 1500d COST 60",
    "KEYNS.RATE.ALL 3 other:seq rate:seq other SLIDING 900 1500d",
];

#[test]
fn of_several_limits_each_may_be_gone_or_another_as_soon_as_one_changes() {
    for answer in [
        &["DEL", "other"][..],
        &["SET", "other", "5"],
        &["APPEND", "other", "more than there was"],
        &["PEXPIRE", "other", "1"],
        &["KEYNS.RATE", "other", "BUCKET", "90", "1", "1500d"],
    ] {
        let (_server, mut client) = start();
        for line in ON_SEVERAL {
            // All are new, one is, or none.
            for new in ["rate:seq other:seq other", "other", "rate:seq", ""] {
                client.meddle(&[]);
                client.run("DEL rate:seq other:seq other");
                call(&mut client, line);
                if !new.is_empty() {
                    client.run(&format!("DEL {new}"));
                }
                client.meddle(answer);
                call(&mut client, line);
            }
        }
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }
}

/// A key that has expired is deleted when it is opened, or when the server makes it anew. Others are
/// told of it and may then change the other keys.
#[test]
fn of_several_limits_one_may_be_gone_when_another_has_expired() {
    for answer in [
        &["DEL", "other"][..],
        &["SET", "other", "5"],
        &["APPEND", "other", "more than there was"],
        // Of a type that has more to give back when its key is closed.
        &[
            "EVAL",
            "redis.call('DEL', 'other') redis.call('ZADD', 'other', 1, 'a')",
            "0",
        ],
        &[
            "EVAL",
            "redis.call('DEL', 'other') redis.call('XADD', 'other', '*', 'a', 'b')",
            "0",
        ],
    ] {
        let (server, mut client) = start();
        client.run("DEBUG SET-ACTIVE-EXPIRE 0");
        let line = "KEYNS.RATE.ALL 2 other rate:seq BUCKET 90 1 1500d";
        for _ in 0..20 {
            client.meddle(&[]);
            client.run("DEL rate:seq other");
            call(&mut client, line);
            // Redis 7.0 takes the time twice for PEXPIRE, and deletes at once what expires in between.
            client.run("PEXPIRE rate:seq 30");
            client.meddle(answer);
            std::thread::sleep(std::time::Duration::from_millis(40));
            let reply = client.run(line);
            // Redis 7.0 deletes the key before the call reads the others: what the other module made
            // of them is what counts. Newer servers delete it when all are written.
            match answer[0] {
                _ if server.has_module_categories() => assert!(!reply.is_error(), "{reply:?}"),
                "DEL" => assert!(!reply.is_error(), "{reply:?}"),
                "EVAL" => assert!(reply.text().starts_with("WRONGTYPE "), "{reply:?}"),
                _ => assert_eq!(reply.text(), "ERR not a rate limit: 'other'"),
            }
        }
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }
}
