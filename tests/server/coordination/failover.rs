//! After a failover and after a crash: every lock has its holder until the same moment, what was
//! seen stays seen, nothing goes back, and tokens go on rising.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use keyns_testkit::{
    Client, Keyspace, Options, Server, Value, assert_same, keyspace, rewrite_aof, wait_until,
};

/// Locks and who has them, taken in every way there is.
const LOCKS: [(&str, &[u8]); 5] = [
    ("lock:new", b"worker-1"),
    ("lock:again", b"worker-2"),
    ("lock:extended", b"worker-3"),
    ("lock:plain", b"worker-4"),
    ("lock:bytes", b"\0\xFF\r\n$3\r\n'\""),
];

const GRAINS: [&str; 5] = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE"];

/// 2024-02-29T23:59:59Z
const LEAP_DAY: i64 = 1_709_251_199;

/// Uses everything, and answers the greatest token.
fn fill(client: &mut Client) -> i64 {
    let mut tokens = Vec::new();
    for (key, owner) in LOCKS {
        if key == "lock:plain" {
            let set: [&[u8]; 6] = [b"SET", key.as_bytes(), owner, b"NX", b"PX", b"3600000"];
            assert_eq!(client.call(&set).text(), "OK");
        } else {
            tokens.push(lock(client, key, owner, "1000000").expect("a free lock"));
        }
    }
    let (key, owner) = LOCKS[1];
    tokens.push(lock(client, key, owner, "7200000").expect("its own lock"));
    let (key, owner) = LOCKS[2];
    assert_eq!(extend(client, key, owner, "5400000"), 1);
    assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:?}");

    for (line, reply) in [
        ("SEEN seen:default", vec![1]),
        ("SEEN seen:short EX 5000", vec![1]),
        ("SEEN seen:short EX 9000", vec![0]),
        ("ADVANCE revision:default 7", vec![1, 7]),
        ("ADVANCE revision:default 41", vec![1, 41]),
        ("ADVANCE revision:default 40", vec![0, 41]),
        ("ADVANCE revision:short -9 EX 5000", vec![1, -9]),
        ("ADVANCE revision:short -8 EX 6000", vec![1, -8]),
        ("ADVANCE revision:ever 1", vec![1, 1]),
        (
            "ADVANCE revision:ever 9223372036854775806 EX 0",
            vec![1, i64::MAX - 1],
        ),
        ("CHECKPOINT reader 100", vec![1, 100]),
        ("CHECKPOINT reader 900", vec![1, 900]),
        ("CHECKPOINT reader 500 FORCE", vec![1, 500]),
        ("CHECKPOINT reader 400", vec![0, 500]),
    ] {
        assert_eq!(integers(client, line), reply, "{line}");
    }
    for at in ["", " AT 0", &format!(" AT {LEAP_DAY}")] {
        for by in [3, -1] {
            let line = format!("COUNT hits{at} {} BY {by}", grains());
            assert_eq!(integers(client, &line).len(), 5, "{line}");
        }
        let line = format!("COUNT kept{at} {} KEEP 5000", grains());
        assert_eq!(integers(client, &line), [1; 5], "{line}");
    }
    *tokens.last().unwrap()
}

fn grains() -> String {
    GRAINS.map(|grain| format!("GRAIN {grain}")).join(" ")
}

/// The integers of a reply.
#[track_caller]
fn integers(client: &mut Client, line: &str) -> Vec<i64> {
    match client.run(&format!("KEYNS.{line}")) {
        Value::Array(values) => values.iter().map(Value::integer).collect(),
        reply => vec![reply.integer()],
    }
}

/// The token, if one was given.
#[track_caller]
fn lock(client: &mut Client, key: &str, owner: &[u8], millis: &str) -> Option<i64> {
    let [key, millis] = [key, millis].map(str::as_bytes);
    match client.call::<&[u8]>(&[b"KEYNS.LOCK", key, owner, b"PX", millis]) {
        Value::Null => None,
        token => Some(token.integer()),
    }
}

#[track_caller]
fn extend(client: &mut Client, key: &str, owner: &[u8], millis: &str) -> i64 {
    let [key, millis] = [key, millis].map(str::as_bytes);
    let extend: [&[u8]; 5] = [b"KEYNS.EXTEND", key, owner, b"PX", millis];
    client.call(&extend).integer()
}

#[track_caller]
fn unlock(client: &mut Client, key: &str, owner: &[u8]) -> i64 {
    let unlock: [&[u8]; 3] = [b"KEYNS.UNLOCK", key.as_bytes(), owner];
    client.call(&unlock).integer()
}

/// Everything that is kept, and until when.
struct State {
    keys: Keyspace,
    expiries: BTreeMap<String, i64>,
    digest: String,
}

