//! KEYNS.SEEN, KEYNS.ADVANCE and KEYNS.CHECKPOINT: what is done once, and what only goes forward.

use std::collections::BTreeMap;

use keyns_testkit::{Client, Options, Random, Server, Value, wait_until};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// In seconds.
const LONGEST: i64 = 100_000_000_000;

/// A server where keys of events and positions live for an hour, and those of notes as long as
/// anybody wants.
fn with_namespaces() -> (Server, Client) {
    let server = Server::start();
    let mut client = server.client();
    client.define("event", "event:<id>", "TTL 3600");
    client.define("note", "note:<id>", "");
    (server, client)
}

fn moved(position: i64) -> Value {
    Value::Array(vec![Value::Integer(1), Value::Integer(position)])
}

fn stayed(position: i64) -> Value {
    Value::Array(vec![Value::Integer(0), Value::Integer(position)])
}

#[test]
fn an_event_is_new_once() {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(client.run("KEYNS.SEEN e"), Value::Integer(1));
    for line in ["KEYNS.SEEN e", "KEYNS.SEEN e EX 5", "keyns.seen e ex 5"] {
        assert_eq!(client.run(line), Value::Integer(0), "{line}");
    }
    assert_eq!(client.run("KEYNS.SEEN other EX 50"), Value::Integer(1));
    assert_eq!(client.run("GET e"), Value::bulk("1"));
    assert_eq!(client.run("GET other"), Value::bulk("1"));
    client.run("DEL e");
    assert_eq!(client.run("KEYNS.SEEN e"), Value::Integer(1));
    client.run("SELECT 1");
    assert_eq!(client.run("KEYNS.SEEN e"), Value::Integer(1));
}

#[test]
fn an_event_is_remembered_as_long_as_asked_or_as_its_namespace_says_or_two_days() {
    let (_server, mut client) = with_namespaces();
    for (line, millis) in [
        ("KEYNS.SEEN e1", 2 * DAY),
        ("KEYNS.SEEN e2 EX 60", 60_000),
        ("KEYNS.SEEN e3 ex 1000000", 1_000_000_000),
        ("KEYNS.SEEN event:1", HOUR),
        ("KEYNS.SEEN event:2 EX 60", 60_000),
        ("KEYNS.SEEN note:1", 2 * DAY),
        ("KEYNS.SEEN note:2 EX 60", 60_000),
    ] {
        let key = line.split(' ').nth(1).unwrap();
        assert_eq!(client.run_giving(line, key, millis), Value::Integer(1));
    }
    let line = format!("KEYNS.SEEN long EX {LONGEST}");
    client.run_giving(&line, "long", LONGEST * 1000);
    // What the namespace says later holds for what comes later.
    client.run("KEYNS.NS.SET event PATTERN event:<id> TTL 60");
    client.run_giving("KEYNS.SEEN event:3", "event:3", 60_000);
    client.run("KEYNS.NS.DEL event");
    client.run_giving("KEYNS.SEEN event:4", "event:4", 2 * DAY);
}

#[test]
fn an_event_that_was_seen_stays_as_it_is() {
    let (_server, mut client) = with_namespaces();
    client.run("KEYNS.SEEN ours EX 1000");
    client.run("KEYNS.SEEN event:1");
    client.run("SET text somebody-was-here EX 1000");
    client.run("SET eternal 12345");
    client.run("INCR count");
    client.call(&["SET", "empty", ""]);
    client.call(&[b"SET", b"bytes".as_slice(), &[0xff, 0, 0x80]]);
    let before = client.snapshot();
    for key in [
        "ours", "event:1", "text", "eternal", "count", "empty", "bytes",
    ] {
        for options in ["", " EX 5"] {
            let reply = client.run(&format!("KEYNS.SEEN {key}{options}"));
            assert_eq!(reply, Value::Integer(0), "{key}{options}");
        }
    }
    assert_eq!(client.snapshot(), before);
}

#[test]
fn an_event_that_is_forgotten_is_new_again() {
    let server = Server::start();
    let mut client = server.client();
    client.run("DEBUG SET-ACTIVE-EXPIRE 0");
    client.run("KEYNS.SEEN e EX 1");
    client.run("PEXPIRE e 1");
    wait_until("the event is forgotten", || {
        client.run("KEYNS.SEEN e EX 1000") == Value::Integer(1)
    });
    assert_eq!(client.run("KEYNS.SEEN e"), Value::Integer(0));
}

