//! What keeps the module loaded. Without these refusals, servers would crash sooner or later.

use keyns_testkit::{Client, Options, Server, Value, wait_until};

use super::{assert_well, is_refusal, load, options, start, unload};

/// A server, a client, and another client that will ask for the module to go.
fn scene() -> (Server, Client, Client) {
    let server = start();
    let [client, other] = [server.client(), server.client()];
    (server, client, other)
}

/// Fails unless the module stays, for a reason that the log names.
#[track_caller]
fn assert_stays(server: &Server, client: &mut Client, reason: &str) {
    let reply = unload(client);
    assert!(is_refusal(&reply), "{reply:?}");
    assert_reason(server, reason);
}

#[track_caller]
fn assert_reason(server: &Server, reason: &str) {
    let log = server.log();
    let said = log
        .lines()
        .rfind(|line| line.contains("keyns cannot be unloaded: "));
    assert!(said.is_some_and(|line| line.contains(reason)), "{log}");
}

/// As [`assert_reason`], for rules that name our commands. Valkey looks for them itself from 9.1 on, and
/// refuses before it asks the module.
#[track_caller]
fn assert_rules(server: &Server, user: &str) {
    let ours = format!("keyns cannot be unloaded: the rules of user {user} contain ");
    let theirs = "Module keyns unload blocked: An ACL user has reference to rule ";
    let log = server.log();
    let said = log.lines().rfind(|line| {
        line.contains("keyns cannot be unloaded: ")
            || line.contains("Module keyns unload blocked: ")
    });
    assert!(
        said.is_some_and(|line| line.contains(&ours) || line.contains(theirs)),
        "{log}"
    );
}

/// Fails unless the module goes, and the server and its clients are well without it.
#[track_caller]
fn assert_goes(server: &Server, mut client: Client, mut other: Client) {
    assert_eq!(unload(&mut other).text(), "OK");
    for _ in 0..3 {
        let error = client.run("KEYNS.MAKE doc intro").text();
        assert!(error.contains("unknown command"), "{error}");
        // These look at what clients have called and what users may call.
        for line in [
            "CLIENT LIST",
            "ACL LIST",
            "INFO everything",
            "COMMAND COUNT",
        ] {
            assert!(!other.run(line).is_error(), "{line}");
        }
        load(&mut other);
        let name = client.run("KEYNS.MAKE doc intro").text();
        assert!(name.starts_with("doc:intro:"), "{name}");
        client.run("PING");
        assert_eq!(unload(&mut other).text(), "OK");
    }
    assert_well(server);
}

/// Redis 8 would call the command again without looking it up.
#[test]
fn the_module_stays_while_it_is_what_a_client_called_last() {
    let (server, mut client, mut other) = scene();
    for line in ["KEYNS.MAKE doc intro", "KEYNS.SLUG text", "KEYNS.MAKE"] {
        client.run(line);
        assert_stays(&server, &mut other, " last: have it call something else");
        assert!(!other.run("CLIENT LIST").is_error());
    }
    client.run("PING");
    assert_goes(&server, client, other);
}

#[test]
fn the_module_goes_when_the_client_that_called_it_last_does() {
    let (server, mut client, mut other) = scene();
    client.run("KEYNS.MAKE doc intro");
    assert_stays(&server, &mut other, " called KEYNS.MAKE last: ");
    drop(client);
    wait_until("the client is gone", || {
        other.info("clients", "connected_clients") == "1"
    });
    assert_goes(&server, server.client(), other);
}

#[test]
fn the_module_stays_while_its_commands_are_queued() {
    let (server, mut client, mut other) = scene();
    client.run("MULTI");
    client.run("KEYNS.MAKE doc intro");
    // Then the queued command is not the client's last one.
    client.run("GET x");
    assert_stays(&server, &mut other, "has commands queued in MULTI");
    let replies = client.run("EXEC");
    assert_eq!(replies.array()[0].text(), "doc:intro:001");
    assert_goes(&server, client, other);
}

#[test]
fn the_module_stays_while_a_transaction_that_asks_it_to_go_runs() {
    let (server, mut client, other) = scene();
    client.run("MULTI");
    client.run("MODULE UNLOAD keyns");
    client.run("KEYNS.MAKE doc intro");
    let replies = client.run("EXEC");
    assert!(is_refusal(&replies.array()[0]), "{replies:?}");
    assert_eq!(replies.array()[1].text(), "doc:intro:001");
    assert_reason(&server, "has commands queued in MULTI");
    assert_goes(&server, client, other);
}

