//! How many limits a call of KEYNS.RATE has, beside as many calls of INCR.

use crate::axis::{Axis, Growth, Unit, count};
use crate::calls::Calls;
use crate::curve::Line;
use crate::effort::Effort;

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

pub fn run(effort: &Effort) -> Growth {
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
