//! What got worse since the last recorded run, and what got better.
//!
//! Times are not compared: a machine is faster on one day than on the next. Ratios of things that
//! were measured in the same round are, but they differ from run to run as well, by up to 15% where
//! nothing has changed, on a virtual machine with neighbours; and with some two hundred ratios in a
//! run a rule that is wrong once in a hundred times is always wrong. So a ratio counts as changed
//! only if both hold:
//!
//! - its median is off by more than [`NOTICED`], and
//! - the middle halves of both runs do not meet: three quarters of the rounds were worse than three
//!   quarters of the recorded ones. Where rounds differ widely, that takes a large change. The whole
//!   spread would hide nearly everything: a single bad round widens it.
//!
//! The middle half of two or three rounds says nothing: between two such runs of the same module on a
//! busy machine 20 of 108 ratios had "changed". So both sides need [`ENOUGH`] rounds, or they are
//! not compared.

use super::{ENOUGH, Ratio, Wanted};

/// By how much a median has to be off.
pub const NOTICED: f64 = 0.15;

#[derive(Debug, Default, PartialEq)]
pub struct Comparison<'a> {
    pub worse: Vec<Change<'a>>,
    pub better: Vec<Change<'a>>,
    /// Recorded, and not measured any more.
    pub gone: Vec<&'a Ratio>,
    /// Measured for the first time.
    pub new: Vec<&'a Ratio>,
    /// How many are there in both, about us, and of enough rounds.
    pub compared: usize,
}

#[derive(Debug, PartialEq)]
pub struct Change<'a> {
    pub before: &'a Ratio,
    pub now: &'a Ratio,
}

impl Change<'_> {
    /// How many times as good or as bad it is, 1.2 for a fifth more.
    pub fn factor(&self) -> f64 {
        self.now.spread.middle / self.before.spread.middle
    }

    /// Whether there is more of it, less of it, or neither for sure.
    fn direction(&self) -> Wanted {
        let (before, now) = (&self.before.spread, &self.now.spread);
        if self.factor() > 1.0 + NOTICED && now.lower > before.upper {
            Wanted::More
        } else if self.factor() < 1.0 / (1.0 + NOTICED) && now.upper < before.lower {
            Wanted::Less
        } else {
            Wanted::Either
        }
    }
}

/// Compares all ratios of the parts that were measured with what is recorded of these parts.
pub fn compare<'a>(
    recorded: impl IntoIterator<Item = &'a Ratio>,
    measured: impl IntoIterator<Item = &'a Ratio>,
) -> Comparison<'a> {
    let mut comparison = Comparison {
        gone: recorded.into_iter().collect(),
        ..Comparison::default()
    };
    for now in measured {
        let same = |before: &&Ratio| before.name() == now.name();
        let Some(at) = comparison.gone.iter().position(same) else {
            comparison.new.push(now);
            continue;
        };
        let before = comparison.gone.remove(at);
        let rounds = before.spread.rounds.min(now.spread.rounds);
        if now.wanted == Wanted::Either || rounds < ENOUGH {
            continue;
        }
        comparison.compared += 1;
        let change = Change { before, now };
        match (now.wanted, change.direction()) {
            (_, Wanted::Either) => (),
            (wanted, direction) if wanted == direction => comparison.better.push(change),
            _ => comparison.worse.push(change),
        }
    }
    comparison
}
