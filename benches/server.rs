//! What commands cost the server, beside plain commands in the same run.
//!
//! The measure is the CPU time of the server's main thread per command (`INFO cpu`) while
//! redis-benchmark keeps it busy with 50 clients and pipelines of 16, divided by that of INCR: on
//! 100,000 random keys, which the demands are about, and on one key, which is always in the cache.
//! Every round measures everything once, so that a noisy moment of the machine spoils one ratio and
//! not the comparison; the table has the median and the spread of the ratios of all rounds.

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::{Command, Stdio};

use support::{Client, Options, Server};

const ROUNDS: usize = 7;
const COMMANDS: usize = 200_000;
const RANDOM_KEYS: &str = "100000";
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

fn main() {
    // FAMILY picks one of the families; so far there is one.
    let family = std::env::var("FAMILY").unwrap_or_default();
    if !matches!(family.as_str(), "" | "naming") {
        eprintln!("there is no family {family:?}: naming is the only one");
        std::process::exit(1);
    }
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
            let cost = nanoseconds_per_command(&server, &mut client, case);
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    print_table(&cases, &costs);
}

fn print_table(cases: &[Case], costs: &[Vec<f64>]) {
    println!("| command | ns | x INCR, random keys | spread | at most | aim | x INCR, one key |");
    println!("|---|---|---|---|---|---|---|");
    for (case, own) in cases.iter().zip(costs) {
        let over = |incr: usize| -> Vec<f64> {
            own.iter()
                .zip(&costs[incr])
                .map(|(own, incr)| own / incr)
                .collect()
        };
        let (low, middle, high) = spread(&over(INCR_RANDOM));
        let (at_most, aim) = match case.demanded {
            Some((at_most, aim)) => (
                format!(
                    "{at_most:.1} {}",
                    if middle <= at_most { "kept" } else { "MISSED" }
                ),
                aim.map_or(String::new(), |aim| format!("{aim:.1}")),
            ),
            None => (String::new(), String::new()),
        };
        println!(
            "| {} | {:.0} | {middle:.2} | {low:.2} to {high:.2} | {at_most} | {aim} | {:.2} |",
            case.name,
            spread(own).1,
            spread(&over(INCR_ONE)).1
        );
    }
}

/// The least, the middle and the greatest.
fn spread(values: &[f64]) -> (f64, f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (
        sorted[0],
        sorted[sorted.len() / 2],
        sorted[sorted.len() - 1],
    )
}

fn nanoseconds_per_command(server: &Server, client: &mut Client, case: &Case) -> f64 {
    let before = main_thread_seconds(client);
    let status = Command::new("redis-benchmark")
        .args(["-p", &server.port.to_string(), "-n", &COMMANDS.to_string()])
        .args(["-c", "50", "-P", "16", "-r", RANDOM_KEYS, "-q"])
        .args(&case.command)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("redis-benchmark runs");
    assert!(status.success(), "{}", case.name);
    (main_thread_seconds(client) - before) * 1e9 / COMMANDS as f64
}

fn main_thread_seconds(client: &mut Client) -> f64 {
    let info = client.run("INFO cpu").text();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(field, _)| field.ends_with("_main_thread"))
        .map(|(_, seconds)| seconds.parse::<f64>().expect("seconds"))
        .sum()
}

fn version(client: &mut Client) -> String {
    let info = client.run("INFO server").text();
    let field = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(str::to_owned)
    };
    match field("valkey_version") {
        Some(version) => format!("Valkey {version}"),
        None => format!("Redis {}", field("redis_version").unwrap_or_default()),
    }
}
