//! A server on which one row after the other is played, and what can be seen of it from outside.

use keyns_testkit::{Client, Options, Row, Server, Value, read_in_background, wait_until};

/// A primary with the module built for tests, in which overflows and broken invariants panic, and
/// something that takes its replication stream.
pub struct Stage {
    pub server: Server,
    pub replica: Server,
    pub client: Client,
}

/// All that a call could have changed.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    keys: Vec<(String, String, i64)>,
    namespaces: String,
    /// How much was sent to replicas.
    offset: String,
}

impl Stage {
    pub fn start() -> Stage {
        let server = Options::with_panic_command()
            .set("--repl-ping-replica-period", &["3600"])
            .start();
        let replica = server.replica();
        let client = server.client();
        Stage {
            server,
            replica,
            client,
        }
    }

    /// Has nothing be there but what a row needs.
    #[track_caller]
    pub fn set(&mut self, row: &Row) {
        assert_eq!(self.client.run("FLUSHALL").text(), "OK");
        self.client.forget_namespaces();
        read_in_background(&mut self.client, false);
        for line in row.before {
            let reply = self.client.call(&Row::words(line));
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
    }

    #[track_caller]
    pub fn state(&mut self) -> State {
        State {
            keys: self.client.snapshot(),
            namespaces: self.client.namespaces(),
            offset: self.client.offset(),
        }
    }

    /// Puts a value of this type under a key, in place of whatever is there.
    #[track_caller]
    pub fn put(&mut self, key: &str, kind: &str) {
        self.client.call(&["DEL", key]);
        let words: &[&str] = match kind {
            "none" => return,
            "string" => &["SET", key, "x"],
            "hash" => &["HSET", key, "x", "x"],
            "list" => &["RPUSH", key, "x"],
            "set" => &["SADD", key, "x"],
            "zset" => &["ZADD", key, "1", "x"],
            "stream" => &["XADD", key, "1-1", "x", "x"],
            other => panic!("no type {other}"),
        };
        let reply = self.client.call(words);
        assert!(!reply.is_error(), "{words:?}: {reply:?}");
    }

    /// Makes a call that must be refused with an error, by any client, and fails if that changed
    /// anything or was sent to replicas. Answers the error.
    #[track_caller]
    pub fn refused<A: AsRef<[u8]>>(&mut self, client: Option<&mut Client>, words: &[A]) -> String {
        let before = self.state();
        let reply = client.unwrap_or(&mut self.client).call(words);
        let shown = shown(words);
        assert!(reply.is_error(), "{shown}: {reply:?}");
        assert_eq!(self.state(), before, "{shown}");
        let error = reply.text();
        assert_well_formed(&shown, &error);
        error
    }

    /// Makes a call with any reply, and fails if an error changed anything. Answers the reply.
    #[track_caller]
    pub fn any_reply<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Value {
        let before = self.state();
        let reply = self.client.call(words);
        if reply.is_error() {
            let shown = shown(words);
            assert_eq!(self.state(), before, "{shown}: {reply:?}");
            assert_well_formed(&shown, &reply.text());
        }
        reply
    }

    /// Waits until the replica has all that was sent to it.
    #[track_caller]
    pub fn catch_up(&mut self) {
        let offset = self.client.offset();
        let mut replica = self.replica.client();
        wait_until("the replica has caught up", || {
            replica.info("replication", "slave_repl_offset") == offset
        });
    }
}

impl Drop for Stage {
    /// Whatever was played, nothing may have gone wrong inside.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        assert_eq!(self.client.info("keyns", "keyns_panics"), "0");
        assert!(!self.server.log().contains("panicked"));
    }
}

/// An error has a code that clients know, is plain text, and no longer than a person reads.
#[track_caller]
pub fn assert_well_formed(call: &str, error: &str) {
    const CODES: [&str; 6] = ["ERR", "WRONGTYPE", "NOPERM", "OOM", "READONLY", "TRYAGAIN"];
    let code = error.split(' ').next().unwrap_or_default();
    assert!(CODES.contains(&code), "{call}: {error}");
    assert!(error.len() > code.len() + 1, "{call}: {error}");
    assert!(
        error.bytes().all(|b| b.is_ascii() && !b.is_ascii_control()) && error.len() < 800,
        "{call}: {error}"
    );
    assert!(!error.contains("internal error"), "{call}: {error}");
}

/// A call as a failure shows it.
pub fn shown<A: AsRef<[u8]>>(words: &[A]) -> String {
    let words = words.iter().map(|word| {
        let word = word.as_ref();
        let start = word[..word.len().min(80)].escape_ascii().to_string();
        match word.len() {
            0 => "''".into(),
            1..=80 => start,
            length => format!("{start}... ({length} bytes)"),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
