//! Namespaces on replicas, over restarts, from a file, and without the module.

use std::fs;

use keyns_testkit::{
    Client, Options, Server, Value, aof_commands, namespaces_json, rewrite_aof, wait_until,
};

/// Defines what the tests look for afterwards.
fn fill(client: &mut Client) {
    client.define("user", "user:<id:int>", "OWNER web");
    client.define(
        "session",
        "session:<sid:hex>[:<attribute>]",
        "TTL 60 TYPE hash",
    );
    client.define("gone", "gone:<x>", "");
    client.run("KEYNS.NS.DEL gone");
    client.run("KEYNS.NS.PRESET campaigns");
    let json = namespaces_json(&[("size", "größe:<x>")]);
    assert_eq!(client.call(&["KEYNS.NS.LOAD", &json]).integer(), 1);
    client.run("SET user:42 x");
}

/// Waits until another server has the same namespaces.
#[track_caller]
fn wait_for(expected: &str, server: &Server) {
    let mut client = server.client();
    wait_until("the namespaces are there", || {
        client.namespaces() == expected
    });
}

#[test]
fn a_replica_gets_every_change_as_it_happens() {
    let server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    let mut reader = replica.client();
    let json = namespaces_json(&[("a", "b:<x>"), ("c", "c:<x>")]);
    let load = |words: &[&'static str]| {
        let args = [&["KEYNS.NS.LOAD".to_owned(), json.clone()][..]].concat();
        args.into_iter()
            .chain(words.iter().map(|w| (*w).to_owned()))
            .collect::<Vec<_>>()
    };
    let line = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for args in [
        line("KEYNS.NS.SET a PATTERN a:<x> TTL 60 OWNER web"),
        line("KEYNS.NS.SET a PATTERN b:<x>"),
        line("KEYNS.NS.SET b PATTERN a:<x>"),
        load(&[]),
        line("KEYNS.NS.DEL b nothing"),
        load(&["REPLACE"]),
        line("KEYNS.NS.PRESET general"),
        line("KEYNS.NS.PRESET content REPLACE"),
        load(&["FLUSH"]),
        line("KEYNS.NS.PRESET documents FLUSH"),
        vec!["EVAL".into(), "redis.call('KEYNS.NS.SET','lua','PATTERN','lua:<x>') return redis.call('KEYNS.NS.PRESET','campaigns')".into(), "0".into()],
    ] {
        let reply = client.call(&args);
        assert!(!reply.is_error(), "{args:?}: {reply:?}");
        client.run("WAIT 1 10000");
        assert_eq!(reader.namespaces(), client.namespaces(), "{args:?}");
    }
    client.run("MULTI");
    client.run("KEYNS.NS.SET in PATTERN in:<x>");
    client.run("KEYNS.NS.SET broken PATTERN in:<y>");
    client.run("KEYNS.NS.PRESET projections");
    client.run("EXEC");
    client.run("WAIT 1 10000");
    assert_eq!(reader.namespaces(), client.namespaces());
    assert!(client.namespace_names().contains(&"in".into()));
}

#[test]
fn a_replica_that_comes_later_has_all() {
    let server = Server::start();
    fill(&mut server.client());
    let expected = server.client().namespaces();
    let replica = server.replica();
    wait_for(&expected, &replica);
    // Another one changes nothing for the first.
    let other = server.replica();
    wait_for(&expected, &other);
    wait_for(&expected, &replica);
    assert_eq!(replica.digest(), server.digest());
}

#[test]
fn a_replica_forgets_what_it_had_of_its_own() {
    let empty = Server::start();
    let full = Server::start();
    fill(&mut full.client());
    let expected = full.client().namespaces();
    let server = Server::start();
    server.client().define("own", "own:<x>", "");
    server.client().define("user", "other:<x>", "");
    server.follow(&full);
    wait_for(&expected, &server);
    server.follow(&empty);
    let none = empty.client().namespaces();
    wait_for(&none, &server);
    server.follow(&full);
    wait_for(&expected, &server);
}

#[test]
fn a_replica_of_a_replica_has_them_too() {
    let server = Server::start();
    let mut client = server.client();
    client.define("early", "early:<x>", "");
    let replica = server.replica();
    wait_for(&client.namespaces(), &replica);
    let last = replica.replica();
    client.define("late", "late:<x>", "");
    client.run("WAIT 1 10000");
    wait_until("the change is there", || {
        last.client().namespace_names() == ["early", "late"]
    });
}

