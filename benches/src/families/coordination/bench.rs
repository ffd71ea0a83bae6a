//! Makes keys, sends loads, and looks at every reply.

use std::time::{SystemTime, UNIX_EPOCH};

use keyns_testkit::{Client, Server, wait_until};

use super::case::{COMMANDS, Calls, Case, Keys};
use super::draw::Draw;
use crate::measure::{Clients, memory};

const RANDOM_KEYS: usize = 100_000;
/// How many keys are looked at before and after each load.
const SAMPLE: usize = 50;
/// A key that lives longer than this is still there when a load ends.
const LONG_ENOUGH: i64 = 60_000;

pub struct Bench {
    pub control: Client,
    clients: Clients,
    draw: Draw,
}

impl Bench {
    pub fn new(server: &Server) -> Bench {
        Bench {
            control: server.client(),
            clients: Clients::connect(server),
            draw: Draw::of(RANDOM_KEYS),
        }
    }

    /// Makes the keys that all loads of a case share, as they are after a while.
    pub fn fill(&mut self, case: &Case, calls: &Calls) {
        self.select(calls.database);
        self.draw.fill(&mut self.control, case, calls);
    }

    /// Removes all keys. FLUSHDB SYNC would also hand free memory back to the system, which then has
    /// to be fetched again.
    pub fn empty(&mut self, calls: &Calls) {
        self.select(calls.database);
        let control = &mut self.control;
        control.run("FLUSHDB ASYNC");
        wait_until("all keys are freed", || {
            memory(control, "lazyfree_pending_objects") == 0.0
        });
    }

    /// The CPU time of the server's main thread per command, in nanoseconds. Fails if a load was
    /// another than it should be.
    pub fn cost(&mut self, case: &Case, calls: &Calls) -> f64 {
        self.select(calls.database);
        let keys = self.draw.keys(case, calls, COMMANDS);
        let lasting = match case.keys {
            Keys::One | Keys::OnePerClient | Keys::Random => {
                [case.lasting * self.draw.count(case.keys); 2]
            }
            Keys::Once => {
                self.empty(calls);
                let made = case.lasting * keys.len();
                match calls.filler {
                    Some(_) => {
                        // Not in the order of the load.
                        let mut sorted = keys.clone();
                        sorted.sort_unstable();
                        let control = &mut self.control;
                        self.draw.call_filler(control, calls, &sorted);
                        [made, 0]
                    }
                    None => [0, made],
                }
            }
        };
        let commands = self.draw.commands(calls, &keys);
        self.check_keys(case, lasting[0]);
        self.clients.select(calls.database);
        let mut wrong = None;
        let show = |at: usize, reply: &[u8]| {
            let start = case.replies[at % case.replies.len()];
            if !reply.starts_with(start.as_bytes()) {
                wrong = Some(String::from_utf8_lossy(reply).into_owned());
            }
        };
        let clients = &mut self.clients;
        let nanoseconds = clients.nanoseconds_and_replies(&commands, &mut self.control, show);
        assert_eq!(wrong, None, "{}", case.name);
        self.check_keys(case, lasting[1]);
        nanoseconds
    }

    /// So many keys are there, and will be for a while.
    fn check_keys(&mut self, case: &Case, count: usize) {
        let found = self.control.run("DBSIZE").integer();
        assert_eq!(found, count as i64, "{}: keys", case.name);
        if count == 0 {
            return;
        }
        let keys = self.control.pipeline(&vec![vec!["RANDOMKEY"]; SAMPLE]);
        let calls: Vec<_> = keys
            .iter()
            .map(|key| vec!["PTTL".into(), key.text()])
            .collect();
        for reply in self.control.pipeline(&calls) {
            let milliseconds = reply.integer();
            let is_lasting = milliseconds == -1 || milliseconds > LONG_ENOUGH;
            assert!(is_lasting, "{}: a TTL of {milliseconds} ms", case.name);
        }
    }

    fn select(&mut self, database: usize) {
        let reply = self.control.call(&["SELECT", &database.to_string()]);
        assert!(!reply.is_error(), "{reply:?}");
    }
}

/// The UTC day, by which buckets change.
pub fn today() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a time after 1970").as_secs() / 86_400
}
