//! Long documents are read off the main thread: others are served meanwhile, and whatever happens
//! to the server or the client in between, a document is written whole or not at all.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use keyns_testkit::{
    Client, Document, GUIDE, Options, Server, Value, aof_commands, assert_same, draft, for_any,
    ingest, keyspace, long_text, options, parsing, read_in_background, try_ingest, wait_until,
    without_counters,
};

/// A client whose document is being read, and another one.
fn start_reading(server: &Server, options: &[&str]) -> (Client, Client) {
    start_reading_of(server.client(), server, options)
}

/// The same, with the client of a user called `tester`.
fn start_reading_as_tester(server: &Server) -> (Client, Client) {
    let mut tester = server.client();
    tester.run("ACL SETUSER tester on nopass ~* +@all");
    tester.run("AUTH tester any");
    start_reading_of(tester, server, &[])
}

fn start_reading_of(mut waiting: Client, server: &Server, options: &[&str]) -> (Client, Client) {
    let mut other = server.client();
    let text = long_text();
    let args = [&["KEYNS.INGESTMD", "doc", &text], options].concat();
    waiting.send(&args).unwrap();
    wait_until("the document is being read", || parsing(&mut other) == 1);
    (waiting, other)
}

#[track_caller]
fn assert_written(client: &mut Client, reply: &Value) {
    let name = reply.fields()["doc"].text();
    let exported = client.call(&["KEYNS.EXPORTMD", &name]);
    assert!(exported == Value::Bulk(long_text().into_bytes()));
    let keys = without_counters(keyspace(client));
    assert_same(&keys, &Document::find(&name, &keys).keys());
}

#[test]
fn others_are_served_while_a_document_is_read() {
    let server = Server::start();
    let (mut waiting, mut other) = start_reading(&server, &[]);
    assert_eq!(other.run("PING").text(), "PONG");
    assert_eq!(other.run("DBSIZE").integer(), 0);
    ingest(&mut other, "other", GUIDE, "");
    assert_eq!(
        parsing(&mut other),
        1,
        "it was read too fast to prove anything"
    );
    // What the client asked for in the meantime comes afterwards.
    waiting.send(&["ECHO", "afterwards"]).unwrap();
    let reply = waiting.receive().unwrap();
    assert_eq!(reply.fields()["doc"].text(), "doc:long:001");
    assert_eq!(waiting.receive().unwrap().text(), "afterwards");
    assert_eq!(parsing(&mut other), 0);
    other.run("KEYNS.DROP other:field_guide:001");
    assert_written(&mut other, &reply);
}

#[test]
fn any_document_is_the_same_wherever_it_was_read() {
    const CASES: u32 = 60;
    let server = Server::start();
    server.client().run("CONFIG SET keyns.max-siblings 10000");
    for_any(CASES, (draft(), options()), |(draft, options)| {
        let text = draft.text();
        let [here, there] = [false, true].map(|in_background| {
            let mut client = server.client3();
            read_in_background(&mut client, in_background);
            client.run("FLUSHALL");
            let reply = try_ingest(&mut client, "doc", &text, &options);
            if reply.is_error() {
                return Err(reply.text());
            }
            // The counters of slugs may have the time in them.
            let keys = without_counters(keyspace(&mut server.client()));
            let document = Document::find(&reply.fields()["doc"].text(), &keys);
            Ok(document.with_places_for_names(keys))
        });
        match (here, there) {
            (Ok(here), Ok(there)) => assert_same(&here, &there),
            (here, there) => assert_eq!(here, there),
        }
    });
}

#[test]
fn a_transaction_and_a_script_do_not_wait() {
    let server = Server::start();
    let mut client = server.client();
    read_in_background(&mut client, true);
    client.run("MULTI");
    client.call(&["KEYNS.INGESTMD", "doc", GUIDE]);
    client.run("KEYNS.EXPORTMD doc:field_guide:001");
    let replies = client.run("EXEC");
    assert_eq!(replies.array()[1].text(), GUIDE);
    let script = "local doc = redis.call('KEYNS.INGESTMD', KEYS[1], ARGV[1])[2] \
                  return redis.call('KEYNS.EXPORTMD', doc)";
    assert_eq!(
        client.call(&["EVAL", script, "1", "doc", GUIDE]).text(),
        GUIDE
    );
}

