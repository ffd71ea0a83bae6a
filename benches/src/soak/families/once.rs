//! Events that are new once, and revisions and positions that only go up.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use keyns_testkit::Value;

use super::Worker;
use crate::soak::invariants::Invariant;

/// How long an event is remembered, and how long its duplicates come.
const REMEMBERED: Duration = Duration::from_secs(20);
const LATE: Duration = Duration::from_secs(10);

/// How often an event comes, more or less.
const TIMES: u64 = 3;

/// The events that came lately.
#[derive(Default)]
pub struct Events(Mutex<Lately>);

#[derive(Default)]
struct Lately {
    calls: u64,
    /// Events that were new, and when that was known.
    new: HashMap<u64, Instant>,
    order: VecDeque<u64>,
}

pub fn see(events: &Events, worker: &mut Worker) -> Option<()> {
    let mut lately = events.0.lock().expect("nobody panics with it");
    lately.calls += 1;
    // Duplicates come side by side, and from afar.
    let latest = lately.calls / TIMES;
    let event = match worker.random.once_in(10) {
        true => latest.saturating_sub(worker.random.below(100)),
        false => latest,
    };
    drop(lately);
    let seconds = REMEMBERED.as_secs();
    let reply = worker
        .link
        .run(&format!("KEYNS.SEEN event:{event} EX {seconds}"))?;
    if reply != Value::Integer(1) {
        return Some(());
    }
    let mut lately = events.0.lock().expect("nobody panics with it");
    let before = lately.new.insert(event, Instant::now());
    let is_first = before.is_none_or(|before| before.elapsed() > LATE);
    let invariants = &worker.link.stage.invariants;
    invariants.check(Invariant::SeenOnce, is_first, || format!("event {event}"));
    lately.order.push_back(event);
    if lately.order.len() > 10_000 {
        let oldest = lately.order.pop_front();
        oldest.map(|oldest| lately.new.remove(&oldest));
    }
    Some(())
}

/// What is stored under the keys of one client, as far as it is known.
#[derive(Default)]
pub struct Revisions {
    revisions: HashMap<String, i64>,
    positions: HashMap<String, i64>,
}

impl Revisions {
    pub fn advance(&mut self, worker: &mut Worker) -> Option<()> {
        let key = format!("revision:{}:{}", worker.number, worker.random.below(20));
        step("KEYNS.ADVANCE", key, &mut self.revisions, worker)
    }

    pub fn checkpoint(&mut self, worker: &mut Worker) -> Option<()> {
        let key = format!("checkpoint:{}:{}", worker.number, worker.random.below(5));
        step("KEYNS.CHECKPOINT", key, &mut self.positions, worker)
    }
}

/// Both reply whether a number was stored, and the one that is.
fn step(
    command: &str,
    key: String,
    stored: &mut HashMap<String, i64>,
    worker: &mut Worker,
) -> Option<()> {
    let known = stored.remove(&key);
    let number = (known.unwrap_or(0) + worker.random.between(-3, 5)).max(0);
    let reply = worker.link.run(&format!("{command} {key} {number}"))?;
    let reply: Vec<i64> = reply.array().iter().map(Value::integer).collect();
    if let Some(known) = known {
        let expected = match number > known {
            true => [1, number],
            false => [0, known],
        };
        let invariants = &worker.link.stage.invariants;
        invariants.check(Invariant::RevisionsRise, reply == expected, || {
            format!("{command} {key} {number} after {known}: {reply:?}")
        });
    }
    stored.insert(key, reply[1]);
    Some(())
}
