//! What a key takes, by `MEMORY USAGE`.

use keyns_testkit::Client;

use super::peers::Scripts;
use crate::report::{Report, Spread, at_most};

/// The demand is about a name of ten characters.
const KEY: &str = "rate:12345";
const AT_MOST: f64 = 88.0;
const AIM: f64 = 72.0;
const AT_MOST_PER_UNIT: f64 = 8.0;

/// A new key, the same key changed once, and one from which half has been taken.
const CALLS: [usize; 3] = [1, 2, 50];

pub fn run(report: &mut Report, client: &mut Client, scripts: &Scripts, has_peer: bool) {
    client.run("FLUSHALL");
    report.table(
        "rate-memory",
        "By `MEMORY USAGE`, for limits of 100",
        &[
            "bytes of a key of ten characters",
            "after 1 call",
            "2 calls",
            "50 calls",
            "at most",
            "aim",
        ],
    );
    add_bucket(report, client);
    let mut others = vec![
        (
            "KEYNS.RATE FIXED",
            format!("KEYNS.RATE {KEY} FIXED 100 30d"),
        ),
        (
            "KEYNS.RATE SLIDING",
            format!("KEYNS.RATE {KEY} SLIDING 100 1h"),
        ),
        ("KEYNS.THROTTLE", format!("KEYNS.THROTTLE {KEY} 99 10 3600")),
        ("INCR", format!("INCR {KEY}")),
    ];
    if has_peer {
        let line = format!("CL.THROTTLE {KEY} 99 10 3600");
        others.push(("CL.THROTTLE", line));
    }
    let lua = |script: &str, limit: &str| format!("EVALSHA {script} 1 {KEY} {limit}");
    others.extend([
        (
            "Lua, token bucket",
            lua(&scripts.token_bucket, "100 10 3600000"),
        ),
        (
            "Lua, fixed window",
            lua(&scripts.fixed_window, "100 3600000"),
        ),
        ("Lua, sliding log", lua(&scripts.sliding_log, "100 3600000")),
    ]);
    for (name, line) in others {
        let [one, two, fifty] = CALLS.map(|calls| usage_after(client, &line, calls));
        let [one, two, fifty] = [one, two, fifty].map(|bytes| bytes.to_string());
        report.row(&[name, &one, &two, &fifty, "", ""]);
    }
    add_windows(report, client, &scripts.sliding_log);
}

fn add_bucket(report: &mut Report, client: &mut Client) {
    let line = format!("KEYNS.RATE {KEY} BUCKET 100 10 1h");
    let usages = CALLS.map(|calls| usage_after(client, &line, calls));
    let limit = at_most(AT_MOST, Spread::of(usages).high);
    let [one, two, fifty] = usages.map(|bytes| bytes.to_string());
    let aim = AIM.to_string();
    report.row(&["KEYNS.RATE BUCKET", &one, &two, &fifty, &limit, &aim]);
}

/// How the memory of a window grows with the calls in it.
fn add_windows(report: &mut Report, client: &mut Client, sliding_log: &str) {
    report.table(
        "rate-windows",
        "A window remembers each call",
        &[
            "calls in the window",
            "KEYNS.RATE SLIDING, bytes",
            "of them its value",
            "value per call",
            "at most",
            "Lua, sliding log, bytes",
            "per call",
        ],
    );
    for units in [100, 1000, 10_000] {
        let limit = format!("KEYNS.RATE {KEY} SLIDING 10000 1h");
        let ours = usage_after(client, &limit, units);
        let value = client.call(&["STRLEN", KEY]).integer() as f64;
        let log = format!("EVALSHA {sliding_log} 1 {KEY} 10000 3600000");
        let lua = usage_after(client, &log, units);
        let per_unit = |bytes: f64| bytes / units as f64;
        report.row(&[
            units.to_string(),
            ours.to_string(),
            value.to_string(),
            format!("{:.2}", per_unit(value)),
            at_most(AT_MOST_PER_UNIT, per_unit(value)),
            lua.to_string(),
            format!("{:.1}", per_unit(lua)),
        ]);
    }
}

/// The memory of a new key after so many calls.
fn usage_after(client: &mut Client, line: &str, calls: usize) -> f64 {
    client.call(&["DEL", KEY]);
    let call: Vec<&str> = line.split(' ').collect();
    for reply in client.pipeline(&vec![call; calls]) {
        assert!(!reply.is_error(), "{line}: {reply:?}");
    }
    client.call(&["MEMORY", "USAGE", KEY]).integer() as f64
}
