//! Replicas, the AOF and the RDB get effects: plain commands, and none for reads and refusals.

use std::fs;

use keyns_testkit::{Client, Options, Server, rewrite_aof};

/// A fixed mix of everything, with mistakes and foreign keys in between.
fn exercise(client: &mut Client, rounds: u32) {
    let mut state = 0x2545_F491_u32;
    let mut random = |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let texts = [
        "Intro",
        "Risk Management",
        "5 Strategien",
        "!!!",
        "",
        "a",
        "Größe",
        "VaR",
    ];
    let prefixes = ["doc", "{acme}:doc", "ch", "wrong"];
    client.run("LPUSH wrong:_seq x");
    for _ in 0..rounds {
        let prefix = prefixes[random(4) as usize];
        let text = texts[random(8) as usize];
        match random(9) {
            0 => client.call(&["KEYNS.NEXTID", prefix]),
            1 => client.call(&["KEYNS.NEXTID", prefix, "COUNT", "17"]),
            2 => client.call(&["KEYNS.MAKE", prefix, text]),
            3 => client.call(&["KEYNS.MAKE", prefix, text, "NUMBERING", "SLUG"]),
            4 => client.call(&["KEYNS.MAKE", prefix, text, "WIDTH", "99"]),
            5 => client.call(&["KEYNS.SLUG", text]),
            6 => client.call(&["KEYNS.CHECK", prefix, text]),
            7 => client.call(&["KEYNS.PARSE", prefix]),
            _ => {
                let key = format!("{prefix}:intro:{:03}", random(100));
                client.call(&["SET", &key, text])
            }
        };
    }
}

#[test]
fn a_replica_has_the_same_data() {
    let server = Server::start();
    exercise(&mut server.client(), 500);
    let replica = server.replica();
    let mut client = server.client();
    exercise(&mut client, 2000);
    client.run("MULTI");
    client.run("KEYNS.MAKE doc intro");
    client.run("KEYNS.MAKE ch intro NUMBERING SLUG");
    client.run("EXEC");
    client.run("WAIT 1 10000");
    assert_eq!(replica.digest(), server.digest());
}

#[test]
fn an_aof_brings_the_same_data_back() {
    let mut server = Options::new().durable().start();
    exercise(&mut server.client(), 1000);
    let before = server.digest();
    server.start_again();
    assert_eq!(server.digest(), before);
    rewrite_aof(&mut server.client());
    exercise(&mut server.client(), 200);
    let before = server.digest();
    server.start_again();
    assert_eq!(server.digest(), before);
}

#[test]
fn an_rdb_brings_the_same_data_back() {
    let mut server = Server::start();
    exercise(&mut server.client(), 1000);
    server.client().run("SAVE");
    let before = server.digest();
    server.start_again();
    assert_eq!(server.digest(), before);
}

#[test]
fn the_aof_has_no_command_of_ours() {
    let server = Options::new()
        .durable()
        .set("--aof-use-rdb-preamble", &["no"])
        .start();
    exercise(&mut server.client(), 500);
    let mut aof = String::new();
    for file in fs::read_dir(server.dir.join("appendonlydir")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        aof.push_str(&String::from_utf8_lossy(&bytes).to_uppercase());
    }
    assert!(aof.contains("\r\nINCRBY\r\n") && aof.contains("\r\nHINCRBY\r\n"));
    assert!(!aof.contains("KEYNS."));
}

#[test]
fn reads_and_refusals_propagate_nothing() {
    let server = Server::start();
    let _replica = server.replica();
    let mut client = server.client();
    client.run("KEYNS.MAKE doc intro");
    client.run("LPUSH wrong:_seq x");
    let offset = |client: &mut Client| {
        let info = client.run("INFO replication").text();
        let line = info
            .lines()
            .find(|line| line.starts_with("master_repl_offset:"));
        line.unwrap().to_owned()
    };
    // The primary pings its replicas now and then: ask for a span without one.
    client.run("CONFIG SET repl-ping-replica-period 3600");
    let before = offset(&mut client);
    for line in [
        "KEYNS.SLUG Text",
        "KEYNS.CHECK doc:intro:001 x",
        "KEYNS.PARSE doc:intro:001",
        "KEYNS.NEXTID doc COUNT 0",
        "KEYNS.MAKE doc intro FOO",
        "KEYNS.MAKE wrong intro",
        "KEYNS.NEXTID wrong",
    ] {
        client.run(line);
    }
    assert_eq!(offset(&mut client), before);
    client.run("KEYNS.NEXTID doc");
    assert_ne!(offset(&mut client), before);
}
