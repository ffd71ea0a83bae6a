//! How many calls a family made and how long they took, by the second in which they ended.

use std::sync::Mutex;
use std::time::Duration;

/// Buckets of a histogram for each doubling of the time: quantiles are about 4% off at most.
const FINE: usize = 16;
/// Up to 2^27 microseconds, more than any client waits.
const DOUBLINGS: usize = 27;

/// The seconds of one family.
#[derive(Default)]
pub struct Pulse(Mutex<Vec<Times>>);

impl Pulse {
    pub fn beat(&self, second: f64, took: Duration) {
        let mut seconds = self.0.lock().expect("nobody panics with it");
        let at = second as usize;
        while seconds.len() <= at {
            seconds.push(Times::default());
        }
        seconds[at].add(took);
    }

    /// All of some seconds together.
    pub fn times(&self, from: usize, to: usize) -> Times {
        let seconds = self.0.lock().expect("nobody panics with it");
        let mut all = Times::default();
        for times in seconds.iter().take(to).skip(from) {
            all.merge(times);
        }
        all
    }
}

/// A histogram of times.
#[derive(Clone, Default)]
pub struct Times {
    counts: Vec<u32>,
    pub calls: u64,
    longest: Duration,
}

impl Times {
    fn add(&mut self, took: Duration) {
        self.counts.resize(FINE * DOUBLINGS, 0);
        self.counts[bucket(took.as_micros() as u64)] += 1;
        self.calls += 1;
        self.longest = self.longest.max(took);
    }

    pub fn merge(&mut self, other: &Times) {
        self.counts.resize(FINE * DOUBLINGS, 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.calls += other.calls;
        self.longest = self.longest.max(other.longest);
    }

    /// In milliseconds, `None` if there was no call.
    pub fn quantile(&self, quantile: f64) -> Option<f64> {
        let rank = (self.calls as f64 * quantile) as u64;
        let mut below = 0;
        for (at, &count) in self.counts.iter().enumerate() {
            below += u64::from(count);
            if below > rank {
                return Some(middle(at).min(self.longest.as_secs_f64() * 1e3));
            }
        }
        None
    }

    pub fn longest(&self) -> f64 {
        self.longest.as_secs_f64() * 1e3
    }
}

fn bucket(micros: u64) -> usize {
    let micros = micros.max(1);
    let doubling = micros.ilog2() as usize;
    let within = ((micros as f64 / (1_u64 << doubling) as f64 - 1.0) * FINE as f64) as usize;
    (doubling * FINE + within).min(FINE * DOUBLINGS - 1)
}

/// The milliseconds in the middle of a bucket.
fn middle(bucket: usize) -> f64 {
    let start = 2_f64.powi((bucket / FINE) as i32);
    start * (1.0 + ((bucket % FINE) as f64 + 0.5) / FINE as f64) / 1e3
}
