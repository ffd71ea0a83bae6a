//! How many instructions the server's main thread executes for a command, counted by callgrind.
//!
//! A time is about a machine and its neighbours as well. An instruction count is about the program
//! alone, and two counts of the same work differ by less than a percent, on a busy machine too.
//!
//! The server runs under callgrind, and vgdb reads its counter before and after a load:
//!
//! ```text
//! count = (load of n operations - load of none) / n
//! ```
//!
//! The load of none is what reading the counter itself costs the server. One client sends a batch,
//! awaits its replies and sends the next one, so the server takes one turn of its event loop for each
//! batch, in every run. Whatever else happens only adds to a count, so the lowest one is taken:
//!
//! - Once a second the server's cron adds some hundred thousand instructions to the load that it
//!   meets: a load is repeated until the lowest two agree.
//! - Each server draws a random seed for its hash tables. Where the names of two commands fall into
//!   the same place of the table of commands, one of them is found 65 instructions later: a case is
//!   counted on several servers.

use std::process::Command;

use keyns_testkit::{Client, Options, Server, Value};

use super::{Dice, info};

/// How many commands a load has, and how many of them are sent at once. Few, so that on a busy machine
/// too most loads are over before the server's cron comes.
pub const COMMANDS: usize = 240;
pub const AT_ONCE: usize = 16;
/// How many keys there are where they are chosen at random. They need not fill the caches, which
/// take no instructions.
pub const RANDOM_KEYS: usize = 1000;

/// Two loads agree if they differ by less than this.
const AGREEMENT: f64 = 0.003;
/// After so many loads the lowest has to do.
const PATIENCE: usize = 12;

/// Something that can be counted.
pub trait Counted {
    /// What it is called in tables and in the record.
    fn case(&self) -> String;

    /// Which keys it is about, where that makes a difference.
    fn keys(&self) -> String {
        String::new()
    }

    /// Makes what all loads find.
    fn prepare(&mut self, _: &mut Client) {}

    /// The next load. What has to be there or gone before each of them is made here.
    fn load(&mut self, client: &mut Client) -> Work;

    /// Whether the command at this place of a load was answered as it should be.
    fn is_right(&self, _at: usize, reply: &Value) -> bool {
        !reply.is_error()
    }
}

/// What a client sends.
pub struct Work {
    pub commands: Vec<Vec<Vec<u8>>>,
    /// How many commands go in one batch.
    pub at_once: usize,
    /// How many operations they are together.
    pub operations: usize,
}

impl Work {
    /// Commands that each are an operation.
    pub fn of(commands: Vec<Vec<String>>) -> Work {
        let bytes = |command: Vec<String>| command.into_iter().map(String::into_bytes).collect();
        Work {
            operations: commands.len(),
            commands: commands.into_iter().map(bytes).collect(),
            at_once: AT_ONCE,
        }
    }

    /// One operation of many commands, all sent at once.
    pub fn whole(commands: Vec<Vec<Vec<u8>>>) -> Work {
        Work {
            operations: 1,
            at_once: commands.len(),
            commands,
        }
    }
}

/// A server under callgrind, and its client.
pub struct Counter {
    pub client: Client,
    process: String,
    /// What a load of none costs.
    of_none: f64,
    /// Ended when the client is gone.
    _server: Server,
}

impl Counter {
    pub fn start() -> Counter {
        // As few ticks as possible, and none of the work that servers do when nobody asks.
        let server = Options::new()
            .set("--hz", &["1"])
            .set("--dynamic-hz", &["no"])
            .set("--activerehashing", &["no"])
            .set("--io-threads", &["1"])
            .set("--enable-module-command", &["yes"])
            .under(&[
                "valgrind",
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
            ])
            .start();
        let mut client = server.client();
        let fields = info(&mut client, "server");
        let process = fields.into_iter().find(|(name, _)| name == "process_id");
        let mut counter = Counter {
            client,
            process: process.expect("its process").1,
            of_none: 0.0,
            _server: server,
        };
        counter.of_none = counter.agreed(|counter| counter.during(|_| ()).0);
        counter
    }

