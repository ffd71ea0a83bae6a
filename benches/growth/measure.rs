//! What the axes measure with.

pub use crate::report::Spread;
use keyns_testkit::Client;

use crate::report::machine;

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

/// The same for clients that only know of the main thread.
pub fn main_thread_seconds(client: &mut Client) -> f64 {
    Cpu::of(client).main
}

/// The server, and the machine it runs on.
pub fn setting(client: &mut Client) -> String {
    let fields = info(client, "server");
    let version = |name: &str| fields.iter().find(|(field, _)| field == name);
    let server = match (version("valkey_version"), version("redis_version")) {
        (Some((_, version)), _) => format!("Valkey {version}"),
        (None, Some((_, version))) => format!("Redis {version}"),
        (None, None) => "a server without a version".into(),
    };
    format!("{server}, {}", machine::processors())
}

/// The fields of a section of `INFO`.
fn info(client: &mut Client, section: &str) -> Vec<(String, String)> {
    let info = client.call(&["INFO", section]).text();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(field, value)| (field.to_owned(), value.to_owned()))
        .collect()
}