#[test]
fn a_replica_that_loads_in_the_background_has_them_too() {
    let server = Server::start();
    fill(&mut server.client());
    let replica = Options::new()
        .set("--repl-diskless-load", &["swapdb"])
        .start();
    replica.client().define("own", "own:<x>", "");
    replica.follow(&server);
    wait_for(&server.client().namespaces(), &replica);
    let again = Server::start();
    replica.follow(&again);
    wait_for(&again.client().namespaces(), &replica);
}

#[test]
fn a_replica_that_was_away_catches_up() {
    let server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    let mut replica = server.replica();
    let port = server.port.to_string();
    client.run("CLIENT KILL TYPE replica");
    client.define("meanwhile", "meanwhile:<x>", "");
    wait_for(&client.namespaces(), &replica);
    // It starts again from its own snapshot, and goes on from there.
    replica.client().run("SAVE");
    replica.start_again_as(Options::new().set("--replicaof", &["127.0.0.1", &port]));
    wait_for(&client.namespaces(), &replica);
    client.run("KEYNS.NS.DEL meanwhile");
    wait_for(&client.namespaces(), &replica);
}

/// Redis 7.0 tells of a replica in the middle of the replica's own command.
#[test]
fn a_replica_that_comes_or_comes_back_is_sent_namespaces_and_nothing_else() {
    let mut server = Options::new().durable().start();
    let mut client = server.client();
    fill(&mut client);
    let replica = server.replica();
    wait_for(&client.namespaces(), &replica);
    client.run("CLIENT KILL TYPE replica");
    let lost = |client: &mut Client| client.info("replication", "connected_slaves") == "0";
    wait_until("the replica is back", || !lost(&mut client));
    client.define("late", "late:<x>", "");
    wait_for(&client.namespaces(), &replica);
    let log = replica.log();
    assert!(!log.contains("CRITICAL"), "{log}");
    let allowed = ["SELECT", "SET", "MULTI", "EXEC"];
    for command in aof_commands(&server) {
        let name = String::from_utf8_lossy(&command[0]).to_uppercase();
        let ours = name.starts_with("KEYNS.NS.");
        assert!(ours || allowed.contains(&name.as_str()), "{name}");
    }
    let expected = client.namespaces();
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
}

#[test]
fn a_replica_that_takes_over_goes_on() {
    let mut server = Server::start();
    let before = server.replica();
    fill(&mut server.client());
    let after = server.replica();
    let expected = server.client().namespaces();
    wait_for(&expected, &before);
    wait_for(&expected, &after);
    server.kill();
    for heir in [&before, &after] {
        let mut client = heir.client();
        client.run("REPLICAOF NO ONE");
        assert_eq!(client.namespaces(), expected);
        assert_eq!(client.run("KEYNS.KEY user 7").text(), "user:7");
        client.define("more", "more:<x>", "");
    }
    after.follow(&before);
    wait_for(&before.client().namespaces(), &after);
}

#[test]
fn a_replica_takes_what_its_primary_may_have() {
    let server = Server::start();
    let replica = server.replica();
    replica.client().run("CONFIG SET keyns.max-namespaces 1");
    fill(&mut server.client());
    wait_for(&server.client().namespaces(), &replica);
}

#[test]
fn a_server_that_died_goes_on_from_its_aof() {
    let mut server = Options::new().durable().start();
    fill(&mut server.client());
    let expected = server.client().namespaces();
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
    assert_eq!(server.client().run("GET user:42").text(), "x");
    // Once more, after a change and a rewrite.
    let mut client = server.client();
    client.define("late", "late:<x>", "");
    rewrite_aof(&mut client);
    let expected = client.namespaces();
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
    let mut client = server.client();
    rewrite_aof(&mut client);
    client.run("KEYNS.NS.DEL late user");
    let expected = client.namespaces();
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
}

#[test]
fn an_aof_without_a_snapshot_in_it_has_them_after_a_rewrite() {
    let mut server = Options::new()
        .durable()
        .set("--aof-use-rdb-preamble", &["no"])
        .start();
    fill(&mut server.client());
    rewrite_aof(&mut server.client());
    let expected = server.client().namespaces();
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
}

#[test]
fn an_aof_that_is_turned_on_later_has_them() {
    let mut server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    client.run("CONFIG SET appendfsync always");
    assert_eq!(client.run("CONFIG SET appendonly yes").text(), "OK");
    wait_until("the AOF is written", || {
        let info = client.run("INFO persistence").text();
        info.contains("aof_rewrite_in_progress:0") && info.contains("aof_rewrite_scheduled:0")
    });
    let expected = client.namespaces();
    server.start_again_as(Options::new().durable());
    assert_eq!(server.client().namespaces(), expected);
}

