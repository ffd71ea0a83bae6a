//! Rate limits, beside plain commands, redis-cell and the usual Lua scripts, on one server.
//!
//! Every case has a database of its own, with as many keys as it is about, and all of them are
//! there before the first round. Before and after every load the benchmark asks whether its calls
//! are allowed, or refused, as the case says, so that a table cannot be about something else.

mod case;
mod cases;
mod memory;
mod peer;
mod scripts;
mod throughput;

use crate::measure::{Cost, Spread, at_most, version};
use crate::support::Options;
use case::Case;
use scripts::Scripts;

const ROUNDS: usize = 7;

pub fn run() {
    let server = Options::new()
        .set("--databases", &["64"])
        .set("--enable-module-command", &["yes"])
        .start();
    let mut client = server.client();
    let has_peer = peer::load(&mut client);
    let scripts = Scripts::load(&mut client);
    let cases = cases::all(&scripts, has_peer);
    println!(
        "\n{}, {ROUNDS} rounds of {} commands, of the Lua scripts {}\n",
        version(&mut client),
        case::COMMANDS,
        case::SLOW_COMMANDS
    );
    for case in &cases {
        case.fill(&mut client);
    }
    let mut costs: Vec<Vec<Cost>> = cases.iter().map(|_| Vec::new()).collect();
    // The first round warms everything up.
    for round in 0..=ROUNDS {
        for (case, costs) in cases.iter().zip(&mut costs) {
            let cost = case.measure(&server, &mut client, case::PIPELINE);
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    print_table(&cases, &costs);
    throughput::run(&server, &mut client, &cases, &costs);
    memory::run(&mut client, &scripts, has_peer);
}

/// Every case over INCR on random keys, which the demands are about, and over INCR on one key,
/// which is always in the cache.
fn print_table(cases: &[Case], costs: &[Vec<Cost>]) {
    println!(
        "| command | keys | ns | x INCR, random keys | spread | at most | aim | x INCR, one key |\n\
         |---|---|---|---|---|---|---|---|"
    );
    let nanoseconds = |index: usize| -> Vec<f64> {
        let costs = costs[index].iter();
        costs.map(|cost| cost.nanoseconds).collect()
    };
    let incr_random = nanoseconds(cases::INCR_RANDOM);
    let incr_one = nanoseconds(cases::INCR_ONE);
    for (index, case) in cases.iter().enumerate() {
        let own = nanoseconds(index);
        let Spread { low, middle, high } = Spread::of_ratios(&own, &incr_random);
        let limit = case.limit.map(|limit| at_most(limit, middle));
        let aim = case.aim.map(|aim| aim.to_string());
        println!(
            "| {} | {} | {:.0} | {middle:.2} | {low:.2} to {high:.2} | {} | {} | {:.2} |",
            case.name,
            case.keys.name(),
            Spread::of(own.iter().copied()).middle,
            limit.unwrap_or_default(),
            aim.unwrap_or_default(),
            Spread::of_ratios(&own, &incr_one).middle
        );
    }
}
