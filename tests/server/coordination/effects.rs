//! What coordination does to the rest of a server: replicas, AOF and RDB, notifications,
//! transactions, caches. A change is one plain write with absolute values, and a refusal or a read
//! is nothing at all.

use keyns_testkit::{
    Client, Options, Random, Server, Value, aof_commands, rewrite_aof, wait_until,
};

/// What the AOF got since it had this many commands, each in words, its name in capitals.
fn added_since(server: &Server, before: usize) -> Vec<String> {
    let line = |mut command: Vec<Vec<u8>>| {
        command[0].make_ascii_uppercase();
        let words = command.iter().map(|word| word.escape_ascii().to_string());
        words.collect::<Vec<_>>().join(" ")
    };
    let added = aof_commands(server).split_off(before);
    added.into_iter().map(line).collect()
}

/// What a call adds to the AOF.
#[track_caller]
fn effects(server: &Server, client: &mut Client, line: &str) -> Vec<String> {
    let before = aof_commands(server).len();
    let reply = client.run(line);
    assert!(!reply.is_error(), "{line}: {reply:?}");
    added_since(server, before)
}

/// A server with an AOF in which something is, so that calls add nothing but their own, and with a
/// namespace whose keys expire.
fn start() -> (Server, Client) {
    let server = Options::new().durable().start();
    let mut client = server.client();
    client.define("event", "event:<id>", "TTL 3600");
    client.run("SET before anything");
    (server, client)
}

#[test]
fn each_call_on_one_key_is_one_plain_write_with_an_absolute_expiry() {
    let (server, mut client) = start();
    for (line, expected) in [
        ("KEYNS.LOCK k alice PX 60000", "SET k alice PXAT EXPIRY"),
        ("KEYNS.LOCK k alice PX 90000", "SET k alice PXAT EXPIRY"),
        ("KEYNS.EXTEND k alice PX 50000", "SET k alice PXAT EXPIRY"),
        ("KEYNS.EXTEND k alice EX 15m", "SET k alice PXAT EXPIRY"),
        ("KEYNS.UNLOCK k alice", "DEL k"),
        ("KEYNS.LOCK k2 alice EX 90s", "SET k2 alice PXAT EXPIRY"),
        ("KEYNS.LOCK k 12345 PX 60000", "SET k 12345 PXAT EXPIRY"),
        ("KEYNS.EXTEND k 12345 PX 60000", "SET k 12345 PXAT EXPIRY"),
        ("KEYNS.SEEN e", "SET e 1 PXAT EXPIRY"),
        ("KEYNS.SEEN e2 EX 60", "SET e2 1 PXAT EXPIRY"),
        ("KEYNS.SEEN e3 EX 15m", "SET e3 1 PXAT EXPIRY"),
        ("KEYNS.SEEN event:1", "SET event:1 1 PXAT EXPIRY"),
        ("KEYNS.ADVANCE r -5", "SET r -5 PXAT EXPIRY"),
        ("KEYNS.ADVANCE r 9 EX 60", "SET r 9 PXAT EXPIRY"),
        ("KEYNS.ADVANCE r2 9 EX 7d", "SET r2 9 PXAT EXPIRY"),
        ("KEYNS.ADVANCE r 10", "SET r 10 PXAT EXPIRY"),
        ("KEYNS.ADVANCE r 123456789 EX 0", "SET r 123456789"),
        ("KEYNS.ADVANCE new 5 EX 0", "SET new 5"),
        ("KEYNS.ADVANCE event:r 5", "SET event:r 5 PXAT EXPIRY"),
        (
            "KEYNS.CHECKPOINT c 5",
            "HSET c position 5 updated_at UPDATED moves 1",
        ),
        (
            "KEYNS.CHECKPOINT c -7 FORCE",
            "HSET c position -7 updated_at UPDATED moves 2",
        ),
    ] {
        let key = line.split(' ').nth(1).unwrap();
        let effects = effects(&server, &mut client, line);
        let mut expected = expected.to_owned();
        if expected.contains("EXPIRY") {
            let expiry = client.expiry_of(key).to_string();
            expected = expected.replace("EXPIRY", &expiry);
        }
        if expected.contains("UPDATED") {
            let updated = client.run("HGET c updated_at").text();
            expected = expected.replace("UPDATED", &updated);
        }
        assert_eq!(effects, [expected], "{line}");
    }
    let effects = effects(&server, &mut client, "KEYNS.CHECKPOINT event:c 5");
    let updated = client.run("HGET event:c updated_at").text();
    let expiry = client.expiry_of("event:c");
    let expected = [
        "MULTI".into(),
        format!("HSET event:c position 5 updated_at {updated} moves 1"),
        format!("PEXPIREAT event:c {expiry}"),
        "EXEC".into(),
    ];
    assert_eq!(effects, expected);
}

