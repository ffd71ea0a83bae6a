//! KEYNS.RATE.ALL: a request passes the limits of all its keys, or takes from none.

use keyns_testkit::{Client, Options, Ruling, Server, Value, aof_commands, wait_until};

fn start() -> (Server, Client) {
    let server = Server::start();
    let client = server.client();
    (server, client)
}

/// The index of the key that speaks, and what it says but for times.
#[track_caller]
fn rule(client: &mut Client, line: &str) -> (i64, (bool, i64, i64, i64)) {
    let (key, ruling) = Ruling::read_joint(&client.run(line));
    (key, ruling.timeless())
}

#[test]
fn the_key_with_least_left_speaks_and_of_equals_the_first() {
    let (_server, mut client) = start();
    let line = "KEYNS.RATE.ALL 3 a b c FIXED 9 1500d AND FIXED 8 1500d AND SLIDING 8 1500d";
    assert_eq!(rule(&mut client, line), (1, (true, 8, 7, 0)));
    client.run("KEYNS.RATE c SLIDING 8 1500d");
    assert_eq!(rule(&mut client, line), (2, (true, 8, 5, 0)));
}

#[test]
fn one_list_is_for_all_keys() {
    let (_server, mut client) = start();
    let line = "KEYNS.RATE.ALL 2 a b BUCKET 5 1 1500d FIXED 9 1500d";
    assert_eq!(rule(&mut client, line), (0, (true, 5, 4, 0)));
    for key in ["a", "b"] {
        let left = client.rule(&format!(
            "KEYNS.RATE.PEEK {key} BUCKET 5 1 1500d FIXED 9 1500d COST 0"
        ));
        assert_eq!(left.timeless(), (true, 5, 4, 0), "{key}");
    }
}

#[test]
fn the_longest_wait_speaks_and_nothing_is_taken() {
    let (server, mut client) = start();
    client.run("KEYNS.RATE b SLIDING 1 10d");
    client.run("KEYNS.RATE c BUCKET 1 1 1500d FIXED 9 1500d");
    client.run("KEYNS.RATE d SLIDING 1 100d");
    let before = server.digest();
    let line = "KEYNS.RATE.ALL 5 a b c d e BUCKET 9 1 1500d AND SLIDING 1 10d \
                AND FIXED 9 1500d BUCKET 1 1 1500d AND SLIDING 1 100d AND FIXED 9 1d";
    assert_eq!(rule(&mut client, line), (2, (false, 1, 0, 1)));
    let (_, ruling) = Ruling::read_joint(&client.run(line));
    assert!(ruling.retry_after_ms > 1000 * 86_400_000, "{ruling:?}");
    assert_eq!(server.digest(), before);
    assert_eq!(client.run("EXISTS a e").integer(), 0);
}

/// The promise of the wait: after it, the same request passes.
#[test]
fn the_same_request_passes_after_the_wait() {
    let (_server, mut client) = start();
    let line = "KEYNS.RATE.ALL 2 a b SLIDING 1 30ms AND BUCKET 1 1 60ms";
    for round in 0..5 {
        let mut told = Ruling::read_joint(&client.run(line)).1;
        while !told.allowed {
            let wait = u64::try_from(told.retry_after_ms).expect("a time to wait");
            std::thread::sleep(std::time::Duration::from_millis(wait));
            told = Ruling::read_joint(&client.run(line)).1;
            assert!(told.allowed, "round {round}: {told:?} after {wait} ms");
        }
    }
}

#[test]
fn a_cost_counts_on_every_key() {
    let (_server, mut client) = start();
    let line = "KEYNS.RATE.ALL 2 a b cost 4 FIXED 9 1500d and BUCKET 10 1 1500d";
    assert_eq!(rule(&mut client, line), (0, (true, 9, 5, 0)));
    assert_eq!(rule(&mut client, line), (0, (true, 9, 1, 0)));
    assert_eq!(rule(&mut client, line), (1, (false, 10, 2, 0)));
}

