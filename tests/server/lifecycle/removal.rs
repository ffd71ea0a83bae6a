//! "Removing the module" of docs/operations.md, performed line by line, and what happens if you skip
//! lines.

use std::fs;

use keyns_testkit::{
    Node, Options, Page, Server, Value, ingest, keyspace, perform, rewrite_aof, steps, wait_until,
};

/// Everything that a removal has to remove.
const LINES: &str = "\
keyns.lang en
keyns.kinds \"doc ch\"
user namer on >secret ~doc:* -@all +get +keyns.make -keyns.drop
user ada on >secret ~* +@all -KEYNS.DROP
appendonly yes
appendfsync always
";

/// Something of every family but namespaces.
fn fill(server: &Server) {
    let mut client = server.client();
    client.run("KEYNS.MAKE doc Intro");
    client.run("KEYNS.MAKE doc Intro NUMBERING SLUG");
    ingest(&mut client, "guide", "# Moss\n\ngrows.\n", "");
    client.run("KEYNS.RATE rate:api BUCKET 10 1 100d COST 4");
    client.run("KEYNS.LOCK lock:report ada PX 600000");
    client.run("KEYNS.SEEN dup:order:4711");
    client.run("KEYNS.ADVANCE ver:order:4711 3");
    client.run("KEYNS.CHECKPOINT cp:orders 17");
    client.run("KEYNS.COUNT visits GRAIN DAY AT 1794735000 KEEP 0");
}

/// A server with namespaces in its data.
fn with_namespaces(options: Options) -> Server {
    let server = options.start();
    fill(&server);
    server.client().define("user", "user:<id:int>", "");
    server
}

#[track_caller]
fn assert_free_of_the_module(node: &Node) {
    let mut client = node.client();
    let modules = client.run("MODULE LIST");
    let mut modules = modules.array().iter().map(Value::fields);
    assert!(modules.all(|module| module["name"].text() != "keyns"));
    assert!(client.run("CONFIG GET keyns.*").array().is_empty());
    assert!(!client.run("INFO everything").text().contains("keyns_"));
    assert!(client.run("KEYNS.SLUG x").is_error());
    for user in client.run("ACL LIST").array() {
        assert!(!user.text().to_lowercase().contains("keyns"), "{user:?}");
    }
    assert_eq!(client.run("ACL DRYRUN namer GET doc:x").text(), "OK");
    for line in node.configuration().to_lowercase().lines() {
        let is_ours = line.starts_with("keyns.") || line.contains("libkeyns");
        let names_us = line.starts_with("user ") && line.contains("keyns");
        assert!(!is_ours && !names_us, "{line}");
    }
}

#[test]
fn after_the_steps_all_data_is_there_for_plain_commands() {
    let mut node = Node::start(&Options::module_path(), LINES);
    fill(&node.server);
    node.client().define("user", "user:<id:int>", "");
    if node.server.has_module_categories() {
        node.client().run("ACL SETUSER eve on +@keyns");
    }
    let rewritten = node.client().run("CONFIG REWRITE");
    assert_eq!(rewritten.text(), "OK");
    let (digest, before) = (node.server.digest(), keyspace(&mut node.client()));
    let page = Page::operations();
    let mut all = steps(&page, "### Removing namespaces");
    all.extend(steps(&page, "### Removing the rest"));
    perform(
        &all,
        &mut [("server", &mut node)],
        &Options::module_path(),
        |_| (),
    );
    assert_free_of_the_module(&node);
    assert_eq!(node.server.digest(), digest);
    let mut client = node.client();
    assert_eq!(keyspace(&mut client), before);
    assert_eq!(client.run("GET doc:_seq").text(), "1");
    assert_eq!(client.run("HGET doc:_slugs intro").text(), "2");
    assert_eq!(client.run("HGET guide:moss:001 title").text(), "Moss");
    assert_eq!(client.run("GET lock:report").text(), "ada");
    assert!(client.run("PTTL lock:report").integer() > 0);
    assert_eq!(client.run("HGET cp:orders position").text(), "17");
    assert_eq!(client.run("GET visits:2026:11:15").text(), "1");
    // Once more from only the RDB.
    let rdb = fs::read(node.server.dir.join("dump.rdb")).unwrap();
    let plain = Options::without_module().file("dump.rdb", rdb).start();
    assert_eq!(plain.digest(), digest);
}