#[test]
fn an_owner_of_any_bytes_is_the_same_bytes_everywhere() {
    let (server, mut client) = start();
    let replica = server.replica();
    let owners: [&[u8]; 4] = [b"a\0b", b"\xff\xfe\r\n", &[0xf0; 45], &[b'o'; 1000]];
    for owner in owners {
        for millis in [b"60000", b"90000"] {
            let before = aof_commands(&server).len();
            client.call(&[b"KEYNS.LOCK", b"k".as_slice(), owner, b"PX", millis]);
            let added = aof_commands(&server).split_off(before);
            let expiry = client.expiry_of("k").to_string();
            let set = [b"SET".as_slice(), b"k", owner, b"PXAT", expiry.as_bytes()];
            assert_eq!(added, [set.map(<[u8]>::to_vec)]);
        }
        client.run("WAIT 1 60000");
        assert_eq!(replica.client().snapshot(), client.snapshot());
        client.call(&[b"KEYNS.UNLOCK", b"k".as_slice(), owner]);
    }
}

#[test]
fn a_count_is_one_transaction_of_plain_writes() {
    let (server, mut client) = start();
    let minute = "n:2096:10:02:07:06";
    let expiry = (4_000_000_020_i64 + 2 * 86_400) * 1000;
    let single = "KEYNS.COUNT n GRAIN MINUTE AT 4000000000 BY";
    let several = "KEYNS.COUNT n GRAIN MINUTE GRAIN YEAR GRAIN MONTH AT 4000000000 BY";
    for (line, expected) in [
        (
            format!("{single} 5"),
            vec![format!("SET {minute} 5 PXAT {expiry}")],
        ),
        (
            format!("{single} -15"),
            vec![format!("INCRBY {minute} -15")],
        ),
        (
            "KEYNS.COUNT n GRAIN YEAR AT 4000000000".into(),
            vec!["SET n:2096 1".into()],
        ),
        (
            "KEYNS.COUNT n GRAIN YEAR AT 4000000000 BY -3".into(),
            vec!["INCRBY n:2096 -3".into()],
        ),
        (
            format!("{several} 7"),
            vec![
                "MULTI".into(),
                format!("INCRBY {minute} 7"),
                "INCRBY n:2096 7".into(),
                "SET n:2096:10 7".into(),
                "EXEC".into(),
            ],
        ),
        (
            several.replace(" n ", " m ") + " -9223372036854775808 KEEP 5",
            vec![
                "MULTI".into(),
                format!(
                    "SET m:2096:10:02:07:06 -9223372036854775808 PXAT {}",
                    4_000_000_025_000_i64
                ),
                format!(
                    "SET m:2096 -9223372036854775808 PXAT {}",
                    4_007_836_805_000_i64
                ),
                format!(
                    "SET m:2096:10 -9223372036854775808 PXAT {}",
                    4_002_566_405_000_i64
                ),
                "EXEC".into(),
            ],
        ),
    ] {
        assert_eq!(effects(&server, &mut client, &line), expected, "{line}");
    }
}

