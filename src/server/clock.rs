//! The time. A server has two clocks, and a command has to choose one.

use std::time::{SystemTime, UNIX_EPOCH};

use redis_module::raw;

/// A moment, since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixTime {
    micros: u64,
}

impl UnixTime {
    /// The clock that the server's commands go by. It stands still during a command, a transaction and
    /// a script, so all keys that one of them writes expire together. Redis 7.0 does not show it; there
    /// this is the [machine's clock](UnixTime::of_machine).
    pub fn of_command() -> UnixTime {
        // SAFETY: a function of the server without arguments.
        let cached = unsafe { raw::RedisModule_CachedMicroseconds.map(|cached| cached()) };
        match cached {
            Some(micros) => UnixTime {
                micros: micros.unsigned_abs(),
            },
            None => UnixTime::of_machine(),
        }
    }

    /// The clock of the server's machine, which advances during a transaction or a script.
    pub fn of_machine() -> UnixTime {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        UnixTime {
            micros: now.map_or(0, |since| since.as_micros() as u64),
        }
    }

    /// The later of both clocks, which is not behind what `TIME` has shown. Valkey 9.1 reads the
    /// machine's clock once in a millisecond and extrapolates in between, so its own clock may be a
    /// microsecond ahead.
    pub fn latest() -> UnixTime {
        UnixTime::of_machine().max(UnixTime::of_command())
    }

    pub fn micros(self) -> u64 {
        self.micros
    }

    pub fn millis(self) -> u64 {
        self.micros / 1000
    }

    pub fn seconds(self) -> i64 {
        (self.micros / 1_000_000).cast_signed()
    }
}
