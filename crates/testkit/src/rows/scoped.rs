//! Rows with a scope of one's choice, so that many can be played on one server, and what a cluster
//! has to know of their keys.

use crate::{Client, Row, read_in_background};

impl Row {
    /// The words of a line in this scope; an empty one is none.
    pub fn words_in(line: &str, scope: &str) -> Vec<String> {
        Row::words(&in_scope(line, scope))
    }

    pub fn call_in(&self, scope: &str) -> Vec<String> {
        Row::words_in(self.line, scope)
    }

    /// Whether a line is about a key, which is its first argument then, or the first behind their
    /// number. All others are about the server.
    pub fn has_key(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split(' ').collect();
        let argument = words.get(key_place(&words)).copied().unwrap_or_default();
        argument.starts_with("{acme}:") || self.keys.iter().any(|used| used.key == argument)
    }

    /// How many of its keys stand in the call.
    pub fn named_keys(&self) -> usize {
        let keys = self.keys.iter();
        keys.filter(|used| self.names(used.key)).count()
    }

    /// Whether it uses keys that do not stand in the call, where no cluster sees them.
    pub fn derives_keys(&self) -> bool {
        self.named_keys() < self.keys.len()
    }

    fn names(&self, key: &str) -> bool {
        self.line.split(' ').any(|word| word == key)
    }

    /// A key by which its node is found.
    pub fn first_key_in(&self, scope: &str) -> Option<String> {
        let first = self.keys.first();
        first.map(|used| in_scope(used.key, scope))
    }
}

/// Where the first key of a call is.
pub fn key_place<A: AsRef<[u8]>>(words: &[A]) -> usize {
    let counts = |word: &A| word.as_ref().eq_ignore_ascii_case(b"KEYNS.RATE.ALL");
    1 + usize::from(words.first().is_some_and(counts))
}

fn in_scope(text: &str, scope: &str) -> String {
    match scope {
        "" => text.replace("{acme}:", ""),
        scope => text.replace("{acme}", scope),
    }
}

impl Client {
    /// Has all be there that a row needs, in a scope where nothing is.
    #[track_caller]
    pub fn prepare(&mut self, row: &Row, scope: &str) {
        self.apply_settings(row);
        for line in row.before.iter().filter(|line| row.has_key(line)) {
            let reply = self.call(&Row::words_in(line, scope));
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
    }

    /// Has the server be set as a row needs it, and takes back what others have left behind there.
    #[track_caller]
    pub fn apply_settings(&mut self, row: &Row) {
        let no_namespaces = ["KEYNS.NS.LOAD", r#"{"namespaces":[]}"#, "FLUSH"];
        assert!(!self.call(&no_namespaces).is_error());
        read_in_background(self, false);
        for line in row.before.iter().filter(|line| !row.has_key(line)) {
            let reply = self.call(&Row::words(line));
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
    }
}