    /// The instructions of one operation.
    pub fn count(&mut self, case: &mut dyn Counted) -> f64 {
        let name = case.case();
        case.prepare(&mut self.client);
        let mut operations = 1.0;
        let of_load = self.agreed(|counter| {
            let work = case.load(&mut counter.client);
            operations = work.operations as f64;
            let (count, replies) = counter.during(|counter| counter.send(&work));
            for (at, reply) in replies.iter().enumerate() {
                assert!(case.is_right(at, reply), "{name}: {reply:?}");
            }
            count
        });
        (of_load - self.of_none) / operations
    }

    /// Repeats a load until the lowest two agree, and answers the lowest.
    fn agreed(&mut self, mut load: impl FnMut(&mut Counter) -> f64) -> f64 {
        let mut counts = Vec::new();
        loop {
            counts.push(load(self));
            counts.sort_by(f64::total_cmp);
            if let [first, second, ..] = counts[..] {
                let is_agreed = second <= first * (1.0 + AGREEMENT);
                if is_agreed || counts.len() == PATIENCE {
                    return first;
                }
            }
        }
    }

    fn during<T>(&mut self, act: impl FnOnce(&mut Counter) -> T) -> (f64, T) {
        let before = self.read();
        let outcome = act(self);
        (self.read() - before, outcome)
    }

    fn send(&mut self, work: &Work) -> Vec<Value> {
        let mut replies = Vec::with_capacity(work.commands.len());
        for batch in work.commands.chunks(work.at_once) {
            let bytes: Vec<u8> = batch
                .iter()
                .flat_map(|command| Client::request(command))
                .collect();
            self.client.send_raw(&bytes).expect("the server listens");
            let read = batch.iter().map(|_| self.client.receive());
            replies.extend(read.map(|reply| reply.expect("the server answers")));
        }
        replies
    }

    /// The instructions of the server's main thread until now.
    fn read(&self) -> f64 {
        let output = Command::new("vgdb")
            .arg(format!("--pid={}", self.process))
            // It would wait that long for a server that sleeps, before it wakes it up.
            .arg("--max-invoke-ms=1")
            .args(["status", "internal"])
            .output()
            .expect("vgdb comes with valgrind");
        let text = String::from_utf8_lossy(&output.stdout);
        main_thread(&text)
            .unwrap_or_else(|| panic!("callgrind does not say what it counted: {text}"))
    }
}

/// What callgrind counted in the first thread, from its status.
pub fn main_thread(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|l| l.strip_prefix("events-1: "))?;
    line.split_whitespace().next()?.parse().ok()
}

/// One command again and again, with a number in the place of `__rand_int__`.
pub struct Repeated {
    case: &'static str,
    keys: &'static str,
    command: Vec<String>,
    dice: Dice,
}

impl Repeated {
    /// On `random` keys, or on one.
    pub fn new(case: &'static str, keys: &'static str, command: Vec<String>) -> Repeated {
        Repeated {
            case,
            keys,
            command,
            dice: Dice::new(),
        }
    }
}

impl Counted for Repeated {
    fn case(&self) -> String {
        self.case.into()
    }

    fn keys(&self) -> String {
        self.keys.into()
    }

    /// Calls it for every key, so that loads find all of them.
    fn prepare(&mut self, client: &mut Client) {
        client.run("SELECT 0");
        let keys: Vec<usize> = match self.keys {
            "random" => (0..RANDOM_KEYS).collect(),
            _ => vec![0],
        };
        let commands: Vec<_> = keys.iter().map(|&key| on_key(&self.command, key)).collect();
        client.pipeline(&commands);
    }

    fn load(&mut self, _: &mut Client) -> Work {
        let keys: Vec<usize> = (0..COMMANDS)
            .map(|_| self.dice.below(RANDOM_KEYS))
            .collect();
        Work::of(keys.iter().map(|&key| on_key(&self.command, key)).collect())
    }
}

/// What redis-benchmark writes a number in place of.
pub const RANDOM: &str = "__rand_int__";

/// A command as redis-benchmark sends it for one of the keys.
pub fn on_key(command: &[String], key: usize) -> Vec<String> {
    let key = format!("{key:012}");
    let words = command.iter();
    words.map(|word| word.replace(RANDOM, &key)).collect()
}