/// What is stored is what KEYNS.RATE stores, but for the microsecond at which it came.
#[test]
fn a_key_is_the_same_whichever_command_counts_on_it() {
    let (_server, mut client) = start();
    for limits in [
        "BUCKET 9 1 1500d",
        "FIXED 9 1500d",
        "SLIDING 9 1500d",
        "SLIDING 300 1500d COST 80",
        "BUCKET 9 1 1500d SLIDING 9 1500d FIXED 9 1500d",
    ] {
        client.run("FLUSHALL");
        for _ in 0..3 {
            let alone = client.rule(&format!("KEYNS.RATE one {limits}"));
            let told = rule(&mut client, &format!("KEYNS.RATE.ALL 2 two three {limits}"));
            assert_eq!(told, (0, alone.timeless()), "{limits}");
            let one = client.bytes_of("one").expect("a state");
            let two = client.bytes_of("two").expect("a state");
            assert_eq!(one.len(), two.len(), "{limits}");
            assert_eq!(client.bytes_of("three"), Some(two), "{limits}");
            let expiry = client.run("PEXPIRETIME two");
            assert_eq!(client.run("PEXPIRETIME three"), expiry, "{limits}");
            // Each command goes on with what the other has counted.
            client.run("RENAME one swap");
            client.run("RENAME two one");
            client.run("RENAME swap two");
            client.run("COPY two three REPLACE");
        }
    }
}

#[test]
fn the_other_commands_work_on_the_same_keys() {
    let (_server, mut client) = start();
    let line = "KEYNS.RATE.ALL 2 user ip FIXED 5 1500d AND FIXED 3 1500d";
    assert_eq!(rule(&mut client, line), (1, (true, 3, 2, 0)));
    assert_eq!(client.rule("KEYNS.RATE ip FIXED 3 1500d").remaining, 1);
    client.run("KEYNS.RATE.REFUND ip FIXED 3 1500d COST 2");
    assert_eq!(rule(&mut client, line), (1, (true, 3, 2, 0)));
    client.run("KEYNS.RATE.BLOCK user 10d");
    let (key, ruling) = Ruling::read_joint(&client.run(line));
    assert_eq!((key, ruling.timeless()), (0, (false, 5, 0, -1)));
    let peeked = client.rule("KEYNS.RATE.PEEK ip FIXED 3 1500d COST 0");
    assert_eq!(peeked.remaining, 2);
    client.run("DEL user");
    assert_eq!(rule(&mut client, line), (1, (true, 3, 1, 0)));
}

#[test]
fn what_makes_no_sense_is_an_error_and_changes_nothing() {
    let (server, mut client) = start();
    client.run("KEYNS.RATE a FIXED 9 1500d");
    client.run("LPUSH list x");
    client.run("SET text x");
    let before = server.digest();
    let algorithms = "BUCKET, FIXED or SLIDING must be given";
    let before_and = "give BUCKET, FIXED or SLIDING before AND";
    let numkeys = "numkeys must be an integer between 1 and 8, got";
    for (line, error) in [
        ("0 FIXED 9 1d FIXED 9", &format!("{numkeys} '0'")[..]),
        ("-1 a FIXED 9 1d", &format!("{numkeys} '-1'")),
        ("9 a b c d e f g h i FIXED 9 1d", &format!("{numkeys} '9'")),
        ("x a FIXED 9 1d", &format!("{numkeys} 'x'")),
        ("02 a b FIXED 9 1d", &format!("{numkeys} '02'")),
        (
            "9223372036854775808 a FIXED 9 1d",
            &format!("{numkeys} '9223372036854775808'"),
        ),
        (
            "8 a b FIXED 9 1d",
            "numkeys is 8, but only 5 arguments follow it",
        ),
        ("5 a b c d e", algorithms),
        (
            "3 a b FIXED 9 1d",
            "syntax error near '9', expected BUCKET, FIXED or SLIDING (numkeys is 3, so the last key is 'FIXED')",
        ),
        (
            "1 a b FIXED 9 1d",
            "syntax error near 'b', expected BUCKET, FIXED or SLIDING (numkeys is 1, so the last key is 'a')",
        ),
        (
            "2 a b FIXED 9 1d 9",
            "syntax error near '9', expected BUCKET, FIXED, SLIDING, AND, COST or MAP",
        ),
        ("2 a a FIXED 9 1d", "the key 'a' is given twice"),
        ("3 b c b FIXED 9 1d", "the key 'b' is given twice"),
        ("2 b c AND FIXED 9 1d", before_and),
        ("2 b c FIXED 9 1d AND", "AND needs a value"),
        (
            "2 b c FIXED 9 1d AND COST 2",
            "give BUCKET, FIXED or SLIDING after AND",
        ),
        ("3 b c d FIXED 9 1d AND AND FIXED 9 1d", before_and),
        (
            "1 b FIXED 9 1d AND FIXED 9 1d",
            "numkeys is 1: give one list of limits, without AND",
        ),
        (
            "3 b c d FIXED 9 1d AND FIXED 9 1d",
            "numkeys is 3: give one list of limits for all keys, or 3 lists separated by AND",
        ),
        (
            "2 b c FIXED 9 1d AND FIXED 9 1d AND FIXED 9 1d",
            "numkeys is 2: give one list of limits for all keys, or 2 lists separated by AND",
        ),
        (
            "2 b c FIXED 9 1d AND FIXED 3 1d COST 4",
            "COST must be at most 3, the most that FIXED can ever admit, got 4",
        ),
        ("2 b c FIXED 9 1d COST 1 COST 1", "COST is given twice"),
        ("2 b c FIXED 9 1d MAP MAP", "MAP is given twice"),
        ("2 b text FIXED 9 1d", "not a rate limit: 'text'"),
        (
            "2 b doc:_seq FIXED 9 1d",
            "'doc:_seq' is reserved: KEYNS keeps its own state there",
        ),
    ] {
        let reply = client.run(&format!("KEYNS.RATE.ALL {line}"));
        assert_eq!(reply.text(), format!("ERR {error}"), "{line}");
    }
    let nine = "FIXED 9 1d ".repeat(9);
    let reply = client.run(&format!(
        "KEYNS.RATE.ALL 2 b c FIXED 9 1d AND {}",
        nine.trim()
    ));
    assert_eq!(reply.text(), "ERR give at most 8 limits for each key");
    let reply = client.run("KEYNS.RATE.ALL 3 b list c FIXED 9 1d");
    let wrong_type = "WRONGTYPE Operation against a key holding the wrong kind of value: 'list'";
    assert_eq!(reply.text(), wrong_type);
    assert_eq!(server.digest(), before);
}

