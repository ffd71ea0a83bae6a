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
mod counted;
mod draw;
mod memory;
mod range;
mod same;
mod scripts;

use keyns_testkit::Options;

use crate::measure::version;
use crate::report::{
    INCR_ONE, INCR_RANDOM, Report, Spread, Wanted, at_least, at_most, grouped, rounds,
};
use bench::{Bench, today};
use case::{COMMANDS, Case, Keys};
pub use counted::counted;
use scripts::Scripts;

const ROUNDS: usize = 11;

pub fn run(report: &mut Report) {
    let server = Options::new().start();
    let mut bench = Bench::new(&server);
    let scripts = Scripts::load(&mut bench.control);
    let cases = cases::all(&scripts);
    same::check(&mut bench.control, &scripts, &cases);
    let incrs = cases::incrs();
    for incr in &incrs {
        bench.fill(incr, &incr.own);
    }
    let rounds = rounds(ROUNDS);
    report.version(version(&mut bench.control));
    start_table(report, rounds);
    for (at, case) in cases.iter().enumerate() {
        Costs::of(case, &incrs, &mut bench, rounds).report(report, case);
        super::progress(at + 1, cases.len());
    }
    range::run(report, &server, rounds);
    memory::run(report);
}

fn start_table(report: &mut Report, rounds: usize) {
    let columns = [
        "command",
        "keys",
        "ns",
        "x INCR, random keys",
        "spread",
        "at most",
        "x INCR, one key",
        "at most",
        "Lua ns",
        "Lua over own",
        "spread",
        "at least",
    ];
    let note = format!("{rounds} rounds of {} commands", grouped(COMMANDS));
    report.table("coordination", &note, &columns);
}

/// What a case cost in each round, and what INCR and Lua cost beside it.
#[derive(Default)]
struct Costs {
    incr_random: Vec<f64>,
    own: Vec<f64>,
    lua: Vec<f64>,
    incr_one: Vec<f64>,
}

impl Costs {
    fn of(case: &Case, incrs: &[Case; 2], bench: &mut Bench, rounds: usize) -> Costs {
        let [incr_random, incr_one] = incrs;
        let sides = || [Some(&case.own), case.lua.as_ref()].into_iter().flatten();
        let mut costs = Costs::default();
        let mut filled_on = None;
        // The first round warms everything up.
        for round in 0..=rounds {
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
                costs.incr_random.push(before);
                costs.own.push(own);
                costs.lua.extend(lua);
                costs.incr_one.push(after);
            }
        }
        for calls in sides() {
            bench.empty(calls);
        }
        costs
    }

    /// Over INCR on random keys, and over INCR on one key, which is always in the cache. A case on
    /// one key is held to its demand over both.
    fn report(&self, report: &mut Report, case: &Case) {
        let over_random = Spread::of_ratios(&self.own, &self.incr_random);
        let over_one = Spread::of_ratios(&self.own, &self.incr_one);
        let limit = case.limit.map(|limit| at_most(limit, over_random.middle));
        let limit_over_one = case
            .limit
            .filter(|_| matches!(case.keys, Keys::One | Keys::OnePerClient));
        let limit_over_one = limit_over_one.map(|limit| at_most(limit, over_one.middle));
        let (name, keys) = (case.name, case.keys.name());
        let mut cells = vec![
            name.into(),
            keys.into(),
            format!("{:.0}", Spread::of(self.own.iter().copied()).middle),
            format!("{:.2}", over_random.middle),
            over_random.range(),
            limit.unwrap_or_default(),
            format!("{:.2}", over_one.middle),
            limit_over_one.unwrap_or_default(),
        ];
        cells.extend(self.lua_cells(case));
        report.row(&cells);
        for (over, spread) in [(INCR_RANDOM, over_random), (INCR_ONE, over_one)] {
            report.ratio(name, keys, over, Wanted::of_cost(name), spread);
        }
        if let Some(over_own) = self.lua_over_own() {
            let lua = format!("Lua for {name}");
            let over_random = Spread::of_ratios(&self.lua, &self.incr_random);
            report.ratio(&lua, keys, name, Wanted::More, over_own);
            report.ratio(&lua, keys, INCR_RANDOM, Wanted::Either, over_random);
        }
    }

    fn lua_over_own(&self) -> Option<Spread> {
        let has_lua = !self.lua.is_empty();
        has_lua.then(|| Spread::of_ratios(&self.lua, &self.own))
    }

    fn lua_cells(&self, case: &Case) -> [String; 4] {
        let Some(over_own) = self.lua_over_own() else {
            return Default::default();
        };
        let limit = case.lua_limit;
        let limit = limit.map(|limit| at_least(limit, over_own.middle));
        [
            format!("{:.0}", Spread::of(self.lua.iter().copied()).middle),
            format!("{:.2}", over_own.middle),
            over_own.range(),
            limit.unwrap_or_default(),
        ]
    }
}
