//! What the families measure with.

use std::process::{Command, Stdio};

pub use crate::report::{
    INCR_ONE, INCR_RANDOM, Report, Spread, Wanted, at_least, at_most, grouped, rounds,
};
use keyns_testkit::{Client, Server};

/// One command, again and again, from the 50 clients of redis-benchmark.
pub struct Load<'a> {
    pub command: &'a [String],
    pub commands: usize,
    /// How many of them a client sends at once.
    pub pipeline: usize,
    pub database: usize,
    /// How many values `__rand_int__` has in the command.
    pub random: usize,
}

/// What a load did.
pub struct Cost {
    /// The CPU time of the server's main thread per command.
    pub nanoseconds: f64,
    /// Commands in a second.
    pub throughput: f64,
}

impl Load<'_> {
    pub fn run(&self, server: &Server, client: &mut Client) -> Cost {
        let before = main_thread_seconds(client);
        let output = Command::new("redis-benchmark")
            .args(["-p", &server.port.to_string(), "-c", "50", "--csv"])
            .args(["-n", &self.commands.to_string()])
            .args(["-P", &self.pipeline.to_string()])
            .args(["--dbnum", &self.database.to_string()])
            .args(["-r", &self.random.to_string()])
            .args(self.command)
            .stderr(Stdio::null())
            .output()
            .expect("redis-benchmark runs");
        assert!(output.status.success(), "{:?}", self.command);
        let seconds = main_thread_seconds(client) - before;
        Cost {
            nanoseconds: seconds * 1e9 / self.commands as f64,
            throughput: throughput(&String::from_utf8_lossy(&output.stdout)),
        }
    }
}

/// From the last line of redis-benchmark: the command, commands in a second, and six latencies.
fn throughput(csv: &str) -> f64 {
    let fields = csv.trim_end().rsplit(',');
    let field = fields.map(|field| field.trim_matches('"')).nth(6);
    field
        .and_then(|field| field.parse().ok())
        .expect("a throughput")
}

/// The time that the server's main thread has worked.
pub fn main_thread_seconds(client: &mut Client) -> f64 {
    let fields = info(client, "cpu");
    let of_main_thread = |(field, _): &&(String, String)| field.ends_with("_main_thread");
    fields
        .iter()
        .filter(of_main_thread)
        .map(|(_, seconds)| seconds.parse::<f64>().expect("seconds"))
        .sum()
}

/// A field of `INFO memory`.
pub fn memory(client: &mut Client, name: &str) -> f64 {
    let fields = info(client, "memory");
    let (_, bytes) = fields
        .iter()
        .find(|(field, _)| field == name)
        .expect("the field is there");
    bytes.parse().expect("bytes")
}

pub fn version(client: &mut Client) -> String {
    let fields = info(client, "server");
    let version = |name: &str| fields.iter().find(|(field, _)| field == name);
    match (version("valkey_version"), version("redis_version")) {
        (Some((_, version)), _) => format!("Valkey {version}"),
        (None, Some((_, version))) => format!("Redis {version}"),
        (None, None) => "a server without a version".into(),
    }
}

/// The fields of a section of `INFO`.
pub fn info(client: &mut Client, section: &str) -> Vec<(String, String)> {
    let info = client.call(&["INFO", section]).text();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(field, value)| (field.to_owned(), value.to_owned()))
        .collect()
}