#[test]
fn in_a_transaction_and_in_a_script_the_effects_stand_with_the_rest() {
    let (server, mut client) = start();
    let before = aof_commands(&server).len();
    client.run("MULTI");
    for line in [
        "KEYNS.LOCK k alice PX 60000",
        "KEYNS.LOCK k bob PX 60000",
        "KEYNS.COUNT n GRAIN YEAR GRAIN MONTH AT 4000000000",
        "INCR plain",
        "KEYNS.UNLOCK k alice",
        "KEYNS.ADVANCE r 5 EX 0",
        "KEYNS.ADVANCE r 5 EX 0",
    ] {
        client.run(line);
    }
    client.run("EXEC");
    let added = added_since(&server, before);
    let names = |added: &[String]| -> Vec<String> {
        let keys = added.iter().map(|line| line.split(' ').take(2));
        keys.map(|words| words.collect::<Vec<_>>().join(" "))
            .collect()
    };
    let expected = [
        "MULTI",
        "SET k",
        "SET n:2096",
        "SET n:2096:10",
        "INCR plain",
        "DEL k",
        "SET r",
        "EXEC",
    ];
    assert_eq!(names(&added), expected);
    client.run("DEL n:2096 n:2096:10");
    let before = aof_commands(&server).len();
    let script = "
        redis.call('KEYNS.LOCK', 'k', 'alice', 'PX', 60000)
        redis.call('KEYNS.LOCK', 'k', 'bob', 'PX', 60000)
        redis.call('KEYNS.COUNT', 'n', 'GRAIN', 'YEAR', 'GRAIN', 'MONTH', 'AT', 4000000000)
        redis.call('INCR', 'plain')
        redis.call('KEYNS.UNLOCK', 'k', 'alice')
        redis.call('KEYNS.ADVANCE', 'r', 6, 'EX', 0)
        redis.call('KEYNS.ADVANCE', 'r', 6, 'EX', 0)";
    client.call(&["EVAL", script, "0"]);
    assert_eq!(names(&added_since(&server, before)), expected);
}

#[test]
fn what_has_expired_goes_before_what_takes_its_place() {
    let (server, mut client) = start();
    client.run("DEBUG SET-ACTIVE-EXPIRE 0");
    for (makes, line) in [
        ("SET k bob PX 1", "KEYNS.LOCK k alice PX 60000"),
        ("SET k 1 PX 1", "KEYNS.SEEN k"),
        ("SET k 9 PX 1", "KEYNS.ADVANCE k 5"),
        (
            "SET k:2096:10:02 9 PX 1",
            "KEYNS.COUNT k GRAIN DAY AT 4000000000",
        ),
    ] {
        let key = makes.split(' ').nth(1).unwrap();
        client.run(&format!("DEL {key}"));
        client.run(makes);
        let start = client.clock();
        wait_until("the key has expired", || client.clock() > start + 2000);
        let mut effects = effects(&server, &mut client, line);
        effects.retain(|line| line != "MULTI" && line != "EXEC");
        // Which of the two depends on the server and its settings.
        let gone = ["DEL", "UNLINK"].map(|name| format!("{name} {key}"));
        assert!(gone.contains(&effects[0]), "{line}: {effects:?}");
        assert!(
            effects[1].starts_with(&format!("SET {key} ")),
            "{effects:?}"
        );
        assert_eq!(effects.len(), 2, "{effects:?}");
    }
}

/// Keys of every kind, to be refused.
fn fill(client: &mut Client) {
    for line in [
        "KEYNS.LOCK lock alice PX 60000000",
        "KEYNS.SEEN event",
        "KEYNS.ADVANCE revision 5",
        "KEYNS.CHECKPOINT checkpoint 5",
        "KEYNS.CHECKPOINT event:c 5",
        "KEYNS.COUNT n GRAIN DAY GRAIN YEAR AT 1794735000",
        "LPUSH list x",
        "SET text x",
        "SET full:2026 9223372036854775807",
    ] {
        assert!(!client.run(line).is_error(), "{line}");
    }
}

/// Calls that change nothing.
const IDLE_CALLS: [&str; 15] = [
    "KEYNS.LOCK lock bob PX 5",
    "KEYNS.EXTEND lock bob PX 5",
    "KEYNS.EXTEND free alice PX 5",
    "KEYNS.UNLOCK lock bob",
    "KEYNS.UNLOCK free alice",
    "KEYNS.SEEN event EX 5",
    "KEYNS.SEEN text",
    "KEYNS.ADVANCE revision 5 EX 0",
    "KEYNS.ADVANCE revision -5",
    "KEYNS.CHECKPOINT checkpoint 5",
    "KEYNS.CHECKPOINT event:c 4",
    "KEYNS.COUNT n GRAIN DAY GRAIN YEAR AT 1794735000 BY 0",
    "KEYNS.COUNT free GRAIN DAY GRAIN YEAR AT 1794735000 BY 0",
    "KEYNS.COUNT.RANGE n GRAIN DAY 1794735000 1795735000",
    "KEYNS.COUNT.RANGE free GRAIN YEAR 0 1795735000",
];

