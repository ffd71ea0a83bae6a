//! KEYNS.LOCK, KEYNS.EXTEND and KEYNS.UNLOCK: who holds a lock, for how long, and with which token.

use keyns_testkit::{Client, Server, Value, micros, wait_until};

/// The token of a lock that was given, `None` if it was refused.
#[track_caller]
fn lock<O: AsRef<[u8]>>(client: &mut Client, key: &str, owner: O, millis: u64) -> Option<i64> {
    let millis = millis.to_string();
    let call = [
        b"KEYNS.LOCK",
        key.as_bytes(),
        owner.as_ref(),
        b"PX",
        millis.as_bytes(),
    ];
    match client.call(&call) {
        Value::Null => None,
        reply => Some(reply.integer()),
    }
}

#[track_caller]
fn extend<O: AsRef<[u8]>>(client: &mut Client, key: &str, owner: O, millis: u64) -> bool {
    let millis = millis.to_string();
    let call = [
        b"KEYNS.EXTEND",
        key.as_bytes(),
        owner.as_ref(),
        b"PX",
        millis.as_bytes(),
    ];
    is_held(&client.call(&call))
}

#[track_caller]
fn unlock<O: AsRef<[u8]>>(client: &mut Client, key: &str, owner: O) -> bool {
    is_held(&client.call(&[b"KEYNS.UNLOCK", key.as_bytes(), owner.as_ref()]))
}

#[track_caller]
fn is_held(reply: &Value) -> bool {
    match reply.integer() {
        0 => false,
        1 => true,
        other => panic!("neither 0 nor 1: {other}"),
    }
}

#[test]
fn a_free_lock_is_taken_for_as_long_as_asked() {
    let server = Server::start();
    let mut client = server.client();
    let before = client.clock();
    let token = client.run_giving("KEYNS.LOCK k alice PX 60000", "k", 60_000);
    let after = client.clock();
    assert!((before..=after).contains(&token.integer()), "{token:?}");
    assert_eq!(client.run("GET k"), Value::bulk("alice"));
    client.run_giving("keyns.lock short alice px 1000", "short", 1000);
    let longest = 100_000_000_000_000;
    let line = format!("KEYNS.LOCK long alice PX {longest}");
    client.run_giving(&line, "long", longest);
    assert_eq!(client.run("DBSIZE").integer(), 3);
}

#[test]
fn another_owner_is_told_nil_and_changes_nothing() {
    let server = Server::start();
    let mut client = server.client();
    lock(&mut client, "k", "alice", 600_000).unwrap();
    client.run("SET eternal alice");
    let before = client.snapshot();
    let strangers = [
        "bob", "alic", "alice2", "Alice", "alicf", "alice\0", " alice",
    ];
    for key in ["k", "eternal"] {
        for stranger in strangers {
            assert_eq!(lock(&mut client, key, stranger, 1), None, "{stranger}");
            assert!(!extend(&mut client, key, stranger, 1), "{stranger}");
            assert!(!unlock(&mut client, key, stranger), "{stranger}");
            assert_eq!(client.snapshot(), before, "{key}: {stranger}");
        }
    }
    let refused = server.client3().run("KEYNS.LOCK k bob PX 1000");
    assert_eq!(refused, Value::Null);
}

#[test]
fn the_same_owner_gets_a_greater_token_and_a_lease_from_now_on() {
    let server = Server::start();
    let mut client = server.client();
    let mut last = lock(&mut client, "k", "alice", 60_000).unwrap();
    // Longer, shorter, and as long as it was.
    for millis in [600_000, 5000, 5000, 100_000_000_000_000, 60_000] {
        let line = format!("KEYNS.LOCK k alice PX {millis}");
        let token = client.run_giving(&line, "k", millis).integer();
        assert!(token > last, "{token} after {last}");
        assert_eq!(client.run("GET k"), Value::bulk("alice"));
        last = token;
    }
}

#[test]
fn the_holder_extends_a_lock_without_a_token() {
    let server = Server::start();
    let mut client = server.client();
    lock(&mut client, "k", "alice", 60_000).unwrap();
    for millis in [600_000, 5000, 100_000_000_000_000] {
        let line = format!("KEYNS.EXTEND k alice PX {millis}");
        let reply = client.run_giving(&line, "k", millis);
        assert_eq!(reply, Value::Integer(1));
        assert_eq!(client.run("GET k"), Value::bulk("alice"));
    }
    assert!(!extend(&mut client, "free", "alice", 1000));
    assert_eq!(client.run("EXISTS free").integer(), 0);
}