#[test]
fn eight_keys_with_eight_limits_each_are_as_many_as_there_may_be() {
    let (_server, mut client) = start();
    let limits = ["SLIDING 9 1500d"; 8].join(" ");
    let lists = vec![limits; 8].join(" AND ");
    let line = format!("KEYNS.RATE.ALL 8 a b c d e f g h {lists}");
    for left in [8, 7] {
        assert_eq!(rule(&mut client, &line), (0, (true, 9, left, 0)));
    }
}

/// An error about one key comes before a refusal by another.
#[test]
fn an_error_is_told_even_if_another_key_refuses() {
    let (_server, mut client) = start();
    client.run("SET text x");
    client.run("KEYNS.RATE full FIXED 1 1500d");
    let reply = client.run("KEYNS.RATE.ALL 2 full text FIXED 1 1500d");
    assert_eq!(reply.text(), "ERR not a rate limit: 'text'");
}

#[test]
fn names_come_with_the_numbers_where_they_are_asked_for() {
    let (server, mut client) = start();
    let mut client3 = server.client3();
    for (line, joint) in [
        ("KEYNS.RATE k FIXED 9 1500d MAP", false),
        ("KEYNS.RATE.PEEK k FIXED 9 1500d map COST 0", false),
        ("KEYNS.RATE.REFUND k MAP FIXED 9 1500d COST 1", false),
        (
            "KEYNS.RATE.ALL 2 k l FIXED 9 1500d AND FIXED 7 1500d MAP",
            true,
        ),
    ] {
        let mut names = vec![
            "allowed",
            "limit",
            "remaining",
            "retry_after_ms",
            "reset_after_ms",
            "binding",
        ];
        if joint {
            names.insert(0, "key");
        }
        let flat = client.run(line);
        let flat = flat.array();
        let (given, numbers): (Vec<_>, Vec<_>) = flat
            .chunks(2)
            .map(|pair| (pair[0].text(), &pair[1]))
            .unzip();
        assert_eq!(given, names, "{line}");
        assert!(
            numbers.iter().all(|n| matches!(n, Value::Integer(_))),
            "{line}"
        );
        let map = client3.run(line);
        assert!(matches!(map, Value::Map(_)), "{line}: {map:?}");
        let fields = map.fields();
        assert_eq!(fields["allowed"], Value::Boolean(true), "{line}");
        assert_eq!(fields["retry_after_ms"].integer(), -1, "{line}");
        assert_eq!(fields["limit"].integer(), if joint { 7 } else { 9 });
        assert_eq!(fields.len(), names.len(), "{line}");
    }
    // A refusal has the same names.
    let refused = client3.run("KEYNS.RATE.ALL 2 k l FIXED 9 1500d AND FIXED 7 1500d COST 7 MAP");
    let fields = refused.fields();
    assert_eq!(fields["allowed"], Value::Boolean(false));
    assert_eq!(fields["key"].integer(), 1);
    assert!(fields["retry_after_ms"].integer() > 0);
}