/// Calls that fail, in arguments and on keys.
const WRONG_CALLS: [&str; 14] = [
    "KEYNS.LOCK list alice PX 5",
    "KEYNS.LOCK lock alice PX 0",
    "KEYNS.EXTEND list alice PX 5",
    "KEYNS.UNLOCK list alice",
    "KEYNS.SEEN list",
    "KEYNS.SEEN new EX 0",
    "KEYNS.ADVANCE text 5",
    "KEYNS.ADVANCE list 5",
    "KEYNS.CHECKPOINT text 5 FORCE",
    "KEYNS.COUNT n GRAIN DAY GRAIN DAY",
    "KEYNS.COUNT full GRAIN MINUTE GRAIN YEAR AT 1794735000",
    "KEYNS.COUNT full GRAIN YEAR AT 253402300800",
    "KEYNS.COUNT.RANGE n GRAIN DAY 5 4",
    "KEYNS.COUNT.RANGE n GRAIN MINUTE 0 1795735000",
];

#[test]
fn refusals_reads_and_errors_propagate_nothing() {
    // Without namespaces, which a new replica is sent some time after it came.
    let server = Options::new().durable().start();
    let mut client = server.client();
    let _replica = server.replica();
    // The primary pings its replicas now and then: ask for a span without one.
    client.run("CONFIG SET repl-ping-replica-period 3600");
    fill(&mut client);
    let state = |client: &mut Client| {
        let commands = aof_commands(&server).len();
        (client.offset(), commands, client.snapshot())
    };
    let before = state(&mut client);
    for _ in 0..20 {
        for line in IDLE_CALLS {
            let reply = client.run(line);
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
        for line in WRONG_CALLS {
            assert!(client.run(line).is_error(), "{line}");
        }
    }
    assert_eq!(state(&mut client), before);
    // It would have been seen.
    client.run("KEYNS.SEEN new");
    assert_ne!(client.offset(), before.0);
}

#[test]
fn notifications_are_those_of_the_plain_commands() {
    let server = Server::start();
    server.client().define("event", "event:<id>", "TTL 3600");
    for (ours, plain) in [
        (
            &[
                "KEYNS.LOCK k alice PX 60000",
                "KEYNS.LOCK k alice PX 60000",
                "KEYNS.EXTEND k alice PX 60000",
                "KEYNS.UNLOCK k alice",
            ][..],
            &[
                "SET k alice PXAT 4000000000000",
                "SET k alice PXAT 4000000000000",
                "SET k alice PXAT 4000000000000",
                "DEL k",
            ][..],
        ),
        (&["KEYNS.SEEN k"], &["SET k 1 PXAT 4000000000000"]),
        (
            &[
                "KEYNS.ADVANCE k 9",
                "KEYNS.ADVANCE k 10",
                "KEYNS.ADVANCE k 11 EX 0",
                "KEYNS.ADVANCE k 12 EX 0",
            ],
            &[
                "SET k 9 PXAT 4000000000000",
                "SET k 10 PXAT 4000000000000",
                "SET k 11",
                "SET k 12",
            ],
        ),
        (
            &[
                "KEYNS.CHECKPOINT k 5",
                "KEYNS.CHECKPOINT k 6",
                "KEYNS.CHECKPOINT event:k 5",
            ],
            &[
                "HSET k position 5 updated_at 6 moves 7",
                "HSET k position 6 updated_at 6 moves 7",
                "HSET event:k position 5 updated_at 6 moves 7",
                "PEXPIREAT event:k 4000000000000",
            ],
        ),
        (
            &[
                "KEYNS.COUNT k GRAIN YEAR GRAIN DAY AT 4000000000",
                "KEYNS.COUNT k GRAIN YEAR GRAIN DAY AT 4000000000",
            ],
            &[
                "SET k:2096 1",
                "SET k:2096:10:02 1 PXAT 4000000000000",
                "INCRBY k:2096 1",
                "INCRBY k:2096:10:02 1",
            ],
        ),
    ] {
        server.client().run("FLUSHALL");
        let sent = server.events(ours);
        server.client().run("FLUSHALL");
        assert_eq!(sent, server.events(plain), "{ours:?}");
        assert!(sent.len() >= ours.len());
    }
}

#[test]
fn what_changes_nothing_notifies_nobody() {
    let server = Server::start();
    fill(&mut server.client());
    let missed = |event: &String| event.starts_with("keymiss ");
    let mut sent = server.events(&IDLE_CALLS);
    sent.retain(|event| !missed(event));
    assert_eq!(sent, [] as [String; 0]);
}

/// Calls that change what [`fill`] made, in an order in which each does.
const CHANGES: [(&str, &str); 14] = [
    ("KEYNS.LOCK lock alice PX 50000", "lock"),
    ("KEYNS.EXTEND lock alice PX 60000", "lock"),
    ("KEYNS.UNLOCK lock alice", "lock"),
    ("KEYNS.LOCK lock alice PX 50000", "lock"),
    ("KEYNS.SEEN new", "new"),
    ("KEYNS.ADVANCE revision 9", "revision"),
    ("KEYNS.ADVANCE revision 10", "revision"),
    ("KEYNS.ADVANCE revision 11 EX 0", "revision"),
    ("KEYNS.ADVANCE first 11", "first"),
    ("KEYNS.CHECKPOINT checkpoint 6", "checkpoint"),
    ("KEYNS.CHECKPOINT checkpoint 6 FORCE", "checkpoint"),
    ("KEYNS.COUNT n GRAIN DAY AT 1794735000", "n:2026:11:15"),
    (
        "KEYNS.COUNT n GRAIN MONTH GRAIN YEAR AT 1794735000",
        "n:2026",
    ),
    ("KEYNS.COUNT n GRAIN HOUR AT 1794735000", "n:2026:11:15:09"),
];

#[test]
fn a_change_fails_a_transaction_that_watches_and_a_refusal_does_not() {
    let server = Server::start();
    let mut watcher = server.client();
    let mut other = server.client();
    fill(&mut other);
    let mut passes_after = |line: &str, watched: &str| {
        watcher.run(&format!("WATCH {watched}"));
        assert!(!other.run(line).is_error(), "{line}");
        watcher.run("MULTI");
        watcher.run("PING");
        watcher.run("EXEC") != Value::Null
    };
    let all = "lock free event text revision checkpoint event:c n n:2026 n:2026:11:15 list \
               free:2026 free:2026:11:15";
    let all: Vec<&str> = all.split_whitespace().collect();
    for line in IDLE_CALLS {
        assert!(passes_after(line, &all.join(" ")), "{line}");
    }
    for (line, key) in CHANGES {
        assert!(!passes_after(line, key), "{line}");
    }
}

#[test]
fn caches_of_clients_learn_of_each_change() {
    let server = Server::start();
    let mut reader = server.client3();
    let mut other = server.client();
    fill(&mut other);
    reader.run("CLIENT TRACKING ON");
    for (line, key) in CHANGES {
        let read = match key {
            "checkpoint" => "HGETALL",
            _ => "GET",
        };
        assert!(!reader.call(&[read, key]).is_error());
        assert!(!other.run(line).is_error(), "{line}");
        let message = reader.receive().unwrap();
        let keys = Value::Array(vec![Value::bulk(key)]);
        assert_eq!(message.array(), [Value::bulk("invalidate"), keys], "{line}");
    }
}

#[test]
fn a_key_that_is_asked_for_is_in_use_and_one_that_is_not_there_is_no_miss() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET maxmemory-policy allkeys-lfu");
    fill(&mut client);
    for (line, _) in CHANGES {
        client.run(line);
    }
    for (line, key) in [
        ("KEYNS.LOCK lock bob PX 5", "lock"),
        ("KEYNS.SEEN event", "event"),
        ("KEYNS.ADVANCE revision 5", "revision"),
        ("KEYNS.CHECKPOINT checkpoint 5", "checkpoint"),
        ("KEYNS.COUNT n GRAIN YEAR AT 1794735000", "n:2026"),
    ] {
        // A refusal is a use, too: the key must not be the first that is evicted.
        let before = client.run(&format!("OBJECT FREQ {key}")).integer();
        for _ in 0..200 {
            client.run(line);
        }
        let after = client.run(&format!("OBJECT FREQ {key}")).integer();
        assert!(after > before, "{line}: {before}, then {after}");
    }
    assert_eq!(client.info("stats", "keyspace_misses"), "0");
}

