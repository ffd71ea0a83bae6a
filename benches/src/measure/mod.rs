//! What everything is measured with: loads, clients, connections, and the server's own numbers.

mod clients;
mod connection;
pub mod instructions;
mod python;

use std::process::{Command, Stdio};

use keyns_testkit::{Client, Server};

use crate::report::machine;

pub use clients::{CLIENTS, Clients, Dice};
pub use connection::{Connection, Request, SOCKET};
pub use instructions::{RANDOM, on_key};
pub use python::Python;

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

/// CPU time that the server has used, in seconds.
#[derive(Clone, Copy)]
pub struct Cpu {
    /// Of all its threads.
    pub all: f64,
    /// Of the main thread, during which clients wait.
    pub main: f64,
}

impl Cpu {
    pub fn of(client: &mut Client) -> Cpu {
        let fields = info(client, "cpu");
        let sum = |names: [&str; 2]| {
            let fields = fields.iter();
            let fields = fields.filter(|(name, _)| names.contains(&name.as_str()));
            fields
                .map(|(_, seconds)| seconds.parse::<f64>().expect("seconds"))
                .sum()
        };
        Cpu {
            all: sum(["used_cpu_sys", "used_cpu_user"]),
            main: sum(["used_cpu_sys_main_thread", "used_cpu_user_main_thread"]),
        }
    }

    /// What each of so many commands took until now.
    pub fn per_command(self, client: &mut Client, commands: usize) -> Cpu {
        let end = Cpu::of(client);
        Cpu {
            all: (end.all - self.all) / commands as f64,
            main: (end.main - self.main) / commands as f64,
        }
    }
}

/// The time that the server's main thread has worked.
pub fn main_thread_seconds(client: &mut Client) -> f64 {
    Cpu::of(client).main
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

/// Which server it is.
pub fn version(client: &mut Client) -> String {
    let fields = info(client, "server");
    let version = |name: &str| fields.iter().find(|(field, _)| field == name);
    match (version("valkey_version"), version("redis_version")) {
        (Some((_, version)), _) => format!("Valkey {version}"),
        (None, Some((_, version))) => format!("Redis {version}"),
        (None, None) => "a server without a version".into(),
    }
}

/// The server, and the machine it runs on.
pub fn setting(client: &mut Client) -> String {
    format!("{}, {}", version(client), machine::processors())
}

/// The fields of a section of `INFO`.
pub fn info(client: &mut Client, section: &str) -> Vec<(String, String)> {
    let info = client.call(&["INFO", section]).text();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(field, value)| (field.to_owned(), value.to_owned()))
        .collect()
}