#[test]
fn only_the_holder_gives_a_lock_back_and_only_once() {
    let server = Server::start();
    let mut client = server.client();
    lock(&mut client, "k", "alice", 60_000).unwrap();
    assert!(!unlock(&mut client, "k", "bob"));
    assert!(unlock(&mut client, "k", "alice"));
    assert_eq!(client.run("DBSIZE").integer(), 0);
    assert!(!unlock(&mut client, "k", "alice"));
    assert!(lock(&mut client, "k", "bob", 60_000).is_some());
    assert!(!unlock(&mut client, "k", "alice"));
    assert_eq!(client.run("GET k"), Value::bulk("bob"));
}

#[test]
fn a_lock_that_a_plain_set_made_without_an_expiry_is_one() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET k alice");
    assert_eq!(lock(&mut client, "k", "bob", 1000), None);
    assert_eq!(client.expiry_of("k"), -1);
    client.run_giving("KEYNS.LOCK k alice PX 60000", "k", 60_000);
    client.run("PERSIST k");
    client.run_giving("KEYNS.EXTEND k alice PX 60000", "k", 60_000);
    client.run("PERSIST k");
    assert!(unlock(&mut client, "k", "alice"));
    // An owner without a name is nobody's.
    client.call(&["SET", "k", ""]);
    assert_eq!(lock(&mut client, "k", "alice", 1000), None);
    assert!(!unlock(&mut client, "k", "alice"));
}

/// What clients run that know nothing of the module.
const DELETE_IF_MINE: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1]) else return 0 end";
const EXTEND_IF_MINE: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end";

#[test]
fn clients_that_lock_with_set_and_scripts_and_ours_keep_each_other_out() {
    let server = Server::start();
    let mut client = server.client();
    for (owner, stranger) in [("alice", "bob"), ("12345", "54321"), ("7", "07")] {
        let set = |client: &mut Client, owner: &str| {
            let reply = client.run(&format!("SET k {owner} NX PX 60000"));
            reply != Value::Null
        };
        // Theirs, as we see it.
        assert!(set(&mut client, owner));
        assert_eq!(lock(&mut client, "k", stranger, 60_000), None);
        assert!(!extend(&mut client, "k", stranger, 60_000));
        assert!(!unlock(&mut client, "k", stranger));
        assert!(extend(&mut client, "k", owner, 60_000));
        assert!(lock(&mut client, "k", owner, 60_000).is_some());
        assert!(unlock(&mut client, "k", owner));
        // Ours, as they see it.
        lock(&mut client, "k", owner, 60_000).unwrap();
        lock(&mut client, "k", owner, 60_000).unwrap();
        assert!(extend(&mut client, "k", owner, 60_000));
        assert!(!set(&mut client, stranger));
        assert!(!set(&mut client, owner));
        let mut run = |script: &str, owner: &str| {
            let call = ["EVAL", script, "1", "k", owner, "90000"];
            client.call(&call).integer()
        };
        assert_eq!(run(EXTEND_IF_MINE, stranger), 0);
        assert_eq!(run(DELETE_IF_MINE, stranger), 0);
        assert_eq!(run(EXTEND_IF_MINE, owner), 1);
        assert_eq!(run(DELETE_IF_MINE, owner), 1);
        assert!(lock(&mut client, "k", stranger, 60_000).is_some());
        assert!(unlock(&mut client, "k", stranger));
        assert!(set(&mut client, owner));
        client.run("DEL k");
    }
}

