//! Rate limits, beside plain commands, redis-cell and the usual Lua scripts, on one server.
//!
//! Every case is measured right beside INCR, in every round, and has a database of its own, which is
//! emptied before the next one comes. Before and after every load the benchmark asks whether its
//! calls are allowed, or refused, as the case says, so that a table cannot be about something else.

mod case;
mod cases;
mod memory;
mod peer;
mod scripts;
mod throughput;

use crate::measure::{Spread, at_most, version};
use crate::support::Options;
use case::{Case, Keys};
use scripts::Scripts;

const ROUNDS: usize = 21;

pub fn run() {
    let server = Options::new()
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
    let [incr_random, incr_one] = cases::incrs();
    incr_random.fill(&mut client);
    incr_one.fill(&mut client);
    print_head();
    for case in &cases {
        case.fill(&mut client);
        let mut rounds = Rounds::default();
        // The first round warms everything up.
        for round in 0..=ROUNDS {
            let mut cost = |case: &Case| {
                case.measure(&server, &mut client, case::PIPELINE)
                    .nanoseconds
            };
            let costs = [&incr_random, case, &incr_one].map(&mut cost);
            if round > 0 {
                rounds.add(costs);
            }
        }
        rounds.print(case);
        case.empty(&mut client);
    }
    throughput::run(&server, &mut client);
    memory::run(&mut client, &scripts, has_peer);
}

fn print_head() {
    println!(
        "| command | keys | ns | x INCR, random keys | spread | at most | aim | x INCR, one key | at most |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
}

/// What a case cost, and what INCR cost beside it.
#[derive(Default)]
struct Rounds {
    own: Vec<f64>,
    incr_random: Vec<f64>,
    incr_one: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, [incr_random, own, incr_one]: [f64; 3]) {
        self.own.push(own);
        self.incr_random.push(incr_random);
        self.incr_one.push(incr_one);
    }

    /// Over INCR on random keys, and over INCR on one key, which is always in the cache. A case on
    /// one key is held to its demand over both.
    fn print(&self, case: &Case) {
        let Spread { low, middle, high } = Spread::of_ratios(&self.own, &self.incr_random);
        let limit = case.limit.map(|limit| at_most(limit, middle));
        let aim = case.aim.map(|aim| aim.to_string());
        let over_one = Spread::of_ratios(&self.own, &self.incr_one).middle;
        let limit_over_one = case.limit.filter(|_| case.keys == Keys::One);
        let limit_over_one = limit_over_one.map(|limit| at_most(limit, over_one));
        println!(
            "| {} | {} | {:.0} | {middle:.2} | {low:.2} to {high:.2} | {} | {} | {over_one:.2} | {} |",
            case.name,
            case.keys.name(),
            Spread::of(self.own.iter().copied()).middle,
            limit.unwrap_or_default(),
            aim.unwrap_or_default(),
            limit_over_one.unwrap_or_default()
        );
    }
}