#[test]
fn a_transaction_and_a_script_see_what_they_did_before() {
    let server = Server::start();
    let mut client = server.client();
    client.run("MULTI");
    for line in [
        "KEYNS.SEEN e",
        "KEYNS.SEEN e",
        "KEYNS.ADVANCE r 5",
        "KEYNS.ADVANCE r 5",
        "KEYNS.CHECKPOINT c 5",
        "KEYNS.CHECKPOINT c 4",
    ] {
        assert_eq!(client.run(line).text(), "QUEUED");
    }
    let expected = [
        Value::Integer(1),
        Value::Integer(0),
        moved(5),
        stayed(5),
        moved(5),
        stayed(5),
    ];
    assert_eq!(client.run("EXEC").array(), expected);
    client.run("FLUSHALL");
    let script = "return {
        redis.call('KEYNS.SEEN', 'e'), redis.call('KEYNS.SEEN', 'e'),
        redis.call('KEYNS.ADVANCE', 'r', 5), redis.call('KEYNS.ADVANCE', 'r', 5),
        redis.call('KEYNS.CHECKPOINT', 'c', 5), redis.call('KEYNS.CHECKPOINT', 'c', 4)}";
    let reply = client.call(&["EVAL", script, "3", "e", "r", "c"]);
    assert_eq!(reply.array(), expected);
}

/// From the least to the greatest, with lengths that grow and shrink.
const ASCENDING: [i64; 18] = [
    i64::MIN,
    i64::MIN + 1,
    -1_000_000_000_000_000_000,
    -1000,
    -10,
    -9,
    -1,
    0,
    1,
    9,
    10,
    99,
    100,
    9999,
    10_000,
    1_000_000_000_000_000_000,
    i64::MAX - 1,
    i64::MAX,
];

#[test]
fn a_revision_is_taken_if_it_is_greater_and_only_then() {
    let server = Server::start();
    let mut client = server.client();
    for (index, revision) in ASCENDING.into_iter().enumerate() {
        let reply = client.run(&format!("KEYNS.ADVANCE r {revision}"));
        assert_eq!(reply, moved(revision));
        assert_eq!(client.run("GET r").text(), revision.to_string());
        let before = client.snapshot();
        for lower in &ASCENDING[..=index] {
            let reply = client.run(&format!("KEYNS.ADVANCE r {lower}"));
            assert_eq!(reply, stayed(revision), "{lower}");
            let reply = client.run(&format!("KEYNS.ADVANCE r {lower} EX 0"));
            assert_eq!(reply, stayed(revision), "{lower}");
        }
        assert_eq!(client.snapshot(), before);
    }
}

#[test]
fn revisions_in_any_order_end_at_the_greatest() {
    let server = Server::start();
    let mut client = server.client();
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15);
    let mut greatest: BTreeMap<u64, i64> = BTreeMap::new();
    for _ in 0..3000 {
        let key = random.below(20);
        let revision = random.any() as i64 >> random.below(64);
        let expected = match greatest.get(&key) {
            Some(&stored) if stored >= revision => stayed(stored),
            _ => {
                greatest.insert(key, revision);
                moved(revision)
            }
        };
        let reply = client.run(&format!("KEYNS.ADVANCE r{key} {revision}"));
        assert_eq!(reply, expected);
    }
    for (key, revision) in greatest {
        assert_eq!(
            client.run(&format!("GET r{key}")).text(),
            revision.to_string()
        );
    }
}

