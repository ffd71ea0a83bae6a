//! Users coordinate only over the keys that their rules name, the derived ones too, and a cluster
//! keeps all buckets of a counter in one slot.

use keyns_testkit::{Client, Server, Value};

/// Every command on keys of one application, and whether it only reads.
const COMMANDS: [(&str, bool); 8] = [
    ("KEYNS.LOCK app:lock alice PX 60000", false),
    ("KEYNS.EXTEND app:lock alice PX 60000", false),
    ("KEYNS.UNLOCK app:lock alice", false),
    ("KEYNS.SEEN app:event", false),
    ("KEYNS.ADVANCE app:revision 5", false),
    ("KEYNS.CHECKPOINT app:checkpoint 5", false),
    (
        "KEYNS.COUNT app:n GRAIN YEAR GRAIN MINUTE AT 1794735000",
        false,
    ),
    (
        "KEYNS.COUNT.RANGE app:n GRAIN YEAR 1794735000 1794735000",
        true,
    ),
];

#[test]
fn a_user_has_the_keys_that_its_rules_name() {
    let server = Server::start();
    let mut client = server.login("~app:* +@all");
    for (line, _) in COMMANDS {
        let reply = client.run(line);
        assert!(!reply.is_error(), "{line}: {reply:?}");
    }
    let before = server.client().snapshot();
    for (line, _) in COMMANDS {
        for other in ["other:", "app", ""] {
            let line = line.replace("app:", other);
            let reply = client.run(&line);
            assert!(reply.is_error(), "{line}: {reply:?}");
            assert!(reply.text().starts_with("NOPERM"), "{line}: {reply:?}");
        }
    }
    assert_eq!(server.client().snapshot(), before);
}

#[test]
fn a_user_that_may_only_read_or_only_write_does_not_coordinate() {
    let server = Server::start();
    let mut admin = server.client();
    for (line, _) in COMMANDS {
        admin.run(line);
    }
    let before = admin.snapshot();
    let mut reader = server.login("%R~* +@all");
    for (line, reads) in COMMANDS {
        let reply = reader.run(line);
        match reads {
            true => assert_eq!(reply.fields()["total"], Value::Integer(1), "{line}"),
            false => assert!(reply.text().starts_with("NOPERM"), "{line}: {reply:?}"),
        }
    }
    // And one that may only write may not be told what is there.
    let mut writer = server.login("%W~* +@all");
    for (line, _) in COMMANDS {
        let reply = writer.run(line);
        assert!(reply.is_error(), "{line}: {reply:?}");
        assert!(reply.text().starts_with("NOPERM"), "{line}: {reply:?}");
    }
    assert_eq!(admin.snapshot(), before);
}

#[test]
fn a_command_needs_its_permission() {
    let server = Server::start();
    for (line, _) in COMMANDS {
        let name = line.split(' ').next().unwrap().to_lowercase();
        let mut client = server.login(&format!("~* +@all -{name}"));
        for (other, _) in COMMANDS {
            let reply = client.run(other);
            let is_refused = reply.is_error() && reply.text().starts_with("NOPERM");
            assert_eq!(
                is_refused,
                other == line,
                "{other} without {name}: {reply:?}"
            );
        }
    }
}

#[test]
fn categories_hold_where_the_server_has_them() {
    let server = Server::start();
    if !server.has_module_categories() {
        return;
    }
    let refuses = |rules: &str| {
        let mut client = server.login(rules);
        COMMANDS.map(|(line, _)| {
            let reply = client.run(line);
            reply.is_error() && reply.text().starts_with("NOPERM")
        })
    };
    assert_eq!(refuses("~* -@all +@keyns"), [false; 8]);
    assert_eq!(
        refuses("~* -@all +@read"),
        COMMANDS.map(|(_, reads)| !reads)
    );
    assert_eq!(
        refuses("~* -@all +@write"),
        COMMANDS.map(|(_, reads)| reads)
    );
    assert_eq!(
        refuses("~* +@all -@fast"),
        COMMANDS.map(|(_, reads)| !reads)
    );
}

