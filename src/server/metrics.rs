//! What `INFO keyns` counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// The families that commands are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Naming,
    Documents,
}

impl Family {
    pub const ALL: [Family; 2] = [Family::Naming, Family::Documents];

    /// The name in `INFO keyns` and of the page in `docs/commands`.
    pub fn name(self) -> &'static str {
        match self {
            Family::Naming => "naming",
            Family::Documents => "documents",
        }
    }

    pub fn counts(self) -> &'static Counts {
        match self {
            Family::Naming => &NAMING,
            Family::Documents => &DOCUMENTS,
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

/// Panics that the entry guard caught.
pub static PANICS: Counter = Counter::new();

/// A number that only the thread holding the server's lock adds to, and any may read.
#[derive(Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Counter {
        Counter(AtomicU64::new(0))
    }

    pub fn increment(&self) {
        // Plain load and store: there is one writer, and a locked instruction costs more than the
        // rest of a short command.
        self.0.store(self.get().wrapping_add(1), Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
