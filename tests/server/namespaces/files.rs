//! Namespaces in every file that a server writes, whatever it may not send meanwhile.

use keyns_testkit::{Client, Options, Server, Value, wait_until};

/// The string that carries them where there is no room for module data.
const CARRIER: &str = "keyns:_registry";

fn without_module_data() -> Options {
    Options::new().module_arguments(&["namespaces-in-rdb", "no"])
}

/// Every way to write an AOF.
fn kinds_of_aof() -> impl Iterator<Item = (&'static str, Options)> {
    let preamble = |value: &'static str, options: Options| {
        let options = options.durable();
        (value, options.set("--aof-use-rdb-preamble", &[value]))
    };
    ["yes", "no"].into_iter().flat_map(move |value| {
        [Options::new(), without_module_data()].map(|options| preamble(value, options))
    })
}

fn define(client: &mut Client) -> String {
    client.define("user", "user:<id:int>", "OWNER web");
    client.define("size", "gr\u{f6}\u{df}e:<x>", "");
    client.run("SET user:42 x");
    client.namespaces()
}

fn rewrite_during_a_pause(client: &mut Client) {
    client.run("CLIENT PAUSE 600000 WRITE");
    client.run("BGREWRITEAOF");
    wait_until("the AOF is rewritten", || {
        let info = client.run("INFO persistence").text();
        info.contains("aof_rewrite_in_progress:0") && info.contains("aof_rewrite_scheduled:0")
    });
    let status = client.info("persistence", "aof_last_bgrewrite_status");
    assert_eq!(status, "ok");
}

/// Waits until no snapshot is being written.
fn wait_for_child(client: &mut Client) {
    wait_until("the snapshot is written", || {
        client.info("persistence", "rdb_bgsave_in_progress") == "0"
    });
}

#[track_caller]
fn assert_has(server: &Server, expected: &str, what: &str) {
    let mut client = server.client();
    assert_eq!(client.namespaces(), expected, "{what}");
    assert_eq!(client.run("GET user:42").text(), "x", "{what}");
    assert_eq!(client.run("DBSIZE").integer(), 1, "{what}");
}

/// They were sent by a timer once the pause was over, and lost if the server ended before.
#[test]
fn a_rewrite_during_a_pause_has_the_namespaces_when_the_server_is_killed() {
    for (preamble, options) in kinds_of_aof() {
        let mut server = options.start();
        let mut client = server.client();
        let expected = define(&mut client);
        rewrite_during_a_pause(&mut client);
        server.start_again();
        assert_has(&server, &expected, preamble);
        // What the file began with comes before what was changed after it.
        let mut client = server.client();
        rewrite_during_a_pause(&mut client);
        client.run("CLIENT UNPAUSE");
        client.run("KEYNS.NS.DEL size");
        client.define("late", "late:<x>", "");
        let expected = client.namespaces();
        server.start_again();
        assert_has(&server, &expected, preamble);
    }
}

#[test]
fn a_rewrite_during_a_pause_has_the_namespaces_when_the_server_is_told_to_end() {
    for (preamble, options) in kinds_of_aof() {
        let mut server = options.start();
        let mut client = server.client();
        let expected = define(&mut client);
        rewrite_during_a_pause(&mut client);
        keyns_testkit::signal(&client.info("server", "process_id"), "TERM");
        server.wait();
        server.start_again();
        assert_has(&server, &expected, preamble);
    }
}

/// A replica had none until the pause was over, and was the primary by then.
#[test]
fn a_replica_that_comes_during_a_pause_has_them_at_once_and_when_it_takes_over() {
    for options in [Options::new, without_module_data] {
        for (diskless, load) in [("yes", "disabled"), ("no", "disabled"), ("yes", "swapdb")] {
            let setting = |name: &str, value: &str| options().set(name, &[value]);
            let server = setting("--repl-diskless-sync", diskless).start();
            let mut client = server.client();
            let expected = define(&mut client);
            client.run("CLIENT PAUSE 600000 WRITE");
            let replica = setting("--repl-diskless-load", load).start();
            replica.follow(&server);
            assert_has(&replica, &expected, diskless);
            client.run("CLIENT UNPAUSE");
            let failover = format!("FAILOVER TO 127.0.0.1 {}", replica.port);
            wait_until("the failover begins", || {
                client.run(&failover).text() == "OK"
            });
            wait_until("the replica has taken over", || {
                replica.client().info("replication", "role") == "master"
            });
            assert_has(&replica, &expected, diskless);
        }
    }
}