impl State {
    #[track_caller]
    fn of(server: &Server) -> State {
        let client = &mut server.client();
        let keys = keyspace(client);
        let expiry = |key: &String| {
            let millis = client.run(&format!("PEXPIRETIME {key}")).integer();
            (key.clone(), millis)
        };
        let expiries = keys.keys().map(expiry).collect();
        let digest = server.digest();
        State {
            keys,
            expiries,
            digest,
        }
    }

    #[track_caller]
    fn assert_is_that_of(&self, server: &Server) {
        let other = State::of(server);
        assert_same(&other.keys, &self.keys);
        assert_eq!(other.expiries, self.expiries);
        assert_eq!(other.digest, self.digest);
    }
}

/// Goes on where [`fill`] ended. Whoever answers is to give greater tokens than the greatest so far.
#[track_caller]
fn go_on(client: &mut Client, mut greatest: i64) {
    for (key, owner) in LOCKS {
        let before = client.run(&format!("PEXPIRETIME {key}")).integer();
        assert_eq!(lock(client, key, b"stranger", "1000"), None, "{key}");
        assert_eq!(extend(client, key, b"stranger", "1000"), 0, "{key}");
        assert_eq!(unlock(client, key, b"stranger"), 0, "{key}");
        let after = client.run(&format!("PEXPIRETIME {key}")).integer();
        assert_eq!(after, before, "{key}");
        assert_eq!(client.bytes_of(key).as_deref(), Some(owner), "{key}");

        assert_eq!(extend(client, key, owner, "9000000"), 1, "{key}");
        let after = client.run(&format!("PEXPIRETIME {key}")).integer();
        assert!(after > before, "{key}");
        let again = lock(client, key, owner, "9000000").expect("its own lock");
        assert_eq!(unlock(client, key, owner), 1, "{key}");
        let next = lock(client, key, b"stranger", "9000000").expect("a free lock");
        assert!(greatest < again && again < next, "{key}");
        greatest = next;
    }
    for (line, reply) in [
        ("SEEN seen:default", vec![0]),
        ("SEEN seen:short", vec![0]),
        ("SEEN seen:never", vec![1]),
        ("ADVANCE revision:default 41", vec![0, 41]),
        ("ADVANCE revision:default 42", vec![1, 42]),
        ("ADVANCE revision:short -8", vec![0, -8]),
        ("ADVANCE revision:short -7", vec![1, -7]),
        (
            "ADVANCE revision:ever 9223372036854775806",
            vec![0, i64::MAX - 1],
        ),
        (
            "ADVANCE revision:ever 9223372036854775807",
            vec![1, i64::MAX],
        ),
        ("CHECKPOINT reader 500", vec![0, 500]),
        ("CHECKPOINT reader 501", vec![1, 501]),
    ] {
        assert_eq!(integers(client, line), reply, "{line}");
    }
    assert_eq!(client.run("HGET reader moves").text(), "4");
    for at in [0, LEAP_DAY] {
        for (key, count) in [("hits", 2), ("kept", 1)] {
            let line = format!("COUNT {key} AT {at} {}", grains());
            assert_eq!(integers(client, &line), [count + 1; 5], "{line}");
            for grain in GRAINS {
                let range = format!("KEYNS.COUNT.RANGE {key} GRAIN {grain} {at} {at}");
                let range = client.run(&range).fields();
                assert_eq!(range["total"].integer(), count + 1, "{key} {grain}");
            }
        }
    }
}

#[test]
fn a_replica_that_is_promoted_goes_on() {
    let server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    let greatest = fill(&mut client);
    client.run("WAIT 1 60000");
    let before = State::of(&server);
    before.assert_is_that_of(&replica);
    let mut heir = replica.client();
    // As long as it is a replica, nobody gets a lock from it.
    let refusal = heir.run("KEYNS.LOCK free me PX 1000").text();
    assert!(refusal.starts_with("READONLY"), "{refusal}");
    heir.run("REPLICAOF NO ONE");
    before.assert_is_that_of(&replica);
    go_on(&mut heir, greatest);
    before.assert_is_that_of(&server);
}

#[test]
fn a_replica_that_joined_late_goes_on_when_its_primary_dies() {
    let mut server = Server::start();
    let mut client = server.client();
    let greatest = fill(&mut client);
    let before = State::of(&server);
    let replica = server.replica();
    client.run("WAIT 1 60000");
    server.kill();
    let mut heir = replica.client();
    before.assert_is_that_of(&replica);
    heir.run("REPLICAOF NO ONE");
    before.assert_is_that_of(&replica);
    go_on(&mut heir, greatest);
}

