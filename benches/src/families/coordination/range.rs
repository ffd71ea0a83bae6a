//! How long KEYNS.COUNT.RANGE takes, and how that grows, beside MGET of the same names.

use keyns_testkit::{Client, Server, Value};

use super::cases::MOMENT;
use crate::measure::instructions::{Counted, Work};
use crate::measure::{Connection, Request, main_thread_seconds};
use crate::report::{Report, Spread, Wanted, at_most};

/// In a round.
const CALLS: usize = 50;
/// The demand is about this many buckets, in milliseconds.
const MOST: usize = 10_000;
const AT_MOST: f64 = 5.0;

/// Which buckets are there: one in so many.
const STEPS: [(&str, Option<usize>); 3] =
    [("all", Some(1)), ("every other", Some(2)), ("none", None)];

pub fn run(report: &mut Report, server: &Server, rounds: usize) {
    let mut client = server.client();
    report.table(
        "coordination-ranges",
        &format!("{rounds} rounds of {CALLS} calls"),
        &[
            "minutes",
            "there",
            "KEYNS.COUNT.RANGE, server ms",
            "spread",
            "at most",
            "client ms",
            "MGET, server ms",
            "client ms",
            "RANGE over MGET",
            "spread",
        ],
    );
    for (name, step) in STEPS {
        client.run("FLUSHALL SYNC");
        fill(&mut client, step);
        for minutes in [10, 100, 1000, MOST] {
            check(&mut client, minutes, step);
            add_row(report, server, &mut client, (minutes, name), rounds);
            check(&mut client, minutes, step);
        }
    }
    client.run("FLUSHALL SYNC");
}

fn second(minute: usize) -> usize {
    MOMENT.parse::<usize>().expect("a number") + minute * 60
}

/// Each bucket counts its place.
fn fill(client: &mut Client, step: Option<usize>) {
    let Some(step) = step else {
        return;
    };
    let minutes: Vec<usize> = (0..MOST).step_by(step).collect();
    for minutes in minutes.chunks(1000) {
        fill_minutes(client, minutes);
    }
}

fn fill_minutes(client: &mut Client, minutes: &[usize]) {
    let line = |minute: &usize| {
        let at = second(*minute);
        let line = format!("KEYNS.COUNT hits BY {} GRAIN MINUTE AT {at}", minute + 1);
        line.split(' ').map(str::to_owned).collect()
    };
    let replies = client.pipeline(&minutes.iter().map(line).collect::<Vec<_>>());
    assert_eq!(replies.iter().find(|reply| reply.is_error()), None);
}

fn range(minutes: usize) -> Vec<String> {
    let (from, to) = (second(0), second(minutes - 1));
    let line = format!("KEYNS.COUNT.RANGE hits GRAIN MINUTE {from} {to}");
    line.split(' ').map(str::to_owned).collect()
}

/// The same buckets, by names that the client has to know.
fn mget(client: &mut Client, minutes: usize) -> Vec<String> {
    let fields = client.call(&range(minutes)).fields();
    let names = fields["buckets"].array().iter();
    let names = names.map(|bucket| format!("hits:{}", bucket.array()[0].text()));
    ["MGET".to_owned()].into_iter().chain(names).collect()
}

/// It replies the buckets that are there.
fn check(client: &mut Client, minutes: usize, step: Option<usize>) {
    let fields = client.call(&range(minutes)).fields();
    let counts = fields["buckets"].array().iter();
    let counts: Vec<i64> = counts.map(|bucket| bucket.array()[1].integer()).collect();
    let is_there = |minute: usize| step.is_some_and(|step| minute.is_multiple_of(step));
    let expected = (0..minutes).map(|minute| match is_there(minute) {
        true => minute as i64 + 1,
        false => 0,
    });
    assert_eq!(counts, expected.collect::<Vec<_>>());
    assert_eq!(fields["total"], Value::Integer(counts.iter().sum()));
}

fn add_row(
    report: &mut Report,
    server: &Server,
    client: &mut Client,
    (minutes, there): (usize, &str),
    rounds: usize,
) {
    let requests = [range(minutes), mget(client, minutes)].map(|command| Request::of(&[command]));
    let mut connection = Connection::tcp(server);
    let mut costs = [Vec::new(), Vec::new()];
    let mut latencies = [Vec::new(), Vec::new()];
    // The first round warms everything up.
    for round in 0..=rounds {
        for (at, request) in requests.iter().enumerate() {
            let before = main_thread_seconds(client);
            let seconds: Vec<f64> = (0..CALLS).map(|_| connection.exchange(request)).collect();
            let cost = (main_thread_seconds(client) - before) / CALLS as f64;
            if round > 0 {
                costs[at].push(cost * 1e3);
                latencies[at].push(Spread::of(seconds).middle * 1e3);
            }
        }
    }
    let over_mget = Spread::of_ratios(&costs[0], &costs[1]);
    let [own, mget] = costs.map(Spread::of);
    let [own_latency, mget_latency] = latencies.map(|latencies| Spread::of(latencies).middle);
    let limit = match minutes {
        MOST => at_most(AT_MOST, own.middle),
        _ => String::new(),
    };
    report.row(&[
        minutes.to_string(),
        there.into(),
        format!("{:.3}", own.middle),
        format!("{:.3} to {:.3}", own.low, own.high),
        limit,
        format!("{own_latency:.3}"),
        format!("{:.3}", mget.middle),
        format!("{mget_latency:.3}"),
        format!("{:.2}", over_mget.middle),
        over_mget.range(),
    ]);
    let case = format!("KEYNS.COUNT.RANGE, {minutes} minutes");
    let keys = format!("{there} there");
    report.ratio(&case, &keys, "MGET", Wanted::Less, over_mget);
}

/// A range, or MGET of the same buckets, for counting instructions.
pub struct Range {
    minutes: usize,
    is_ours: bool,
}

impl Range {
    pub fn both(minutes: usize) -> [Range; 2] {
        [true, false].map(|is_ours| Range { minutes, is_ours })
    }
}

impl Counted for Range {
    fn case(&self) -> String {
        let command = if self.is_ours {
            "KEYNS.COUNT.RANGE"
        } else {
            "MGET"
        };
        format!("{command}, {} minutes", self.minutes)
    }

    fn keys(&self) -> String {
        "all there".into()
    }

    fn prepare(&mut self, client: &mut Client) {
        client.run("SELECT 0");
        for minutes in Vec::from_iter(0..self.minutes).chunks(1000) {
            fill_minutes(client, minutes);
        }
    }

    fn load(&mut self, client: &mut Client) -> Work {
        let command = match self.is_ours {
            true => range(self.minutes),
            false => mget(client, self.minutes),
        };
        // As many buckets, whichever range.
        let calls = (10_000 / self.minutes).min(100);
        Work {
            at_once: 1,
            ..Work::of(vec![command; calls])
        }
    }
}
