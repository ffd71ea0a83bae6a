//! A server is killed at random moments, again and again, under load from all families. Afterwards it
//! has every change that it had acknowledged, and every other change as a whole or not at all.
//!
//! The seed decides what the clients do, but not the exact moment of the kill: run a seed that failed
//! more than once.

mod cells;
mod documents;
mod limits;
mod names;
mod sender;
mod torn;
mod worker;

use std::env;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use keyns_testkit::{Client, Keyspace, Options, Random, Server, Value, keyspace, rewrite_aof};

use documents::Library;
use limits::Admissions;
use names::AllNames;
use worker::Worker;

const WORKERS: u64 = 4;

/// Markdown from this length on is read in the background.
const LONG: &str = "1000";

#[test]
fn a_server_that_is_killed_under_load_keeps_what_it_promised() {
    survive(options(), given("KEYNS_CRASH_ROUNDS").unwrap_or(50));
}

/// The AOF is rewritten as commands only, without a snapshot in front.
#[test]
fn so_does_one_whose_aof_has_only_commands() {
    let options = options().set("--aof-use-rdb-preamble", &["no"]);
    survive(options, given("KEYNS_CRASH_ROUNDS").unwrap_or(10));
}

fn options() -> Options {
    Options::new()
        .durable()
        .module_arguments(&["parse-thread-bytes", LONG])
}

fn survive(options: Options, rounds: u64) {
    let seed = given("KEYNS_CRASH_SEED").unwrap_or_else(any_seed);
    println!("again: KEYNS_CRASH_SEED={seed} KEYNS_CRASH_ROUNDS={rounds}");
    let mut ordeal = Ordeal::new(options.start(), seed);
    for round in 0..rounds {
        println!("round {round}");
        ordeal.kill_and_restart(round);
        ordeal.check();
    }
    ordeal.assert_that_something_happened(rounds);
}

fn given<T: FromStr>(variable: &str) -> Option<T> {
    env::var(variable).ok()?.parse().ok()
}

fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a time after 1970").as_micros() as u64
}

/// The server, its clients, and what they were told in all rounds together.
struct Ordeal {
    server: Server,
    random: Random,
    workers: Vec<Worker>,
    names: AllNames,
    admissions: Admissions,
    library: Library,
    greatest_token: i64,
    lost_calls: u64,
}

impl Ordeal {
    fn new(server: Server, seed: u64) -> Ordeal {
        Ordeal {
            server,
            random: Random::seeded(seed),
            workers: (1..=WORKERS)
                .map(|number| Worker::new(number, seed))
                .collect(),
            names: AllNames::default(),
            admissions: Admissions::default(),
            library: Library::default(),
            greatest_token: 0,
            lost_calls: 0,
        }
    }

    fn kill_and_restart(&mut self, round: u64) {
        let torn_before = self.torn_ends();
        let life = Duration::from_millis(self.random.between(50, 400).unsigned_abs());
        let saving = Duration::from_millis(self.random.below(200));
        let save = *self.random.pick(&["BGREWRITEAOF", "BGSAVE", "PING"]);
        let clients: Vec<Client> = (0..WORKERS).map(|_| self.server.client()).collect();
        let mut keeper = self.server.client();
        thread::scope(|scope| {
            for (worker, client) in self.workers.iter_mut().zip(clients) {
                scope.spawn(move || worker.work(client, round));
            }
            scope.spawn(move || {
                thread::sleep(saving);
                // The server may be gone.
                let _ = keeper.try_call(&[save]);
            });
            thread::sleep(life);
            self.server.kill();
        });
        self.server.start_again();
        // operations.md asks for this: see `torn`.
        if self.torn_ends() > torn_before {
            rewrite_aof(&mut self.server.client());
        }
    }

    /// How often the server has found that its AOF ends in the middle of a command.
    fn torn_ends(&self) -> usize {
        self.server.log().matches("Truncating the AOF").count()
    }

    fn check(&mut self) {
        let mut client = self.server.client();
        let keys = keyspace(&mut client);
        self.check_names(&keys);
        self.check_tokens();
        for worker in &mut self.workers {
            let fate = worker.sender.fate(&keys);
            worker.cells.check(&keys, &mut client, fate);
            self.admissions.collect(&mut worker.limits);
        }
        self.admissions.check(&mut client);
        self.check_commons(&mut client);
        self.library.check(&mut self.workers, &keys, &mut client);
        self.lost_calls += self.workers.iter().filter(|w| w.sender.has_lost()).count() as u64;
        for worker in &mut self.workers {
            worker.forget_what_was_lost();
        }
        assert_eq!(client.info("keyns", "keyns_panics"), "0");
    }

    fn check_names(&mut self, keys: &Keyspace) {
        for worker in &mut self.workers {
            self.names.collect(&mut worker.names);
        }
        self.names.check(keys);
    }

    /// The tokens of one life of the server exceed those of all lives before, and no two are equal.
    fn check_tokens(&mut self) {
        let workers = self.workers.iter_mut();
        let mut tokens: Vec<i64> = workers
            .flat_map(|worker| worker.cells.take_tokens())
            .collect();
        tokens.sort_unstable();
        assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:?}");
        if let [least, .., greatest] = tokens[..] {
            assert!(least > self.greatest_token, "{least}");
            self.greatest_token = greatest;
        }
    }

    /// The counters and events that all workers share.
    fn check_commons(&mut self, client: &mut Client) {
        let sum = |of: fn(&Worker) -> i64| self.workers.iter().map(of).sum::<i64>();
        let answered = sum(|worker| worker.commons.counted);
        let lost = sum(|worker| worker.commons.lost_count);
        let counted = match client.run("GET hits:all:2024") {
            Value::Null => 0,
            count => count.text().parse().expect("a count"),
        };
        assert!(
            (answered..=answered + lost).contains(&counted),
            "{counted} of {answered} and {lost} without an answer"
        );
        let events = self.workers.iter().flat_map(|w| &w.commons.first_seen);
        let mut events: Vec<&String> = events.collect();
        events.sort_unstable();
        let twice = events.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None, "an event was new to two of them");
        for event in events {
            let reply = client.run(&format!("KEYNS.SEEN {event}")).integer();
            assert_eq!(reply, 0, "{event} is new again");
        }
    }

    /// Without load the test would prove nothing.
    fn assert_that_something_happened(&self, rounds: u64) {
        let sum = |of: fn(&Worker) -> u64| self.workers.iter().map(of).sum::<u64>();
        let what = [
            self.lost_calls,
            self.names.len(),
            self.admissions.admitted(),
            self.admissions.refused(),
            sum(|worker| worker.documents.created),
            sum(|worker| worker.documents.replaced),
            sum(|worker| worker.documents.dropped),
            sum(|worker| worker.cells.changes),
            sum(|worker| worker.commons.counted.unsigned_abs()),
        ];
        println!(
            "{rounds} rounds: calls lost, names, admitted, refused, documents created, replaced, \
             dropped, changes, counted: {what:?}"
        );
        // Somebody who replays a seed may ask for a few rounds only.
        assert!(
            rounds < 8 || what.iter().all(|&count| count > rounds / 2),
            "{what:?}"
        );
    }
}
