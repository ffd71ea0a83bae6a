//! Loads that only say what they would do.

use keyns_testkit::{Client, Options, Server, Value, namespaces_json, texts};

/// What would be added, changed and removed.
fn would(client: &mut Client, json: &str, options: &[&str]) -> [Vec<String>; 3] {
    let load = [&["KEYNS.NS.LOAD", json], options].concat();
    let reply = client.call(&load).fields();
    assert_eq!(reply.len(), 3);
    ["added", "changed", "removed"].map(|field| texts(&reply[field]))
}

#[test]
fn a_dry_run_says_what_a_load_would_do() {
    let server = Server::start();
    let mut client = server.client();
    for (name, pattern) in [
        ("kept", "kept:<x>"),
        ("old", "old:<x>"),
        ("other", "other:<x>"),
    ] {
        client.define(name, pattern, "");
    }
    let before = client.namespaces();
    let json = namespaces_json(&[
        ("new", "new:<x>"),
        ("kept", "kept:<x>"),
        ("added", "added:<x>"),
        ("old", "old:<x:int>"),
    ]);
    let added = ["added", "new"];
    for options in [["REPLACE", "DRYRUN"], ["dryrun", "replace"]] {
        let [new, changed, removed] = would(&mut client, &json, &options);
        assert_eq!(new, added);
        assert_eq!(changed, ["old"]);
        assert!(removed.is_empty());
    }
    let [new, changed, removed] = would(&mut client, &json, &["FLUSH", "DRYRUN"]);
    assert_eq!(new, added);
    assert_eq!(changed, ["old"]);
    assert_eq!(removed, ["other"]);
    // Without an option another definition is an error, as it would be.
    let load = ["KEYNS.NS.LOAD", &json, "DRYRUN"];
    let error = client.call(&load[..2]);
    assert!(error.is_error());
    assert_eq!(client.call(&load), error);
    assert_eq!(client.namespaces(), before);
    // What is done is what was said.
    client.call(&["KEYNS.NS.LOAD", &json, "FLUSH"]);
    assert_eq!(client.namespace_names(), ["added", "kept", "new", "old"]);
    let nothing = would(&mut client, &json, &["FLUSH", "DRYRUN"]);
    assert_eq!(nothing, [const { Vec::<String>::new() }; 3]);
    let preset = client.run("KEYNS.NS.PRESET projections DRYRUN").fields();
    assert_eq!(preset["added"].array().len(), 8);
    assert_eq!(client.namespace_names().len(), 4);
}

#[test]
fn a_dry_run_propagates_nothing() {
    let server = Options::new().durable().start();
    let replica = server.replica();
    let mut client = server.client();
    client.define("old", "old:<x>", "");
    let aof = |client: &mut Client| client.info("persistence", "aof_current_size");
    // The AOF tells it: the stream to replicas also carries pings.
    let before = aof(&mut client);
    let json = namespaces_json(&[("new", "new:<x>")]);
    for options in [&["DRYRUN"][..], &["FLUSH", "DRYRUN"]] {
        would(&mut client, &json, options);
    }
    assert_eq!(aof(&mut client), before);
    assert_eq!(client.run("WAIT 1 0").integer(), 1);
    assert_eq!(replica.client().namespace_names(), ["old"]);
}

#[test]
fn a_dry_run_takes_the_rights_of_a_load_and_no_more() {
    let server = Server::start();
    server.client().define("theirs", "x:<id>", "");
    let mut tenant = server.login("~t:* -@all +keyns.ns.load");
    let mine = namespaces_json(&[("mine", "t:<x>")]);
    let [added, ..] = would(&mut tenant, &mine, &["DRYRUN"]);
    assert_eq!(added, ["mine"]);
    let theirs = namespaces_json(&[("theirs", "x:<id:int>")]);
    for (json, existing) in [(&theirs, "REPLACE"), (&mine, "FLUSH")] {
        let refused = tenant.call(&["KEYNS.NS.LOAD", json, existing, "DRYRUN"]);
        assert!(refused.text().contains("NOPERM"), "{refused:?}");
        assert_eq!(refused, tenant.call(&["KEYNS.NS.LOAD", json, existing]));
    }
}

#[test]
fn words_behind_a_text_are_told_what_may_stand_there() {
    let server = Server::start();
    let mut client = server.client();
    let json = namespaces_json(&[]);
    for (options, error) in [
        (
            "FOO",
            "ERR syntax error near 'FOO', expected REPLACE, FLUSH or DRYRUN",
        ),
        ("FLUSH FOO", "ERR syntax error near 'FOO', expected DRYRUN"),
        (
            "DRYRUN FOO",
            "ERR syntax error near 'FOO', expected REPLACE or FLUSH",
        ),
        (
            "DRYRUN FLUSH FOO",
            "ERR syntax error near 'FOO', expected nothing more",
        ),
        ("DRYRUN DRYRUN", "ERR DRYRUN is given twice"),
        (
            "FLUSH DRYRUN REPLACE",
            "ERR FLUSH and REPLACE cannot be combined",
        ),
    ] {
        for command in [
            &["KEYNS.NS.LOAD", &*json][..],
            &["KEYNS.NS.PRESET", "general"],
        ] {
            let words: Vec<&str> = options.split(' ').collect();
            let reply = client.call(&[command, &words].concat());
            assert_eq!(reply, Value::Error(error.to_owned()), "{options}");
        }
    }
}
