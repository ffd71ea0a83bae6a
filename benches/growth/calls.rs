//! Commands on a few keys, from many clients.

use keyns_testkit::{Client, Options, Server};

use crate::clients::Clients;
use crate::dice::Dice;
use crate::measure::setting;

pub const KEYS: usize = 1_000;
const COMMANDS: usize = 4_000;

/// What sends them, and to whom.
pub struct Calls {
    control: Client,
    clients: Clients,
    dice: Dice,
    pub server: String,
    _process: Server,
}

impl Calls {
    pub fn start() -> Calls {
        let process = Options::new().start();
        let mut control = process.client();
        Calls {
            clients: Clients::connect(&process),
            dice: Dice::new(),
            server: setting(&mut control),
            control,
            _process: process,
        }
    }

    /// The CPU time of a command, in seconds, on keys that it has been called on once before. It is
    /// written in words without spaces, where `KEY` stands for the key.
    pub fn cost(&mut self, line: &str) -> f64 {
        self.control.run("FLUSHALL SYNC");
        let first: Vec<_> = (0..KEYS).map(|key| on_key(line, key)).collect();
        self.clients.nanoseconds(&first, &mut self.control);
        let keys = (0..COMMANDS).map(|_| self.dice.below(KEYS));
        let commands: Vec<_> = keys.map(|key| on_key(line, key)).collect();
        self.clients.nanoseconds(&commands, &mut self.control) * 1e-9
    }
}

fn on_key(line: &str, key: usize) -> Vec<String> {
    let words = line.split(' ').map(|word| match word {
        "KEY" => format!("key:{key:06}"),
        word => word.to_owned(),
    });
    words.collect()
}
