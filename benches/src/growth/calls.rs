//! How much one call does: how many limits KEYNS.RATE has, and to how many counters KEYNS.COUNT
//! adds, beside as many calls of INCR.

use keyns_testkit::{Client, Options, Server};

use super::axis::{Axis, Effort, Growth, Unit, count};
use super::curve::Line;
use crate::measure::{Clients, Dice, setting};

const KEYS: usize = 1_000;
const COMMANDS: usize = 4_000;

/// Sends commands on a few keys, from many clients.
struct Calls {
    control: Client,
    clients: Clients,
    dice: Dice,
    server: String,
    _process: Server,
}

impl Calls {
    fn start() -> Calls {
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
    fn cost(&mut self, line: &str) -> f64 {
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

/// How many limits a call of KEYNS.RATE has.
pub fn limits(effort: &Effort) -> Growth {
    const SIZES: [usize; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

    const LINES: [Line; 5] = [
        Line::own("KEYNS.RATE, BUCKET"),
        Line::own("KEYNS.RATE, FIXED"),
        Line::own("KEYNS.RATE, SLIDING"),
        Line::own("KEYNS.RATE, refused"),
        Line::control("as many INCR"),
    ];

    /// The first three neither refuse anything nor end while they are measured, the last one refuses
    /// all but the first call.
    const LIMITS: [&str; 4] = [
        "BUCKET 1000000 1 1h",
        "FIXED 1000000 30d",
        "SLIDING 1000 1h",
        "BUCKET 1 1 30d",
    ];

    let axis = Axis {
        what: "limits per call",
        one: ("limit", 1.0),
        size: count,
        unit: Unit::Microseconds,
        full_rounds: 15,
        how: "1,000 keys",
    };
    let mut calls = Calls::start();
    let server = calls.server.clone();
    let costs = |at: usize| {
        let count = SIZES[at];
        let [bucket, fixed, sliding, refused] = LIMITS.map(|limit| {
            let limits = vec![limit; count].join(" ");
            calls.cost(&format!("KEYNS.RATE KEY {limits}"))
        });
        let incr = calls.cost("INCR KEY") * count as f64;
        [bucket, fixed, sliding, refused, incr]
    };
    Growth::measure(axis, effort, effort.sizes(&SIZES), LINES, costs).on(server)
}

/// How many counters a call of KEYNS.COUNT adds to.
pub fn grains(effort: &Effort) -> Growth {
    const SIZES: [usize; 5] = [1, 2, 3, 4, 5];
    const GRAINS: [&str; 5] = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE"];

    const LINES: [Line; 2] = [Line::own("KEYNS.COUNT"), Line::control("as many INCR")];

    let axis = Axis {
        what: "grains per call",
        one: ("grain", 1.0),
        size: count,
        unit: Unit::Microseconds,
        full_rounds: 15,
        how: "1,000 keys",
    };
    let mut calls = Calls::start();
    let server = calls.server.clone();
    let costs = |at: usize| {
        let count = SIZES[at];
        let grains = GRAINS[..count].join(" GRAIN ");
        let own = calls.cost(&format!("KEYNS.COUNT KEY GRAIN {grains}"));
        [own, calls.cost("INCR KEY") * count as f64]
    };
    Growth::measure(axis, effort, effort.sizes(&SIZES), LINES, costs).on(server)
}