#[test]
fn each_revision_that_is_taken_lives_as_long_as_asked_or_as_its_namespace_says_or_a_week() {
    let (_server, mut client) = with_namespaces();
    for (line, millis) in [
        ("KEYNS.ADVANCE r 1", 7 * DAY),
        ("KEYNS.ADVANCE r 2 EX 60", 60_000),
        ("KEYNS.ADVANCE r 3 ex 1000000", 1_000_000_000),
        ("KEYNS.ADVANCE r 4", 7 * DAY),
        ("KEYNS.ADVANCE event:r 1", HOUR),
        ("KEYNS.ADVANCE event:r 2 EX 60", 60_000),
        ("KEYNS.ADVANCE event:r 3", HOUR),
        ("KEYNS.ADVANCE note:r 1", 7 * DAY),
        ("KEYNS.ADVANCE note:r 2 EX 60", 60_000),
    ] {
        let key = line.split(' ').nth(1).unwrap();
        client.run_giving(line, key, millis);
        let before = client.snapshot();
        client.run(line);
        client.run(&format!("KEYNS.ADVANCE {key} 0 EX 5"));
        assert_eq!(client.snapshot(), before, "{line}");
    }
    let line = format!("KEYNS.ADVANCE r 10 EX {LONGEST}");
    client.run_giving(&line, "r", LONGEST * 1000);
    for key in ["r", "event:r", "note:r", "new", "event:new"] {
        let reply = client.run(&format!("KEYNS.ADVANCE {key} 20 EX 0"));
        assert_eq!(reply, moved(20));
        assert_eq!(client.expiry_of(key), -1, "{key}");
        // One without an expiry gets it back.
        client.run_giving(&format!("KEYNS.ADVANCE {key} 21 EX 60"), key, 60_000);
    }
}

#[test]
fn an_expiry_that_a_revision_removes_is_removed_everywhere() {
    let mut server = Options::new().durable().start();
    let replica = server.replica();
    let mut client = server.client();
    for revision in ["9", "10"] {
        client.run(&format!("KEYNS.ADVANCE short {revision}"));
        client.run(&format!("KEYNS.ADVANCE same {revision}0"));
    }
    assert!(client.expiry_of("short") > 0);
    client.run("KEYNS.ADVANCE short 12345678901 EX 0");
    client.run("KEYNS.ADVANCE same 999 EX 0");
    client.run("WAIT 1 60000");
    let before = client.snapshot();
    assert_eq!(replica.client().snapshot(), before);
    server.start_again();
    let mut client = server.client();
    assert_eq!(client.snapshot(), before);
    for key in ["short", "same"] {
        assert_eq!(client.expiry_of(key), -1, "{key}");
        assert_eq!(replica.client().expiry_of(key), -1, "{key}");
    }
}

#[test]
fn a_revision_that_a_plain_command_wrote_counts() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET r 5");
    assert_eq!(client.run("KEYNS.ADVANCE r 5"), stayed(5));
    assert_eq!(client.expiry_of("r"), -1);
    assert_eq!(
        client.run_giving("KEYNS.ADVANCE r 6", "r", 7 * DAY),
        moved(6)
    );
    client.run("INCRBY r 10");
    assert_eq!(client.run("KEYNS.ADVANCE r 16"), stayed(16));
    assert_eq!(client.run("KEYNS.ADVANCE r 17"), moved(17));
    client.run("SET r -9223372036854775808 EX 1000");
    assert_eq!(
        client.run("KEYNS.ADVANCE r -9223372036854775807"),
        moved(i64::MIN + 1)
    );
}

/// What is no integer as Redis writes it.
const NO_INTEGERS: [&[u8]; 16] = [
    b"",
    b" 5",
    b"5 ",
    b"05",
    b"+5",
    b"-0",
    b"-",
    b"5.0",
    b"1e3",
    b"0x10",
    b"abc",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"5\0",
    b"\xff",
    &[b'5'; 100],
];

#[test]
fn a_revision_over_something_else_is_an_error_and_changes_nothing() {
    let server = Server::start();
    let mut client = server.client();
    for value in NO_INTEGERS {
        client.call(&[b"SET", b"r".as_slice(), value, b"EX", b"1000"]);
        let before = client.snapshot();
        for revision in [i64::MIN, 0, i64::MAX] {
            let error = client.run(&format!("KEYNS.ADVANCE r {revision}"));
            let expected = Value::Error("ERR 'r' does not hold an integer".into());
            assert_eq!(error, expected, "{value:?}");
        }
        assert_eq!(client.snapshot(), before, "{value:?}");
    }
}

/// The fields of a hash of numbers.
#[track_caller]
fn fields(client: &mut Client, key: &str) -> BTreeMap<String, i64> {
    let fields = client.call(&["HGETALL", key]).fields().into_iter();
    fields
        .map(|(field, value)| (field, value.text().parse().expect("a number")))
        .collect()
}

