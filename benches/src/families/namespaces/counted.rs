//! The same cases, for counting instructions.

use keyns_testkit::{Client, Value};

use super::plan::Plan;
use super::{CASES, Case, call_all};
use crate::families::counting::Cases;
use crate::measure::Dice;
use crate::measure::instructions::{COMMANDS, Counted, RANDOM_KEYS, Work};

/// With few namespaces first: there are more of them later.
pub fn counted(_: &mut Client) -> Cases {
    let mut counted = Cases::default();
    for namespaces in [10, 1_000] {
        for case in &CASES {
            counted.add(Loads {
                case,
                plan: Plan { namespaces },
                dice: Dice::new(),
                sent: Vec::new(),
            });
        }
    }
    counted
}

struct Loads {
    case: &'static Case,
    plan: Plan,
    dice: Dice,
    /// The keys of the last load.
    sent: Vec<usize>,
}

impl Counted for Loads {
    fn case(&self) -> String {
        self.case.name.into()
    }

    fn keys(&self) -> String {
        format!("{} namespaces", self.plan.namespaces)
    }

    fn prepare(&mut self, client: &mut Client) {
        client.run("SELECT 0");
        let defined = client.run("KEYNS.NS.LIST").array().len();
        if defined != self.plan.namespaces {
            call_all(client, self.plan.definitions());
        }
        call_all(client, (0..RANDOM_KEYS).map(|key| self.plan.set(key)));
    }

    fn load(&mut self, _: &mut Client) -> Work {
        self.sent = (0..COMMANDS)
            .map(|_| self.dice.below(RANDOM_KEYS))
            .collect();
        let commands = self
            .sent
            .iter()
            .map(|&key| (self.case.command)(self.plan, key));
        Work::of(commands.collect())
    }

    fn is_right(&self, at: usize, reply: &Value) -> bool {
        (self.case.is_right)(self.plan, self.sent[at], reply)
    }
}