#[test]
fn calls_leave_no_memory_behind() {
    const ROUNDS: usize = 2000;
    /// What a server needs more or less by itself: buffers of clients, tables that grow.
    const NOISE: i64 = 40_000;
    let server = Server::start();
    let mut client = server.client();
    client.define("event", "event:<id>", "TTL 3600");
    let changes = CHANGES.map(|(line, _)| line);
    let lines = [&changes[..], &IDLE_CALLS, &WRONG_CALLS].concat();
    let calls: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
    let mut rounds = |count: usize| -> i64 {
        for _ in 0..count {
            client.run("FLUSHALL");
            fill(&mut client);
            client.pipeline(&calls);
        }
        client.run("FLUSHALL");
        wait_until("everything is freed", || {
            client.info("memory", "lazyfree_pending_objects") == "0"
        });
        client.info("memory", "used_memory").parse().unwrap()
    };
    let before = rounds(ROUNDS / 10);
    let after = rounds(ROUNDS);
    assert!(after - before < NOISE, "{before} bytes, then {after}");
}

/// A fixed mix of everything, on keys of a few namespaces.
fn exercise(client: &mut Client, rounds: u32) {
    let mut random = Random::seeded(0x2545_F491_4F6C_DD1D);
    for _ in 0..rounds {
        let key = random.below(12);
        let owner = random.pick(&[
            "alice",
            "bob",
            "12345",
            "an-owner-with-a-name-of-some-length",
        ]);
        let number = random.below(200) as i64 - 50;
        let millis = 1_000_000 + random.below(1000);
        let at = 3_999_000_000 + random.below(10_000_000);
        let line = match random.below(12) {
            0 | 1 => format!("KEYNS.LOCK lock{key} {owner} PX {millis}"),
            2 => format!("KEYNS.EXTEND lock{key} {owner} PX {millis}"),
            3 => format!("KEYNS.UNLOCK lock{key} {owner}"),
            4 => format!("KEYNS.SEEN event:{number}"),
            5 => format!("KEYNS.SEEN seen{number} EX 5000"),
            6 => format!("KEYNS.ADVANCE revision{key} {number}"),
            7 => format!("KEYNS.ADVANCE event:r{key} {number} EX {}", key * 1000),
            8 => format!("KEYNS.CHECKPOINT event:c{key} {number}"),
            9 => format!("KEYNS.CHECKPOINT checkpoint{key} {number} FORCE"),
            10 => format!("KEYNS.COUNT n{key} GRAIN MINUTE GRAIN YEAR GRAIN DAY AT {at}"),
            _ => format!("KEYNS.COUNT n{key} GRAIN HOUR AT {at} BY {number} KEEP {key}"),
        };
        let reply = client.run(&line);
        assert!(!reply.is_error(), "{line}: {reply:?}");
    }
    client.run("MULTI");
    client.run("KEYNS.LOCK in-multi alice PX 1000000");
    client.run("KEYNS.COUNT in-multi GRAIN DAY GRAIN YEAR");
    client.run("EXEC");
    let script = "return redis.call('KEYNS.COUNT', KEYS[1], 'GRAIN', 'DAY', 'GRAIN', 'MONTH')";
    client.call(&["EVAL", script, "1", "in-script"]);
}