#[test]
fn the_aof_of_a_replica_has_them() {
    let mut server = Server::start();
    fill(&mut server.client());
    let expected = server.client().namespaces();
    let mut replica = Options::new().durable().start();
    replica.follow(&server);
    wait_for(&expected, &replica);
    let mut client = replica.client();
    wait_until("the AOF is written", || {
        let info = client.run("INFO persistence").text();
        info.contains("aof_rewrite_in_progress:0") && info.contains("aof_rewrite_scheduled:0")
    });
    server.kill();
    replica.start_again();
    assert_eq!(replica.client().namespaces(), expected);
}

#[test]
fn an_aof_brings_back_more_than_may_be_defined_by_now() {
    let mut server = Options::new().durable().start();
    fill(&mut server.client());
    let expected = server.client().namespaces();
    let options = Options::new().durable();
    server.start_again_as(options.set("--keyns.max-namespaces", &["1"]));
    assert_eq!(server.client().namespaces(), expected);
}

/// Found by fuzzing: what came later in the AOF was in the way of what came first.
#[test]
fn an_aof_is_read_from_none_on() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    client.define("first", "user:<id>", "");
    client.run("KEYNS.NS.DEL first");
    client.define("second", "user:<name>", "");
    let expected = client.namespaces();
    assert_eq!(client.run("DEBUG LOADAOF").text(), "OK");
    assert_eq!(client.namespaces(), expected);
    assert!(!server.log().contains("CRITICAL"), "{}", server.log());
}

#[test]
fn a_snapshot_has_them() {
    let mut server = Server::start();
    fill(&mut server.client());
    let expected = server.client().namespaces();
    server.client().run("SAVE");
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
    assert_eq!(server.client().run("GET user:42").text(), "x");
    let mut client = server.client();
    client.forget_namespaces();
    client.run("SAVE");
    server.start_again();
    assert!(server.client().namespace_names().is_empty());
}

#[test]
fn reloading_the_data_keeps_them() {
    let server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    let expected = client.namespaces();
    assert_eq!(client.run("DEBUG RELOAD").text(), "OK");
    assert_eq!(client.namespaces(), expected);
}

#[test]
fn a_snapshot_without_namespaces_loads_without_the_module() {
    let server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    client.forget_namespaces();
    client.run("SAVE");
    let rdb = fs::read(server.dir.join("dump.rdb")).unwrap();
    let plain = Options::without_module().file("dump.rdb", rdb).start();
    assert_eq!(plain.digest(), server.digest());
}

#[test]
fn a_snapshot_with_namespaces_needs_the_module_unless_they_are_left_out() {
    let server = Server::start();
    fill(&mut server.client());
    server.client().run("SAVE");
    let rdb = fs::read(server.dir.join("dump.rdb")).unwrap();
    let plain = Options::without_module().file("dump.rdb", rdb);
    match server.has_module_data() {
        true => assert!(plain.refused().contains("keyns-reg")),
        false => {
            let json = plain.start().client().run("GET keyns:_registry").text();
            assert_eq!(json, server.client().namespaces());
        }
    }
    let server = Options::new()
        .module_arguments(&["namespaces-in-rdb", "no"])
        .start();
    fill(&mut server.client());
    server.client().run("SAVE");
    let rdb = fs::read(server.dir.join("dump.rdb")).unwrap();
    let plain = Options::without_module().file("dump.rdb", rdb).start();
    assert_eq!(plain.digest(), server.digest());
}

#[test]
fn without_snapshots_replicas_and_the_aof_have_them_all_the_same() {
    let options = || Options::new().module_arguments(&["namespaces-in-rdb", "no"]);
    let mut server = options().durable().start();
    fill(&mut server.client());
    let expected = server.client().namespaces();
    let replica = options().start();
    replica.follow(&server);
    wait_for(&expected, &replica);
    rewrite_aof(&mut server.client());
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
    let mut server = options().start();
    fill(&mut server.client());
    server.client().run("SAVE");
    server.start_again();
    assert!(server.client().namespace_names().is_empty());
}

/// A file with one namespace in it, and a server that reads it.
fn with_file(json: &str) -> Options {
    Options::new()
        .file("namespaces.json", json)
        .module_arguments(&["namespaces", "namespaces.json"])
}

