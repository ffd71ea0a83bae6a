//! What commands cost the server, beside plain commands in the same run.
//!
//! The measure is the CPU time of the server's main thread per command (`INFO cpu`) while
//! redis-benchmark keeps it busy with 50 clients and pipelines of 16, divided by that of INCR on
//! 100,000 random keys. Every round measures everything once, so that a noisy moment of the machine
//! spoils one ratio and not the comparison; the table has the median and the spread of the rounds.

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
    command: &'static [&'static str],
    /// What it may cost at most, and what it should, in costs of INCR.
    demanded: Option<(f64, Option<f64>)>,
}

const CASES: [Case; 9] = [
    Case {
        name: "INCR, 100,000 random keys",
        command: &["INCR", "key:__rand_int__"],
        demanded: None,
    },
    Case {
        name: "INCR, one key",
        command: &["INCR", "counter"],
        demanded: None,
    },
    Case {
        name: "PING",
        command: &["PING"],
        demanded: None,
    },
    Case {
        name: "KEYNS.SLUG, heading of 38 characters",
        command: &["KEYNS.SLUG", HEADING],
        demanded: Some((1.0, None)),
    },
    Case {
        name: "KEYNS.NEXTID",
        command: &["KEYNS.NEXTID", "doc"],
        demanded: Some((1.8, Some(1.4))),
    },
    Case {
        name: "KEYNS.MAKE",
        command: &["KEYNS.MAKE", "doc", HEADING],
        demanded: Some((2.8, Some(2.2))),
    },
    Case {
        name: "KEYNS.CHECK",
        command: &["KEYNS.CHECK", "doc:portfolio_strategies:001"],
        demanded: None,
    },
    Case {
        name: "KEYNS.PARSE",
        command: &["KEYNS.PARSE", "doc:portfolio_strategies:001"],
        demanded: None,
    },
    Case {
        name: "EVAL, what MAKE does without making the slug",
        command: &[
            "EVAL",
            LUA_MAKE,
            "1",
            "lua",
            "portfolio_management_risk_asse",
        ],
        demanded: None,
    },
];

/// The script a team would write for KEYNS.MAKE, given a slug that the client made.
const LUA_MAKE: &str = "local name repeat \
    name = KEYS[1] .. ':' .. ARGV[1] .. ':' .. string.format('%03d', redis.call('INCR', KEYS[1] .. ':_seq')) \
    until redis.call('EXISTS', name) == 0 return name";

fn main() {
    // FAMILY picks one of the families; so far there is one.
    if std::env::var("FAMILY").is_ok_and(|family| !matches!(family.as_str(), "" | "naming")) {
        return;
    }
    let server = Options::new().start();
    let mut client = server.client();
    println!(
        "\n{}, {ROUNDS} rounds of {COMMANDS} commands\n",
        version(&mut client)
    );
    let mut costs = vec![Vec::new(); CASES.len()];
    // The first round warms everything up.
    for round in 0..=ROUNDS {
        for (case, costs) in CASES.iter().zip(&mut costs) {
            let cost = nanoseconds_per_command(&server, &mut client, case);
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    print_table(&costs);
}

fn print_table(costs: &[Vec<f64>]) {
    println!("| command | ns | x INCR | spread | at most | aim |");
    println!("|---|---|---|---|---|---|");
    for (case, own) in CASES.iter().zip(costs) {
        let ratios: Vec<f64> = own
            .iter()
            .zip(&costs[0])
            .map(|(own, incr)| own / incr)
            .collect();
        let (low, middle, high) = spread(&ratios);
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
        let name = case.name;
        let nanoseconds = spread(own).1;
        println!(
            "| {name} | {nanoseconds:.0} | {middle:.2} | {low:.2} to {high:.2} | {at_most} | {aim} |"
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
        .args(case.command)
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
