//! The commands that name keys.
//!
//! The measure is the CPU time of the server's main thread per command (`INFO cpu`) while
//! redis-benchmark keeps it busy with 50 clients and pipelines of 16, divided by that of INCR: on
//! 100,000 random keys, which the demands are about, and on one key, which is always in the cache.

use crate::measure::{Load, Spread, at_most, version};
use crate::support::Options;

const ROUNDS: usize = 7;
const COMMANDS: usize = 200_000;
const RANDOM_KEYS: usize = 100_000;
const HEADING: &str = "Portfolio Management & Risk Assessment";

struct Case {
    name: &'static str,
    command: Vec<String>,
    /// What it may cost at most, and what it should, in costs of INCR on random keys.
    demanded: Option<(f64, Option<f64>)>,
}

/// Where the two kinds of INCR stand among the cases.
const INCR_RANDOM: usize = 0;
const INCR_ONE: usize = 1;

fn cases(script: &str) -> Vec<Case> {
    let case = |name, command: &[&str], demanded| Case {
        name,
        command: command.iter().map(|&word| word.into()).collect(),
        demanded,
    };
    let nextid = Some((1.8, Some(1.4)));
    let make = Some((2.8, Some(2.2)));
    vec![
        case("INCR, random keys", &["INCR", "key:__rand_int__"], None),
        case("INCR, one key", &["INCR", "counter"], None),
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

pub fn run() {
    let server = Options::new().start();
    let mut client = server.client();
    let script = client.call(&["SCRIPT", "LOAD", LUA_MAKE]).text();
    let cases = cases(&script);
    println!(
        "\n{}, {ROUNDS} rounds of {COMMANDS} commands\n",
        version(&mut client)
    );
    let mut costs = vec![Vec::new(); cases.len()];
    // The first round warms everything up.
    for round in 0..=ROUNDS {
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
    print_table(&cases, &costs);
}

fn print_table(cases: &[Case], costs: &[Vec<f64>]) {
    println!("| command | ns | x INCR, random keys | spread | at most | aim | x INCR, one key |");
    println!("|---|---|---|---|---|---|---|");
    for (case, own) in cases.iter().zip(costs) {
        let Spread { low, middle, high } = Spread::of_ratios(own, &costs[INCR_RANDOM]);
        let (at_most, aim) = match case.demanded {
            Some((limit, aim)) => (
                at_most(limit, middle),
                aim.map_or(String::new(), |aim| format!("{aim:.1}")),
            ),
            None => (String::new(), String::new()),
        };
        println!(
            "| {} | {:.0} | {middle:.2} | {low:.2} to {high:.2} | {at_most} | {aim} | {:.2} |",
            case.name,
            Spread::of(own.iter().copied()).middle,
            Spread::of_ratios(own, &costs[INCR_ONE]).middle
        );
    }
}