/// The server keeps strings of up to 44 bytes and integers in other ways than the rest.
#[test]
fn an_owner_may_be_any_bytes_of_any_length() {
    let server = Server::start();
    let mut client = server.client();
    let mut owners: Vec<Vec<u8>> = [
        b"0".as_slice(),
        b"7",
        b"12345",
        b"-1",
        b"9223372036854775807",
        b"-9223372036854775808",
        b"9223372036854775808",
        b"01",
        b"3.0",
        b"\0",
        b"a\0b",
        b"\xff\xfe\x80",
        b"\r\n$5\r\n",
        b" ",
        "\u{1f512} Zo\u{eb}".as_bytes(),
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    let lengths = [1, 20, 21, 43, 44, 45, 63, 64, 65, 160, 161, 1000, 60_000];
    owners.extend(lengths.map(|len| vec![b'o'; len]));
    owners.extend(lengths.map(|len| vec![0xf0; len]));
    for owner in owners {
        let shown = owner[..owner.len().min(30)].escape_ascii().to_string();
        let mut stranger = owner.clone();
        *stranger.last_mut().unwrap() ^= 1;
        let mut last = 0;
        for is_foreign in [false, true] {
            if is_foreign {
                client.call(&[b"SET", b"k".as_slice(), &owner, b"PX", b"60000"]);
            }
            for millis in [70_000, 50_000] {
                let token = lock(&mut client, "k", &owner, millis).expect(&shown);
                assert!(token > last);
                last = token;
                assert_eq!(client.bytes_of("k").unwrap(), owner, "{shown}");
            }
            assert_eq!(lock(&mut client, "k", &stranger, 1), None, "{shown}");
            assert!(!extend(&mut client, "k", &stranger, 1), "{shown}");
            assert!(!unlock(&mut client, "k", &stranger), "{shown}");
            assert!(extend(&mut client, "k", &owner, 60_000), "{shown}");
            assert_eq!(client.bytes_of("k").unwrap(), owner, "{shown}");
            assert!(unlock(&mut client, "k", &owner), "{shown}");
            assert_eq!(client.run("EXISTS k").integer(), 0);
        }
    }
}

#[test]
fn a_lock_whose_lease_is_over_is_free_and_no_longer_held() {
    let server = Server::start();
    let mut client = server.client();
    // So that it is our calls that find it expired.
    client.run("DEBUG SET-ACTIVE-EXPIRE 0");
    let first = lock(&mut client, "k", "alice", 1).unwrap();
    let mut second = None;
    wait_until("the lock is free", || {
        second = lock(&mut client, "k", "bob", 60_000);
        second.is_some()
    });
    assert!(second.unwrap() > first);
    assert!(!extend(&mut client, "k", "alice", 60_000));
    assert!(!unlock(&mut client, "k", "alice"));
    assert_eq!(client.run("GET k"), Value::bulk("bob"));

    lock(&mut client, "extended", "alice", 1).unwrap();
    let last = lock(&mut client, "unlocked", "alice", 1).unwrap();
    wait_until("the leases are over", || client.clock() > last + 2000);
    assert_eq!(client.run("DBSIZE").integer(), 3);
    assert!(!extend(&mut client, "extended", "alice", 60_000));
    assert!(!unlock(&mut client, "unlocked", "alice"));
    assert_eq!(client.run("DBSIZE").integer(), 1);
}

#[test]
fn tokens_rise_and_are_never_below_the_clock() {
    const LOCKS: usize = 2000;
    let server = Server::start();
    let mut client = server.client();
    let mut calls: Vec<Vec<String>> = Vec::new();
    for round in 0..LOCKS {
        calls.push(vec!["TIME".into()]);
        let line = format!("KEYNS.LOCK k{} owner PX 60000", round % 7);
        calls.push(line.split(' ').map(String::from).collect());
    }
    let replies = client.pipeline(&calls);
    let mut last = 0;
    for pair in replies.chunks(2) {
        let (clock, token) = (micros(&pair[0]), pair[1].integer());
        assert!(token > last, "{token} after {last}");
        assert!(token >= clock, "{token} at {clock}");
        last = token;
    }
}

/// The clock that commands of a transaction or a script go by stands still.
#[test]
fn in_a_transaction_tokens_rise_with_the_clock() {
    let server = Server::start();
    let mut client = server.client();
    client.run("MULTI");
    for line in [
        "TIME",
        "KEYNS.LOCK a alice PX 60000",
        "DEBUG SLEEP 0.02",
        "TIME",
        "KEYNS.LOCK b alice PX 60000",
        "KEYNS.LOCK a alice PX 60000",
        "KEYNS.LOCK a bob PX 60000",
    ] {
        assert_eq!(client.run(line).text(), "QUEUED");
    }
    let replies = client.run("EXEC");
    let [start, first, _, later, second, third, refused] = replies.array() else {
        panic!("not seven replies: {replies:?}");
    };
    assert!(first.integer() >= micros(start));
    assert!(second.integer() >= micros(later));
    assert!(second.integer() >= first.integer() + 20_000);
    assert!(third.integer() > second.integer());
    assert_eq!(refused, &Value::Null);
    // So does the lease.
    assert!(client.expiry_of("b") >= first.integer() / 1000 + 20 + 60_000);
}

#[test]
fn in_a_script_tokens_rise_with_the_clock() {
    let server = Server::start();
    let mut client = server.client();
    let script = "
        local tokens = {redis.call('KEYNS.LOCK', 'a', 'alice', 'PX', 60000)}
        tokens[2] = redis.call('KEYNS.LOCK', 'b', 'alice', 'PX', 60000)
        for _ = 1, 10000000 do end
        tokens[3] = redis.call('KEYNS.LOCK', 'a', 'alice', 'PX', 60000)
        tokens[4] = redis.call('KEYNS.LOCK', 'a', 'bob', 'PX', 60000)
        tokens[5] = redis.call('KEYNS.EXTEND', 'a', 'alice', 'PX', 60000)
        tokens[6] = redis.call('KEYNS.UNLOCK', 'b', 'bob')
        tokens[7] = redis.call('KEYNS.UNLOCK', 'b', 'alice')
        return tokens";
    let before = client.clock();
    let replies = client.call(&["EVAL", script, "2", "a", "b"]);
    let after = client.clock();
    let [first, second, third, refused, extended, strange, released] = replies.array() else {
        panic!("not seven replies: {replies:?}");
    };
    assert!(first.integer() >= before);
    assert!(second.integer() > first.integer());
    // Nothing counts to ten million in a thousandth of a second.
    assert!(third.integer() > second.integer() + 1000);
    assert!(third.integer() <= after);
    // nil is false to Lua.
    assert_eq!(refused, &Value::Null);
    assert_eq!([extended, strange, released].map(Value::integer), [1, 0, 1]);
    assert_eq!(client.run("GET a"), Value::bulk("alice"));
    assert!(client.expiry_of("a") >= third.integer() / 1000 + 60_000);
}

#[test]
fn tokens_rise_after_a_restart() {
    let mut server = Server::start();
    let before = lock(&mut server.client(), "k", "alice", 60_000).unwrap();
    server.start_again();
    let after = lock(&mut server.client(), "k", "bob", 60_000).unwrap();
    assert!(after > before, "{after} after {before}");
}

#[test]
fn locks_of_other_databases_are_other_locks_with_the_same_row_of_tokens() {
    let server = Server::start();
    let mut client = server.client();
    let first = lock(&mut client, "k", "alice", 60_000).unwrap();
    client.run("SELECT 3");
    assert!(!unlock(&mut client, "k", "alice"));
    let second = lock(&mut client, "k", "bob", 60_000).unwrap();
    assert!(second > first);
    client.run("SELECT 0");
    assert!(unlock(&mut client, "k", "alice"));
}

/// Who holds a lock must be able to keep it and to give it back when there is no memory left.
#[test]
fn a_full_server_gives_no_lock_and_takes_any_back() {
    let server = Server::start();
    let mut client = server.client();
    for key in ["a", "b"] {
        lock(&mut client, key, "alice", 60_000).unwrap();
    }
    client.run("CONFIG SET maxmemory 1");
    for line in ["KEYNS.LOCK new alice PX 1", "KEYNS.LOCK a alice PX 1"] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("OOM"), "{line}: {reply}");
    }
    assert_eq!(client.run("EXISTS new").integer(), 0);
    let reply = client.run_giving("KEYNS.EXTEND a alice PX 90000", "a", 90_000);
    assert_eq!(reply.integer(), 1);
    assert!(!extend(&mut client, "a", "bob", 1));
    assert!(!unlock(&mut client, "a", "bob"));
    assert!(unlock(&mut client, "a", "alice"));
    assert!(unlock(&mut client, "b", "alice"));
    client.run("CONFIG SET maxmemory 0");
    assert_eq!(client.run("DBSIZE").integer(), 0);
}