#[test]
fn a_snapshot_is_for_replicas_where_it_is_not_for_the_disk() {
    let mut server = without_module_data().start();
    let expected = define(&mut server.client());
    let replica = without_module_data().start();
    replica.follow(&server);
    assert_has(&replica, &expected, "the replica");
    for save in ["SAVE", "BGSAVE"] {
        let mut client = server.client();
        wait_for_child(&mut client);
        assert!(!client.run(save).is_error());
        wait_for_child(&mut client);
        let plain = Options::without_module();
        let copy = plain.start_with(&server.dir.join("dump.rdb"), "dump.rdb");
        assert_eq!(copy.digest(), server.digest(), "{save}");
    }
    server.start_again();
    assert!(server.client().namespace_names().is_empty());
}

#[test]
fn nobody_sees_the_string_that_carries_them() {
    let server = without_module_data().durable().start();
    let mut client = server.client();
    let expected = define(&mut client);
    let replica = without_module_data().start();
    replica.follow(&server);
    wait_for_child(&mut client);
    for line in ["SAVE", "DEBUG RELOAD", "DEBUG LOADAOF"] {
        let mut watcher = server.client();
        watcher.run(&format!("WATCH {CARRIER}"));
        assert_eq!(client.run(line).text(), "OK");
        assert_has(&server, &expected, line);
        assert_eq!(client.run(&format!("EXISTS {CARRIER}")).integer(), 0);
        if line == "SAVE" {
            watcher.run("MULTI");
            assert_eq!(watcher.run("EXEC"), Value::Array(Vec::new()));
        }
    }
    assert_eq!(replica.digest(), server.digest());
}

/// Who may write that key would otherwise define namespaces with the next restart.
#[test]
fn a_registry_that_somebody_else_put_there_is_not_taken_from_a_snapshot() {
    let forged = r#"{"namespaces": [{"name": "forged", "pattern": "app:<x>", "ttl": 1}]}"#;
    for options in [Options::new, without_module_data] {
        for with_own in [false, true] {
            for save in ["SAVE", "BGSAVE"] {
                let mut server = options().start();
                let mut client = server.client();
                if with_own {
                    client.define("own", "own:<x>", "");
                }
                client.call(&["SET", CARRIER, forged]);
                assert!(!client.run(save).is_error());
                wait_for_child(&mut client);
                server.start_again();
                let names = server.client().namespace_names();
                assert!(!names.contains(&"forged".into()), "{save}");
            }
        }
    }
}

/// The string was a key like any other until the AOF was at its end, and went with the rest.
#[test]
fn what_an_aof_does_to_all_keys_does_not_reach_the_namespaces_it_began_with() {
    for (preamble, options) in kinds_of_aof() {
        for lines in [
            &["FLUSHALL"][..],
            &["FLUSHDB"],
            &["SWAPDB 0 1"],
            &["SWAPDB 1 0", "FLUSHALL", "SWAPDB 0 2"],
            &["FLUSHALL", "KEYNS.NS.DEL size"],
        ] {
            let mut server = options.clone().start();
            let mut client = server.client();
            define(&mut client);
            keyns_testkit::rewrite_aof(&mut client);
            for line in lines {
                assert!(!client.run(line).is_error());
            }
            client.run("SET after 1");
            let expected = client.namespaces();
            server.start_again();
            let what = format!("{preamble} {lines:?}");
            let mut client = server.client();
            assert_eq!(client.namespaces(), expected, "{what}");
            for database in 0..3 {
                client.run(&format!("SELECT {database}"));
                let is_there = client.run(&format!("EXISTS {CARRIER}")).integer();
                assert_eq!(is_there, 0, "{what}, database {database}");
            }
        }
    }
}

/// Who may write that key could define namespaces, or lose all of them, with the next restart.
#[test]
fn what_an_aof_says_of_the_key_after_a_snapshot_is_not_taken() {
    let forged = r#"{"namespaces": [{"name": "forged", "pattern": "app:<x>", "ttl": 1}]}"#;
    for options in [Options::new, without_module_data] {
        for with_own in [false, true] {
            let mut server = options().durable().start();
            let mut client = server.client();
            client.run("SET some key");
            if with_own {
                client.define("own", "own:<x>", "");
            }
            keyns_testkit::rewrite_aof(&mut client);
            client.call(&["SET", CARRIER, forged]);
            let expected = client.namespaces();
            server.start_again();
            assert_eq!(server.client().namespaces(), expected, "{with_own}");
        }
    }
}

