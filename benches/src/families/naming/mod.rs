//! The commands that name keys.
//!
//! The measure is the CPU time of the server's main thread per command (`INFO cpu`) while
//! redis-benchmark keeps it busy with 50 clients and pipelines of 16, divided by that of INCR: on
//! 100,000 random keys, which the demands are about, and on one key, which is always in the cache.

pub mod slug;

use keyns_testkit::{Client, Options};

use super::counting::Cases;
use crate::measure::instructions::Repeated;
use crate::measure::{Load, version};
use crate::report::{INCR_ONE, INCR_RANDOM, Report, Spread, Wanted, at_most, grouped, rounds};

const ROUNDS: usize = 11;
const COMMANDS: usize = 50_000;
const RANDOM_KEYS: usize = 100_000;
const HEADING: &str = "Portfolio Management & Risk Assessment";
const NAME: &str = "doc:portfolio_strategies:001";

struct Case {
    name: &'static str,
    /// Which keys, or prefixes, it is about.
    keys: &'static str,
    command: Vec<String>,
    /// What it may cost at most, and what it should, in costs of INCR on random keys.
    demanded: Option<(f64, Option<f64>)>,
}

/// Where the two kinds of INCR stand among the cases, and how many are plain.
const RANDOM: usize = 0;
const ONE: usize = 1;
const PLAIN: usize = 3;

fn cases(script: &str) -> Vec<Case> {
    let case = |name, keys, command: &[&str], demanded| Case {
        name,
        keys,
        command: command.iter().map(|&word| word.into()).collect(),
        demanded,
    };
    let nextid = |keys, prefix| {
        let demanded = Some((1.8, Some(1.4)));
        case("KEYNS.NEXTID", keys, &["KEYNS.NEXTID", prefix], demanded)
    };
    let make = |keys, prefix| {
        let demanded = Some((2.8, Some(2.2)));
        let command = ["KEYNS.MAKE", prefix, HEADING];
        case("KEYNS.MAKE", keys, &command, demanded)
    };
    let slug = "portfolio_management_risk_asse";
    vec![
        case("INCR", "random", &["INCR", "key:__rand_int__"], None),
        case("INCR", "one", &["INCR", "counter"], None),
        case("PING", "", &["PING"], None),
        case(
            "KEYNS.SLUG",
            "",
            &["KEYNS.SLUG", HEADING],
            Some((1.0, None)),
        ),
        nextid("random", "p:__rand_int__"),
        nextid("one", "doc"),
        make("random", "q:__rand_int__"),
        make("one", "doc"),
        case("KEYNS.CHECK", "", &["KEYNS.CHECK", NAME], None),
        case("KEYNS.PARSE", "", &["KEYNS.PARSE", NAME], None),
        case(
            "Lua for KEYNS.MAKE",
            "one",
            &["EVALSHA", script, "1", "lua", slug],
            None,
        ),
    ]
}

/// The script a team would write for KEYNS.MAKE, given a slug that the client made.
const LUA_MAKE: &str = "local name repeat \
    name = KEYS[1] .. ':' .. ARGV[1] .. ':' .. string.format('%03d', redis.call('INCR', KEYS[1] .. ':_seq')) \
    until redis.call('EXISTS', name) == 0 return name";

/// What is ours, and its script.
pub fn counted(client: &mut Client) -> Cases {
    let script = client.call(&["SCRIPT", "LOAD", LUA_MAKE]).text();
    let mut counted = Cases::default();
    for case in cases(&script).split_off(PLAIN) {
        counted.add(Repeated::new(case.name, case.keys, case.command));
    }
    counted
}

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
            "prefixes",
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
        case.keys.into(),
        format!("{:.0}", Spread::of(own.iter().copied()).middle),
        format!("{:.2}", over_random.middle),
        over_random.range(),
        limit.unwrap_or_default(),
        aim.map(|aim| aim.to_string()).unwrap_or_default(),
        format!("{:.2}", over_one.middle),
    ]);
    for (over, spread) in [(INCR_RANDOM, over_random), (INCR_ONE, over_one)] {
        let wanted = Wanted::of_cost(case.name);
        report.ratio(case.name, case.keys, over, wanted, spread);
    }
}