#[test]
fn the_module_stays_while_a_call_waits_for_the_end_of_a_pause() {
    let (server, mut client, mut other) = scene();
    other.run("CLIENT PAUSE 60000 WRITE");
    client.send(&["KEYNS.MAKE", "doc", "intro"]).unwrap();
    wait_until("the call waits", || {
        other.info("clients", "blocked_clients") == "1"
    });
    assert_stays(&server, &mut other, " called KEYNS.MAKE last: ");
    // In one packet, before the paused call can run.
    let replies = other.pipeline(&[vec!["CLIENT", "UNPAUSE"], vec!["MODULE", "UNLOAD", "keyns"]]);
    assert!(is_refusal(&replies[1]), "{replies:?}");
    assert_eq!(client.receive().unwrap().text(), "doc:intro:001");
    client.run("PING");
    assert_goes(&server, client, other);
}

#[test]
fn the_module_stays_while_rules_name_its_commands() {
    let (server, client, mut other) = scene();
    for rules in [
        "+keyns.make",
        "+@all -keyns.make",
        "~* +@read (~doc:* +KEYNS.MAKE)",
    ] {
        let set = format!("ACL SETUSER ada on nopass {rules}");
        assert_eq!(other.run(&set).text(), "OK");
        let reply = unload(&mut other);
        assert!(is_refusal(&reply), "{reply:?}");
        assert_rules(&server, "ada");
        assert!(!other.run("ACL LIST").is_error());
        other.run("ACL DELUSER ada");
    }
    // Rules that name none of our commands do not matter.
    other.run("ACL SETUSER bob on nopass ~keyns.* +@all -@dangerous");
    assert_goes(&server, client, other);
}

/// A primary and its replica, each with a client. The primary's last message is a namespace.
fn primary_and_replica() -> ((Server, Client), (Server, Client)) {
    let (primary, replica) = (Server::start(), start());
    replica.follow(&primary);
    let (mut client, mut other) = (primary.client(), replica.client());
    // Keeps the primary from sending a ping in between.
    client.run("CONFIG SET repl-ping-replica-period 3600");
    client.define("user", "user:<id:int>", "");
    // WAIT would send another message.
    wait_until("the replica has it", || other.namespace_names() == ["user"]);
    ((primary, client), (replica, other))
}

#[test]
fn the_module_stays_while_it_is_what_the_primary_sent_last() {
    let ((_primary, mut client), (replica, mut other)) = primary_and_replica();
    assert_stays(&replica, &mut other, "KEYNS.NS.SET");
    wait_until("the primary has sent something else last", || {
        client.run("SET x 1");
        client.run("WAIT 1 60000");
        unload(&mut other).text() == "OK"
    });
    load(&mut other);
    client.define("user", "user:<name>", "");
    client.run("WAIT 1 60000");
    assert_eq!(other.namespace_names(), ["user"]);
    assert_well(&replica);
}

/// While the link is down, the server keeps its primary as a client that no list shows. It crashed when
/// it looked up that client's last command.
#[test]
fn the_module_stays_while_the_link_to_the_primary_is_down() {
    let ((mut primary, mut client), (replica, mut other)) = primary_and_replica();
    client.run("KEYNS.NS.DEL user");
    wait_until("it is gone there too", || {
        other.namespace_names().is_empty()
    });
    primary.kill();
    wait_until("the link is down", || {
        other.info("replication", "master_link_status") == "down"
    });
    for _ in 0..3 {
        assert_stays(&replica, &mut other, "the link to the primary is down");
        assert!(!other.run("CLIENT LIST").is_error());
        assert!(!other.run("INFO everything").is_error());
    }
    // The module may go once no primary can come back.
    other.run("REPLICAOF NO ONE");
    assert_goes(&replica, replica.client(), other);
}

fn load_line() -> Vec<String> {
    let path = Options::module_path().display().to_string();
    let words = ["MODULE", "LOAD", &path];
    let words = words.iter().chain(&super::ARGUMENTS);
    words.map(|&word| word.into()).collect()
}