#[test]
fn a_file_is_all_that_a_start_brings_back() {
    let json = namespaces_json(&[("filed", "filed:<x>")]);
    let mut server = with_file(&json).durable().start();
    let mut client = server.client();
    assert_eq!(client.namespace_names(), ["filed"]);
    assert_eq!(client.run("KEYNS.KEY filed a").text(), "filed:a");
    fill(&mut client);
    client.run("KEYNS.NS.DEL filed");
    let changed = client.namespaces();
    assert!(client.namespace_names().len() > 5);
    server.start_again();
    let mut client = server.client();
    assert_eq!(client.namespace_names(), ["filed"]);
    assert_eq!(client.run("GET user:42").text(), "x");
    // Also from the snapshot that an AOF begins with, and from an RDB.
    fill(&mut client);
    rewrite_aof(&mut client);
    server.start_again();
    assert_eq!(server.client().namespace_names(), ["filed"]);
    let mut server = with_file(&json).start();
    fill(&mut server.client());
    server.client().run("SAVE");
    server.start_again();
    assert_eq!(server.client().namespace_names(), ["filed"]);
    assert_ne!(server.client().namespaces(), changed);
}

/// What the AOF says may contradict the file. It is passed over, and not an error of the AOF.
#[test]
fn changes_in_the_aof_that_contradict_the_file_do_not_keep_a_server_from_starting() {
    let json = namespaces_json(&[("filed", "filed:<x>")]);
    let mut server = with_file(&json)
        .durable()
        .set("--propagation-error-behavior", &["panic"])
        .start();
    let mut client = server.client();
    client.run("KEYNS.NS.DEL filed");
    client.run("KEYNS.NS.SET other PATTERN filed:<y>");
    client.run("SET a:b c");
    server.start_again();
    let mut client = server.client();
    assert_eq!(client.namespace_names(), ["filed"]);
    assert_eq!(client.run("GET a:b").text(), "c");
}

