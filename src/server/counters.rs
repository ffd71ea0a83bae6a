//! Numbers for `INFO keyns`, each a `static` of the family that counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A number that only the thread with the server's lock changes, and any thread may read.
#[derive(Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    pub const fn new() -> Counter {
        Counter(AtomicU64::new(0))
    }

    pub fn increment(&self) {
        // Plain load and store: there is one writer, and a locked instruction costs more than the
        // rest of a short command.
        self.set(self.get().wrapping_add(1));
    }

    fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Counter {
    fn default() -> Counter {
        Counter::new()
    }
}

/// How often the commands of a family were called, and how often they failed.
#[derive(Debug, Default)]
pub struct Usage {
    pub calls: Counter,
    pub errors: Counter,
}

impl Usage {
    pub const fn new() -> Usage {
        Usage {
            calls: Counter::new(),
            errors: Counter::new(),
        }
    }
}

/// How long a call blocked all other clients, in microseconds.
#[derive(Debug, Default)]
pub struct Hold {
    pub last: Counter,
    pub longest: Counter,
}

impl Hold {
    pub const fn new() -> Hold {
        Hold {
            last: Counter::new(),
            longest: Counter::new(),
        }
    }

    /// Measures a step on the main thread. A step that fails does not count.
    pub fn time<T, E>(&self, step: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let start = Instant::now();
        let done = step()?;
        self.record(start);
        Ok(done)
    }

    /// Records a step that ends now.
    pub fn record(&self, start: Instant) {
        let micros = start.elapsed().as_micros() as u64;
        self.last.set(micros);
        self.longest.set(micros.max(self.longest.get()));
    }
}