#[test]
fn errors_come_through() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-elements 1000");
    let mut invalid = long_text().into_bytes();
    invalid.push(0xff);
    let quotes = format!("{}{}x", long_text(), ">".repeat(101));
    let matter = format!("---\nno: [\n---\n{}", long_text());
    let blocks = "x\n\n".repeat(200_000);
    for (text, error) in [
        (
            &invalid[..],
            format!(
                "ERR markdown is not valid UTF-8 at byte {}",
                invalid.len() - 1
            ),
        ),
        (
            quotes.as_bytes(),
            "ERR line 6 of the markdown may open more than 100 nested quotes and lists".into(),
        ),
        (
            blocks.as_bytes(),
            "ERR the document has more than 1000 elements (keyns.max-elements)".into(),
        ),
    ] {
        assert_eq!(
            try_ingest(&mut client, "doc", text, ""),
            Value::Error(error)
        );
    }
    let error = try_ingest(&mut client, "doc", &matter, "").text();
    assert!(error.starts_with("ERR front matter, line "), "{error}");
    assert_eq!(client.run("DBSIZE").integer(), 0);
    assert_eq!(parsing(&mut client), 0);
}

#[test]
fn a_client_that_leaves_takes_its_document_along() {
    let server = Server::start();
    let (waiting, mut other) = start_reading(&server, &[]);
    drop(waiting);
    wait_until("the document is read", || parsing(&mut other) == 0);
    assert_eq!(other.run("DBSIZE").integer(), 0);

    // The same where it does not even wait to be heard.
    let mut hasty = server.client();
    hasty
        .send(&["KEYNS.INGESTMD", "doc", &long_text()])
        .unwrap();
    drop(hasty);
    wait_until("the second document is read", || {
        other.info("keyns", "keyns_documents_calls") == "2" && parsing(&mut other) == 0
    });
    assert_eq!(other.run("DBSIZE").integer(), 0);
    ingest(&mut other, "doc", GUIDE, "");
}

#[test]
fn documents_of_clients_that_left_are_not_read_any_more() {
    const CLIENTS: u64 = 20;
    let server = Server::start();
    let (mut waiting, mut other) = start_reading(&server, &[]);
    read_in_background(&mut other, true);
    let others = (0..CLIENTS).map(|_| {
        let mut client = server.client();
        client.send(&["KEYNS.INGESTMD", "doc", GUIDE]).unwrap();
        client
    });
    let others: Vec<Client> = others.collect();
    wait_until("all wait behind the long document", || {
        parsing(&mut other) == 1 + CLIENTS
    });
    drop(others);
    wait_until("those that left are forgotten", || parsing(&mut other) <= 1);
    assert_eq!(
        other.run("DBSIZE").integer(),
        0,
        "the long document was read first"
    );
    let reply = waiting.receive().unwrap();
    assert_written(&mut other, &reply);
}

#[test]
fn a_client_that_is_killed_takes_its_document_along() {
    let server = Server::start();
    let (mut waiting, mut other) = start_reading(&server, &[]);
    other.run("CLIENT KILL TYPE normal SKIPME yes");
    assert!(waiting.receive().is_err());
    wait_until("the document is read", || parsing(&mut other) == 0);
    assert_eq!(other.run("DBSIZE").integer(), 0);
}

#[test]
fn a_client_cannot_be_unblocked_before_its_document_is_there() {
    let server = Server::start();
    let mut waiting = server.client();
    let id = waiting.run("CLIENT ID").integer();
    waiting
        .send(&["KEYNS.INGESTMD", "doc", &long_text()])
        .unwrap();
    let mut other = server.client();
    wait_until("the document is being read", || parsing(&mut other) == 1);
    for how in ["TIMEOUT", "ERROR"] {
        assert_eq!(
            other.run(&format!("CLIENT UNBLOCK {id} {how}")).integer(),
            0
        );
    }
    let reply = waiting.receive().unwrap();
    assert_written(&mut other, &reply);
}

#[test]
fn the_module_stays_while_a_client_waits() {
    let server = Options::unloadable().start();
    let (mut waiting, mut other) = start_reading(&server, &[]);
    let error = other.run("MODULE UNLOAD keyns").text();
    assert!(error.starts_with("ERR Error unloading module"), "{error}");
    let reply = waiting.receive().unwrap();
    assert_written(&mut other, &reply);
    drop(waiting);
    wait_until("nobody needs the module", || {
        other.run("MODULE UNLOAD keyns").text() == "OK"
    });
    assert_eq!(other.run("PING").text(), "PONG");
}

/// Runs commands, none of which must fail, at a moment at which a document is being read.
#[track_caller]
fn meanwhile(client: &mut Client, lines: &[&str]) {
    client.run("MULTI");
    for line in ["INFO keyns"].iter().chain(lines) {
        client.run(line);
    }
    let replies = client.run("EXEC");
    let (info, replies) = replies.array().split_first().unwrap();
    assert!(
        info.text().contains("keyns_documents_parsing:1\r\n"),
        "it was read too fast to prove anything"
    );
    assert!(!replies.iter().any(Value::is_error), "{replies:?}");
}

