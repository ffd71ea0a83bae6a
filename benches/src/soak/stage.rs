//! What all threads of a soak share.

use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::invariants::Invariants;

pub struct Stage {
    /// Of the primary, which comes back on the same one.
    pub port: u16,
    pub start: Instant,
    pub length: Duration,
    pub invariants: Invariants,
    /// Held for reading by everybody who is in the middle of something, and for writing at the
    /// points where nobody may be.
    pub quiet: RwLock<()>,
    is_over: AtomicBool,
}

impl Stage {
    pub fn new(port: u16, length: Duration) -> Stage {
        Stage {
            port,
            start: Instant::now(),
            length,
            invariants: Invariants::default(),
            quiet: RwLock::new(()),
            is_over: AtomicBool::new(false),
        }
    }

    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Has a family do one thing after the other until the end. In between it rests, so that the
    /// server is busy and not swamped.
    pub fn repeat(&self, rest: Duration, mut step: impl FnMut()) {
        while !self.is_over() {
            let busy = self
                .quiet
                .read()
                .unwrap_or_else(|broken| broken.into_inner());
            step();
            drop(busy);
            std::thread::sleep(rest);
        }
    }
}
