//! Locks, events that are processed once, revisions, checkpoints and time counters, beside plain
//! commands and the Lua scripts that do the same, on one server.
//!
//! In every round a command is measured right beside its script, and both beside INCR, on keys in
//! databases of their own. All are sent by the same clients. Every reply of every load is looked at,
//! and before and after it the keys, so that a table cannot be about something else; and before all
//! loads, scripts and commands are called on a few keys, and have to do and reply the same.

mod bench;
mod case;
mod cases;
mod memory;
mod range;
mod same;
mod scripts;

use crate::measure::{Spread, at_least, at_most, version};
use crate::support::Options;
use bench::{Bench, today};
use case::{COMMANDS, Case, Keys};
use scripts::Scripts;

const ROUNDS: usize = 21;

pub fn run() {
    let server = Options::new().start();
    let mut bench = Bench::new(&server);
    let scripts = Scripts::load(&mut bench.control);
    let cases = cases::all(&scripts);
    same::check(&mut bench.control, &scripts, &cases);
    let incrs = cases::incrs();
    for incr in &incrs {
        bench.fill(incr, &incr.own);
    }
    println!(
        "\n{}, {ROUNDS} rounds of {COMMANDS} commands\n",
        version(&mut bench.control)
    );
    print_head();
    for case in &cases {
        Rounds::of(case, &incrs, &mut bench).print(case);
    }
    range::run(&server);
    memory::run();
}

fn print_head() {
    println!(
        "| command | keys | ns | x INCR, random keys | spread | at most | x INCR, one key | at most | Lua ns | Lua over own | spread | at least |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|"
    );
}

/// What a case cost, and what INCR and Lua cost beside it.
#[derive(Default)]
struct Rounds {
    incr_random: Vec<f64>,
    own: Vec<f64>,
    lua: Vec<f64>,
    incr_one: Vec<f64>,
}

impl Rounds {
    fn of(case: &Case, [incr_random, incr_one]: &[Case; 2], bench: &mut Bench) -> Rounds {
        let sides = || [Some(&case.own), case.lua.as_ref()].into_iter().flatten();
        let mut rounds = Rounds::default();
        let mut filled_on = None;
        // The first round warms everything up.
        for round in 0..=ROUNDS {
            if filled_on != Some(today()) {
                filled_on = Some(today());
                for calls in sides() {
                    bench.empty(calls);
                    bench.fill(case, calls);
                }
            }
            let before = bench.cost(incr_random, &incr_random.own);
            let own = bench.cost(case, &case.own);
            let lua = case.lua.as_ref().map(|lua| bench.cost(case, lua));
            let after = bench.cost(incr_one, &incr_one.own);
            if round > 0 {
                rounds.incr_random.push(before);
                rounds.own.push(own);
                rounds.lua.extend(lua);
                rounds.incr_one.push(after);
            }
        }
        for calls in sides() {
            bench.empty(calls);
        }
        rounds
    }

    /// Over INCR on random keys, and over INCR on one key, which is always in the cache. A case on
    /// one key is held to its demand over both.
    fn print(&self, case: &Case) {
        let over_random = Spread::of_ratios(&self.own, &self.incr_random);
        let limit = case.limit.map(|limit| at_most(limit, over_random.middle));
        let over_one = Spread::of_ratios(&self.own, &self.incr_one).middle;
        let limit_over_one = case
            .limit
            .filter(|_| matches!(case.keys, Keys::One | Keys::OnePerClient));
        let limit_over_one = limit_over_one.map(|limit| at_most(limit, over_one));
        println!(
            "| {} | {} | {:.0} | {:.2} | {} | {} | {over_one:.2} | {} | {} |",
            case.name,
            case.keys.name(),
            Spread::of(self.own.iter().copied()).middle,
            over_random.middle,
            range_of(over_random),
            limit.unwrap_or_default(),
            limit_over_one.unwrap_or_default(),
            self.lua_columns(case)
        );
    }

    fn lua_columns(&self, case: &Case) -> String {
        if self.lua.is_empty() {
            return "| | | ".into();
        }
        let over_own = Spread::of_ratios(&self.lua, &self.own);
        let limit = case.lua_limit;
        format!(
            "{:.0} | {:.2} | {} | {}",
            Spread::of(self.lua.iter().copied()).middle,
            over_own.middle,
            range_of(over_own),
            limit
                .map(|limit| at_least(limit, over_own.middle))
                .unwrap_or_default()
        )
    }
}

fn range_of(spread: Spread) -> String {
    format!("{:.2} to {:.2}", spread.low, spread.high)
}
