//! What the document commands do to the rest of a server: transactions, scripts, replicas, AOF and
//! RDB, notifications, memory, statistics.

use std::fs;

use keyns_testkit::{
    Client, GUIDE, Options, Server, Value, ingest, keyspace, read_in_background, try_ingest,
    wait_until, without_counters,
};

/// The guide after some work on it.
fn edited() -> String {
    let text = GUIDE.replace("# Meadows", "# Bogs");
    text.replace("mosses", "ferns").replace("- leaves\n", "")
}

/// Every command on documents, in every way to call it: alone, with the text read in the
/// background, in a transaction and in a script.
fn exercise(client: &mut Client) {
    for in_background in [false, true] {
        read_in_background(client, in_background);
        for options in [
            "",
            "SIBLINGS NUMBERING SLUG",
            "MAXCHUNK 16 WIDTH 5",
            "CHUNK SECTION",
        ] {
            let name = ingest(client, "{acme}:doc", GUIDE, options)["doc"].text();
            ingest(
                client,
                "{acme}:doc",
                edited(),
                &format!("{options} REPLACE {name}"),
            );
        }
        let name = ingest(client, "doc", GUIDE, "")["doc"].text();
        let gone = ingest(client, "doc", GUIDE, "SIBLINGS")["doc"].text();
        client.run("MULTI");
        client.call(&["KEYNS.INGESTMD", "doc", GUIDE]);
        client.call(&["KEYNS.INGESTMD", "doc", &edited(), "REPLACE", &name]);
        client.call(&["KEYNS.DROP", &gone]);
        client.call(&["KEYNS.INGESTMD", "doc", "---\na: [\n---\n"]);
        let replies = client.run("EXEC");
        let failed: Vec<bool> = replies.array().iter().map(Value::is_error).collect();
        assert_eq!(failed, [false, false, false, true]);
        let script = "redis.call('SELECT', 3) \
                      local doc = redis.call('KEYNS.INGESTMD', KEYS[1], ARGV[1])[2] \
                      redis.call('KEYNS.INGESTMD', KEYS[1], ARGV[2], 'REPLACE', doc) \
                      return redis.call('KEYNS.EXPORTMD', doc)";
        let reply = client.call(&["EVAL", script, "1", "doc", GUIDE, &edited()]);
        assert_eq!(reply.text(), edited());
    }
}

#[test]
fn a_replica_has_the_same_documents() {
    let server = Server::start();
    exercise(&mut server.client());
    let replica = server.replica();
    let mut client = server.client();
    exercise(&mut client);
    client.run("WAIT 1 10000");
    assert_eq!(replica.digest(), server.digest());
}

#[test]
fn an_aof_brings_the_same_documents_back() {
    let mut server = Options::new().durable().start();
    exercise(&mut server.client());
    let before = server.digest();
    server.start_again();
    assert_eq!(server.digest(), before);
}

#[test]
fn an_rdb_brings_the_same_documents_back_even_without_the_module() {
    let mut server = Server::start();
    exercise(&mut server.client());
    server.client().run("SAVE");
    let before = server.digest();
    server.start_again();
    assert_eq!(server.digest(), before);
    let plain = Options::without_module()
        .set("--dbfilename", &["copy.rdb"])
        .start_with(&server.dir.join("dump.rdb"), "copy.rdb");
    assert_eq!(plain.digest(), before);
}

/// The commands that a server has written to its AOF.
fn aof_commands(server: &Server) -> Vec<Vec<String>> {
    let files = fs::read_dir(server.dir.join("appendonlydir")).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    let path = paths.find(|path| path.to_string_lossy().ends_with(".incr.aof"));
    let aof = String::from_utf8(fs::read(path.unwrap()).unwrap()).unwrap();
    let mut rest = aof.as_str();
    let mut commands = Vec::new();
    while !rest.is_empty() {
        let arguments = number(&mut rest);
        let mut command = Vec::with_capacity(arguments);
        for _ in 0..arguments {
            let length = number(&mut rest);
            command.push(rest[..length].to_owned());
            rest = &rest[length + 2..];
        }
        commands.push(command);
    }
    commands
}

/// Takes a line like `*3` or `$12` off the AOF.
fn number(rest: &mut &str) -> usize {
    let (line, after) = rest.split_once("\r\n").unwrap();
    *rest = after;
    line[1..].parse().unwrap()
}

/// Calls that write, one after the other on the same document.
fn writing_calls() -> [Vec<String>; 4] {
    let call = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let doc = "doc:field_guide:001";
    [
        call(&["KEYNS.INGESTMD", "doc", GUIDE, "SIBLINGS"]),
        call(&["KEYNS.INGESTMD", "doc", &edited(), "REPLACE", doc]),
        call(&["KEYNS.INGESTMD", "doc", GUIDE, "REPLACE", doc, "SIBLINGS"]),
        call(&["KEYNS.DROP", doc]),
    ]
}

