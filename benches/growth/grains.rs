//! How many counters a call of KEYNS.COUNT adds to, beside as many calls of INCR.

use crate::axis::{Axis, Growth, Unit, count};
use crate::calls::Calls;
use crate::curve::Line;
use crate::effort::Effort;

const SIZES: [usize; 5] = [1, 2, 3, 4, 5];
const GRAINS: [&str; 5] = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE"];

const LINES: [Line; 2] = [Line::own("KEYNS.COUNT"), Line::control("as many INCR")];

pub fn run(effort: &Effort) -> Growth {
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
