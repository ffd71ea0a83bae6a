//! What rate limits do to the rest of a server: replicas, AOF and RDB, notifications, transactions.
//! An admitted request is one plain write with an absolute expiry, a refusal is nothing at all.

use std::fs;
use std::time::{Duration, Instant};

use keyns_testkit::{Client, Options, Server, Value, aof_commands, rewrite_aof};

/// What a call adds to the AOF, each command with its name in capitals.
fn effects(server: &Server, client: &mut Client, line: &str) -> Vec<Vec<Vec<u8>>> {
    let before = aof_commands(server).len();
    let reply = client.run(line);
    assert!(!reply.is_error(), "{line}: {reply:?}");
    let mut added = aof_commands(server).split_off(before);
    for command in &mut added {
        command[0].make_ascii_uppercase();
    }
    added
}

fn names(commands: &[Vec<Vec<u8>>]) -> Vec<String> {
    let name = |command: &Vec<Vec<u8>>| String::from_utf8(command[0].clone()).unwrap();
    commands.iter().map(name).collect()
}

#[test]
fn an_admitted_request_is_one_set_with_an_absolute_expiry() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    client.run("SET before anything");
    let lines = [
        "KEYNS.RATE k BUCKET 9 1 1500d",
        "KEYNS.RATE k BUCKET 9 1 1500d COST 2",
        "KEYNS.RATE k FIXED 9 1500d",
        "KEYNS.RATE k SLIDING 9 1500d",
        "KEYNS.RATE k SLIDING 9 1500d",
        "KEYNS.RATE k BUCKET 9 1 1500d FIXED 9 1500d SLIDING 9 1500d",
        "KEYNS.RATE.REFUND k BUCKET 9 1 1500d FIXED 9 1500d COST 1",
        "KEYNS.RATE.BLOCK k 1d",
        "KEYNS.RATE.BLOCK k 2d",
        "KEYNS.THROTTLE t 5 1 1500",
        "KEYNS.THROTTLE t 5 1 1500 2",
        // Its ring is made.
        "KEYNS.RATE l SLIDING 900 1500d COST 80",
    ];
    for line in lines {
        let effects = effects(&server, &mut client, line);
        let key = line.split(' ').nth(1).unwrap();
        let value = client.bytes_of(key).unwrap();
        let expiry = client.run(&format!("PEXPIRETIME {key}")).integer();
        let expiry = expiry.to_string();
        let expected = [b"SET", key.as_bytes(), &value, b"PXAT", expiry.as_bytes()];
        assert_eq!(effects, [expected.map(<[u8]>::to_vec)], "{line}");
    }
}

#[test]
fn a_request_in_a_long_window_is_a_few_bytes_of_it() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    client.run("KEYNS.RATE k SLIDING 900 1500d COST 80");
    for line in [
        "KEYNS.RATE k SLIDING 900 1500d",
        "KEYNS.RATE k SLIDING 900 1500d COST 3",
    ] {
        let effects = effects(&server, &mut client, line);
        let expected = ["MULTI", "SETRANGE", "SETRANGE", "PEXPIREAT", "EXEC"];
        assert_eq!(names(&effects), expected, "{line}");
        let bytes: usize = effects[1..3].iter().map(|command| command[3].len()).sum();
        assert!(bytes <= 20 + 3 * 6, "{bytes}");
        let expiry = client.run("PEXPIRETIME k").integer().to_string();
        assert_eq!(effects[3][2], expiry.as_bytes());
    }
}

#[test]
fn in_a_transaction_the_effects_stand_with_the_rest_of_it() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    client.run("KEYNS.RATE k SLIDING 900 1500d COST 80");
    let before = aof_commands(&server).len();
    client.run("MULTI");
    client.run("KEYNS.RATE new BUCKET 1 1 1500d");
    client.run("KEYNS.RATE new BUCKET 1 1 1500d");
    client.run("KEYNS.RATE k SLIDING 900 1500d");
    client.run("INCR n");
    client.run("EXEC");
    let added = aof_commands(&server).split_off(before);
    let names: Vec<String> = names(&added).iter().map(|n| n.to_uppercase()).collect();
    assert_eq!(
        names,
        [
            "MULTI",
            "SET",
            "SETRANGE",
            "SETRANGE",
            "PEXPIREAT",
            "INCR",
            "EXEC"
        ]
    );
}