#[test]
fn a_call_propagates_as_one_transaction_of_plain_commands_or_not_at_all() {
    const PLAIN: [&str; 9] = [
        "HSET", "HDEL", "SADD", "SREM", "ZADD", "ZREM", "MSET", "UNLINK", "INCRBY",
    ];
    for in_background in [false, true] {
        let server = Options::new().durable().start();
        let mut client = server.client();
        read_in_background(&mut client, in_background);
        client.run("SET before anything");
        for call in writing_calls() {
            let before = aof_commands(&server).len();
            assert!(!client.call(&call).is_error());
            let commands = aof_commands(&server).split_off(before);
            let names: Vec<&str> = commands.iter().map(|command| command[0].as_str()).collect();
            let ["MULTI", plain @ .., "EXEC"] = &names[..] else {
                panic!("{names:?}");
            };
            assert!(plain.iter().all(|name| PLAIN.contains(name)), "{names:?}");
        }
        ingest(&mut client, "doc", GUIDE, "");
        let before = aof_commands(&server);
        for line in [
            "KEYNS.TREE doc:field_guide:002",
            "KEYNS.NAV doc:field_guide:002 CHILDREN",
            "KEYNS.EXPORTMD doc:field_guide:002",
            "KEYNS.DROP doc:missing:001",
            "KEYNS.DROP before",
            "KEYNS.INGESTMD doc text FOO",
            "KEYNS.INGESTMD before text REPLACE before",
        ] {
            client.run(line);
        }
        try_ingest(&mut client, "doc", GUIDE, "REPLACE doc:field_guide:002");
        try_ingest(&mut client, "doc", b"\xff", "REPLACE doc:field_guide:002");
        assert_eq!(aof_commands(&server), before);
    }
}

/// A subscriber to everything that happens to keys.
struct Listener(Client);

impl Listener {
    fn on(server: &Server) -> Listener {
        server
            .client()
            .run("CONFIG SET notify-keyspace-events KEAn");
        let mut listener = server.client();
        listener.run("PSUBSCRIBE __keyevent@0__:*");
        Listener(listener)
    }

    /// What happened since the last time, as pairs of an event and a key.
    fn events(&mut self, client: &mut Client) -> Vec<(String, String)> {
        client.run("DEL end");
        client.run("SET end here");
        let mut events = Vec::new();
        loop {
            let message = self.0.receive().unwrap();
            let event = message.array()[2].text().replace("__keyevent@0__:", "");
            let key = message.array()[3].text();
            match (event.as_str(), key.as_str()) {
                ("set", "end") => return events,
                (_, "end") => {}
                _ => events.push((event, key)),
            }
        }
    }
}

#[test]
fn notifications_are_those_of_the_plain_commands() {
    let server = Options::new().durable().start();
    let plain = Options::without_module().start();
    let (mut client, mut plain_client) = (server.client(), plain.client());
    let (mut listener, mut plain_listener) = (Listener::on(&server), Listener::on(&plain));
    for call in writing_calls() {
        let before = aof_commands(&server).len();
        client.call(&call);
        let commands = aof_commands(&server).split_off(before);
        let events = listener.events(&mut client);
        for command in commands {
            plain_client.call(&command);
        }
        assert_eq!(events, plain_listener.events(&mut plain_client));
        assert!(events.len() > 20);
    }
    for line in ["KEYNS.DROP doc:missing:001", "KEYNS.INGESTMD doc text FOO"] {
        client.run(line);
        assert_eq!(listener.events(&mut client), []);
    }
}

#[test]
fn databases_are_apart() {
    let server = Server::start();
    let mut client = server.client();
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        client.run("FLUSHALL");
        client.run("SELECT 3");
        let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
        ingest(&mut client, "doc", edited(), &format!("REPLACE {name}"));
        assert_eq!(client.call(&["KEYNS.EXPORTMD", &name]).text(), edited());
        assert_eq!(server.client().run("DBSIZE").integer(), 0);
        assert_eq!(server.client().call(&["KEYNS.DROP", &name]).integer(), 0);
        assert!(client.call(&["KEYNS.DROP", &name]).integer() > 0);
        assert!(without_counters(keyspace(&mut client)).is_empty());
    }
}

#[test]
fn replicas_read_documents_and_refuse_to_write_them() {
    let server = Server::start();
    let name = ingest(&mut server.client(), "doc", GUIDE, "")["doc"].text();
    let replica = server.replica();
    let mut client = replica.client();
    assert_eq!(client.call(&["KEYNS.EXPORTMD", &name]).text(), GUIDE);
    let tree = client.call(&["KEYNS.TREE", &name, "FORMAT", "TEXT"]).text();
    assert_eq!(tree.lines().count(), 10);
    let children = client.call(&["KEYNS.NAV", &name, "CHILDREN"]);
    assert_eq!(children.array().len(), 3);
    let read_only = "return redis.call('KEYNS.EXPORTMD', KEYS[1])";
    assert_eq!(
        client.call(&["EVAL_RO", read_only, "1", &name]).text(),
        GUIDE
    );
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        for call in writing_calls() {
            let error = client.call(&call).text();
            assert!(error.starts_with("READONLY"), "{error}");
        }
    }
    assert_eq!(replica.digest(), server.digest());
}

