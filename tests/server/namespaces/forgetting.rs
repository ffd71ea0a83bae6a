//! A server that would forget its namespaces says so, once.

use keyns_testkit::{Options, Server, namespaces_json, wait_until};

const WARNING: &str = "the namespaces are in memory only";

fn warnings(server: &Server) -> usize {
    server.log().matches(WARNING).count()
}

/// Has a server be in a state in which its log is complete.
fn change(server: &Server) {
    let mut client = server.client();
    client.define("a", "a:<x>", "");
    client.define("b", "b:<x>", "");
    client.run("KEYNS.NS.PRESET projections");
    client.run("KEYNS.NS.DEL a");
}

#[test]
fn the_first_change_that_nothing_saves_is_warned_about_once() {
    let json = namespaces_json(&[("a", "a:<x>")]);
    for first in [
        &["KEYNS.NS.SET", "a", "PATTERN", "a:<x>"][..],
        &["KEYNS.NS.LOAD", &json],
        &["KEYNS.NS.PRESET", "general"],
        &[
            "EVAL",
            "return redis.call('KEYNS.NS.PRESET', 'general')",
            "0",
        ],
    ] {
        let server = Server::start();
        let mut client = server.client();
        // What is refused, or only tried, changes nothing.
        client.run("KEYNS.NS.SET a PATTERN <x>");
        client.call(&["KEYNS.NS.LOAD", &json, "DRYRUN"]);
        client.run("KEYNS.NS.LIST");
        assert_eq!(warnings(&server), 0, "{first:?}");
        assert!(!client.call(first).is_error());
        assert_eq!(warnings(&server), 1, "{first:?}");
        change(&server);
        assert_eq!(warnings(&server), 1, "{first:?}");
    }
    let server = Server::start();
    let mut client = server.client();
    client.run("MULTI");
    client.run("KEYNS.NS.SET a PATTERN a:<x>");
    client.run("KEYNS.NS.SET b PATTERN b:<x>");
    assert_eq!(client.run("EXEC").array().len(), 2);
    assert_eq!(warnings(&server), 1);
}

#[test]
fn what_is_saved_is_not_warned_about() {
    let save = |options: Options| options.set("--save", &["3600", "1"]);
    let file = Options::new()
        .file("namespaces.json", namespaces_json(&[]))
        .module_arguments(&["namespaces", "namespaces.json"]);
    for options in [Options::new().durable(), save(Options::new()), file] {
        let server = options.start();
        change(&server);
        assert_eq!(warnings(&server), 0);
    }
    // Save points that leave the namespaces out save none.
    let without = Options::new().module_arguments(&["namespaces-in-rdb", "no"]);
    let server = save(without).start();
    change(&server);
    assert_eq!(warnings(&server), 1);
}

/// What a save point writes is there after a restart, on Redis 7.0 too.
#[test]
fn a_save_point_brings_them_back() {
    let mut server = Options::new().set("--save", &["3600", "1"]).start();
    change(&server);
    let mut client = server.client();
    let expected = client.namespaces();
    keyns_testkit::signal(&client.info("server", "process_id"), "TERM");
    server.wait();
    server.start_again();
    assert_eq!(server.client().namespaces(), expected);
}

#[test]
fn a_replica_is_not_warned() {
    let primary = Options::new().durable().start();
    let replica = Options::new().set("--replica-read-only", &["no"]).start();
    replica.follow(&primary);
    change(&primary);
    let names = primary.client().namespace_names();
    wait_until("the replica has them", || {
        replica.client().namespace_names() == names
    });
    // Its own are gone with the next synchronization, whatever is saved.
    replica.client().define("own", "own:<x>", "");
    assert_eq!(warnings(&replica), 0);
    // Once it is on its own, it is.
    replica.client().run("REPLICAOF NO ONE");
    replica.client().define("own", "own:<y>", "");
    assert_eq!(warnings(&replica), 1);
}
