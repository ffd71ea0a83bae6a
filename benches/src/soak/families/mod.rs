//! What clients do all the time, one file for each family of commands.

mod coordination;
mod documents;
mod locks;
mod names;
mod namespaces;
mod once;
mod plain;
mod rates;

use std::sync::Mutex;
use std::thread::Scope;
use std::time::Duration;

use keyns_testkit::Random;

use crate::soak::link::Link;
use crate::soak::pulse::Pulse;
use crate::soak::stage::Stage;
pub use coordination::Counted;

/// How long a client rests after a short command.
const REST: Duration = Duration::from_millis(1);

/// The families, as they are printed.
pub const NAMES: [&str; 6] = [
    "naming",
    "documents",
    "rate limits",
    "namespaces",
    "coordination",
    "GET and SET",
];

/// What clients of one family tell each other, and what is left to check at the end.
#[derive(Default)]
pub struct Families {
    pub pulses: [Pulse; NAMES.len()],
    pub counted: Counted,
    handed_out: Mutex<names::HandedOut>,
    coordination: coordination::Shared,
}

/// Who works: its number makes its chance and its keys its own.
struct Worker<'a> {
    link: Link<'a>,
    random: Random,
    number: u64,
}

impl Families {
    /// Starts all clients, which work until the stage says that it is over.
    pub fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stage: &'scope Stage) {
        let mut number = 0;
        let mut start = |family: usize, work: fn(&Families, Worker)| {
            number += 1;
            let worker = Worker {
                link: Link::new(stage, &self.pulses[family]),
                random: Random::seeded(number),
                number,
            };
            scope.spawn(move || work(self, worker));
        };
        start(0, names::work);
        start(0, names::work);
        start(1, documents::work);
        start(1, documents::work);
        start(2, rates::work);
        start(2, rates::work);
        start(3, namespaces::work);
        start(4, coordination::work);
        start(4, coordination::work);
        start(4, coordination::work);
        start(5, plain::work);
        start(5, plain::work);
    }
}