/// Makes a call that moves a checkpoint there for the so-manieth time.
#[track_caller]
fn assert_moves(client: &mut Client, line: &str, position: i64, moves: i64) {
    let before = client.clock() / 1000;
    assert_eq!(client.run(line), moved(position), "{line}");
    let after = client.clock() / 1000;
    let key = line.split(' ').nth(1).unwrap();
    let fields = fields(client, key);
    assert_eq!((fields["position"], fields["moves"]), (position, moves));
    let updated_at = fields["updated_at"];
    assert!((before..=after).contains(&updated_at), "{updated_at}");
}

#[test]
fn a_checkpoint_says_how_far_when_and_how_often() {
    let server = Server::start();
    let mut client = server.client();
    for (index, position) in ASCENDING.into_iter().enumerate() {
        let line = format!("KEYNS.CHECKPOINT c {position}");
        assert_moves(&mut client, &line, position, index as i64 + 1);
        assert_eq!(fields(&mut client, "c").len(), 3);
        assert_eq!(client.expiry_of("c"), -1);
    }
}

#[test]
fn a_checkpoint_only_goes_forward_unless_forced() {
    let server = Server::start();
    let mut client = server.client();
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 10", 10, 1);
    let before = client.snapshot();
    for lower in [10, 9, 0, -5, i64::MIN] {
        let reply = client.run(&format!("KEYNS.CHECKPOINT c {lower}"));
        assert_eq!(reply, stayed(10), "{lower}");
    }
    assert_eq!(client.snapshot(), before);
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 10 FORCE", 10, 2);
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 3 force", 3, 3);
    assert_moves(
        &mut client,
        &format!("KEYNS.CHECKPOINT c {} FORCE", i64::MIN),
        i64::MIN,
        4,
    );
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 50 FORCE", 50, 5);
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 51", 51, 6);
    assert_moves(&mut client, "KEYNS.CHECKPOINT new 7 FORCE", 7, 1);
}

#[test]
fn a_checkpoint_leaves_the_other_fields_of_its_hash_alone() {
    let server = Server::start();
    let mut client = server.client();
    client.run("HSET c reader billing lag 17");
    assert_eq!(client.run("KEYNS.CHECKPOINT c -3"), moved(-3));
    assert_eq!(client.run("KEYNS.CHECKPOINT c 4"), moved(4));
    assert_eq!(client.run("KEYNS.CHECKPOINT c 2 FORCE"), moved(2));
    let all = client.run("HGETALL c").fields();
    assert_eq!(all.len(), 5);
    assert_eq!(all["reader"], Value::bulk("billing"));
    assert_eq!(all["lag"], Value::bulk("17"));
    assert_eq!(all["moves"], Value::bulk("3"));
}

#[test]
fn a_checkpoint_that_a_plain_command_wrote_counts() {
    let server = Server::start();
    let mut client = server.client();
    client.run("HSET c position 40");
    assert_eq!(client.run("KEYNS.CHECKPOINT c 40"), stayed(40));
    assert_eq!(client.run("HLEN c").integer(), 1);
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 41", 41, 1);
    client.run("HINCRBY c position 9");
    assert_eq!(client.run("KEYNS.CHECKPOINT c 45"), stayed(50));
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 51", 51, 2);
}

#[test]
fn a_damaged_checkpoint_is_an_error_and_force_mends_it() {
    let server = Server::start();
    let mut client = server.client();
    for value in NO_INTEGERS {
        for (field, moves) in [("position", 8), ("moves", 1)] {
            client.run("DEL c");
            client.run("HSET c position 5 updated_at 6 moves 7 other 8");
            client.call(&[b"HSET".as_slice(), b"c", field.as_bytes(), value]);
            let before = client.snapshot();
            let error = format!("ERR the field {field} of 'c' does not hold an integer");
            for position in [i64::MIN, 5, i64::MAX] {
                let reply = client.run(&format!("KEYNS.CHECKPOINT c {position}"));
                assert_eq!(reply, Value::Error(error.clone()), "{value:?}");
            }
            assert_eq!(client.snapshot(), before, "{value:?}");
            assert_moves(&mut client, "KEYNS.CHECKPOINT c 3 FORCE", 3, moves);
            assert_eq!(client.run("HGET c other"), Value::bulk("8"));
            assert_moves(&mut client, "KEYNS.CHECKPOINT c 4", 4, moves + 1);
        }
        // Nothing reads the moment of the last move.
        client.call(&[b"HSET".as_slice(), b"c", b"updated_at", value]);
        assert_moves(&mut client, "KEYNS.CHECKPOINT c 9", 9, 3);
    }
}