#[test]
fn a_full_server_refuses_documents_and_still_reads_and_drops_them() {
    let server = Server::start();
    let mut client = server.client();
    let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
    let before = server.digest();
    client.run("CONFIG SET maxmemory 1");
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        for options in ["", "REPLACE doc:field_guide:001"] {
            let error = try_ingest(&mut client, "doc", edited(), options).text();
            assert!(error.starts_with("OOM "), "{error}");
        }
    }
    assert_eq!(server.digest(), before);
    assert_eq!(client.call(&["KEYNS.EXPORTMD", &name]).text(), GUIDE);
    assert!(client.call(&["KEYNS.DROP", &name]).integer() > 0);
}

#[test]
fn a_change_wakes_up_watchers_of_what_changed_only() {
    let server = Server::start();
    let mut client = server.client();
    let mut watcher = server.client();
    // Positions stay the same, so the first chapter is not concerned.
    let edited = GUIDE.replace("Grass, mostly.", "Grass and bees.");
    for (key, is_concerned) in [
        ("ch:forests:001", false),
        ("ch:forests:001:children", false),
        ("level:ch:chunks", false),
        ("tag:birds:chunks", true),
        ("ch:meadows:002:children", true),
        ("chunk:grass_mostly:005", true),
        ("doc:field_guide:001", true),
    ] {
        client.run("FLUSHALL");
        let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
        watcher.call(&["WATCH", key]);
        ingest(&mut client, "doc", &edited, &format!("REPLACE {name}"));
        watcher.run("MULTI");
        watcher.run("PING");
        assert_eq!(watcher.run("EXEC") == Value::Null, is_concerned, "{key}");
    }
}

#[test]
fn a_disabled_command_of_the_server_is_an_error_before_anything_is_written() {
    let donor = Server::start();
    let name = ingest(&mut donor.client(), "doc", GUIDE, "SIBLINGS")["doc"].text();
    donor.client().run("SAVE");
    let rdb = donor.dir.join("dump.rdb");
    for command in [
        "HSET", "HDEL", "SADD", "SREM", "ZADD", "ZREM", "MSET", "UNLINK", "INCRBY", "MGET",
    ] {
        let server = Options::new()
            .set("--rename-command", &[command, ""])
            .start_with(&rdb, "dump.rdb");
        let mut client = server.client();
        let error =
            format!("ERR this command needs {command}, which the server does not have (renamed?)");
        for call in [
            &["KEYNS.INGESTMD", "doc", GUIDE][..],
            &["KEYNS.INGESTMD", "doc", &edited(), "REPLACE", &name],
            &["KEYNS.DROP", &name],
        ] {
            assert_eq!(
                client.call(call),
                Value::Error(error.clone()),
                "{}",
                call[0]
            );
        }
        assert_eq!(server.digest(), donor.digest());
    }
}

#[test]
fn info_counts_calls_and_errors_of_documents() {
    let server = Server::start();
    let mut client = server.client();
    for (round, in_background) in [false, true].into_iter().enumerate() {
        read_in_background(&mut client, in_background);
        let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
        client.call(&["KEYNS.TREE", &name]);
        client.call(&["KEYNS.NAV", &name, "CHILDREN"]);
        client.call(&["KEYNS.EXPORTMD", &name]);
        try_ingest(&mut client, "doc", b"\xff", "");
        client.call(&["KEYNS.NAV", &name, "UP"]);
        client.call(&["KEYNS.DROP", &name]);
        for (field, count) in [
            ("documents_calls", 7 * (round + 1)),
            ("documents_errors", 2 * (round + 1)),
            ("documents_parsing", 0),
            ("naming_calls", 0),
        ] {
            let counted = client.info("keyns", &format!("keyns_{field}"));
            assert_eq!(counted, count.to_string(), "{field}");
        }
    }
}

#[test]
fn documents_that_come_and_go_leave_no_memory_behind() {
    const ROUNDS: usize = 1000;
    /// What a server needs more or less by itself: buffers of clients, tables that grow.
    const NOISE: i64 = 40_000;
    // The log of slow commands keeps what it logs, and on a busy machine many are slow.
    let server = Options::new()
        .set("--slowlog-log-slower-than", &["-1"])
        .start();
    let mut client = server.client();
    let memory = |client: &mut Client| -> i64 {
        wait_until("everything is freed", || {
            client.info("memory", "lazyfree_pending_objects") == "0"
        });
        client.info("memory", "used_memory").parse().unwrap()
    };
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        let mut rounds = |count: usize| {
            for _ in 0..count {
                let name = ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text();
                ingest(&mut client, "doc", edited(), &format!("REPLACE {name}"));
                try_ingest(&mut client, "doc", b"# ok\n\n\xff", "");
                client.call(&["KEYNS.EXPORTMD", &name]);
                client.call(&["KEYNS.TREE", &name]);
                client.call(&["KEYNS.DROP", &name]);
            }
            memory(&mut client)
        };
        let before = rounds(ROUNDS / 10);
        let after = rounds(ROUNDS);
        assert!(after - before < NOISE, "{before} bytes, then {after}");
    }
}
