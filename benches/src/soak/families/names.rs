//! Names and numbers, from several clients that share their prefixes.

use std::collections::HashSet;

use super::{Families, REST, Worker};
use crate::soak::invariants::Invariant;

const TEXTS: [&str; 12] = [
    "Risk Management",
    "Portfolio Management & Risk Assessment",
    "Value at Risk (VaR) Berechnungen",
    "Diversifikation: Der Schlüssel zum Erfolg",
    "5 Strategien",
    "API Documentation",
    "Übergabe an den Betrieb",
    "Incident Review",
    "Quarterly Report",
    "3D Druck",
    "Wartung und Prüfung",
    "Onboarding",
];

/// All that was handed out.
#[derive(Default)]
pub struct HandedOut {
    names: HashSet<String>,
    /// Of the prefix that is numbered as a whole.
    numbers: HashSet<i64>,
}

pub fn work(families: &Families, mut worker: Worker) {
    let stage = worker.link.stage;
    stage.repeat(REST, || step(families, &mut worker));
}

fn step(families: &Families, worker: &mut Worker) {
    let Worker { link, random, .. } = worker;
    let invariants = &link.stage.invariants;
    let take_numbers = |first: i64, count: i64| {
        let mut handed_out = families.handed_out.lock().expect("nobody panics with it");
        for number in first..first + count {
            let is_new = handed_out.numbers.insert(number);
            invariants.check(Invariant::NumberOnce, is_new, || {
                format!("article {number}")
            });
        }
    };
    if random.once_in(3) {
        let count = random.between(1, 5);
        let reply = link.run(&format!("KEYNS.NEXTID article COUNT {count}"));
        if let Some(first) = reply {
            take_numbers(first.integer(), count);
        }
        return;
    }
    let text = *random.pick(&TEXTS);
    let per_slug = random.once_in(2);
    let reply = match per_slug {
        false => link.call(&["KEYNS.MAKE", "article", text]),
        true => link.call(&["KEYNS.MAKE", "page", text, "NUMBERING", "SLUG"]),
    };
    let Some(name) = reply.map(|name| name.text()) else {
        return;
    };
    if !per_slug {
        let number = name.rsplit(':').next().and_then(|n| n.parse().ok());
        take_numbers(number.expect("a name ends with its number"), 1);
    }
    let mut handed_out = families.handed_out.lock().expect("nobody panics with it");
    let is_new = handed_out.names.insert(name.clone());
    drop(handed_out);
    invariants.check(Invariant::NameOnce, is_new, || name.clone());
    // Some names are used, for a while.
    if random.once_in(4) {
        link.call(&["SET", &name, text, "EX", "10"]);
    }
}