#[test]
fn moves_that_cannot_be_counted_any_more_stay_where_they_are() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    client.run(&format!("HSET c position 5 moves {}", i64::MAX - 1));
    for position in 6..9 {
        let line = format!("KEYNS.CHECKPOINT c {position}");
        assert_moves(&mut client, &line, position, i64::MAX);
    }
    client.run(&format!("HSET c moves {}", i64::MIN));
    assert_moves(&mut client, "KEYNS.CHECKPOINT c 9", 9, i64::MIN + 1);
}

#[test]
fn a_checkpoint_keeps_its_expiry_unless_its_namespace_sets_one() {
    let (_server, mut client) = with_namespaces();
    for key in ["c", "note:c"] {
        client.run(&format!("KEYNS.CHECKPOINT {key} 1"));
        assert_eq!(client.expiry_of(key), -1);
        client.run(&format!("PEXPIREAT {key} 4000000000000"));
        client.run(&format!("KEYNS.CHECKPOINT {key} 2"));
        client.run(&format!("KEYNS.CHECKPOINT {key} 1 FORCE"));
        assert_eq!(client.expiry_of(key), 4_000_000_000_000);
    }
    client.run_giving("KEYNS.CHECKPOINT event:c 1", "event:c", HOUR);
    for line in [
        "KEYNS.CHECKPOINT event:c 2",
        "KEYNS.CHECKPOINT event:c 2 FORCE",
        "KEYNS.CHECKPOINT event:c 1 FORCE",
    ] {
        client.run("PERSIST event:c");
        client.run_giving(line, "event:c", HOUR);
    }
    client.run("PEXPIREAT event:c 4000000000000");
    client.run("KEYNS.CHECKPOINT event:c 1");
    assert_eq!(client.expiry_of("event:c"), 4_000_000_000_000);
}

/// Each of the two, since a hash without its expiry would be half of the work.
#[test]
fn a_disabled_command_of_the_server_is_an_error_before_a_checkpoint_moves() {
    let donor = Server::start();
    donor.client().run("KEYNS.CHECKPOINT event:c 5");
    donor.client().run("SAVE");
    for command in ["HSET", "PEXPIREAT"] {
        let server = Options::new()
            .set("--rename-command", &[command, ""])
            .start_with(&donor.dir.join("dump.rdb"), "dump.rdb");
        let mut client = server.client();
        client.define("event", "event:<id>", "TTL 3600");
        let before = client.snapshot();
        assert_eq!(before.len(), 1);
        let error =
            format!("ERR this command needs {command}, which the server does not have (renamed?)");
        for line in [
            "KEYNS.CHECKPOINT event:c 6",
            "KEYNS.CHECKPOINT event:c 1 FORCE",
            "KEYNS.CHECKPOINT event:new 6",
        ] {
            assert_eq!(client.run(line), Value::Error(error.clone()), "{line}");
        }
        assert_eq!(client.run("KEYNS.CHECKPOINT event:c 5"), stayed(5));
        assert_eq!(client.snapshot(), before);
    }
}

/// A string of digits would take 16 to 32 bytes more, of which there may be millions.
#[test]
fn new_keys_take_no_more_memory_than_those_of_plain_commands() {
    let server = Server::start();
    let mut client = server.client();
    for (line, key, plain) in [
        ("KEYNS.SEEN k1", "k1", "SET k2 1 EX 60"),
        ("KEYNS.ADVANCE k1 123456789", "k1", "SET k2 123456789 EX 60"),
        (
            "KEYNS.COUNT k1 GRAIN DAY AT 4000000000 BY 50000",
            "k1:2096:10:02",
            "SET k2:2096:10:02 50000 EX 60",
        ),
        (
            "KEYNS.COUNT k1 GRAIN YEAR AT 4000000000 BY 50000",
            "k1:2096",
            "SET k2:2096 50000",
        ),
    ] {
        client.run("FLUSHALL");
        client.run(line);
        client.run(plain);
        let encoding = client.run(&format!("OBJECT ENCODING {key}"));
        assert_eq!(encoding, Value::bulk("int"), "{line}");
        let mut usage = |key: &str| client.run(&format!("MEMORY USAGE {key}")).integer();
        let beside = key.replace("k1", "k2");
        assert_eq!(usage(key), usage(&beside), "{line}");
    }
}
