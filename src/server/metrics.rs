//! What `INFO keyns` counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::core::rate::Algorithm;

/// The families that commands are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Naming,
    Documents,
    RateLimits,
    Namespaces,
    Coordination,
}

impl Family {
    pub const ALL: [Family; 5] = [
        Family::Naming,
        Family::Documents,
        Family::RateLimits,
        Family::Namespaces,
        Family::Coordination,
    ];

    /// The name in `INFO keyns`, and with `-` for `_` that of the page in `docs/commands`.
    pub fn name(self) -> &'static str {
        match self {
            Family::Naming => "naming",
            Family::Documents => "documents",
            Family::RateLimits => "rate_limits",
            Family::Namespaces => "namespaces",
            Family::Coordination => "coordination",
        }
    }

    pub fn counts(self) -> &'static Counts {
        match self {
            Family::Naming => &NAMING,
            Family::Documents => &DOCUMENTS,
            Family::RateLimits => &RATE_LIMITS,
            Family::Namespaces => &NAMESPACES,
            Family::Coordination => &COORDINATION,
        }
    }
}

/// The counters of one family.
#[derive(Debug)]
pub struct Counts {
    pub calls: Counter,
    pub errors: Counter,
}

impl Counts {
    const fn new() -> Counts {
        Counts {
            calls: Counter::new(),
            errors: Counter::new(),
        }
    }
}

static NAMING: Counts = Counts::new();
static DOCUMENTS: Counts = Counts::new();
static RATE_LIMITS: Counts = Counts::new();
static NAMESPACES: Counts = Counts::new();
static COORDINATION: Counts = Counts::new();

/// What requests were told, by the algorithm of the limit that spoke.
#[derive(Debug)]
pub struct Rulings {
    pub allowed: Counter,
    pub denied: Counter,
}

static RULINGS: [Rulings; 3] = [const { Rulings::new() }; 3];

impl Rulings {
    const fn new() -> Rulings {
        Rulings {
            allowed: Counter::new(),
            denied: Counter::new(),
        }
    }

    pub fn of(algorithm: Algorithm) -> &'static Rulings {
        let [bucket, fixed, sliding] = &RULINGS;
        match algorithm {
            Algorithm::Bucket => bucket,
            Algorithm::Fixed => fixed,
            Algorithm::Sliding => sliding,
        }
    }
}

/// Requests that were denied because their key is blocked.
pub static BLOCKED: Counter = Counter::new();

/// Look-ups of namespaces that were given up, because too many patterns start like the key.
pub static LOOK_UPS_CUT: Counter = Counter::new();

/// How often something had been done before, and how often it had not.
#[derive(Debug)]
pub struct Repeats {
    pub hits: Counter,
    pub misses: Counter,
}

impl Repeats {
    const fn new() -> Repeats {
        Repeats {
            hits: Counter::new(),
            misses: Counter::new(),
        }
    }
}

/// What KEYNS.SEEN said.
pub static DEDUP: Repeats = Repeats::new();

/// What KEYNS.ADVANCE said.
pub static REVISIONS: Repeats = Repeats::new();

/// What became of locks.
#[derive(Debug)]
pub struct Locks {
    pub taken: Counter,
    pub refused: Counter,
    pub extended: Counter,
    pub released: Counter,
    /// Calls to extend or release one that the caller did not hold.
    pub not_held: Counter,
}

pub static LOCKS: Locks = Locks {
    taken: Counter::new(),
    refused: Counter::new(),
    extended: Counter::new(),
    released: Counter::new(),
    not_held: Counter::new(),
};

/// How long a call held up all others, in microseconds.
#[derive(Debug)]
pub struct Hold {
    pub last: Counter,
    pub longest: Counter,
}

impl Hold {
    const fn new() -> Hold {
        Hold {
            last: Counter::new(),
            longest: Counter::new(),
        }
    }

    /// Takes the time of a step on the main thread. A step that fails is none.
    pub fn time<T, E>(&self, step: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let start = Instant::now();
        let done = step()?;
        self.record(start);
        Ok(done)
    }

    /// Notes a step that ends now.
    pub fn record(&self, start: Instant) {
        let micros = start.elapsed().as_micros() as u64;
        self.last.set(micros);
        self.longest.set(micros.max(self.longest.get()));
    }
}

/// The step of KEYNS.INGESTMD in which a document is written. What is read in the background
/// before is no part of it.
pub static DOCUMENT_WRITE: Hold = Hold::new();

/// The step of KEYNS.DROP.
pub static DOCUMENT_DROP: Hold = Hold::new();

/// Panics that the entry guard caught.
pub static PANICS: Counter = Counter::new();

/// A number that only the thread holding the server's lock changes, and any may read.
#[derive(Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Counter {
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
