//! Which of our commands take more instructions than in the last recorded run, and which take fewer.
//!
//! This is what a run can fail by. A count does not depend on the machine or on what else it does, so
//! a small change can be told: between two runs of one module no count differs by [`NOTICED`]. (The
//! times that are measured beside it do depend on all that; what they say is in [`super::guard`].)

use super::Count;

/// By which share a count has to be off.
pub const NOTICED: f64 = 0.03;

#[derive(Debug, Default, PartialEq)]
pub struct Changes<'a> {
    pub worse: Vec<Change<'a>>,
    pub better: Vec<Change<'a>>,
    /// Recorded, and not counted any more.
    pub gone: Vec<&'a Count>,
    /// How many are there in both, and ours.
    pub compared: usize,
}

#[derive(Debug, PartialEq)]
pub struct Change<'a> {
    pub before: &'a Count,
    pub now: &'a Count,
}

impl Change<'_> {
    pub fn factor(&self) -> f64 {
        self.now.instructions / self.before.instructions
    }
}

/// Compares what was counted with what is recorded of the same parts.
pub fn compare<'a>(
    recorded: impl IntoIterator<Item = &'a Count>,
    counted: impl IntoIterator<Item = &'a Count>,
) -> Changes<'a> {
    let is_ours = |count: &&Count| count.case.starts_with("KEYNS.");
    let mut changes = Changes {
        gone: recorded.into_iter().filter(is_ours).collect(),
        ..Changes::default()
    };
    for now in counted {
        let same = |before: &&Count| before.name() == now.name();
        let Some(at) = changes.gone.iter().position(same) else {
            continue;
        };
        let before = changes.gone.remove(at);
        let change = Change { before, now };
        changes.compared += 1;
        if change.factor() > 1.0 + NOTICED {
            changes.worse.push(change);
        } else if change.factor() < 1.0 - NOTICED {
            changes.better.push(change);
        }
    }
    changes
}

/// What changed, for people.
pub fn text(changes: &Changes) -> String {
    let mut text = format!(
        "Instructions beside the last recorded run: of {} commands {} take more and {} take fewer, \
         by more than {:.0}%.",
        changes.compared,
        changes.worse.len(),
        changes.better.len(),
        NOTICED * 100.0
    );
    for (title, changes) in [("More", &changes.worse), ("Fewer", &changes.better)] {
        if changes.is_empty() {
            continue;
        }
        text += &format!("\n\n| {title} | keys | recorded | now | times |\n|---|---|---|---|---|");
        for change in changes {
            text += &format!(
                "\n| {} | {} | {:.0} | {:.0} | {:.3} |",
                change.now.case,
                change.now.keys,
                change.before.instructions,
                change.now.instructions,
                change.factor()
            );
        }
    }
    for count in &changes.gone {
        text += &format!("\nNot counted any more: {}, {}", count.case, count.keys);
    }
    text
}
