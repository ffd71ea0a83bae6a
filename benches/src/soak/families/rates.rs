//! Rate limits, with a ledger of what they admitted. The moment of a call on the server lies between
//! sending and its reply, so what the ledger finds broken is broken.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use keyns_testkit::{Ruling, Value};

use super::{Families, REST, Worker};
use crate::soak::invariants::Invariant;

const SECOND: Duration = Duration::from_secs(1);

const CAPACITY: u64 = 40;
const REFILL: u64 = 100;
const FIXED: u64 = 80;
const SLIDING: usize = 60;

/// Keys of limits that nobody keeps a ledger of.
const OTHERS: u64 = 500;

/// What the limits of one client admitted.
#[derive(Default)]
struct Ledger {
    bucket: Option<(Instant, u64)>,
    /// By the second of the clock in which they were sent, or the one after.
    fixed: BTreeMap<u64, u64>,
    sliding: VecDeque<Instant>,
}

pub fn work(_: &Families, mut worker: Worker) {
    let stage = worker.link.stage;
    let mut ledger = Ledger::default();
    stage.repeat(REST, || {
        let _ = step(&mut worker, &mut ledger);
    });
}

fn step(worker: &mut Worker, ledger: &mut Ledger) -> Option<()> {
    let number = worker.number;
    match worker.random.below(8) {
        0 | 1 => {
            let line = format!("KEYNS.RATE bucket:{number} BUCKET {CAPACITY} {REFILL} 1s");
            let (sent, _) = admitted(worker, &line)?;
            let (first, units) = ledger.bucket.get_or_insert((sent, 0));
            *units += 1;
            let most = CAPACITY as f64 + REFILL as f64 * first.elapsed().as_secs_f64();
            let (units, holds) = (*units, *units as f64 <= most);
            within(worker, holds, || {
                format!("BUCKET admitted {units}, {most} at most")
            });
        }
        2 | 3 => {
            let line = format!("KEYNS.RATE fixed:{number} FIXED {FIXED} 1s");
            let (_, second) = admitted(worker, &line)?;
            // A call that was under way when a window ended may belong to either.
            let replied = unix_seconds();
            if second == replied {
                let units = ledger.fixed.entry(second).or_default();
                *units += 1;
                let (units, holds) = (*units, *units <= FIXED);
                within(worker, holds, || {
                    format!("FIXED admitted {units} in a second")
                });
            }
            ledger.fixed.retain(|window, _| window + 1 >= replied);
        }
        4 | 5 => {
            let line = format!("KEYNS.RATE sliding:{number} SLIDING {SLIDING} 1s");
            let (sent, _) = admitted(worker, &line)?;
            ledger.sliding.push_back(sent);
            if ledger.sliding.len() > SLIDING {
                let first = ledger.sliding.pop_front().expect("there are some");
                let took = first.elapsed();
                within(worker, took >= SECOND, || {
                    format!("SLIDING admitted {} in {took:?}", SLIDING + 1)
                });
            }
        }
        6 => {
            let key = worker.random.below(OTHERS);
            let line = format!("KEYNS.RATE several:{key} BUCKET 5 5 2s SLIDING 8 2s FIXED 100 10s");
            admitted(worker, &line)?;
        }
        _ => {
            let key = worker.random.below(OTHERS);
            let line = match worker.random.below(4) {
                0 => format!("KEYNS.THROTTLE throttle:{key} 4 10 2"),
                1 => format!("KEYNS.RATE.PEEK several:{key} BUCKET 5 5 2s"),
                2 => format!("KEYNS.RATE.REFUND bare:{key} BUCKET 5 5 2s COST 1"),
                _ => format!("KEYNS.RATE.BLOCK blocked:{key} 2s"),
            };
            worker.link.run(&line)?;
        }
    }
    Some(())
}

/// When a call was sent that is admitted, also in seconds of the clock.
fn admitted(worker: &mut Worker, line: &str) -> Option<(Instant, u64)> {
    let (sent, second) = (Instant::now(), unix_seconds());
    let reply: Value = worker.link.run(line)?;
    let ruling = Ruling::read(&reply);
    if ruling.allowed {
        return Some((sent, second));
    }
    let says_when = ruling.retry_after_ms > 0;
    let invariants = &worker.link.stage.invariants;
    invariants.check(Invariant::RefusalsSayWhen, says_when, || {
        format!("{line}: {ruling:?}")
    });
    None
}

fn within(worker: &Worker, holds: bool, detail: impl FnOnce() -> String) {
    let invariants = &worker.link.stage.invariants;
    invariants.check(Invariant::RateBounds, holds, detail);
}

fn unix_seconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("it is past 1970").as_secs()
}
