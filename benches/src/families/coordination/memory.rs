//! What a key takes: by `MEMORY USAGE`, and by all that the server uses for many of them, which has
//! their expiries in it.

use keyns_testkit::{Client, Options};

use super::cases::MOMENT;
use crate::measure::memory;
use crate::report::{Report, grouped};

const KEYS: usize = 100_000;
const CALLS: [usize; 3] = [1, 2, 50];

/// The end of the name of a bucket.
const BUCKET: &str = ":2026:11:15";

/// Names of ten characters.
fn key(number: usize) -> String {
    format!("co:{number:07}")
}

pub fn run(report: &mut Report) {
    let server = Options::new().start();
    let mut client = server.client();
    report.table(
        "coordination-memory",
        &format!(
            "By `MEMORY USAGE`, and by `used_memory` over {} keys",
            grouped(KEYS)
        ),
        &[
            "bytes of a key of ten characters",
            "after 1 call",
            "2 calls",
            "50 calls",
            "each of many, after 1 call",
            "2 calls",
        ],
    );
    let owner = "5f0c9d3e-8a41-4b6c-9a37-2f6d1c7e0b58";
    let lock = format!("KEYNS.LOCK KEY {owner} PX 3600000");
    let set_owner = format!("SET KEY {owner} PX 3600000");
    let count = format!("KEYNS.COUNT KEY GRAIN DAY AT {MOMENT}");
    for (name, line, suffix) in [
        ("SET EX, 1", "SET KEY 1 EX 172800", ""),
        ("KEYNS.SEEN", "KEYNS.SEEN KEY", ""),
        ("SET EX, a revision", "SET KEY RISING EX 604800", ""),
        ("KEYNS.ADVANCE", "KEYNS.ADVANCE KEY RISING", ""),
        ("SET PX, an owner of 36 characters", &set_owner, ""),
        ("KEYNS.LOCK, an owner of 36 characters", &lock, ""),
        ("KEYNS.CHECKPOINT", "KEYNS.CHECKPOINT KEY RISING", ""),
        (
            "SET EX, 1, with 11 characters more",
            "SET BUCKET 1 EX 172800",
            BUCKET,
        ),
        (
            "KEYNS.COUNT, a bucket of a day, with 11 characters more",
            &count,
            BUCKET,
        ),
    ] {
        let [one, two, fifty] = CALLS.map(|calls| usage_after(&mut client, line, suffix, calls));
        let [each_of_one, each_of_two] = [1, 2].map(|calls| each_after(&mut client, line, calls));
        report.row(&[
            name.into(),
            one.to_string(),
            two.to_string(),
            fifty.to_string(),
            format!("{each_of_one:.0}"),
            format!("{each_of_two:.0}"),
        ]);
    }
}

fn command(line: &str, number: usize, call: usize) -> Vec<String> {
    let words = line.split(' ').map(|word| match word {
        "KEY" => key(number),
        "BUCKET" => key(number) + BUCKET,
        "RISING" => (1_000_000_000 + call).to_string(),
        word => word.to_owned(),
    });
    words.collect()
}

/// The memory of a new key after so many calls.
fn usage_after(client: &mut Client, line: &str, suffix: &str, calls: usize) -> i64 {
    client.run("FLUSHALL SYNC");
    let commands: Vec<_> = (0..calls).map(|call| command(line, 0, call)).collect();
    call_all(client, &commands);
    assert_eq!(client.run("DBSIZE").integer(), 1, "{line}");
    let name = key(0) + suffix;
    client.call(&["MEMORY", "USAGE", &name]).integer()
}

/// What the server uses more for each key when there are many.
fn each_after(client: &mut Client, line: &str, calls: usize) -> f64 {
    client.run("FLUSHALL SYNC");
    let before = memory(client, "used_memory");
    for call in 0..calls {
        let commands: Vec<_> = (0..KEYS)
            .map(|number| command(line, number, call))
            .collect();
        call_all(client, &commands);
    }
    assert_eq!(client.run("DBSIZE").integer(), KEYS as i64, "{line}");
    (memory(client, "used_memory") - before) / KEYS as f64
}

fn call_all(client: &mut Client, commands: &[Vec<String>]) {
    for commands in commands.chunks(1000) {
        let replies = client.pipeline(commands);
        assert_eq!(replies.iter().find(|reply| reply.is_error()), None);
    }
}