#[test]
fn a_replica_has_the_same_values_and_expiries() {
    let (server, mut client) = start();
    exercise(&mut client, 500);
    let replica = server.replica();
    exercise(&mut client, 2000);
    client.run("WAIT 1 60000");
    assert_eq!(replica.digest(), server.digest());
    assert_eq!(replica.client().snapshot(), client.snapshot());
}

#[test]
fn aof_and_rdb_bring_the_same_values_and_expiries_back() {
    let mut server = Options::new()
        .durable()
        .set("--aof-use-rdb-preamble", &["no"])
        .start();
    server.client().define("event", "event:<id>", "TTL 3600");
    exercise(&mut server.client(), 1000);
    let before = server.client().snapshot();
    server.start_again();
    assert_eq!(server.client().snapshot(), before);
    rewrite_aof(&mut server.client());
    exercise(&mut server.client(), 300);
    let before = server.client().snapshot();
    server.start_again();
    assert_eq!(server.client().snapshot(), before);
    server.client().run("SAVE");
    let restored = Options::new().start_with(&server.dir.join("dump.rdb"), "dump.rdb");
    assert_eq!(restored.client().snapshot(), before);
}

#[test]
fn a_server_without_the_module_loads_all_of_it() {
    let mut server = Options::new().durable().start();
    exercise(&mut server.client(), 1000);
    let mut client = server.client();
    client.run("SAVE");
    let before = client.snapshot();
    assert!(before.len() > 200);
    let plain = Options::without_module().start_with(&server.dir.join("dump.rdb"), "dump.rdb");
    assert_eq!(plain.client().snapshot(), before);
    server.start_again_as(Options::without_module().durable());
    assert_eq!(server.client().snapshot(), before);
}