/// A foreground save changed what a client had there, on this node alone.
#[test]
fn a_string_that_somebody_else_has_there_is_the_same_after_a_save() {
    for options in [Options::new, without_module_data] {
        for with_own in [false, true] {
            let server = options().durable().start();
            let mut client = server.client();
            if with_own {
                client.define("own", "own:<x>", "");
            }
            let forged = r#"{"namespaces": []}"#;
            for value in ["mine", forged] {
                client.call(&["SET", CARRIER, value, "PX", "600000"]);
                let before = server.digest();
                let ttl = client.run(&format!("PEXPIRETIME {CARRIER}"));
                assert_eq!(client.run("SAVE").text(), "OK");
                assert_eq!(server.digest(), before);
                assert_eq!(client.run(&format!("PEXPIRETIME {CARRIER}")), ttl);
            }
            client.run(&format!("DEL {CARRIER}"));
            client.run(&format!("RPUSH {CARRIER} a b"));
            let before = server.digest();
            assert_eq!(client.run("SAVE").text(), "OK");
            assert_eq!(server.digest(), before);
        }
    }
}

/// Where the module comes after the data, the string was a key like any other, until the next
/// snapshot left it out.
#[test]
fn a_module_that_is_loaded_later_takes_what_the_file_has() {
    let server = without_module_data().start();
    let expected = define(&mut server.client());
    let plain = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .start();
    plain.follow(&server);
    let mut client = plain.client();
    assert_eq!(client.run(&format!("EXISTS {CARRIER}")).integer(), 1);
    client.run("REPLICAOF NO ONE");
    let path = Options::module_path().display().to_string();
    assert_eq!(client.call(&["MODULE", "LOAD", &path]).text(), "OK");
    assert_has(&plain, &expected, "a module that is loaded later");
}

#[test]
fn what_is_no_registry_stays_where_it_is() {
    for value in ["", "x", "{", "\u{0}\u{0}", "[]"] {
        let mut server = Options::new().durable().start();
        server.client().call(&["SET", CARRIER, value]);
        server.client().run("RPUSH other a b");
        server.start_again();
        let mut client = server.client();
        assert_eq!(client.call(&["GET", CARRIER]).text(), value);
        assert!(client.namespace_names().is_empty());
        client.run(&format!("RENAME other {CARRIER}"));
        assert_eq!(client.run("DEBUG RELOAD").text(), "OK");
        assert_eq!(client.run(&format!("LLEN {CARRIER}")).integer(), 2);
    }
}

#[test]
fn a_rewrite_sends_replicas_nothing() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    define(&mut client);
    let replica = server.replica();
    client.run("WAIT 1 10000");
    // So that the primary sends nothing of its own in between.
    client.run("CONFIG SET repl-ping-replica-period 3600");
    let offset = |client: &mut Client| client.info("replication", "master_repl_offset");
    let before = offset(&mut client);
    keyns_testkit::rewrite_aof(&mut client);
    assert_eq!(offset(&mut client), before);
    assert_eq!(replica.client().namespaces(), client.namespaces());
}

#[test]
fn a_node_of_a_cluster_brings_them_back_without_a_key_in_a_foreign_slot() {
    let options = || {
        without_module_data()
            .durable()
            .set("--cluster-enabled", &["yes"])
    };
    let mut server = options().start();
    let mut client = server.client();
    let slot = client.run(&format!("CLUSTER KEYSLOT {CARRIER}")).integer();
    // All slots but the one of the key.
    for range in [(0, slot - 1), (slot + 1, 16383)] {
        client.run(&format!("CLUSTER ADDSLOTSRANGE {} {}", range.0, range.1));
    }
    client.run("CONFIG SET cluster-require-full-coverage no");
    wait_until("the cluster is up", || {
        client
            .run("CLUSTER INFO")
            .text()
            .contains("cluster_state:ok")
    });
    let expected = define(&mut client);
    rewrite_during_a_pause(&mut client);
    server.start_again();
    let mut client = server.client();
    assert_eq!(client.namespaces(), expected);
    let count = format!("CLUSTER COUNTKEYSINSLOT {slot}");
    assert_eq!(client.run(&count).integer(), 0);
    assert!(
        !server.log().contains("I have keys for"),
        "{}",
        server.log()
    );
}