fn effects(server: &Server, client: &mut Client, line: &str) -> Vec<String> {
    let before = aof_commands(server).len();
    let reply = client.run(line);
    assert!(!reply.is_error(), "{line}: {reply:?}");
    let added = aof_commands(server).split_off(before);
    let words = |command: &Vec<Vec<u8>>| {
        let shown = command
            .iter()
            .take(2)
            .map(|word| String::from_utf8_lossy(word));
        shown.collect::<Vec<_>>().join(" ").to_uppercase()
    };
    added.iter().map(words).collect()
}

#[test]
fn replicas_get_the_effects_in_one_transaction_and_nothing_of_a_refusal() {
    let server = Options::new().durable().start();
    let replica = server.replica();
    let mut client = server.client();
    client.run("SET before anything");
    let two = "KEYNS.RATE.ALL 2 a b BUCKET 9 1 1500d AND FIXED 3 1500d";
    for _ in 0..3 {
        let told = effects(&server, &mut client, two);
        assert_eq!(told, ["MULTI", "SET A", "SET B", "EXEC"]);
    }
    assert_eq!(effects(&server, &mut client, two), [] as [String; 0]);
    let one = "KEYNS.RATE.ALL 1 a BUCKET 9 1 1500d";
    assert_eq!(effects(&server, &mut client, one), ["SET A"]);
    // What is changed in place comes first, and then what is made.
    let mixed = "KEYNS.RATE.ALL 3 new a long SLIDING 300 1500d COST 80";
    client.run("KEYNS.RATE long SLIDING 300 1500d COST 80");
    client.run("KEYNS.RATE long SLIDING 300 1500d COST 2");
    assert_eq!(
        effects(&server, &mut client, mixed),
        ["MULTI", "SET NEW", "SET A", "SET LONG", "EXEC"]
    );
    let mixed = "KEYNS.RATE.ALL 3 newer a long SLIDING 300 1500d";
    assert_eq!(
        effects(&server, &mut client, mixed),
        [
            "MULTI",
            "SETRANGE A",
            "SETRANGE A",
            "PEXPIREAT A",
            "SETRANGE LONG",
            "SETRANGE LONG",
            "PEXPIREAT LONG",
            "SET NEWER",
            "EXEC"
        ]
    );
    client.run("WAIT 1 60000");
    assert_eq!(replica.digest(), server.digest());
    let before = server.digest();
    let mut server = server;
    server.start_again();
    assert_eq!(server.digest(), before);
}

#[test]
fn notifications_are_those_of_the_plain_commands() {
    let (server, _) = start();
    let line = "KEYNS.RATE.ALL 2 k l FIXED 2 1500d";
    let calls = server.events(&[line, line, line]);
    server.client().run("DEL k l mark");
    let (k, l) = ("SET k x PXAT 4000000000000", "SET l x PXAT 4000000000000");
    assert_eq!(calls, server.events(&[k, l, k, l]));
}

#[test]
fn caches_and_transactions_hear_of_every_key_and_of_no_refusal() {
    let (server, mut client) = start();
    let mut reader = server.client3();
    reader.run("CLIENT TRACKING ON");
    let line = "KEYNS.RATE.ALL 2 a b FIXED 2 1500d";
    for _ in 0..2 {
        for key in ["a", "b"] {
            reader.call(&["GET", key]);
        }
        client.run(line);
        for key in ["a", "b"] {
            let message = reader.receive().unwrap();
            let keys = Value::Array(vec![Value::bulk(key)]);
            assert_eq!(message.array(), [Value::bulk("invalidate"), keys]);
        }
    }
    let mut watched = |line: &str| {
        let mut watcher = server.client();
        watcher.run("WATCH b");
        client.run(line);
        watcher.run("MULTI");
        watcher.run("PING");
        watcher.run("EXEC") == Value::Null
    };
    assert!(!watched(line));
    assert!(watched("KEYNS.RATE.ALL 2 a b FIXED 3 1500d"));
}

