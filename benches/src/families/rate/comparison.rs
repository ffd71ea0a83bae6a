//! What others take for the same work, over what ours takes: both took turns in every round.

use super::Costs;
use super::case::Case;
use crate::report::{Report, Spread, Wanted};

/// Who is compared with what.
const PAIRS: [(&str, &str); 8] = [
    ("CL.THROTTLE, allowed", "KEYNS.THROTTLE, allowed"),
    ("CL.THROTTLE, denied", "KEYNS.THROTTLE, denied"),
    ("Lua, token bucket, allowed", "KEYNS.RATE BUCKET, allowed"),
    ("Lua, token bucket, denied", "KEYNS.RATE BUCKET, denied"),
    ("Lua, fixed window, allowed", "KEYNS.RATE FIXED, allowed"),
    (
        "Lua, sliding log, allowed",
        "KEYNS.RATE SLIDING, max 100, allowed",
    ),
    (
        "Lua, sliding log, allowed",
        "KEYNS.RATE SLIDING, max 10,000 in 5 ms, allowed",
    ),
    (
        "Lua, sliding log, denied",
        "KEYNS.RATE SLIDING, max 10,000, denied",
    ),
];

pub fn run(report: &mut Report, measured: &[(Case, Costs)]) {
    report.table(
        "rate-others",
        "The CPU time of others, over that of ours for the same work",
        &["other", "ours", "keys", "other over ours", "spread"],
    );
    for (other, ours) in PAIRS {
        for (case, costs) in measured.iter().filter(|(case, _)| case.name == other) {
            let is_peer = |own: &Case| own.name == ours && own.keys == case.keys;
            let Some((_, own)) = measured.iter().find(|(case, _)| is_peer(case)) else {
                continue;
            };
            let spread = Spread::of_ratios(&costs.own, &own.own);
            let keys = case.keys.name();
            let median = format!("{:.2}", spread.middle);
            report.row(&[other, ours, keys, &median, &spread.range()]);
            report.ratio(other, keys, ours, Wanted::More, spread);
        }
    }
}