/// The module cannot tell such a request from a failed load, which the server rolls back.
#[test]
fn the_module_stays_in_the_transaction_that_loaded_it() {
    let (server, mut client, mut other) = scene();
    for reset in ["PING", "CONFIG RESETSTAT"] {
        assert_eq!(unload(&mut other).text(), "OK");
        client.run("MULTI");
        client.call(&load_line());
        client.run("ACL SETUSER u +keyns.slug");
        client.run(reset);
        client.run("MODULE UNLOAD keyns");
        let replies = client.run("EXEC");
        assert!(is_refusal(&replies.array()[3]), "{replies:?}");
        assert_rules(&server, "u");
        assert!(!other.run("ACL LIST").is_error());
        other.run("ACL DELUSER u");
    }
    // The same without a rule.
    assert_eq!(unload(&mut other).text(), "OK");
    client.run("MULTI");
    client.call(&load_line());
    client.run("MODULE UNLOAD keyns");
    let replies = client.run("EXEC");
    assert!(is_refusal(&replies.array()[1]), "{replies:?}");
    assert_reason(&server, "has commands queued in MULTI");
    assert_goes(&server, client, other);
}

/// The server's threads look up commands ahead of time, and the module cannot see for which client.
#[test]
fn the_module_stays_where_threads_look_commands_up() {
    let server = options().set("--io-threads", &["2"]).start();
    let [client, mut other] = [server.client(), server.client()];
    // The threads of Redis 7.0 look nothing up.
    if server.has_module_categories() {
        assert_stays(&server, &mut other, "io-threads look up ");
        assert_well(&server);
    } else {
        assert_goes(&server, client, other);
    }
}

/// A load that fails because it names an unknown setting.
fn failing_load() -> Vec<String> {
    let path = Options::module_path().display().to_string();
    let line = ["MODULE", "LOADEX", &path, "CONFIG", "keyns.nonsense", "1"];
    let arguments = ["ARGS", "namespaces-in-rdb", "no"];
    let words = line.iter().chain(&arguments);
    words.map(|&word| word.into()).collect()
}

/// The server itself unloads the module after a failed load, and Redis 8 crashes if the module refuses.
/// Redis 7.0 keeps the module where a failed load looks like a request.
#[track_caller]
fn assert_taken_back(server: &Server) {
    assert_well(server);
    let reply = server.client().run("KEYNS.SLUG text");
    let is_gone = reply.is_error() && reply.text().contains("unknown command");
    assert!(is_gone || !server.has_module_categories(), "{reply:?}");
}

#[test]
fn a_load_that_fails_is_taken_back_while_others_have_queues() {
    let (server, mut client, mut other) = scene();
    assert_eq!(unload(&mut other).text(), "OK");
    client.run("MULTI");
    client.run("GET x");
    // By another client, so no client has asked for anything to be unloaded.
    drop(other);
    let mut other = server.client();
    wait_until("the one who asked is gone", || {
        other.info("clients", "connected_clients") == "2"
    });
    assert!(other.call(&failing_load()).is_error());
    let error = other.run("KEYNS.SLUG text").text();
    assert!(error.contains("unknown command"), "{error}");
    assert_eq!(client.run("EXEC").array(), [Value::Null]);
    assert_well(&server);
}

#[test]
fn a_load_that_fails_in_a_transaction_is_taken_back() {
    let (server, mut client, mut other) = scene();
    assert_eq!(unload(&mut other).text(), "OK");
    client.run("MULTI");
    client.call(&failing_load());
    assert!(client.run("EXEC").array()[0].is_error());
    assert_taken_back(&server);
}

#[test]
fn a_load_that_fails_beside_one_who_asked_before_is_taken_back() {
    let (server, mut client, mut other) = scene();
    assert_eq!(unload(&mut other).text(), "OK");
    client.run("MULTI");
    client.run("GET x");
    assert!(server.client().call(&failing_load()).is_error());
    assert_taken_back(&server);
}

#[test]
fn a_load_that_fails_where_clients_cannot_be_listed_is_taken_back() {
    let server = Options::without_module()
        .set("--rename-command", &["CLIENT", ""])
        .set("--enable-module-command", &["yes"])
        .start();
    assert!(server.client().call(&failing_load()).is_error());
    assert_taken_back(&server);
}
