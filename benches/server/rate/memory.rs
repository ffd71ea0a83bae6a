//! What a key takes, by `MEMORY USAGE`.

use super::scripts::Scripts;
use crate::measure::at_most;
use crate::support::Client;

/// The demand is about a name of ten characters.
const KEY: &str = "rate:12345";
const AT_MOST: f64 = 88.0;
const AIM: f64 = 72.0;
const AT_MOST_PER_UNIT: f64 = 8.0;

pub fn run(client: &mut Client, scripts: &Scripts, has_peer: bool) {
    client.run("FLUSHALL");
    println!(
        "\n| bytes of a key of ten characters | after a call | after another | at most | aim |\n\
         |---|---|---|---|---|"
    );
    let bucket = format!("KEYNS.RATE {KEY} BUCKET 100 10 1h");
    let [first, second] = after_two_calls(client, &bucket);
    println!(
        "| KEYNS.RATE BUCKET | {first} | {second} | {} | {AIM} |",
        at_most(AT_MOST, first.max(second))
    );
    let Scripts {
        token_bucket,
        fixed_window,
        sliding_log,
    } = scripts;
    let mut others = vec![
        ("INCR", format!("INCR {KEY}")),
        ("KEYNS.RATE FIXED", format!("KEYNS.RATE {KEY} FIXED 100 1d")),
        (
            "KEYNS.RATE SLIDING",
            format!("KEYNS.RATE {KEY} SLIDING 100 1h"),
        ),
        ("KEYNS.THROTTLE", format!("KEYNS.THROTTLE {KEY} 99 10 3600")),
        (
            "Lua, token bucket",
            format!("EVALSHA {token_bucket} 1 {KEY} 100 10 3600000"),
        ),
        (
            "Lua, fixed window",
            format!("EVALSHA {fixed_window} 1 {KEY} 100 3600000"),
        ),
        (
            "Lua, sliding log",
            format!("EVALSHA {sliding_log} 1 {KEY} 100 3600000"),
        ),
    ];
    if has_peer {
        let line = format!("CL.THROTTLE {KEY} 99 10 3600");
        others.push(("CL.THROTTLE", line));
    }
    for (name, line) in others {
        let [first, second] = after_two_calls(client, &line);
        println!("| {name} | {first} | {second} | | |");
    }
    print_windows(client, sliding_log);
}

/// How the memory of a window grows with the calls in it.
fn print_windows(client: &mut Client, sliding_log: &str) {
    println!(
        "\n| calls in the window | KEYNS.RATE SLIDING, bytes | of them its value | value per call | at most | Lua, sliding log, bytes | per call |\n\
         |---|---|---|---|---|---|---|"
    );
    for units in [1, 100, 1000, 10_000] {
        let limit = format!("KEYNS.RATE {KEY} SLIDING 10000 1h");
        let ours = usage_after(client, &limit, units);
        let value = client.call(&["STRLEN", KEY]).integer() as f64;
        let log = format!("EVALSHA {sliding_log} 1 {KEY} 10000 3600000");
        let lua = usage_after(client, &log, units);
        let per_unit = |bytes: f64| bytes / units as f64;
        println!(
            "| {units} | {ours} | {value} | {:.2} | {} | {lua} | {:.1} |",
            per_unit(value),
            at_most(AT_MOST_PER_UNIT, per_unit(value)),
            per_unit(lua)
        );
    }
}

fn after_two_calls(client: &mut Client, line: &str) -> [f64; 2] {
    [1, 2].map(|calls| usage_after(client, line, calls))
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
