//! Rate limits, beside plain commands, redis-cell and the usual Lua scripts, on one server.
//!
//! Cases that are compared with each other take turns in every round, INCR among them, and each has a
//! database of its own, which is emptied when its rounds are over. Before and after every load the benchmark asks whether its
//! calls are allowed, or refused, as the case says, so that a table cannot be about something else.

mod case;
mod cases;
mod comparison;
mod counted;
mod memory;
mod peers;
mod throughput;

use keyns_testkit::{Client, Options, Server};

use crate::measure::version;
use crate::report::{INCR_ONE, INCR_RANDOM, Report, Spread, Wanted, at_most, grouped, rounds};
use case::{Case, Keys};
pub use counted::counted;
use peers::Scripts;
pub use peers::TOKEN_BUCKET;

const ROUNDS: usize = 11;

pub fn run(report: &mut Report) {
    let server = Options::new()
        .set("--enable-module-command", &["yes"])
        .start();
    let mut client = server.client();
    let scripts = Scripts::load(&mut client);
    report.version(version(&mut client));
    let peer = peers::load_redis_cell(&mut client);
    if let Some(peer) = &peer {
        report.version(peer);
    }
    let cases = cases::all(&scripts, peer.is_some());
    let number = cases.len();
    let incrs = cases::incrs();
    for incr in &incrs {
        incr.fill(&mut client);
    }
    let rounds = rounds(ROUNDS);
    start_table(report, rounds);
    let mut measured = Vec::new();
    for group in groups(cases) {
        measured.extend(measure(group, &incrs, &server, &mut client, rounds));
        super::progress(measured.len(), number);
    }
    for (case, costs) in &measured {
        costs.report(report, case);
    }
    comparison::run(report, &measured);
    throughput::run(report, &server, &mut client, rounds);
    memory::run(report, &mut client, &scripts, peer.is_some());
}

/// What is compared with each other is measured together: cases of one subject, on the same keys, each
/// in a database of its own.
fn groups(cases: Vec<Case>) -> Vec<Vec<Case>> {
    let mut groups: Vec<Vec<Case>> = Vec::new();
    for case in cases {
        let belongs = |group: &&mut Vec<Case>| {
            group[0].subject() == case.subject() && group[0].keys == case.keys
        };
        match groups.iter_mut().find(belongs) {
            Some(group) => group.push(case.in_database(cases::OWN + group.len())),
            None => groups.push(vec![case.in_database(cases::OWN)]),
        }
    }
    groups
}

/// Every round measures all of a group once, and INCR before and after.
fn measure(
    group: Vec<Case>,
    [incr_random, incr_one]: &[Case; 2],
    server: &Server,
    client: &mut Client,
    rounds: usize,
) -> Vec<(Case, Costs)> {
    let mut measured: Vec<_> = group
        .into_iter()
        .map(|case| (case, Costs::default()))
        .collect();
    for (case, _) in &measured {
        case.fill(client);
    }
    // The first round warms everything up.
    for round in 0..=rounds {
        let mut cost = |case: &Case| case.measure(server, client, case::PIPELINE).nanoseconds;
        let before = cost(incr_random);
        let own: Vec<f64> = measured.iter().map(|(case, _)| cost(case)).collect();
        let after = cost(incr_one);
        for ((_, costs), own) in measured.iter_mut().zip(own) {
            if round > 0 {
                costs.add([before, own, after]);
            }
        }
    }
    for (case, _) in &measured {
        case.empty(client);
    }
    measured
}

fn start_table(report: &mut Report, rounds: usize) {
    let note = format!(
        "{rounds} rounds of {} commands, of the Lua scripts {}",
        grouped(case::COMMANDS),
        grouped(case::SLOW_COMMANDS)
    );
    let columns = [
        "command",
        "keys",
        "ns",
        "x INCR, random keys",
        "spread",
        "at most",
        "aim",
        "x INCR, one key",
        "at most",
    ];
    report.table("rate", &note, &columns);
}

/// What a case cost in each round, and what INCR cost beside it.
#[derive(Default)]
struct Costs {
    own: Vec<f64>,
    incr_random: Vec<f64>,
    incr_one: Vec<f64>,
}

impl Costs {
    fn add(&mut self, [incr_random, own, incr_one]: [f64; 3]) {
        self.own.push(own);
        self.incr_random.push(incr_random);
        self.incr_one.push(incr_one);
    }

    /// Over INCR on random keys, and over INCR on one key, which is always in the cache. A case on
    /// one key is held to its demand over both.
    fn report(&self, report: &mut Report, case: &Case) {
        let over_random = Spread::of_ratios(&self.own, &self.incr_random);
        let over_one = Spread::of_ratios(&self.own, &self.incr_one);
        let limit = case.limit.map(|limit| at_most(limit, over_random.middle));
        let limit_over_one = case.limit.filter(|_| case.keys == Keys::One);
        let limit_over_one = limit_over_one.map(|limit| at_most(limit, over_one.middle));
        let (name, keys) = (case.name.as_str(), case.keys.name());
        report.row(&[
            name.into(),
            keys.into(),
            format!("{:.0}", Spread::of(self.own.iter().copied()).middle),
            format!("{:.2}", over_random.middle),
            over_random.range(),
            limit.unwrap_or_default(),
            case.aim.map(|aim| aim.to_string()).unwrap_or_default(),
            format!("{:.2}", over_one.middle),
            limit_over_one.unwrap_or_default(),
        ]);
        for (over, spread) in [(INCR_RANDOM, over_random), (INCR_ONE, over_one)] {
            report.ratio(name, keys, over, Wanted::of_cost(name), spread);
        }
    }
}
