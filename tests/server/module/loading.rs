//! Loading, unloading, and life without the module.

use std::fs;

use keyns_testkit::{Client, Options, Server, Value, ingest, read_in_background};

fn module_path() -> String {
    Options::module_path().display().to_string()
}

#[test]
fn the_module_is_listed_under_its_name_and_version() {
    let server = Server::start();
    let list = server.client().run("MODULE LIST");
    let modules: Vec<_> = list.array().iter().map(Value::fields).collect();
    let ours = modules
        .iter()
        .find(|module| module["name"].text() == "keyns");
    let parts = env!("CARGO_PKG_VERSION").split('.');
    let version = parts.fold(0, |number, part| {
        number * 100 + part.parse::<i64>().unwrap()
    });
    let listed = ours.expect("keyns in the list")["ver"].integer();
    assert_eq!(listed, version);
}

#[test]
fn it_can_be_loaded_unloaded_and_loaded_again_at_run_time() {
    let server = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .start();
    let mut client = server.client();
    for round in 1..=5 {
        let options = ["lang", "en", "namespaces-in-rdb", "no"];
        let reply = client.call(&[&["MODULE", "LOAD", &module_path()], &options[..]].concat());
        assert_eq!(reply.text(), "OK", "{}", server.log());
        assert_eq!(
            client.call(&["KEYNS.SLUG", "5 things"]).text(),
            "five_things"
        );
        let name = client.run("KEYNS.MAKE doc intro").text();
        assert_eq!(name, format!("doc:intro:00{round}"));
        assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
        assert!(client.run("KEYNS.SLUG text").is_error());
    }
}

/// Fails if anything of the module stays in memory after a server has used it like this.
#[track_caller]
fn assert_given_back(used: impl FnOnce(&mut Client)) {
    let server = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .start();
    let mut client = server.client();
    let pid = client.info("server", "process_id");
    let mapped = || {
        fs::read_to_string(format!("/proc/{pid}/maps"))
            .unwrap()
            .contains("libkeyns")
    };
    let options = ["namespaces-in-rdb", "no"];
    client.call(&[&["MODULE", "LOAD", &module_path()], &options[..]].concat());
    used(&mut client);
    assert!(mapped());
    assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
    assert!(!mapped(), "the library is still in memory");
}

#[test]
fn unloading_releases_the_library() {
    assert_given_back(|client| {
        client.call(&["KEYNS.MAKE", "doc", "Größe"]);
        client.run("CONFIG GET keyns.*");
        client.run("INFO keyns");
    });
}

#[test]
fn unloading_releases_the_library_after_work_in_the_background() {
    assert_given_back(|client| {
        read_in_background(client, true);
        ingest(client, "doc", "# Moss\n\ngrows.\n", "");
    });
}

#[test]
fn unloading_releases_the_library_after_namespaces() {
    assert_given_back(|client| {
        client.run("KEYNS.NS.PRESET general");
        client.run("KEYNS.KEY counter views");
        client.run("KEYNS.CHECK counter:views user:x");
    });
}

/// A regex keeps scratch memory for each thread that runs it.
#[test]
fn unloading_releases_the_library_after_regexes() {
    for _ in 0..3 {
        assert_given_back(|client| {
            client.define("user", r"user:<id:/\d+/>:<attr:/[a-z_]+/>", "");
            assert_eq!(client.run("KEYNS.KEY user 42 name").text(), "user:42:name");
            assert_eq!(client.problems("user:42:name"), [""; 0]);
            assert_eq!(client.problems("user:42:Name"), ["BAD_FORMAT"]);
            assert!(!client.run("KEYNS.PARSE user:42:name").is_error());
            client.run("KEYNS.NS.DUMP MARKDOWN");
        });
    }
}

/// An empty registry once leaked 88 bytes.
#[test]
fn loading_and_unloading_repeatedly_leaks_no_memory() {
    const ROUNDS: i64 = 300;
    let server = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .set("--slowlog-log-slower-than", &["-1"])
        .start();
    let mut client = server.client();
    let mut rounds = || -> i64 {
        for _ in 0..ROUNDS {
            let load = ["MODULE", "LOAD", &module_path(), "namespaces-in-rdb", "no"];
            assert_eq!(client.call(&load).text(), "OK");
            assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
        }
        // Exclude the buffers of a busy connection.
        let memory = server.client().info("memory", "used_memory");
        memory.parse().unwrap()
    };
    let before = rounds();
    let after = rounds();
    assert!(after - before < 44 * ROUNDS, "{before} bytes, then {after}");
}

#[test]
fn a_failed_load_leaves_nothing_behind() {
    let server = Options::without_module()
        .set("--enable-module-command", &["yes"])
        .start();
    let mut client = server.client();
    assert!(
        client
            .call(&["MODULE", "LOAD", &module_path(), "lang", "fr"])
            .is_error()
    );
    assert!(client.run("KEYNS.SLUG text").is_error());
    assert_eq!(client.run("CONFIG GET keyns.*").array().len(), 0);
    assert_eq!(
        client.call(&["MODULE", "LOAD", &module_path()]).text(),
        "OK"
    );
    assert_eq!(client.run("KEYNS.SLUG text").text(), "text");
}

#[test]
fn data_loads_on_a_server_without_the_module() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.MAKE doc intro");
    client.run("KEYNS.MAKE ch intro NUMBERING SLUG");
    assert_eq!(client.run("SAVE").text(), "OK");
    let rdb = server.dir.join("dump.rdb");
    let plain = Options::without_module()
        .set("--dbfilename", &["copy.rdb"])
        .start_with(&rdb, "copy.rdb");
    assert_eq!(plain.digest(), server.digest());
    assert_eq!(plain.client().run("GET doc:_seq").text(), "1");
}