/// A fixed mix of everything.
fn exercise(client: &mut Client, rounds: u32) {
    let mut state = 0x2545_F491_u32;
    let mut random = |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    const LIMITS: [&str; 8] = [
        "BUCKET 50 1 1500d",
        "BUCKET 5000000 700000 1h",
        "FIXED 60 1500d",
        "SLIDING 20 1500d",
        "SLIDING 400 1500d",
        "SLIDING 300 1500d SLIDING 400 1000d",
        "BUCKET 90 7 1000d FIXED 80 1500d SLIDING 70 1500d",
        "FIXED 500 1500d SLIDING 300 1500d BUCKET 900 1 30d BUCKET 70 1 90d",
    ];
    for _ in 0..rounds {
        let key = random(12);
        let limits = LIMITS[random(8) as usize];
        let cost = 1 + random(4) * random(5);
        match random(12) {
            0 => client.run(&format!("KEYNS.RATE.REFUND k{key} {limits} COST {cost}")),
            1 => client.run(&format!("KEYNS.RATE.PEEK k{key} {limits} COST {cost}")),
            2 if random(5) == 0 => client.run(&format!("KEYNS.RATE.BLOCK k{key} 1500d")),
            3 if random(5) == 0 => client.run(&format!("DEL k{key}")),
            4 => client.run(&format!("KEYNS.THROTTLE k{key} 90 1 86400 {cost}")),
            5 => client.run(&format!("KEYNS.RATE k{key} {limits} COST 0")),
            _ => client.run(&format!("KEYNS.RATE k{key} {limits} COST {cost}")),
        };
    }
    client.run("MULTI");
    client.run("KEYNS.RATE k0 SLIDING 400 1500d COST 5");
    client.run("KEYNS.RATE k1 BUCKET 50 1 1500d");
    client.run("EXEC");
    let script = "return redis.call('KEYNS.RATE', KEYS[1], 'SLIDING', 400, '1500d')";
    client.call(&["EVAL", script, "1", "k0"]);
}

/// Every key with its bytes and the moment it expires.
fn contents(client: &mut Client) -> Vec<(String, Vec<u8>, i64)> {
    let keys = client.run("KEYS *");
    let mut keys: Vec<String> = keys.array().iter().map(Value::text).collect();
    keys.sort();
    let content = |key: String| {
        let bytes = client.bytes_of(&key).expect("a string");
        let expires = client.run(&format!("PEXPIRETIME {key}")).integer();
        (key, bytes, expires)
    };
    keys.into_iter().map(content).collect()
}

#[test]
fn a_replica_has_the_same_bytes_and_expiries() {
    let server = Server::start();
    exercise(&mut server.client(), 500);
    let replica = server.replica();
    let mut client = server.client();
    exercise(&mut client, 3000);
    client.run("WAIT 1 60000");
    assert_eq!(replica.digest(), server.digest());
    assert_eq!(contents(&mut replica.client()), contents(&mut client));
}

#[test]
fn aof_and_rdb_bring_the_same_bytes_and_expiries_back() {
    let mut server = Options::new()
        .durable()
        .set("--aof-use-rdb-preamble", &["no"])
        .start();
    exercise(&mut server.client(), 1000);
    let before = contents(&mut server.client());
    server.start_again();
    assert_eq!(contents(&mut server.client()), before);
    rewrite_aof(&mut server.client());
    exercise(&mut server.client(), 300);
    let before = contents(&mut server.client());
    let digest = server.digest();
    server.start_again();
    assert_eq!(contents(&mut server.client()), before);
    server.client().run("SAVE");
    let plain = Options::without_module()
        .set("--dbfilename", &["copy.rdb"])
        .start_with(&server.dir.join("dump.rdb"), "copy.rdb");
    assert_eq!(plain.digest(), digest);
    assert_eq!(contents(&mut plain.client()), before);
}

fn aof_bytes(server: &Server) -> u64 {
    let files = fs::read_dir(server.dir.join("appendonlydir")).unwrap();
    files.map(|f| f.unwrap().metadata().unwrap().len()).sum()
}

/// Calls that change nothing, on keys that are used up.
const IDLE_CALLS: [&str; 12] = [
    "KEYNS.RATE bucket BUCKET 3 1 1500d",
    "KEYNS.RATE fixed FIXED 3 1500d",
    "KEYNS.RATE sliding SLIDING 3 1500d",
    "KEYNS.RATE long SLIDING 300 1500d",
    "KEYNS.RATE all BUCKET 9 1 1500d FIXED 3 1500d SLIDING 9 1500d",
    "KEYNS.RATE blocked BUCKET 3 1 1500d",
    "KEYNS.THROTTLE bucket 2 1 129600000",
    "KEYNS.THROTTLE bucket 9 1 129600000 0",
    "KEYNS.THROTTLE new 2 1 129600000 4",
    "KEYNS.RATE.PEEK bucket BUCKET 9 1 1500d",
    "KEYNS.RATE.PEEK new SLIDING 9 1500d",
    "KEYNS.RATE.REFUND new SLIDING 9 1500d COST 1",
];

/// A server with a replica and an AOF, and with keys that are used up.
fn used_up() -> (Server, Server) {
    let server = Options::new().durable().start();
    let replica = server.replica();
    let mut client = server.client();
    // The primary pings its replicas now and then: ask for a span without one.
    client.run("CONFIG SET repl-ping-replica-period 3600");
    for line in [
        "KEYNS.RATE bucket BUCKET 3 1 1500d COST 3",
        "KEYNS.RATE fixed FIXED 3 1500d COST 3",
        "KEYNS.RATE sliding SLIDING 3 1500d COST 3",
        "KEYNS.RATE long SLIDING 300 1500d COST 300",
        "KEYNS.RATE all BUCKET 9 1 1500d FIXED 3 1500d SLIDING 9 1500d COST 3",
    ] {
        assert!(client.rule(line).allowed, "{line}");
    }
    client.run("KEYNS.RATE.BLOCK blocked 1500d");
    (server, replica)
}