/// The error that a waiting client gets if this happens meanwhile, after which nothing is written.
#[track_caller]
fn error_after(line: &str) -> String {
    let server = Server::start();
    let (mut waiting, mut other) = start_reading(&server, &[]);
    meanwhile(&mut other, &[line]);
    let error = waiting.receive().unwrap();
    assert!(error.is_error(), "{error:?}");
    wait_until("the document is read", || parsing(&mut other) == 0);
    assert_eq!(other.run("DBSIZE").integer(), 0);
    error.text()
}

#[test]
fn a_server_that_became_full_meanwhile_refuses_the_document() {
    let error = error_after("CONFIG SET maxmemory 1");
    assert!(error.starts_with("OOM "), "{error}");
}

/// A full cache is always full: it makes room for a write, whoever wrote meanwhile.
#[test]
fn a_full_cache_takes_the_document() {
    let server = Options::new()
        .set("--maxmemory", &["32mb"])
        .set("--maxmemory-policy", &["allkeys-lru"])
        .start();
    let mut client = server.client();
    read_in_background(&mut client, true);
    let value = "x".repeat(1000);
    let keys: Vec<String> = (0..40_000)
        .map(|number| format!("cached:{number}"))
        .collect();
    let fill: Vec<_> = keys.iter().map(|key| vec!["SET", key, &value]).collect();
    client.pipeline(&fill);
    assert_ne!(client.info("stats", "evicted_keys"), "0");
    let text = "# Alpha\n\nWords, and some more of them.\n\n".repeat(2000);
    for _ in 0..3 {
        let reply = ingest(&mut client, "doc", &text, "");
        assert_eq!(reply["chapters"].integer(), 2000);
    }
}

#[test]
fn a_server_that_lost_its_replicas_meanwhile_refuses_the_document() {
    let error = error_after("CONFIG SET min-replicas-to-write 1");
    assert!(error.starts_with("NOREPLICAS "), "{error}");
}

#[test]
fn a_server_that_became_a_replica_meanwhile_refuses_the_document() {
    let error = error_after("REPLICAOF 127.0.0.1 1");
    assert!(
        error.starts_with("UNBLOCKED ") || error.starts_with("READONLY "),
        "{error}"
    );
}

#[test]
fn a_limit_that_was_lowered_meanwhile_holds() {
    let error = error_after("CONFIG SET keyns.max-document-bytes 1024");
    assert!(error.contains("keyns.max-document-bytes"), "{error}");
}

#[test]
fn rights_that_were_taken_away_meanwhile_are_gone() {
    for (rules, error) in [
        (
            "resetkeys ~doc ~doc:* ~ch:*",
            "NOPERM No permissions to access the key 'chunk:_seq'",
        ),
        (
            "resetkeys ~other:*",
            "NOPERM the user lost permission for this command while it waited",
        ),
        (
            "-keyns.ingestmd",
            "NOPERM the user lost permission for this command while it waited",
        ),
    ] {
        let server = Server::start();
        let (mut waiting, mut other) = start_reading_as_tester(&server);
        meanwhile(&mut other, &[&format!("ACL SETUSER tester {rules}")]);
        assert_eq!(waiting.receive().unwrap(), Value::Error(error.into()));
        assert_eq!(other.run("DBSIZE").integer(), 0);
    }
}

/// The clients of a deleted user are the default user's until the server has closed them, so this
/// is about a document whose reading ends before the server gets to that.
#[test]
fn a_user_that_was_deleted_meanwhile_writes_nothing_as_somebody_else() {
    let server = Server::start();
    let (mut waiting, mut other) = start_reading_as_tester(&server);
    meanwhile(&mut other, &["ACL DELUSER tester", "DEBUG SLEEP 2"]);
    let reply = waiting.receive();
    assert!(reply.as_ref().map_or(true, Value::is_error), "{reply:?}");
    wait_until("the document is read", || parsing(&mut other) == 0);
    assert_eq!(other.run("DBSIZE").integer(), 0);
}

#[test]
fn a_document_that_went_away_meanwhile_is_not_replaced() {
    let server = Server::start();
    let name = ingest(&mut server.client(), "doc", GUIDE, "")["doc"].text();
    let (mut waiting, mut other) = start_reading(&server, &["REPLACE", &name]);
    other.call(&["KEYNS.DROP", &name]);
    let error = waiting.receive().unwrap().text();
    assert_eq!(error, format!("ERR there is no document '{name}'"));
    assert!(without_counters(keyspace(&mut other)).is_empty());
}

