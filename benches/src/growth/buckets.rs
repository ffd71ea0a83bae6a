//! How many buckets a range has, beside MGET of the same names.

use keyns_testkit::{Client, Options};

use super::axis::{Axis, Effort, Growth, Unit, count};
use super::curve::Line;
use crate::measure::{Connection, Cpu, Request, setting};

const SIZES: [usize; 7] = [10, 30, 100, 300, 1_000, 3_000, 10_000];
const MOST: usize = SIZES[SIZES.len() - 1];
/// A sample has calls for so many buckets, and no more than so many calls.
const BUCKETS: usize = 40_000;
const CALLS: usize = 1_000;
/// How many of them are sent at once: more would be about the memory for their replies.
const PIPELINE: usize = 16;
/// A full minute.
const START: usize = 1_794_700_800;

const LINES: [Line; 3] = [
    Line::own("KEYNS.COUNT.RANGE").beside("MGET"),
    Line::own("KEYNS.COUNT.RANGE, nothing there"),
    Line::control("MGET"),
];

pub fn run(effort: &Effort) -> Growth {
    let axis = Axis {
        what: "buckets per range",
        one: ("bucket", 1.0),
        size: count,
        unit: Unit::Microseconds,
        full_rounds: 11,
        how: "minutes of one key",
    };
    let server = Options::new().start();
    let mut control = server.client();
    let mut connection = Connection::tcp(&server);
    let name = setting(&mut control);
    fill(&mut control);
    let costs = |at: usize| {
        let buckets = SIZES[at];
        let commands = [
            range("hits", buckets),
            range("misses", buckets),
            mget(&mut control, buckets),
        ];
        commands.map(|command| {
            let calls = (BUCKETS / buckets).min(CALLS);
            let at_once = PIPELINE.min(calls);
            let request = Request::of(&vec![&command[..]; at_once]);
            let times = calls / at_once;
            let before = Cpu::of(&mut control);
            for _ in 0..times {
                connection.exchange(&request);
            }
            before.per_command(&mut control, times * at_once).main
        })
    };
    Growth::measure(axis, effort, effort.sizes(&SIZES), LINES, costs).on(name)
}

fn fill(client: &mut Client) {
    let minutes: Vec<usize> = (0..MOST).collect();
    for minutes in minutes.chunks(1000) {
        let line = |minute: &usize| {
            let at = START + minute * 60;
            words(&format!(
                "KEYNS.COUNT hits BY {} GRAIN MINUTE AT {at}",
                minute + 1
            ))
        };
        let replies = client.pipeline(&minutes.iter().map(line).collect::<Vec<_>>());
        assert_eq!(replies.iter().find(|reply| reply.is_error()), None);
    }
}

fn range(key: &str, minutes: usize) -> Vec<String> {
    let to = START + (minutes - 1) * 60;
    words(&format!(
        "KEYNS.COUNT.RANGE {key} GRAIN MINUTE {START} {to}"
    ))
}

/// Of the names of the buckets, all of which are there.
fn mget(client: &mut Client, minutes: usize) -> Vec<String> {
    let fields = client.call(&range("hits", minutes)).fields();
    let buckets = fields["buckets"].array().iter();
    let names = buckets.enumerate().map(|(at, bucket)| {
        let [label, count] = bucket.array() else {
            panic!("not a bucket: {bucket:?}");
        };
        assert_eq!(count.integer(), at as i64 + 1);
        format!("hits:{}", label.text())
    });
    ["MGET".to_owned()].into_iter().chain(names).collect()
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}