#[test]
fn what_the_new_primary_did_comes_back_to_the_old_one() {
    let mut server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    let greatest = fill(&mut client);
    client.run("WAIT 1 60000");
    server.kill();
    let mut heir = replica.client();
    heir.run("REPLICAOF NO ONE");
    go_on(&mut heir, greatest);
    server.start_again();
    server.follow(&replica);
    heir.run("KEYNS.LOCK late me PX 1000000");
    heir.run("WAIT 1 60000");
    State::of(&replica).assert_is_that_of(&server);
}

#[test]
fn a_server_that_died_goes_on_from_its_aof() {
    let mut server = Options::new().durable().start();
    let greatest = fill(&mut server.client());
    let before = State::of(&server);
    server.start_again();
    before.assert_is_that_of(&server);
    go_on(&mut server.client(), greatest);
    let before = State::of(&server);
    server.start_again();
    before.assert_is_that_of(&server);
}

/// Without the snapshot in front, which would not be made of commands.
#[test]
fn a_server_that_died_goes_on_from_an_aof_that_was_rewritten() {
    let mut server = Options::new()
        .durable()
        .set("--aof-use-rdb-preamble", &["no"])
        .start();
    let mut client = server.client();
    let greatest = fill(&mut client);
    rewrite_aof(&mut client);
    let before = State::of(&server);
    server.start_again();
    before.assert_is_that_of(&server);
    go_on(&mut server.client(), greatest);
    let before = State::of(&server);
    server.start_again();
    before.assert_is_that_of(&server);
}

#[test]
fn a_server_goes_on_from_its_rdb() {
    let mut server = Server::start();
    let greatest = fill(&mut server.client());
    let before = State::of(&server);
    server.client().run("SAVE");
    server.start_again();
    before.assert_is_that_of(&server);
    go_on(&mut server.client(), greatest);
}

#[test]
fn a_module_that_is_loaded_again_goes_on() {
    let server = Options::unloadable().start();
    let mut client = server.client();
    let greatest = fill(&mut client);
    let before = State::of(&server);
    assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
    let path = Options::module_path();
    let load = ["MODULE", "LOAD", path.to_str().unwrap()];
    assert_eq!(client.call(&load).text(), "OK");
    before.assert_is_that_of(&server);
    go_on(&mut client, greatest);
}

#[test]
fn a_lock_that_ends_is_gone_from_the_replica() {
    let server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    lock(&mut client, "lock", b"first", "1000000").expect("a free lock");
    client.run("WAIT 1 60000");
    let mut reader = replica.client();
    assert_eq!(reader.run("GET lock").text(), "first");
    assert_eq!(extend(&mut client, "lock", b"first", "50"), 1);
    // A replica deletes nothing on its own.
    wait_until("the lock is gone", || reader.run("DBSIZE").integer() == 0);
    lock(&mut client, "lock", b"second", "1000000").expect("a free lock");
    client.run("WAIT 1 60000");
    assert_eq!(reader.run("GET lock").text(), "second");
    assert_eq!(unlock(&mut client, "lock", b"second"), 1);
    client.run("WAIT 1 60000");
    assert_eq!(reader.run("DBSIZE").integer(), 0);
}

#[test]
fn a_lock_ends_on_the_new_primary_when_it_would_have_on_the_old_one() {
    let mut server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    let first = lock(&mut client, "lock", b"first", "700").expect("a free lock");
    let ends = client.run("PEXPIRETIME lock").integer();
    client.run("WAIT 1 60000");
    server.kill();
    let mut heir = replica.client();
    heir.run("REPLICAOF NO ONE");
    let mut second = None;
    wait_until("another has the lock", || {
        second = lock(&mut heir, "lock", b"second", "1000000");
        second.is_some()
    });
    // Tokens are clocks, too.
    let second = second.unwrap();
    assert!(second / 1000 >= ends, "{second} is before {ends}");
    assert!(second > first);
    assert_eq!(unlock(&mut heir, "lock", b"first"), 0);
}

#[test]
fn a_lock_ends_while_its_server_is_down() {
    let mut server = Options::new().durable().start();
    let mut client = server.client();
    let first = lock(&mut client, "lock", b"first", "50").expect("a free lock");
    lock(&mut client, "kept", b"first", "1000000").expect("a free lock");
    let ends = client.run("PEXPIRETIME lock").integer();
    server.kill();
    wait_until("its time is over", || {
        let now = SystemTime::now();
        let since = now.duration_since(UNIX_EPOCH).unwrap();
        since.as_millis() as i64 > ends + 1
    });
    server.start_again();
    let mut client = server.client();
    assert_eq!(extend(&mut client, "lock", b"first", "1000"), 0);
    assert_eq!(unlock(&mut client, "lock", b"first"), 0);
    let second = lock(&mut client, "lock", b"second", "1000000").expect("a free lock");
    assert!(second > first);
    assert_eq!(lock(&mut client, "kept", b"second", "1000"), None);
}