/// The only test that takes its time: a pause without calls would be just as silent.
#[test]
fn ten_seconds_of_refusals_add_not_one_byte() {
    let (server, _replica) = used_up();
    let mut client = server.client();
    let before = (client.offset(), aof_bytes(&server), server.digest());
    let words = IDLE_CALLS.map(|line| line.split(' ').collect::<Vec<_>>());
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        for reply in client.pipeline(&words) {
            assert!(!reply.is_error(), "{reply:?}");
        }
    }
    let after = (client.offset(), aof_bytes(&server), server.digest());
    assert_eq!(after, before);
    // It would have been seen.
    client.run("KEYNS.RATE new SLIDING 9 1500d");
    assert_ne!(client.offset(), before.0);
    assert_ne!(aof_bytes(&server), before.1);
}

#[test]
fn a_refund_of_nothing_propagates_nothing() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    // A state that was refunded as a whole expires at once, which Valkey 9 notices at once.
    client.run("DEBUG SET-ACTIVE-EXPIRE 0");
    let limits = "BUCKET 5 1 1500d FIXED 5 1500d SLIDING 5 1500d";
    client.run(&format!("KEYNS.RATE k {limits}"));
    let refund = format!("KEYNS.RATE.REFUND k {limits} COST 1");
    assert_eq!(names(&effects(&server, &mut client, &refund)), ["SET"]);
    client.run("KEYNS.RATE.BLOCK k 1d");
    for line in [
        refund.as_str(),
        "KEYNS.RATE.REFUND k FIXED 5 1500d COST 1",
        "KEYNS.RATE.REFUND other SLIDING 5 1500d COST 1",
    ] {
        let effects = effects(&server, &mut client, line);
        assert!(effects.is_empty(), "{line}: {:?}", names(&effects));
    }
}

#[test]
fn errors_propagate_nothing() {
    let (server, _replica) = used_up();
    let mut client = server.client();
    client.run("SET foreign x");
    client.run("LPUSH list x");
    let before = client.offset();
    for line in [
        "KEYNS.RATE foreign FIXED 1 1500d",
        "KEYNS.RATE list FIXED 1 1500d",
        "KEYNS.RATE.BLOCK list 1d",
        "KEYNS.RATE k FIXED 0 1500d",
        "KEYNS.RATE k FIXED 1 1500d COST 2",
        "KEYNS.RATE.REFUND foreign FIXED 1 1500d COST 1",
        "KEYNS.THROTTLE list 1 1 1",
    ] {
        assert!(client.run(line).is_error(), "{line}");
    }
    assert_eq!(client.offset(), before);
}

#[test]
fn notifications_are_those_of_the_plain_commands() {
    let server = Server::start();
    let calls = [
        "KEYNS.RATE k BUCKET 2 1 1500d",
        "KEYNS.RATE k BUCKET 2 1 1500d",
        "KEYNS.RATE.REFUND k BUCKET 2 1 1500d COST 1",
        "KEYNS.RATE.BLOCK k 1d",
    ];
    let calls = server.events(&calls);
    server.client().run("DEL k mark");
    let plain = ["SET k x PXAT 4000000000000"; 4];
    assert_eq!(calls, server.events(&plain));

    server
        .client()
        .run("KEYNS.RATE long SLIDING 900 1500d COST 80");
    server.client().run("DEL mark");
    let calls = server.events(&["KEYNS.RATE long SLIDING 900 1500d"]);
    assert_eq!(calls, ["setrange long", "expire long"]);
}

#[test]
fn a_refusal_notifies_nobody() {
    let (server, _replica) = used_up();
    assert_eq!(server.events(&IDLE_CALLS), [] as [String; 0]);
}

#[test]
fn an_admitted_request_fails_a_transaction_that_watches_and_a_refusal_does_not() {
    let (server, _replica) = used_up();
    let mut watcher = server.client();
    let mut other = server.client();
    let mut passes_after = |line: &str| {
        watcher.run("WATCH bucket fixed sliding long all blocked new");
        assert!(!other.run(line).is_error(), "{line}");
        watcher.run("MULTI");
        watcher.run("PING");
        watcher.run("EXEC") != Value::Null
    };
    for line in IDLE_CALLS {
        assert!(passes_after(line), "{line}");
    }
    for line in [
        "KEYNS.RATE new BUCKET 9 1 1500d",
        "KEYNS.RATE new BUCKET 9 1 1500d",
        "KEYNS.RATE long SLIDING 302 1500d",
        "KEYNS.RATE long SLIDING 302 1500d",
        "KEYNS.RATE.REFUND new BUCKET 9 1 1500d COST 1",
        "KEYNS.RATE.BLOCK new 1d",
        "KEYNS.RATE.BLOCK new 2d",
        "KEYNS.THROTTLE bucket 9 1 129600000",
    ] {
        assert!(!passes_after(line), "{line}");
    }
}
