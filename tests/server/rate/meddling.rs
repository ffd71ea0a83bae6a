//! Another module that reacts to changes of rate limits while we are still at them.

use keyns_testkit::{Client, Options, Server};

/// A key that the other module has an eye on.
const KEY: &str = "rate:seq";

/// What makes a state, and calls that change it where it is: a short one, which may also grow and
/// shrink, and long ones, of which a few bytes change.
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

/// Makes each state in peace, and has the other module answer each change of it.
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

/// The server itself does not survive a key that is deleted while SET makes it with an expiry, so
/// the other module has to leave a key there.
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
    // What is taken inside of a call is taken.
    client.meddle(&[]);
    client.call(&["DEL", KEY]);
    call(&mut client, "KEYNS.RATE KEY BUCKET 90 1 1500d");
    client.meddle(&inner);
    call(&mut client, "KEYNS.RATE KEY BUCKET 90 1 1500d");
    client.meddle(&[]);
    let left = client.rule(&format!("KEYNS.RATE.REFUND {KEY} BUCKET 90 1 1500d COST 1"));
    assert_eq!(left.remaining, 88);
}