#[test]
fn a_replica_without_the_module_follows_and_takes_over() {
    let mut primary = Node::start(&Options::module_path(), LINES);
    let of = format!("replicaof 127.0.0.1 {}\n", primary.server.port);
    let mut replica = Node::start(&Options::module_path(), &(LINES.to_owned() + &of));
    wait_until("the replica follows", || replica.follows().is_some());
    primary.client().define("user", "user:<id:int>", "");
    let page = Page::operations();
    let module = Options::module_path();
    let [namespaces, rest] =
        ["### Removing namespaces", "### Removing the rest"].map(|heading| steps(&page, heading));
    let mut client = primary.client();
    perform(
        &namespaces,
        &mut [("primary", &mut primary)],
        &module,
        |_| (),
    );
    client.run("WAIT 1 10000");
    wait_until("the replica has none", || {
        replica.client().namespace_names().is_empty()
    });
    perform(&rest, &mut [("replica", &mut replica)], &module, |_| ());
    assert_free_of_the_module(&replica);
    wait_until("the replica follows", || replica.follows().is_some());
    // Whatever the primary does with the module's commands.
    fill(&primary.server);
    let same = |primary: &Node, replica: &Node| primary.server.digest() == replica.server.digest();
    wait_until("both have the same", || same(&primary, &replica));
    let log = replica.server.log();
    assert!(!log.contains("CRITICAL"), "{log}");
    let to = format!(
        "FAILOVER TO 127.0.0.1 {} TIMEOUT 10000",
        replica.server.port
    );
    assert_eq!(primary.client().run(&to).text(), "OK");
    wait_until("the failover is over", || primary.follows().is_some());
    assert_eq!(primary.client().run("CONFIG REWRITE").text(), "OK");
    perform(&rest, &mut [("primary", &mut primary)], &module, |_| ());
    assert_free_of_the_module(&primary);
    wait_until("it follows", || primary.follows().is_some());
    replica.client().run("INCR doc:_seq");
    wait_until("both have the same", || same(&primary, &replica));
    assert_eq!(primary.client().run("GET doc:_seq").text(), "2");
}

/// Fails unless both the log and the page have this text.
#[track_caller]
fn assert_said(log: &str, text: &str) {
    assert!(log.contains(text), "not in the log: {text}\n{log}");
    let page = Page::operations();
    let section = page.section("### Removed the wrong way");
    assert!(section.contains(text), "not on the page: {text}");
}

const IN_RDB: &str =
    "The RDB file contains AUX module data I can't load: no matching module 'keyns-reg'";

#[test]
fn namespaces_left_in_the_rdb_stop_a_server_without_the_module_and_nothing_is_lost() {
    let mut server = with_namespaces(Options::new());
    server.client().run("SAVE");
    let digest = server.digest();
    if !server.has_module_data() {
        server.start_again_as(Options::without_module());
        assert_eq!(server.client().run("DEL keyns:_registry").integer(), 1);
        assert_eq!(server.digest(), digest);
        return;
    }
    let rdb = fs::read(server.dir.join("dump.rdb")).unwrap();
    let plain = Options::without_module().file("dump.rdb", rdb.clone());
    assert_said(&plain.refused(), IN_RDB);
    // The way out: load the module again.
    let back = Options::new().file("dump.rdb", rdb).start();
    assert_eq!(back.digest(), digest);
    assert_eq!(back.client().namespace_names(), ["user"]);
}

