//! The commands that name keys.
//!
//! The measure is the CPU time of the server's main thread per command (`INFO cpu`) while
//! redis-benchmark keeps it busy with 50 clients and pipelines of 16, divided by that of INCR: on
//! 100,000 random keys, which the demands are about, and on one key, which is always in the cache.

pub mod slug;

use keyns_testkit::Options;

use crate::measure::{Load, version};
use crate::report::{INCR_ONE, INCR_RANDOM, Report, Spread, Wanted, at_most, grouped, rounds};

const ROUNDS: usize = 11;
const COMMANDS: usize = 100_000;
const RANDOM_KEYS: usize = 100_000;
const HEADING: &str = "Portfolio Management & Risk Assessment";

struct Case {
    name: &'static str,
    command: Vec<String>,
    /// What it may cost at most, and what it should, in costs of INCR on random keys.
    demanded: Option<(f64, Option<f64>)>,
}

/// Where the two kinds of INCR stand among the cases.
const RANDOM: usize = 0;
const ONE: usize = 1;

fn cases(script: &str) -> Vec<Case> {
    let case = |name, command: &[&str], demanded| Case {
        name,
        command: command.iter().map(|&word| word.into()).collect(),
        demanded,
    };
    let nextid = Some((1.8, Some(1.4)));
    let make = Some((2.8, Some(2.2)));
    vec![
        case(INCR_RANDOM, &["INCR", "key:__rand_int__"], None),
        case(INCR_ONE, &["INCR", "counter"], None),
        case("PING", &["PING"], None),
        case("KEYNS.SLUG", &["KEYNS.SLUG", HEADING], Some((1.0, None))),
        case(
            "KEYNS.NEXTID, random prefixes",
            &["KEYNS.NEXTID", "p:__rand_int__"],
            nextid,
        ),
        case("KEYNS.NEXTID, one prefix", &["KEYNS.NEXTID", "doc"], nextid),
        case(
            "KEYNS.MAKE, random prefixes",
            &["KEYNS.MAKE", "q:__rand_int__", HEADING],
            make,
        ),
        case(
            "KEYNS.MAKE, one prefix",
            &["KEYNS.MAKE", "doc", HEADING],
            make,
        ),
        case(
            "KEYNS.CHECK",
            &["KEYNS.CHECK", "doc:portfolio_strategies:001"],
            None,
        ),
        case(
            "KEYNS.PARSE",
            &["KEYNS.PARSE", "doc:portfolio_strategies:001"],
            None,
        ),
        case(
            "EVALSHA, what MAKE does with the slug given, one prefix",
            &[
                "EVALSHA",
                script,
                "1",
                "lua",
                "portfolio_management_risk_asse",
            ],
            None,
        ),
    ]
}

/// The script a team would write for KEYNS.MAKE, given a slug that the client made.
const LUA_MAKE: &str = "local name repeat \
    name = KEYS[1] .. ':' .. ARGV[1] .. ':' .. string.format('%03d', redis.call('INCR', KEYS[1] .. ':_seq')) \
    until redis.call('EXISTS', name) == 0 return name";

pub fn run(report: &mut Report) {
    let server = Options::new().start();
    let mut client = server.client();
    let script = client.call(&["SCRIPT", "LOAD", LUA_MAKE]).text();
    let cases = cases(&script);
    let rounds = rounds(ROUNDS);
    let mut costs = vec![Vec::new(); cases.len()];
    // The first round warms everything up.
    for round in 0..=rounds {
        for (case, costs) in cases.iter().zip(&mut costs) {
            let load = Load {
                command: &case.command,
                commands: COMMANDS,
                pipeline: 16,
                database: 0,
                random: RANDOM_KEYS,
            };
            let cost = load.run(&server, &mut client);
            if round > 0 {
                costs.push(cost.nanoseconds);
            }
        }
    }
    report.version(version(&mut client));
    report.table(
        "naming",
        &format!("{rounds} rounds of {} commands", grouped(COMMANDS)),
        &[
            "command",
            "ns",
            "x INCR, random keys",
            "spread",
            "at most",
            "aim",
            "x INCR, one key",
        ],
    );
    for (case, own) in cases.iter().zip(&costs) {
        add_row(report, case, own, &costs);
    }
}

fn add_row(report: &mut Report, case: &Case, own: &[f64], costs: &[Vec<f64>]) {
    let over_random = Spread::of_ratios(own, &costs[RANDOM]);
    let over_one = Spread::of_ratios(own, &costs[ONE]);
    let limit = case
        .demanded
        .map(|(limit, _)| at_most(limit, over_random.middle));
    let aim = case.demanded.and_then(|(_, aim)| aim);
    report.row(&[
        case.name.into(),
        format!("{:.0}", Spread::of(own.iter().copied()).middle),
        format!("{:.2}", over_random.middle),
        over_random.range(),
        limit.unwrap_or_default(),
        aim.map(|aim| aim.to_string()).unwrap_or_default(),
        format!("{:.2}", over_one.middle),
    ]);
    for (over, spread) in [(INCR_RANDOM, over_random), (INCR_ONE, over_one)] {
        if case.name != over {
            report.ratio(case.name, "", over, Wanted::of_cost(case.name), spread);
        }
    }
}