/// What is missing is a right to one bucket, and the others are not counted in either.
#[test]
fn every_bucket_is_one_that_the_user_has_a_right_to() {
    let server = Server::start();
    let mut admin = server.client();
    let count = "KEYNS.COUNT n GRAIN YEAR GRAIN DAY GRAIN MONTH AT 1794735000";
    let range = "KEYNS.COUNT.RANGE n GRAIN DAY 1794735000 1794821400";
    for (rules, line, key) in [
        ("~n", count, "n:2026"),
        ("~n ~n:2026", count, "n:2026:11:15"),
        ("~n ~n:2026 ~n:2026:11", count, "n:2026:11:15"),
        ("~n ~n:2026 ~n:2026:11:15", count, "n:2026:11"),
        ("~n %R~n:*", count, "n:2026"),
        ("~n %W~n:*", count, "n:2026"),
        ("~n ~n:2026 %W~n:2026:*", count, "n:2026:11:15"),
        ("~n ~n:2026 %R~n:2026:*", count, "n:2026:11:15"),
        ("~n", range, "n:2026:11:15"),
        ("~n ~n:2026:11:15", range, "n:2026:11:16"),
        ("~n %W~n:*", range, "n:2026:11:15"),
        ("~n %R~n:2026:11:15 %W~n:*", range, "n:2026:11:16"),
    ] {
        for is_there in [false, true] {
            admin.run("FLUSHALL");
            if is_there {
                admin.run(count);
            }
            let before = admin.snapshot();
            let mut client = server.login(&format!("{rules} +@all"));
            let expected = format!("NOPERM No permissions to access the key '{key}'");
            assert_eq!(client.run(line), Value::Error(expected), "{rules}: {line}");
            let log = admin.run("ACL LOG 1").array()[0].fields();
            assert_eq!(log["object"].text(), key);
            assert_eq!(log["username"].text(), "tester");
            let script = format!("return redis.call('{}')", line.replace(' ', "','"));
            let reply = client.call(&["EVAL", &script, "1", "n"]);
            assert!(
                reply.is_error() && reply.text().contains("No permissions"),
                "{reply:?}"
            );
            client.run("MULTI");
            client.run(line);
            assert!(client.run("EXEC").array()[0].is_error());
            assert_eq!(admin.snapshot(), before);
        }
    }
    // To add nothing is to read, and still no way around the rules.
    let mut client = server.login("~n +@all");
    let reply = client.run(&format!("{count} BY 0")).text();
    assert!(reply.starts_with("NOPERM"), "{reply}");
    let mut client = server.login("~n ~n:* +@all");
    assert_eq!(client.run(count).array().len(), 3);
    let mut client = server.login("~n %R~n:* +@all");
    assert!(!client.run(range).is_error());
}