/// A server ends itself rather than let a write reach its replicas during a pause, which is when
/// one of them may be about to take over.
#[test]
fn a_pause_of_writes_meanwhile_refuses_the_document() {
    let server = Server::start();
    let replica = server.replica();
    let (mut waiting, mut other) = start_reading(&server, &[]);
    meanwhile(&mut other, &["CLIENT PAUSE 60000 WRITE"]);
    let error = waiting.receive().unwrap().text();
    assert!(error.starts_with("TRYAGAIN "), "{error}");
    assert_eq!(other.run("DBSIZE").integer(), 0);
    other.run("CLIENT UNPAUSE");
    ingest(&mut other, "doc", GUIDE, "");
    other.run("WAIT 1 10000");
    assert_eq!(replica.digest(), server.digest());
}

#[test]
fn a_server_can_be_shut_down_while_a_client_waits() {
    let server = Server::start();
    let (mut waiting, mut other) = start_reading(&server, &[]);
    other.send(&["SHUTDOWN", "NOSAVE"]).unwrap();
    assert!(other.receive().is_err() && waiting.receive().is_err());
    wait_until("the server is gone", || {
        Client::connect(server.port).is_err()
    });
    let log = server.log();
    assert!(
        log.contains("bye bye") && !log.contains("BUG REPORT"),
        "{log}"
    );
}

#[test]
fn many_clients_wait_at_once() {
    const CLIENTS: usize = 16;
    const DOCUMENTS: usize = 10;
    let server = Server::start();
    read_in_background(&mut server.client(), true);
    let texts: Vec<(String, String)> = thread::scope(|scope| {
        let clients = (0..CLIENTS).map(|number| {
            let server = &server;
            scope.spawn(move || ingest_many(server, number, DOCUMENTS))
        });
        let clients: Vec<_> = clients.collect();
        let texts = clients
            .into_iter()
            .flat_map(|client| client.join().unwrap());
        texts.collect()
    });
    let mut client = server.client();
    assert_eq!(parsing(&mut client), 0);
    for (name, text) in &texts {
        assert_eq!(&client.call(&["KEYNS.EXPORTMD", name]).text(), text);
        client.call(&["KEYNS.DROP", name]);
    }
    let left = without_counters(keyspace(&mut client));
    assert!(left.is_empty(), "{left:?}");
}

/// Writes documents and replaces each of them once; answers their names and texts.
fn ingest_many(server: &Server, number: usize, documents: usize) -> Vec<(String, String)> {
    let mut client = server.client();
    let documents = (0..documents).map(|document| {
        let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
        let text = format!("{GUIDE}\nFrom {number}, {document}.\n");
        ingest(&mut client, "doc", &text, &format!("REPLACE {name}"));
        (name, text)
    });
    documents.collect()
}

#[test]
fn a_panic_at_the_end_of_a_job_does_not_end_the_server() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    read_in_background(&mut client, true);
    client.call(&["KEYNS.PANIC", "the end of a job"]);
    ingest(&mut client, "doc", GUIDE, "");
    assert_eq!(client.info("keyns", "keyns_panics"), "1");
    assert_eq!(parsing(&mut client), 0);
    ingest(&mut client, "doc", GUIDE, "");
}

/// The server ended the waiting of all at once, and others waited for all of their writes.
#[test]
fn others_are_served_between_documents_that_were_read_at_the_same_time() {
    const COUNT: usize = 6;
    let server = Options::new().set("--appendonly", &["yes"]).start();
    server.client().run("CONFIG SET keyns.parse-thread-bytes 0");
    let text = "# a\n".repeat(6000);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = server.client();
            while !is_over.load(Ordering::Relaxed) {
                client.run("INCR served");
            }
        });
        let mut clients: Vec<Client> = (0..COUNT).map(|_| server.client()).collect();
        let pause = server.freeze();
        for client in &mut clients {
            client.send(&["KEYNS.INGESTMD", "doc", &text]).unwrap();
        }
        drop(pause);
        for client in &mut clients {
            let reply = client.receive().unwrap();
            assert!(!reply.is_error(), "{reply:?}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    // What was done in which order: how many have come before each document.
    let (mut served, mut before) = (0, BTreeSet::new());
    for command in aof_commands(&server) {
        match command.get(1).map(Vec::as_slice) {
            Some(b"served") => served += 1,
            Some(b"doc:_seq") => drop(before.insert(served)),
            _ => {}
        }
    }
    // A busy machine may not run the other client in time, every now and then.
    assert!(before.len() > COUNT / 2, "{before:?}");
}