/// A server without the module that loads the AOF of this one.
fn without_module_on(server: &Server) -> Result<Server, String> {
    let folder = server.dir.join("appendonlydir");
    let options = Options::without_module().durable();
    options.start_on(&folder, "appendonlydir")
}

#[test]
fn namespaces_left_in_the_aof_stop_a_server_without_the_module_until_it_is_rewritten() {
    let server = with_namespaces(Options::new().durable());
    let digest = server.digest();
    let mut client = server.client();
    let is_valkey = client.run("INFO server").text().contains("valkey_version");
    let expected = match is_valkey {
        true => "error: unknown command 'KEYNS.NS.",
        false => "Unknown command 'KEYNS.NS.",
    };
    let assert_refused = || {
        let log = without_module_on(&server).err().expect("it does not start");
        assert_said(&log, expected);
    };
    assert_refused();
    client.forget_namespaces();
    assert_refused();
    rewrite_aof(&mut client);
    let plain = without_module_on(&server).unwrap_or_else(|log| panic!("{log}"));
    assert_eq!(plain.digest(), digest);
}

#[test]
fn lines_left_in_the_configuration_stop_a_server_without_the_module() {
    let log = Options::without_module()
        .set("--keyns.lang", &["en"])
        .refused();
    assert_said(
        &log,
        "Module Configuration detected without loadmodule directive or no ApplyConfig call: aborting",
    );
    let rules = "on >secret ~doc:* -@all +keyns.make";
    let users = format!("user default on nopass ~* &* +@all\nuser namer {rules}\n");
    let log = Options::without_module()
        .file("users.acl", users)
        .set("--aclfile", &["users.acl"])
        .refused();
    assert_said(
        &log,
        "Error in applying operation '+keyns.make': Unknown command or category name in ACL",
    );
    let words: Vec<&str> = ["namer"].into_iter().chain(rules.split(' ')).collect();
    let log = Options::without_module().set("--user", &words).refused();
    assert_said(
        &log,
        "Error loading ACL rule '+keyns.make' for the user named 'namer': Unknown command or category name in ACL",
    );
    let log = Options::without_module()
        .set("--loadmodule", &["/nowhere/libkeyns.so"])
        .refused();
    assert_said(
        &log.replace("/nowhere/", "/usr/lib/redis/modules/"),
        "Can't load module from /usr/lib/redis/modules/libkeyns.so: server aborting",
    );
}

#[test]
fn a_replica_without_the_module_logs_namespaces_as_errors_and_continues() {
    let server = Server::start();
    let replica = Options::without_module().start();
    replica.follow(&server);
    server.client().define("user", "user:<id:int>", "");
    fill(&server);
    wait_until("both have the same", || server.digest() == replica.digest());
    let critical = "== CRITICAL == This replica is sending an error to its";
    assert_said(&replica.log(), critical);
    assert!(replica.log().contains("unknown command 'KEYNS.NS.SET'"));
}

#[test]
fn a_snapshot_with_namespaces_ends_a_replica_that_cannot_read_it() {
    let server = with_namespaces(Options::new());
    let without = Options::without_module();
    let other_setting = Options::new().module_arguments(&["namespaces-in-rdb", "no"]);
    for (options, has_module) in [(without, false), (other_setting, true)] {
        let replica = options.set("--repl-diskless-load", &["disabled"]).start();
        let mut client = replica.client();
        let of = format!("REPLICAOF 127.0.0.1 {}", server.port);
        server.client().run("CONFIG SET repl-diskless-sync-delay 0");
        client.run(&of);
        if server.has_module_data() {
            wait_until("it ends", || client.try_call(&["PING"]).is_err());
            assert_said(&replica.log(), IN_RDB);
        } else {
            wait_until("the snapshot is there", || {
                client.info("replication", "master_link_status") == "up"
            });
            let is_seen = client.run("EXISTS keyns:_registry").integer() == 1;
            assert_eq!(is_seen, !has_module);
            assert_eq!(server.digest() == replica.digest(), has_module);
        }
    }
}
