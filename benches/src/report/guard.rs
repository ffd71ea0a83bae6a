//! Which ratios of times got worse since the last recorded run, and which got better. This is told and
//! fails no run: what does is in [`super::watch`].
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

/// What a comparison says, for people.
pub fn text(comparison: &Comparison) -> String {
    let Comparison {
        worse,
        better,
        gone,
        new,
        compared,
    } = comparison;
    let mut text = format!(
        "Beside the last recorded run: of {compared} ratios {} got worse, {} got better (by more \
         than {:.0}%, and more than rounds differ).",
        worse.len(),
        better.len(),
        NOTICED * 100.0
    );
    text += &changes("Worse", worse);
    text += &changes("Better", better);
    text += &names("Not measured any more", gone);
    text += &names("Measured for the first time", new);
    text
}

fn changes(title: &str, changes: &[Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n\n{title}:\n\n| part | what | keys | over | recorded | middle half | now | middle half | times |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    for change in changes {
        let Ratio {
            part,
            case,
            keys,
            over,
            ..
        } = change.now;
        let [before, now] = [change.before, change.now].map(|ratio| {
            let spread = &ratio.spread;
            format!(
                "{:.2} | {:.2} to {:.2}",
                spread.middle, spread.lower, spread.upper
            )
        });
        text += &format!(
            "\n| {part} | {case} | {keys} | {over} | {before} | {now} | {:.2} |",
            change.factor()
        );
    }
    text
}

/// By the number where they are many, as in a first run.
fn names(title: &str, ratios: &[&Ratio]) -> String {
    const FEW: usize = 20;
    match ratios.len() {
        0 => String::new(),
        count if count > FEW => format!("\n\n{title}: {count} ratios."),
        _ => {
            let lines = ratios.iter().map(|ratio| {
                let (part, case, keys, over) = ratio.name();
                format!("\n- {part}: {case}, {keys}, over {over}")
            });
            format!("\n\n{title}:\n{}", lines.collect::<String>())
        }
    }
}
