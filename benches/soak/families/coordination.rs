//! Locks, events, revisions and counters, from clients that get into each other's way.

use super::{Families, REST, Worker, counts, locks, once};

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
            _ => counts::step(&families.counted, &mut worker),
        };
    });
}