#[test]
fn a_user_needs_every_key() {
    let (server, _) = start();
    let mut tester = server.login("~a:* %R~r:* +keyns.rate.all");
    let admitted = tester.run("KEYNS.RATE.ALL 2 a:1 a:2 FIXED 9 1500d");
    assert!(Ruling::read_joint(&admitted).1.allowed);
    for line in [
        "KEYNS.RATE.ALL 2 a:1 b:1 FIXED 9 1500d",
        "KEYNS.RATE.ALL 2 b:1 a:1 FIXED 9 1500d",
        "KEYNS.RATE.ALL 2 a:1 r:1 FIXED 9 1500d",
        "KEYNS.RATE a:1 FIXED 9 1500d",
    ] {
        let reply = tester.run(line).text();
        assert!(reply.starts_with("NOPERM"), "{line}: {reply}");
    }
    // Numbers of keys that the server cannot read lead to no key.
    for numkeys in ["02", "+2", "9", "-1", "x"] {
        let reply = tester.run(&format!("KEYNS.RATE.ALL {numkeys} b:1 b:2 FIXED 9 1500d"));
        assert!(reply.is_error(), "{numkeys}: {reply:?}");
    }
    assert_eq!(server.client().run("DBSIZE").integer(), 2);
}

#[test]
fn in_a_cluster_all_keys_are_in_one_slot() {
    let server = Server::node();
    let mut client = server.client();
    client.run("CLUSTER ADDSLOTSRANGE 0 16383");
    wait_until("the cluster is up", || {
        client
            .run("CLUSTER INFO")
            .text()
            .contains("cluster_state:ok")
    });
    let line = "KEYNS.RATE.ALL 2 rate:user:{acme} rate:ip:{acme} FIXED 9 1500d";
    assert_eq!(rule(&mut client, line), (0, (true, 9, 8, 0)));
    let reply = client.run("KEYNS.RATE.ALL 2 rate:user:ada rate:ip:ada FIXED 9 1500d");
    assert!(reply.text().starts_with("CROSSSLOT"), "{reply:?}");
    assert_eq!(client.run("DBSIZE").integer(), 2);
}

/// A request is one request, on however many keys it counts.
#[test]
fn info_counts_it_once_by_the_limit_that_speaks() {
    let (_server, mut client) = start();
    let line = "KEYNS.RATE.ALL 2 a b FIXED 2 1500d AND SLIDING 1 1500d";
    for _ in 0..3 {
        client.run(line);
    }
    client.run("KEYNS.RATE.BLOCK a 1500d");
    client.run("KEYNS.RATE.ALL 2 a c FIXED 2 1500d AND SLIDING 1 1500d");
    let mut count = |field: &str| client.info("keyns", &format!("keyns_rate_limits_{field}"));
    for (field, expected) in [
        ("calls", "5"),
        ("errors", "0"),
        ("fixed_allowed", "0"),
        ("fixed_denied", "0"),
        ("sliding_allowed", "1"),
        ("sliding_denied", "2"),
        ("blocked", "1"),
    ] {
        assert_eq!(count(field), expected, "{field}");
    }
}

/// Where the server has no SET, a long window could still change a few of its bytes.
#[test]
fn a_disabled_command_of_the_server_leaves_nothing_half_written() {
    let donor = Server::start();
    let mut client = donor.client();
    client.run("KEYNS.RATE long SLIDING 300 1500d COST 80");
    client.run("KEYNS.RATE long SLIDING 300 1500d COST 2");
    client.run("KEYNS.RATE short SLIDING 300 1500d");
    client.run("SAVE");
    for command in ["SET", "SETRANGE", "PEXPIREAT"] {
        let server = Options::new()
            .set("--rename-command", &[command, ""])
            .start_with(&donor.dir.join("dump.rdb"), "dump.rdb");
        let mut client = server.client();
        let before = server.digest();
        for keys in ["2 long short", "2 long new", "2 short newer"] {
            let reply = client.run(&format!("KEYNS.RATE.ALL {keys} SLIDING 300 1500d"));
            match command {
                "SET" => {
                    let error =
                        "ERR this command needs SET, which the server does not have (renamed?)";
                    assert_eq!(reply.text(), error);
                    assert_eq!(server.digest(), before);
                }
                _ => assert!(Ruling::read_joint(&reply).1.allowed),
            }
        }
    }
}
