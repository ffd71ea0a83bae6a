//! What the rate-limit commands reply, and what they keep.

use crate::{Client, Value};

/// The reply of KEYNS.RATE and of those that speak like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub allowed: bool,
    pub limit: i64,
    pub remaining: i64,
    pub retry_after_ms: i64,
    pub reset_after_ms: i64,
    pub binding: i64,
}

impl Ruling {
    /// The reply of KEYNS.RATE.ALL: the index of a key, and the ruling on it.
    #[track_caller]
    pub fn read_joint(reply: &Value) -> (i64, Ruling) {
        let [key, ruling @ ..] = reply.array() else {
            panic!("not a ruling: {reply:?}");
        };
        (key.integer(), Ruling::read(&Value::Array(ruling.to_vec())))
    }

    #[track_caller]
    pub fn read(reply: &Value) -> Ruling {
        let Value::Array(fields) = reply else {
            panic!("not a ruling: {reply:?}");
        };
        let fields: Vec<i64> = fields.iter().map(Value::integer).collect();
        let [
            allowed,
            limit,
            remaining,
            retry_after_ms,
            reset_after_ms,
            binding,
        ] = fields[..]
        else {
            panic!("not a ruling: {reply:?}");
        };
        assert!(allowed == 0 || allowed == 1, "{reply:?}");
        Ruling {
            allowed: allowed == 1,
            limit,
            remaining,
            retry_after_ms,
            reset_after_ms,
            binding,
        }
    }

    /// The part that does not depend on when the call came.
    pub fn timeless(&self) -> (bool, i64, i64, i64) {
        (self.allowed, self.limit, self.remaining, self.binding)
    }
}

impl Client {
    /// Sends a call of KEYNS.RATE, or of one that replies like it, and answers its ruling.
    #[track_caller]
    pub fn rule(&mut self, line: &str) -> Ruling {
        Ruling::read(&self.run(line))
    }

    /// A key's value, `None` if it has none.
    #[track_caller]
    pub fn bytes_of<K: AsRef<[u8]>>(&mut self, key: K) -> Option<Vec<u8>> {
        match self.call(&[b"GET", key.as_ref()]) {
            Value::Bulk(bytes) => Some(bytes),
            Value::Null => None,
            other => panic!("not a string: {other:?}"),
        }
    }
}

/// When something was last counted in a state, in microseconds since 1970.
pub fn last_counted(state: &[u8]) -> u64 {
    const START: u64 = 1_577_836_800_000_000; // 2020-01-01
    let head: [u8; 8] = state[..8].try_into().expect("eight bytes");
    START + (u64::from_le_bytes(head) & ((1 << 51) - 1))
}
