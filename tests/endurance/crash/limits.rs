//! Rate limits: over all lives of the server together, no more is admitted than the limit says.

use std::collections::BTreeMap;
use std::io::Result;
use std::time::{Duration, Instant};

use keyns_testkit::{Client, Ruling};

use super::sender::Sender;

/// How many rounds use one key, so that it is fresh, used and full in turn.
const ROUNDS_OF_A_KEY: u64 = 8;
const MAX: i64 = 20;

/// Limits that give nothing back while a test runs.
const LASTING: [(&str, &str); 4] = [
    ("bucket", "BUCKET 20 1 1000d"),
    ("fixed", "FIXED 20 1000d"),
    ("sliding", "SLIDING 20 1000d"),
    ("all", "BUCKET 20 1 1000d FIXED 20 1000d SLIDING 20 1000d"),
];

/// And one that does.
const WINDOW: Duration = Duration::from_millis(700);
const WINDOW_MAX: usize = 20;

/// What one worker was admitted since it was last asked.
#[derive(Default)]
pub struct Limits {
    lasting: BTreeMap<(String, &'static str), Taken>,
    /// From when to when each admitted call was under way.
    window: Vec<(Instant, Instant)>,
}

/// What was taken from one limit.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// By the answers.
    admitted: i64,
    /// By calls without an answer, perhaps.
    lost: i64,
    refused: u64,
}

impl Limits {
    pub fn act(&mut self, sender: &mut Sender, round: u64) -> Result<()> {
        if sender.random.once_in(3) {
            let sent = Instant::now();
            let line = format!("KEYNS.RATE limit:window SLIDING {WINDOW_MAX} 700ms");
            if Ruling::read(&sender.run(&line)?).allowed {
                self.window.push((sent, Instant::now()));
            }
            return Ok(());
        }
        let (kind, clause) = *sender.random.pick(&LASTING);
        let key = format!("limit:{kind}:{}", round / ROUNDS_OF_A_KEY);
        // Some requests ask for more than is left, however slow the machine is.
        let cost = sender.random.between(1, 12);
        let taken = self.lasting.entry((key.clone(), clause)).or_default();
        taken.lost += cost;
        let line = format!("KEYNS.RATE {key} {clause} COST {cost}");
        let ruling = Ruling::read(&sender.run(&line)?);
        taken.lost -= cost;
        match ruling.allowed {
            true => taken.admitted += cost,
            false => taken.refused += 1,
        }
        Ok(())
    }
}

/// What all of them were admitted.
#[derive(Default)]
pub struct Admissions {
    lasting: BTreeMap<(String, &'static str), Taken>,
    window: Vec<(Instant, Instant)>,
}

impl Admissions {
    pub fn admitted(&self) -> u64 {
        let admitted = self.lasting.values().map(|taken| taken.admitted);
        admitted.sum::<i64>().unsigned_abs()
    }

    pub fn refused(&self) -> u64 {
        self.lasting.values().map(|taken| taken.refused).sum()
    }

    pub fn collect(&mut self, limits: &mut Limits) {
        for (limit, taken) in std::mem::take(&mut limits.lasting) {
            let sum = self.lasting.entry(limit).or_default();
            sum.admitted += taken.admitted;
            sum.lost += taken.lost;
            sum.refused += taken.refused;
        }
        self.window.append(&mut limits.window);
    }

    pub fn check(&mut self, client: &mut Client) {
        for ((key, clause), taken) in &self.lasting {
            assert!(taken.admitted <= MAX, "{key}: {taken:?}");
            let ruling = client.rule(&format!("KEYNS.RATE.PEEK {key} {clause}"));
            // It says what would be left if it were called.
            let used = MAX - ruling.remaining - i64::from(ruling.allowed);
            let possible = taken.admitted..=taken.admitted + taken.lost;
            assert!(possible.contains(&used), "{key}: {used} used, {taken:?}");
        }
        for (start, _) in &self.window {
            let within = |&&(sent, received): &&(Instant, Instant)| {
                sent >= *start && received < *start + WINDOW
            };
            let admitted = self.window.iter().filter(within).count();
            assert!(admitted <= WINDOW_MAX, "{admitted} in one window");
        }
        // What is longer ago has been compared with all that can be in one window with it.
        self.window.retain(|(sent, _)| sent.elapsed() < 2 * WINDOW);
    }
}
