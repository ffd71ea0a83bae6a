//! A server that is to refuse things, and to stay as it was.

use crate::{Client, Options, Server};

/// A server with a few namespaces, and what they are. The module is the one built for tests, in which
/// overflows and broken invariants panic.
pub struct Refusing {
    pub server: Server,
    pub client: Client,
    pub before: String,
}

impl Refusing {
    pub fn start() -> Refusing {
        let server = Options::with_panic_command().start();
        let mut client = server.client();
        client.define("user", "user:<id:int>", "OWNER web");
        client.define("session", "session:<sid:hex>[:<attribute>]", "TTL 60");
        client.define("file", "file:<name>.json:{<tenant>}", "");
        let before = client.namespaces();
        Refusing {
            server,
            client,
            before,
        }
    }

    /// Fails unless this is refused with an error that says this, and changes nothing.
    #[track_caller]
    pub fn refuses<A: AsRef<[u8]>>(&mut self, args: &[A], reason: &str) {
        let reply = self.client.call(args);
        let line: Vec<String> = args
            .iter()
            .map(|arg| {
                arg.as_ref()[..arg.as_ref().len().min(200)]
                    .escape_ascii()
                    .to_string()
            })
            .collect();
        assert!(reply.is_error(), "{line:?}: {reply:?}");
        let error = reply.text();
        assert!(
            error.starts_with("ERR ") && error.contains(reason),
            "{line:?}\n       got: {error}\n  expected: {reason}"
        );
        assert!(error.is_ascii() && error.len() < 600, "{line:?}: {error}");
        assert_eq!(self.client.namespaces(), self.before, "{line:?}");
    }

    #[track_caller]
    pub fn refuses_line(&mut self, line: &str, reason: &str) {
        self.refuses(&line.split(' ').collect::<Vec<_>>(), reason);
    }

    #[track_caller]
    pub fn refuses_pattern(&mut self, pattern: &str, reason: &str) {
        self.refuses(&["KEYNS.NS.SET", "n", "PATTERN", pattern], reason);
    }

    #[track_caller]
    pub fn refuses_json(&mut self, json: impl AsRef<[u8]>, reason: &str) {
        let load = [b"KEYNS.NS.LOAD", json.as_ref()];
        for options in ["", "DRYRUN", "REPLACE", "FLUSH", "FLUSH DRYRUN"] {
            let options = options.split_whitespace().map(str::as_bytes);
            let args: Vec<&[u8]> = load.into_iter().chain(options).collect();
            self.refuses(&args, reason);
        }
    }

    #[track_caller]
    pub fn refuses_entry(&mut self, entry: &str, reason: &str) {
        let fine = r#"{"name": "fine", "pattern": "fine:<x>"}"#;
        self.refuses_json(format!(r#"{{"namespaces": [{fine}, {entry}]}}"#), reason);
    }

    #[track_caller]
    pub fn finish(mut self) {
        assert_eq!(self.client.info("keyns", "keyns_panics"), "0");
        assert!(!self.server.log().contains("panicked"));
    }
}
