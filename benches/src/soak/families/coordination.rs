//! Locks, events, revisions and counters, from clients that get into each other's way.

use std::sync::atomic::{AtomicI64, Ordering};

use keyns_testkit::Client;

use super::{Families, REST, Worker, locks, once};
use crate::soak::invariants::{Invariant, Invariants};

#[derive(Default)]
pub struct Shared {
    pub locks: locks::Locks,
    pub events: once::Events,
}

pub fn work(families: &Families, mut worker: Worker) {
    let stage = worker.link.stage;
    let shared = &families.coordination;
    let mut revisions = once::Revisions::default();
    // A server that went away has said nothing, and there is nothing to compare.
    stage.repeat(REST, || {
        let _ = match worker.random.below(8) {
            0..=2 => locks::step(&shared.locks, &mut worker),
            3 | 4 => once::see(&shared.events, &mut worker),
            5 => revisions.advance(&mut worker),
            6 => revisions.checkpoint(&mut worker),
            _ => count(&families.counted, &mut worker),
        };
    });
}

/// All counts go to one moment, 2026-11-15 09:30 UTC, so that they come together whenever they are
/// looked at, and are kept until then.
const MOMENT: i64 = 1_794_735_000;
const KEEP: &str = "GRAIN MINUTE GRAIN HOUR GRAIN YEAR KEEP 315360000";

/// What was counted.
#[derive(Default)]
pub struct Counted {
    surely: AtomicI64,
    /// In calls that nobody knows the end of.
    perhaps: AtomicI64,
}

fn count(counted: &Counted, worker: &mut Worker) -> Option<()> {
    let by = worker.random.between(1, 9);
    let line = format!("KEYNS.COUNT hits BY {by} {KEEP} AT {MOMENT}");
    match worker.link.run(&line) {
        Some(_) => counted.surely.fetch_add(by, Ordering::Relaxed),
        None => counted.perhaps.fetch_add(by, Ordering::Relaxed),
    };
    Some(())
}

impl Counted {
    /// To be asked while nobody counts.
    pub fn check(&self, invariants: &Invariants, client: &mut Client) {
        let least = self.surely.load(Ordering::Relaxed);
        let most = least + self.perhaps.load(Ordering::Relaxed);
        for grain in ["MINUTE", "HOUR", "YEAR"] {
            let line = format!("KEYNS.COUNT.RANGE hits GRAIN {grain} {MOMENT} {MOMENT}");
            let total = client.run(&line).fields()["total"].integer();
            let holds = (least..=most).contains(&total);
            invariants.check(Invariant::CountsAreExact, holds, || {
                format!("{total} by {grain}, {least} to {most} were counted")
            });
        }
    }
}
