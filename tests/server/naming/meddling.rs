//! Another module reacts to our changes while our command still runs.

use std::thread::sleep;
use std::time::Duration;

use keyns_testkit::{Client, Options, Server, server_survives};

fn start(answer: &[&str]) -> (Server, Client) {
    let server = Options::with_meddler().start();
    let mut client = server.client();
    client.meddle(answer);
    (server, client)
}

/// HINCRBY, which counts slugs, crashes some servers if another module deletes its key meanwhile,
/// whoever calls it.
#[test]
fn a_counter_that_is_deleted_as_soon_as_it_changes_is_no_crash() {
    let answer = ["DEL", "KEY"];
    assert!(server_survives("INCRBY doc:_seq 1", &answer));
    let counts_slugs = server_survives("HINCRBY ch:_slugs intro 1", &answer);
    let (_server, mut client) = start(&answer);
    for _ in 0..20 {
        assert_eq!(client.run("KEYNS.MAKE doc intro").text(), "doc:intro:001");
        assert_eq!(client.run("KEYNS.NEXTID doc").integer(), 1);
        if counts_slugs {
            let name = client.run("KEYNS.MAKE ch intro NUMBERING SLUG").text();
            assert_eq!(name, "ch:intro:001");
        }
        // A hash that exists already is announced after its last use.
        client.meddle(&[]);
        client.run("HSET ch:_slugs other 1");
        client.meddle(&answer);
        let name = client.run("KEYNS.MAKE ch intro NUMBERING SLUG").text();
        assert_eq!(name, "ch:intro:001");
    }
}

#[test]
fn a_counter_that_is_overwritten_as_soon_as_it_changes_is_no_crash() {
    let (_server, mut client) = start(&["SET", "KEY", "5"]);
    for _ in 0..20 {
        client.run("KEYNS.NEXTID doc");
        client.run("KEYNS.MAKE doc intro");
        assert_eq!(client.run("GET doc:_seq").text(), "5");
    }
}

#[test]
fn our_own_commands_can_be_called_from_inside_our_own_calls() {
    let (_server, mut client) = start(&["KEYNS.MAKE", "other", "5 Dinge"]);
    client.run("KEYNS.MAKE doc intro");
    client.run("KEYNS.MAKE doc intro");
    let other: i64 = client.run("GET other:_seq").text().parse().unwrap();
    assert!(other >= 2, "{other}");
}

#[test]
fn settings_can_change_from_inside_our_own_calls() {
    let (_server, mut client) = start(&["CONFIG", "SET", "keyns.lang", "en"]);
    assert_eq!(
        client.call(&["KEYNS.MAKE", "doc", "5 x"]).text(),
        "doc:fuenf_x:001"
    );
    assert_eq!(
        client.call(&["KEYNS.MAKE", "doc", "5 x"]).text(),
        "doc:five_x:002"
    );
}

#[test]
fn the_module_does_not_go_away_under_its_own_feet() {
    let (_server, mut client) = start(&["MODULE", "UNLOAD", "keyns"]);
    for round in 1..=3 {
        let name = client.run("KEYNS.MAKE doc intro").text();
        assert_eq!(name, format!("doc:intro:00{round}"));
    }
    client.meddle(&[]);
    assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
}

/// Looking at an expired key deletes it, and the server tells the other module.
#[test]
fn settings_and_namespaces_can_change_while_a_key_is_checked() {
    for answer in [
        &["CONFIG", "SET", "keyns.lang", "en"][..],
        &["KEYNS.NS.SET", "other", "PATTERN", "other:<x>"],
        &["KEYNS.NS.DEL", "counter"],
    ] {
        let (_server, mut client) = start(&[]);
        client.run("DEBUG SET-ACTIVE-EXPIRE 0");
        client.run("KEYNS.NS.SET counter PATTERN doc:_<name>");
        client.run("SET doc:_seq 5 PX 1");
        client.meddle(answer);
        sleep(Duration::from_millis(5));
        let reply = client.run("KEYNS.CHECK doc:_seq doc:_seq");
        assert_eq!(reply.array().len(), 2, "{answer:?}: {reply:?}");
        assert_eq!(client.run("EXISTS doc:_seq").integer(), 0);
    }
}
