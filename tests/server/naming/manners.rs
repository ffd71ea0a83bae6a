//! What any Redis command does: transactions, scripts, databases, replicas, memory limits,
//! notifications, statistics.

use keyns_testkit::{Server, Value, wait_until};

#[test]
fn transactions_and_scripts() {
    let server = Server::start();
    let mut client = server.client();
    client.run("MULTI");
    assert_eq!(client.run("KEYNS.MAKE doc intro").text(), "QUEUED");
    client.run("KEYNS.NEXTID doc");
    client.run("KEYNS.NEXTID doc COUNT 0");
    client.run("KEYNS.PARSE doc:intro:001");
    let replies = client.run("EXEC");
    assert_eq!(replies.array()[0], Value::bulk("doc:intro:001"));
    assert_eq!(replies.array()[1], Value::Integer(2));
    assert!(replies.array()[2].is_error());
    assert_eq!(replies.array()[3].fields()["kind"].text(), "doc");

    let script =
        "return {redis.call('KEYNS.MAKE', KEYS[1], ARGV[1]), redis.call('KEYNS.NEXTID', KEYS[1])}";
    let reply = client.call(&["EVAL", script, "1", "doc", "From Lua"]);
    assert_eq!(
        reply.array(),
        [Value::bulk("doc:from_lua:003"), Value::Integer(4)]
    );
    let read_only = [
        "EVAL_RO",
        "return redis.call('KEYNS.SLUG', 'Some Text')",
        "0",
    ];
    assert_eq!(client.call(&read_only).text(), "some_text");
    let refused = [
        "EVAL_RO",
        "return redis.call('KEYNS.NEXTID', KEYS[1])",
        "1",
        "doc",
    ];
    assert!(client.call(&refused).is_error());
}

#[test]
fn a_write_wakes_up_watchers_and_a_look_does_not() {
    let server = Server::start();
    let mut watcher = server.client();
    let mut other = server.client();
    other.run("SET doc:intro:001 x");
    watcher.run("WATCH doc:_seq");
    other.run("KEYNS.NEXTID doc");
    watcher.run("MULTI");
    watcher.run("PING");
    assert_eq!(watcher.run("EXEC"), Value::Null);
    // A name that is only skipped, and a call that fails, are no change.
    other.run("SET doc:_seq 0");
    watcher.run("WATCH doc:intro:001 doc:_slugs");
    other.run("KEYNS.MAKE doc intro");
    other.run("KEYNS.CHECK doc:intro:001");
    watcher.run("MULTI");
    watcher.run("PING");
    assert_eq!(watcher.run("EXEC").array().len(), 1);
}

#[test]
fn databases_are_apart() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.MAKE doc intro");
    client.run("SELECT 3");
    assert_eq!(client.run("KEYNS.MAKE doc intro").text(), "doc:intro:001");
    assert_eq!(client.run("GET doc:_seq").text(), "1");
}

#[test]
fn a_counter_keeps_its_expiry() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET doc:_seq 99 EX 1000");
    assert_eq!(client.run("KEYNS.NEXTID doc").integer(), 100);
    assert!(client.run("TTL doc:_seq").integer() > 900);
}

#[test]
fn replicas_read_and_refuse_to_write() {
    let server = Server::start();
    let replica = server.replica();
    let mut client = replica.client();
    assert_eq!(client.run("KEYNS.SLUG Text").text(), "text");
    assert!(!client.run("KEYNS.CHECK doc:intro:001").is_error());
    assert!(!client.run("KEYNS.PARSE doc:intro:001").is_error());
    for line in ["KEYNS.MAKE doc intro", "KEYNS.NEXTID doc"] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("READONLY"), "{reply}");
    }
}

#[test]
fn a_full_server_refuses_names_and_goes_on_reading() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.MAKE doc intro");
    let before = server.digest();
    client.run("CONFIG SET maxmemory 1");
    for line in ["KEYNS.MAKE doc intro", "KEYNS.NEXTID doc"] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("OOM"), "{reply}");
    }
    assert_eq!(client.run("KEYNS.SLUG Text").text(), "text");
    assert!(!client.run("KEYNS.CHECK doc:intro:001").is_error());
    client.run("CONFIG SET maxmemory 0");
    assert_eq!(server.digest(), before);
    assert_eq!(client.run("KEYNS.NEXTID doc").integer(), 2);
}

