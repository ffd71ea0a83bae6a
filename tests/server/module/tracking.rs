//! Clients that cache what they read, and are notified when it changes.

use keyns_testkit::{Client, Options, Server, Value};

/// A client that caches, and one that receives its invalidations.
struct Cache {
    client: Client,
    told: Client,
    writer: Client,
}

impl Cache {
    fn of(server: &Server) -> Cache {
        Cache::with(server, "")
    }

    fn with(server: &Server, options: &str) -> Cache {
        let mut told = server.client();
        let id = told.run("CLIENT ID").integer();
        told.run("SUBSCRIBE __redis__:invalidate");
        told.run("SUBSCRIBE end");
        let mut client = server.client();
        let line = format!("CLIENT TRACKING on REDIRECT {id} {options}");
        assert_eq!(client.run(line.trim_end()).text(), "OK");
        Cache {
            client,
            told,
            writer: server.client(),
        }
    }

    /// The keys that a change invalidates for the client.
    fn forgets(&mut self, change: &str) -> Vec<String> {
        let reply = self.writer.run(change);
        assert!(!reply.is_error(), "{change}: {reply:?}");
        self.writer.run("PUBLISH end now");
        let mut keys = Vec::new();
        loop {
            match self.told.receive().unwrap().array() {
                [_, _, Value::Array(names)] => keys.extend(names.iter().map(Value::text)),
                _ => return keys,
            }
        }
    }
}

/// Fails unless a change of `key` invalidates it for the client that ran `line`. Redis 7.0 cannot
/// track derived keys.
#[track_caller]
fn assert_forgets(server: &Server, line: &str, change: &str, key: &str) {
    let mut cache = Cache::of(server);
    let reply = cache.client.run(line);
    assert!(!reply.is_error(), "{line}: {reply:?}");
    let forgotten = cache.forgets(change).contains(&key.into());
    assert_eq!(
        forgotten,
        server.has_module_categories(),
        "{line}, {change}"
    );
    // A client that has read nothing gets no invalidation.
    let mut other = Cache::of(server);
    other.client.run("PING");
    assert!(other.forgets(change).is_empty());
}

#[test]
fn a_client_is_told_when_a_bucket_changes_that_it_has_read() {
    let server = Server::start();
    server.client().run("KEYNS.COUNT views GRAIN DAY AT 86400");
    let line = "KEYNS.COUNT.RANGE views GRAIN DAY 0 259200";
    let there = "KEYNS.COUNT views GRAIN DAY AT 86400";
    assert_forgets(&server, line, there, "views:1970:01:02");
    let new = "KEYNS.COUNT views GRAIN DAY AT 172800";
    assert_forgets(&server, line, new, "views:1970:01:03");
    let many = "KEYNS.COUNT.RANGE views GRAIN MINUTE 0 590000";
    let last = "KEYNS.COUNT views GRAIN MINUTE AT 589990";
    assert_forgets(&server, many, last, "views:1970:01:07:19:53");
}

#[test]
fn a_client_is_told_when_a_part_of_a_document_changes_that_it_has_read() {
    const TEXT: &str = "# One\n\nText\n\n# Two\n";
    let document = "doc:one:001";
    for (line, change, key) in [
        ("NAV ch:one:001 NEXT", "SET # x", "ch:one:001:next"),
        ("NAV ch:two:002 PREVIOUS", "SET # x", "ch:two:002:previous"),
        (
            "NAV doc:one:001 CHILDREN",
            "SADD # x",
            "doc:one:001:children",
        ),
        (
            "NAV doc:one:001 SEQUENCE",
            "ZADD # 9 x",
            "doc:one:001:sequence",
        ),
        (
            "NAV ch:one:001 SIBLINGS",
            "ZADD # 9 x",
            "doc:one:001:sequence",
        ),
        ("TREE doc:one:001", "HSET # title x", "ch:two:002"),
        ("TREE doc:one:001", "ZADD # 9 x", "doc:one:001:sequence"),
        ("EXPORTMD doc:one:001", "HSET # text x", "chunk:text:001"),
        ("EXPORTMD doc:one:001", "ZADD # 9 x", "doc:one:001:sequence"),
    ] {
        let server = Server::start();
        let reply = server.client().call(&["KEYNS.INGESTMD", "doc", TEXT]);
        assert_eq!(reply.fields()["doc"].text(), document);
        let (line, change) = (format!("KEYNS.{line}"), change.replace('#', key));
        assert_forgets(&server, &line, &change, key);
    }
}

#[test]
fn a_script_and_a_transaction_read_for_their_client() {
    let server = Server::start();
    server.client().run("KEYNS.COUNT views GRAIN DAY AT 86400");
    let change = "KEYNS.COUNT views GRAIN DAY AT 86400";
    let range = ["KEYNS.COUNT.RANGE", "views", "GRAIN", "DAY", "0", "259200"];
    let expected = server.has_module_categories();
    let mut cache = Cache::of(&server);
    cache.client.run("MULTI");
    cache.client.call(&range);
    cache.client.run("EXEC");
    assert_eq!(!cache.forgets(change).is_empty(), expected);
    let script = "return redis.call(unpack(ARGV))";
    let eval = [&["EVAL", script, "0"], &range[..]].concat();
    cache.client.call(&eval);
    assert_eq!(!cache.forgets(change).is_empty(), expected);
}

/// How many keys the server has looked for in vain since somebody reset the count.
fn misses(client: &mut Client) -> u64 {
    client.info("stats", "keyspace_misses").parse().unwrap()
}

/// Whoever tracks nothing does not pay for it.
#[test]
fn a_transaction_of_a_client_that_does_not_track_looks_up_no_key_twice() {
    let server = Server::start();
    let mut client = server.client();
    let range = "KEYNS.COUNT.RANGE views GRAIN DAY 0 259200";
    client.run("CONFIG RESETSTAT");
    client.run(range);
    let alone = misses(&mut client);
    client.run("CONFIG RESETSTAT");
    for line in ["MULTI", range, "EXEC"] {
        client.run(line);
    }
    assert_eq!(misses(&mut client), alone);
}

/// It calls through a client without a connection, also while a transaction runs.
#[test]
fn a_module_that_calls_within_a_transaction_is_no_crash() {
    let server = Options::with_meddler().start();
    let mut client = server.client();
    client.meddle(&["KEYNS.COUNT.RANGE", "views", "GRAIN", "DAY", "0", "259200"]);
    client.run("MULTI");
    client.run("INCR doc:_seq");
    assert_eq!(client.run("EXEC").array()[0].integer(), 1);
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}

/// This works on every server.
#[test]
fn a_client_that_tracks_prefixes_is_told_of_everything_below_them() {
    let server = Server::start();
    let mut cache = Cache::with(&server, "BCAST PREFIX views:");
    let forgotten = cache.forgets("KEYNS.COUNT views GRAIN DAY AT 86400");
    assert_eq!(forgotten, ["views:1970:01:02"]);
}