#[test]
fn a_file_goes_over_what_was_there_before_it() {
    let json = namespaces_json(&[("filed", "filed:<x>")]);
    let mut server = Options::new().durable().start();
    fill(&mut server.client());
    server.start_again_as(with_file(&json).durable());
    assert_eq!(server.client().namespace_names(), ["filed"]);
    let path = server.client().run("CONFIG GET keyns.namespaces").fields();
    assert_eq!(path["keyns.namespaces"].text(), "namespaces.json");
    // Over an empty file, too.
    server.start_again_as(with_file(r#"{"namespaces": []}"#).durable());
    assert!(server.client().namespace_names().is_empty());
}

#[test]
fn a_primary_goes_over_the_file_of_its_replica() {
    let json = namespaces_json(&[("filed", "filed:<x>")]);
    let server = Server::start();
    fill(&mut server.client());
    let replica = with_file(&json).start();
    replica.follow(&server);
    wait_for(&server.client().namespaces(), &replica);
    server.client().define("late", "late:<x>", "");
    wait_for(&server.client().namespaces(), &replica);
    // And the file of a primary goes to its replicas.
    let server = with_file(&json).start();
    replica.follow(&server);
    wait_for(&server.client().namespaces(), &replica);
    assert_eq!(replica.client().namespace_names(), ["filed"]);
}

#[test]
fn a_wrong_file_stops_the_start_and_the_log_says_where() {
    let entry = |pattern: &str| namespaces_json(&[("fine", "fine:<x>"), ("bad", pattern)]);
    for (json, reason) in [
        (
            Some("{".to_owned()),
            "JSON: EOF while parsing an object at line 1 column 1",
        ),
        (Some(String::new()), "JSON: EOF while parsing a value"),
        (
            Some(entry("bad:<x")),
            "namespace 'bad': PATTERN at column 5: '<' is not closed",
        ),
        (
            Some(entry("fine:<y>")),
            "the pattern of 'bad' cannot be distinguished from that of 'fine'",
        ),
        (None, "No such file or directory"),
    ] {
        let options = match &json {
            Some(json) => with_file(json),
            None => Options::new().module_arguments(&["namespaces", "namespaces.json"]),
        };
        let log = options.refused();
        let line = log
            .lines()
            .find(|line| line.contains("keyns cannot be loaded: "));
        let line = line.unwrap_or_else(|| panic!("{log}"));
        assert!(
            line.contains("namespaces file 'namespaces.json': "),
            "{line}"
        );
        assert!(line.contains(reason), "{reason}\n{line}");
    }
    let log = Options::new().set("--keyns.namespaces", &["/"]).refused();
    assert!(log.contains("namespaces file '/': "), "{log}");
}

#[test]
fn a_file_can_be_named_in_the_configuration_and_only_there() {
    let json = namespaces_json(&[("filed", "filed:<x>")]);
    let server = Options::new()
        .file("n.json", json)
        .set("--keyns.namespaces", &["n.json"])
        .start();
    let mut client = server.client();
    assert_eq!(client.namespace_names(), ["filed"]);
    for (name, value) in [
        ("keyns.namespaces", "other.json"),
        ("keyns.namespaces-in-rdb", "no"),
    ] {
        let error = client.call(&["CONFIG", "SET", name, value]).text();
        assert!(error.contains("can't set immutable config"), "{error}");
    }
}

#[test]
fn a_file_can_be_loaded_with_the_module_at_run_time() {
    let server = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .file("good.json", namespaces_json(&[("filed", "filed:<x>")]))
        .file("bad.json", "[]")
        .start();
    let mut client = server.client();
    let path = Options::module_path().display().to_string();
    for bad in ["bad.json", "nothing.json"] {
        let reply = client.call(&["MODULE", "LOAD", &path, "namespaces", bad]);
        assert!(reply.is_error(), "{bad}");
        assert!(client.run("KEYNS.NS.LIST").is_error());
    }
    let load = ["MODULE", "LOAD", &path, "namespaces", "good.json"];
    assert_eq!(client.call(&load).text(), "OK", "{}", server.log());
    assert_eq!(client.namespace_names(), ["filed"]);
    let log = server.log();
    assert!(
        log.contains("namespaces file 'bad.json': JSON: must be an object"),
        "{log}"
    );
}

#[test]
fn unloading_forgets_them_where_the_server_lets_the_module_go() {
    let server = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .start();
    let mut client = server.client();
    let path = Options::module_path().display().to_string();
    for round in 0..4 {
        let load = ["MODULE", "LOAD", &path, "namespaces-in-rdb", "no"];
        assert_eq!(client.call(&load).text(), "OK", "{round}: {}", server.log());
        assert!(client.namespace_names().is_empty(), "{round}");
        // With some, and with none.
        if round % 2 == 0 {
            fill(&mut client);
        }
        assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK", "{round}");
        assert!(client.run("KEYNS.NS.LIST").is_error());
        assert_eq!(client.run("SAVE").text(), "OK");
    }
    assert_eq!(client.call(&["MODULE", "LOAD", &path]).text(), "OK");
    fill(&mut client);
    let reply = client.run("MODULE UNLOAD keyns");
    assert_eq!(reply.is_error(), server.has_module_data(), "{reply:?}");
    if server.has_module_data() {
        assert_eq!(client.run("KEYNS.KEY user 42").text(), "user:42");
    }
}

#[test]
fn memory_comes_back_with_the_module() {
    let server = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .start();
    let mut client = server.client();
    let path = Options::module_path().display().to_string();
    let many: Vec<(String, String)> = (0..5000)
        .map(|n| {
            (
                format!("n{n}"),
                format!("name{n}:<a:int>:{{<b>}}:v<c:int>[:<d>]"),
            )
        })
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let json = namespaces_json(&many);
    let mut used = Vec::new();
    for _ in 0..4 {
        let load = ["MODULE", "LOAD", &path, "namespaces-in-rdb", "no"];
        assert_eq!(client.call(&load).text(), "OK");
        assert_eq!(client.call(&["KEYNS.NS.LOAD", &json]).integer(), 5000);
        assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
        // The connection's buffers come back too, with it: ask on a new one, when the old one is gone.
        client = server.client();
        wait_until("the old connection is gone", || {
            client.info("clients", "connected_clients") == "1"
        });
        used.push(client.info("memory", "used_memory").parse::<i64>().unwrap());
    }
    let growth = used[3] - used[1];
    assert!(growth < 200_000, "{used:?}");
}

#[test]
fn reads_and_refusals_add_nothing_to_the_aof() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    fill(&mut client);
    let before = aof_commands(&server);
    for line in [
        "KEYNS.NS.GET user",
        "KEYNS.NS.LIST",
        "KEYNS.NS.DUMP",
        "KEYNS.NS.DUMP MARKDOWN",
        "KEYNS.KEY user 42",
        "KEYNS.KEY user x",
        "KEYNS.CHECK user:42 user:x nothing",
        "KEYNS.PARSE user:42",
        "KEYNS.NS.DEL nothing",
        "KEYNS.NS.SET n PATTERN user:<n:int>",
        "KEYNS.NS.SET n PATTERN <",
        "KEYNS.NS.LOAD {}",
        "KEYNS.NS.PRESET nothing",
        "KEYNS.NS.PRESET general FOO",
    ] {
        client.run(line);
    }
    assert_eq!(aof_commands(&server), before);
    let names: Vec<String> = before
        .iter()
        .map(|command| String::from_utf8_lossy(&command[0]).to_uppercase())
        .filter(|name| name.starts_with("KEYNS."))
        .collect();
    let expected = ["SET", "SET", "SET", "DEL", "LOAD", "LOAD"];
    assert_eq!(names, expected.map(|name| format!("KEYNS.NS.{name}")));
    let preset = before
        .iter()
        .find(|command| command.len() == 3 && command[2] == b"REPLACE");
    assert!(preset.is_some(), "a preset as JSON");
}

#[test]
fn a_server_without_namespaces_tells_its_replicas_nothing_of_them() {
    let server = Server::start();
    server.client().run("SET key x");
    let plain = Options::without_module().start();
    plain.follow(&server);
    server.client().run("WAIT 1 10000");
    assert_eq!(plain.client().run("GET key"), Value::bulk("x"));
    assert_eq!(plain.digest(), server.digest());
}

/// A replica need not load the primary's data again after a restart, and so may keep what it has.
#[test]
fn a_replica_agrees_with_a_primary_that_starts_again() {
    let json = namespaces_json(&[("filed", "filed:<x>")]);
    let at_once = |options: Options| options.set("--repl-diskless-sync-delay", &["0"]);
    for options in [with_file(&json), Options::new()] {
        let mut server = at_once(options).start();
        let mut client = server.client();
        let replica = server.replica();
        fill(&mut client);
        wait_for(&client.namespaces(), &replica);
        client.run("WAIT 1 10000");
        // It saves the place in the stream, from which the replica may go on.
        let _ = client.try_call(&["SHUTDOWN", "SAVE"]);
        server.start_again();
        let expected = server.client().namespaces();
        wait_until("the replica is back", || {
            server.client().info("replication", "connected_slaves") == "1"
        });
        wait_for(&expected, &replica);
        server.client().define("late", "late:<x>", "");
        wait_for(&server.client().namespaces(), &replica);
        assert!(!replica.log().contains("CRITICAL"), "{}", replica.log());
    }
}

/// A device ended the server, and a pipe held it up until somebody wrote into it.
#[test]
fn only_a_regular_file_is_read() {
    for path in ["/dev/zero", "/dev/fd/0", "."] {
        let log = Options::new().set("--keyns.namespaces", &[path]).refused();
        let reason = format!("namespaces file '{path}': it is not a regular file");
        assert!(log.contains(&reason), "{log}");
    }
}

/// A pattern such as `user:%s` was literal text once, and is a mistake by now. What is in a file, in the
/// data or at a primary loads all the same.
#[test]
fn a_spelling_that_is_refused_by_now_still_loads() {
    let json = namespaces_json(&[("old", "old:%s:${id}:$x:#{a}:%{b}:%05d")]);
    let server = Server::start();
    let refused = server.client().call(&["KEYNS.NS.LOAD", &json]);
    assert!(refused.is_error());
    let primary = with_file(&json).start();
    assert_eq!(primary.client().namespace_names(), ["old"]);
    assert_eq!(primary.client().run("SAVE").text(), "OK");
    let dump = primary.dir.join("dump.rdb");
    let copy = Options::new().start_with(&dump, "dump.rdb");
    assert_eq!(copy.client().namespace_names(), ["old"]);
    let replica = primary.replica();
    wait_until("the replica has them", || {
        replica.client().namespace_names() == ["old"]
    });
    // By the AOF, as an earlier version wrote it.
    let mut server = Options::new().durable().start();
    server.client().define("new", "new:<x>", "");
    let words = ["KEYNS.NS.SET", "old", "PATTERN", "old:%s"];
    let mut command = format!("*{}\r\n", words.len());
    for word in words {
        command += &format!("${}\r\n{word}\r\n", word.len());
    }
    server.kill();
    let folder = server.dir.join("appendonlydir");
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let last = entries
        .filter(|path| path.to_string_lossy().ends_with(".incr.aof"))
        .max();
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(last.unwrap())
        .unwrap();
    std::io::Write::write_all(&mut file, command.as_bytes()).unwrap();
    server.start_again();
    assert_eq!(server.client().namespace_names(), ["new", "old"]);
}
