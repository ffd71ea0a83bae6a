//! What tests of coordination compare: the server's clock, expiries, and all that is in a database.

use crate::{Client, Value};

impl Client {
    /// The server's clock, in microseconds since 1970.
    #[track_caller]
    pub fn clock(&mut self) -> i64 {
        micros(&self.run("TIME"))
    }

    /// When a key expires, in milliseconds since 1970; -1 if it does not, -2 if it is not there.
    #[track_caller]
    pub fn expiry_of<K: AsRef<[u8]>>(&mut self, key: K) -> i64 {
        self.call(&[b"PEXPIRETIME", key.as_ref()]).integer()
    }

    /// Makes a call, and fails unless a key then lives for so many milliseconds from that call on.
    #[track_caller]
    pub fn run_giving(&mut self, line: &str, key: &str, millis: i64) -> Value {
        let before = self.clock() / 1000;
        let reply = self.run(line);
        let after = self.clock() / 1000;
        assert!(!reply.is_error(), "{line}: {reply:?}");
        let given = self.expiry_of(key) - millis;
        assert!(
            (before..=after).contains(&given),
            "{line}: from {given} on, at {before} to {after}"
        );
        reply
    }

    /// Every key, with the digest of its value and when it expires.
    #[track_caller]
    pub fn snapshot(&mut self) -> Vec<(String, String, i64)> {
        let keys = self.run("KEYS *");
        let keys = keys.array().iter().map(|key| match key {
            Value::Bulk(key) => key.as_slice(),
            other => panic!("not a key: {other:?}"),
        });
        let keys: Vec<&[u8]> = keys.collect();
        let expiries = keys.iter().map(|key| vec![b"PEXPIRETIME".as_slice(), key]);
        let mut calls: Vec<Vec<&[u8]>> = expiries.collect();
        calls.push([&[b"DEBUG", b"DIGEST-VALUE".as_slice()], keys.as_slice()].concat());
        let mut expiries = self.pipeline(&calls);
        let digests = expiries.pop().expect("a reply to each call");
        let mut entries: Vec<_> = keys
            .iter()
            .zip(digests.array().iter().zip(&expiries))
            .map(|(key, (digest, expiry))| {
                let shown = key.escape_ascii().to_string();
                (shown, digest.text(), expiry.integer())
            })
            .collect();
        assert_eq!(entries.len(), keys.len());
        entries.sort();
        entries
    }
}

/// The reply of TIME, in microseconds.
#[track_caller]
pub fn micros(reply: &Value) -> i64 {
    let part = |at: usize| -> i64 { reply.array()[at].text().parse().expect("a number") };
    part(0) * 1_000_000 + part(1)
}