#[test]
fn notifications_are_those_of_the_plain_commands() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET notify-keyspace-events KEAn");
    let mut listener = server.client();
    listener.run("PSUBSCRIBE __keyevent@0__:*");
    client.run("KEYNS.NEXTID doc");
    client.run("KEYNS.MAKE ch intro NUMBERING SLUG");
    let mut events = Vec::new();
    while events.len() < 4 {
        let message = listener.receive().unwrap();
        let event = message.array()[2].text().replace("__keyevent@0__:", "");
        events.push((event, message.array()[3].text()));
    }
    let event = |name: &str, key: &str| (name.to_owned(), key.to_owned());
    assert_eq!(
        events,
        [
            event("new", "doc:_seq"),
            event("incrby", "doc:_seq"),
            event("new", "ch:_slugs"),
            event("hincrby", "ch:_slugs"),
        ]
    );
}

#[test]
fn looking_for_free_names_is_no_keyspace_miss() {
    let server = Server::start();
    let mut client = server.client();
    for _ in 0..10 {
        client.run("KEYNS.MAKE doc intro");
    }
    let stats = client.run("INFO stats").text();
    assert!(stats.contains("keyspace_misses:0\r\n"), "{stats}");
    assert!(stats.contains("keyspace_hits:0\r\n"), "{stats}");
}

#[test]
fn replies_can_be_turned_off() {
    let server = Server::start();
    let mut client = server.client();
    client.send(&["CLIENT", "REPLY", "OFF"]).unwrap();
    client.send(&["KEYNS.MAKE", "doc", "intro"]).unwrap();
    client.send(&["KEYNS.CHECK", "doc:intro:001", "x"]).unwrap();
    client
        .send(&["KEYNS.MAKE", "doc", "intro", "WIDTH", "0"])
        .unwrap();
    client.send(&["CLIENT", "REPLY", "ON"]).unwrap();
    assert_eq!(client.receive().unwrap().text(), "OK");
    let mut other = server.client();
    wait_until("the name is made", || {
        other.run("GET doc:_seq") == Value::bulk("1")
    });
}

#[test]
fn a_counter_in_use_is_not_idle() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET doc:intro:004 x");
    for name in ["KEYNS.NEXTID doc", "KEYNS.MAKE ch intro NUMBERING SLUG"] {
        client.run(name);
    }
    std::thread::sleep(std::time::Duration::from_millis(2500));
    client.run("KEYNS.NEXTID doc");
    client.run("KEYNS.NEXTID doc");
    client.run("KEYNS.MAKE doc intro");
    client.run("KEYNS.MAKE ch intro NUMBERING SLUG");
    let mut idle = |key: &str| client.run(&format!("OBJECT IDLETIME {key}")).integer();
    assert!(idle("doc:_seq") < 2);
    assert!(idle("ch:_slugs") < 2);
    // What is only in the way is not in use.
    assert!(idle("doc:intro:004") >= 2);
}

#[test]
fn what_cannot_be_propagated_is_not_written() {
    let server = keyns_testkit::Options::new()
        .set("--rename-command", &["INCRBY", ""])
        .start();
    let mut client = server.client();
    client.run("SET doc:_seq 7");
    let before = server.digest();
    for line in [
        "KEYNS.NEXTID doc",
        "KEYNS.MAKE doc intro",
        "KEYNS.NEXTID new",
    ] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("ERR the server refused"), "{reply}");
    }
    assert_eq!(server.digest(), before);
}

#[test]
fn a_key_past_the_limit_is_not_checked() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-text-bytes 64");
    let error = client
        .call(&["KEYNS.CHECK", "doc:intro:001", &"x".repeat(65)])
        .text();
    assert_eq!(
        error,
        "ERR key must be at most 64 bytes, got 65 (keyns.max-text-bytes)"
    );
}