#[test]
fn a_cluster_takes_any_single_key_and_counts_under_a_hash_tag() {
    let (_server, mut client) = Server::cluster();
    for (line, _) in &COMMANDS[..6] {
        for key in ["k", "user:42:", "{t}:", "{}", "}{"] {
            let line = line.replace("app:", key);
            let reply = client.run(&line);
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
    }
    client.run("FLUSHALL");
    let error = "ERR cluster mode needs a hash tag in the prefix, as in {app}:doc";
    for (line, _) in &COMMANDS[6..] {
        for key in ["n", "app:n", "{}:n", "{n", "}n{", "{}{n}"] {
            let line = line.replace("app:n", key);
            assert_eq!(client.run(&line), Value::Error(error.into()), "{line}");
        }
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
    for key in ["{n}", "{app}:n", "n:{app}", "a{b}c{d}"] {
        let grains = "GRAIN YEAR GRAIN MONTH GRAIN DAY GRAIN HOUR GRAIN MINUTE";
        let reply = client.run(&format!("KEYNS.COUNT {key} {grains} AT 1794735000"));
        assert_eq!(reply.array(), [const { Value::Integer(1) }; 5]);
        let reply = client.run(&format!(
            "KEYNS.COUNT.RANGE {key} GRAIN HOUR 1794735000 1794745000"
        ));
        assert_eq!(reply.fields()["total"], Value::Integer(1), "{key}");
        let slot = client.run(&format!("CLUSTER KEYSLOT {key}")).integer();
        let keys = client.run(&format!("CLUSTER GETKEYSINSLOT {slot} 100"));
        let of_key = |found: &&Value| found.text().starts_with(&format!("{key}:"));
        assert_eq!(keys.array().iter().filter(of_key).count(), 5, "{key}");
    }
}

/// Two nodes, of which the first has the slot of `{t}` and gives it to the second.
struct Move {
    from: (Server, Client),
    to: (Server, Client),
    slot: i64,
    /// Of the one and of the other node.
    ids: [String; 2],
}

impl Move {
    fn prepare() -> Move {
        let [(from, mut from_client), (to, mut to_client)] = Server::pair_of_nodes();
        Move {
            slot: from_client.run("CLUSTER KEYSLOT {t}").integer(),
            ids: [&mut from_client, &mut to_client].map(|c| c.run("CLUSTER MYID").text()),
            from: (from, from_client),
            to: (to, to_client),
        }
    }

    fn begin(&mut self) {
        let [from, to] = &self.ids;
        let importing = format!("CLUSTER SETSLOT {} IMPORTING {from}", self.slot);
        assert_eq!(self.to.1.run(&importing).text(), "OK");
        let migrating = format!("CLUSTER SETSLOT {} MIGRATING {to}", self.slot);
        assert_eq!(self.from.1.run(&migrating).text(), "OK");
    }

    fn migrate(&mut self, key: &str) {
        let port = self.to.0.port.to_string();
        let args = ["MIGRATE", "127.0.0.1", &port, key, "0", "5000"];
        assert_eq!(self.from.1.call(&args).text(), "OK");
    }

    fn end(&mut self) {
        let line = format!("CLUSTER SETSLOT {} NODE {}", self.slot, self.ids[1]);
        for client in [&mut self.to.1, &mut self.from.1] {
            assert_eq!(client.run(&line).text(), "OK");
        }
    }

    /// What the node that gets the slot replies to a client that was sent there.
    fn ask(&mut self, line: &str) -> Value {
        self.to.1.run("ASKING");
        self.to.1.run(line)
    }
}

#[test]
fn while_a_slot_moves_no_bucket_is_made_that_may_be_elsewhere() {
    let mut moving = Move::prepare();
    let year = "KEYNS.COUNT {t}:n GRAIN YEAR AT 1794735000";
    let both = "KEYNS.COUNT {t}:n GRAIN YEAR GRAIN DAY AT 1794735000";
    let range = "KEYNS.COUNT.RANGE {t}:n GRAIN YEAR 1794735000 1794735000";
    for expected in 1..=3 {
        let counts = moving.from.1.run(both);
        assert_eq!(counts.array()[1], Value::Integer(expected));
    }
    moving.begin();
    let assert_try_again = |moving: &mut Move, lines: &[&str]| {
        let before = moving.to.0.digest();
        for line in lines {
            let reply = moving.from.1.run(line).text();
            assert!(reply.starts_with("ASK "), "{line}: {reply}");
            let reply = moving.ask(line);
            assert!(reply.is_error(), "{line}: {reply:?}");
            assert!(reply.text().starts_with("TRYAGAIN"), "{line}: {reply:?}");
        }
        assert_eq!(moving.to.0.digest(), before);
    };
    assert_try_again(&mut moving, &[year, both, range]);
    moving.migrate("{t}:n:2026");
    // The bucket that is here counts on, and is left alone by what needs another one as well.
    assert_try_again(&mut moving, &[both, range]);
    assert_eq!(moving.ask(year).array(), [Value::Integer(4)]);
    moving.migrate("{t}:n:2026:11:15");
    let counts = moving.ask(both);
    assert_eq!(counts.array(), [Value::Integer(5), Value::Integer(4)]);
    let new = "KEYNS.COUNT {t}:n GRAIN MONTH AT 1794735000";
    assert_try_again(&mut moving, &[new, range]);
    moving.end();
    assert_eq!(moving.to.1.run(new).array(), [Value::Integer(1)]);
    let reply = moving.to.1.run(range);
    assert_eq!(reply.fields()["total"], Value::Integer(5));
}

#[test]
fn a_lock_whose_slot_moves_has_one_holder() {
    let mut moving = Move::prepare();
    moving.from.1.run("KEYNS.LOCK {t}:lock alice PX 60000");
    moving.begin();
    assert_eq!(
        moving.from.1.run("KEYNS.LOCK {t}:lock bob PX 60000"),
        Value::Null
    );
    moving.migrate("{t}:lock");
    let line = "KEYNS.LOCK {t}:lock bob PX 60000";
    assert!(moving.from.1.run(line).text().starts_with("ASK "));
    assert_eq!(moving.ask(line), Value::Null);
    let reply = moving.ask("KEYNS.UNLOCK {t}:lock alice");
    assert_eq!(reply, Value::Integer(1));
}
