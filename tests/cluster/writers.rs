//! Clients that write with all families at once, and note what they were told.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use keyns_testkit::{ClusterClient, GUIDE, Ruling, Value, patience, wait_until};

use crate::ledger::{Ledger, RATE_LIMIT, START, rate_limit};

/// How many clients work on the same task.
const CLIENTS_PER_TASK: usize = 2;

const TASKS: [fn(&mut Writer, u64); 9] = [
    |writer, step| writer.make_names(step),
    |writer, step| writer.take_numbers(step),
    |writer, step| writer.keep_documents(step),
    |writer, step| writer.ask_for_permission(step),
    |writer, step| writer.count(step),
    |writer, _| writer.lock(),
    |writer, step| writer.see_events(step),
    |writer, _| writer.advance(),
    |writer, _| writer.checkpoint(),
];

/// When a write counts as acknowledged.
#[derive(Clone, Copy, PartialEq)]
pub enum Acknowledged {
    /// With its reply.
    AtOnce,
    /// When a replica has it too.
    AfterWait,
}

/// What all clients share.
struct Shared {
    tag: String,
    acknowledged: Acknowledged,
    stop: AtomicBool,
    /// How much each task has done.
    progress: [AtomicU64; TASKS.len()],
    /// The next revision, and the next position.
    next: [AtomicI64; 2],
    is_locked: AtomicBool,
    /// Tokens of the lock, in the order in which it was held.
    tokens: Mutex<Vec<i64>>,
}

/// Lets clients of the nodes with these ports write keys with this tag while something happens, and
/// returns what they were told.
pub fn write_during(
    ports: &[u16],
    tag: &str,
    acknowledged: Acknowledged,
    happens: impl FnOnce(&dyn Fn(u64)),
) -> Ledger {
    let shared = Shared {
        tag: tag.into(),
        acknowledged,
        stop: AtomicBool::new(false),
        progress: Default::default(),
        next: [AtomicI64::new(1), AtomicI64::new(1)],
        is_locked: AtomicBool::new(false),
        tokens: Mutex::default(),
    };
    let mut ledger = Ledger::default();
    thread::scope(|scope| {
        let clients = (0..TASKS.len() * CLIENTS_PER_TASK).map(|number| {
            let mut writer = Writer {
                number,
                client: ClusterClient::new(ports.iter().copied()),
                shared: &shared,
                ledger: Ledger::default(),
            };
            scope.spawn(move || writer.work(number % TASKS.len()))
        });
        let clients: Vec<_> = clients.collect();
        // Whatever fails in between, the clients must stop.
        let stop = Stop(&shared.stop);
        happens(&|steps| shared.wait_for_progress(steps));
        drop(stop);
        for client in clients {
            ledger.add(client.join().expect("a client without complaints"));
        }
    });
    ledger.tokens = shared
        .tokens
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    ledger
}

struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    /// Waits until every task has made this many more steps.
    fn wait_for_progress(&self, steps: u64) {
        for (task, progress) in self.progress.iter().enumerate() {
            let before = progress.load(Ordering::Relaxed);
            wait_until(&format!("task {task} goes on"), || {
                progress.load(Ordering::Relaxed) >= before + steps
                    || self.stop.load(Ordering::Relaxed)
            });
        }
    }
}

/// What became of a call.
enum Outcome {
    /// It is acknowledged.
    Sure(Value),
    /// It may have run or not, and what it wrote may be lost.
    Unsure,
}

struct Writer<'a> {
    number: usize,
    client: ClusterClient,
    shared: &'a Shared,
    ledger: Ledger,
}

impl Writer<'_> {
    /// Repeats one task.
    fn work(&mut self, task: usize) -> Ledger {
        // A client that gives up stops the others, too.
        let stop = Stop(&self.shared.stop);
        for step in 0.. {
            TASKS[task](self, step);
            self.shared.progress[task].fetch_add(1, Ordering::Relaxed);
            if self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
            sleep(Duration::from_millis(1));
        }
        std::mem::forget(stop);
        let mut ledger = std::mem::take(&mut self.ledger);
        ledger.told = vec![self.client.told];
        ledger
    }

    fn key(&self, name: &str) -> String {
        format!("{{{}}}:{name}", self.shared.tag)
    }

    fn call(&mut self, args: &[&str]) -> Outcome {
        let Ok(reply) = self.client.try_call(args) else {
            return Outcome::Unsure;
        };
        assert!(!reply.is_error(), "{args:?}: {reply:?}");
        if self.shared.acknowledged == Acknowledged::AfterWait
            && self.client.wait_for_replica() == 0
        {
            return Outcome::Unsure;
        }
        Outcome::Sure(reply)
    }

    /// Repeats a call that may run twice until there is an answer.
    fn insist(&mut self, args: &[&str]) -> Value {
        let start = Instant::now();
        loop {
            if let Outcome::Sure(reply) = self.call(args) {
                return reply;
            }
            assert!(start.elapsed() < patience(), "{args:?}: no answer");
            sleep(Duration::from_millis(5));
        }
    }

    /// Alternates between a prefix that others take numbers from and one where all names have the same
    /// slug, which keeps both numberings close to each other.
    fn make_names(&mut self, step: u64) {
        let numbering = ["GLOBAL", "SLUG"][(step % 2) as usize];
        let (kind, text) = match step / 2 % 2 {
            0 => ("page", ["Alpha", "Beta", "Gamma"][(step % 3) as usize]),
            _ => ("note", "Delta"),
        };
        let prefix = self.key(kind);
        let made = self.call(&["KEYNS.MAKE", &prefix, text, "NUMBERING", numbering]);
        let Outcome::Sure(name) = made else {
            return;
        };
        let name = name.text();
        if kind == "page" && numbering == "GLOBAL" {
            let number = name.rsplit(':').next().unwrap_or_default();
            self.ledger.numbers.push(number.parse().expect("a number"));
        }
        self.ledger.names.push(name);
    }

    fn take_numbers(&mut self, step: u64) {
        let count = (step % 3 + 1) as i64;
        let prefix = self.key("page");
        let taken = self.call(&["KEYNS.NEXTID", &prefix, "COUNT", &count.to_string()]);
        if let Outcome::Sure(first) = taken {
            let first = first.integer();
            self.ledger.numbers.extend(first..first + count);
        }
    }

    /// Keeps one of three documents as it is, replaces one and drops one.
    fn keep_documents(&mut self, step: u64) {
        let text = |version: &str| GUIDE.replace("stand close", version);
        let version = format!("number {} of {}", step, self.number);
        let (prefix, source) = (self.key("doc"), text(&version));
        let written = self.call(&["KEYNS.INGESTMD", &prefix, &source, "SIBLINGS"]);
        let Outcome::Sure(reply) = written else {
            return;
        };
        let name = reply.fields()["doc"].text();
        let change = match step % 3 {
            0 => return self.ledger.keep(name, source),
            1 => {
                let source = text(&format!("changed, {version}"));
                let args = ["KEYNS.INGESTMD", &prefix, &source, "REPLACE", &name];
                (self.call(&args), Some(source))
            }
            _ => (self.call(&["KEYNS.DROP", &name]), None),
        };
        match change {
            (Outcome::Unsure, _) => {}
            (Outcome::Sure(_), Some(source)) => self.ledger.keep(name, source),
            (Outcome::Sure(dropped), None) => {
                assert!(dropped.integer() > 40, "{name}: {dropped:?}");
                self.ledger.dropped.push(name);
            }
        }
        // Documents have many keys, and all of them have to move.
        sleep(Duration::from_millis(40));
    }

    /// Asks each limit about twice as often as it allows.
    fn ask_for_permission(&mut self, step: u64) {
        let number = step / RATE_LIMIT;
        let key = self.key(&format!("rate:{number}"));
        let limit = rate_limit(number);
        let line = format!("KEYNS.RATE {key} {limit}");
        match self.call(&line.split(' ').collect::<Vec<_>>()) {
            Outcome::Sure(reply) if Ruling::read(&reply).allowed => {
                *self.ledger.admitted.entry(number).or_default() += 1;
            }
            Outcome::Sure(_) => {}
            Outcome::Unsure => *self.ledger.perhaps_admitted.entry(number).or_default() += 1,
        }
    }

    /// Counts in each hour for a while.
    fn count(&mut self, step: u64) {
        let at = (START + 3600 * (step as i64 / 20)).to_string();
        let (key, by) = (self.key("visits"), step as i64 % 3 + 1);
        let line = format!("KEYNS.COUNT {key} BY {by} GRAIN DAY GRAIN HOUR AT {at} KEEP 0");
        match self.call(&line.split(' ').collect::<Vec<_>>()) {
            Outcome::Sure(_) => self.ledger.counted += by,
            Outcome::Unsure => self.ledger.perhaps_counted += by,
        }
    }

    fn lock(&mut self) {
        let (key, owner) = (self.key("lock"), format!("client {}", self.number));
        let taken = self.call(&["KEYNS.LOCK", &key, &owner, "PX", "600000"]);
        let Outcome::Sure(Value::Integer(token)) = taken else {
            return;
        };
        let others = self.shared.is_locked.swap(true, Ordering::SeqCst);
        assert!(!others, "two hold the lock");
        let tokens = self.shared.tokens.lock();
        tokens.unwrap_or_else(PoisonError::into_inner).push(token);
        self.shared.is_locked.store(false, Ordering::SeqCst);
        let released = self.insist(&["KEYNS.UNLOCK", &key, &owner]).integer();
        // The first of two calls may have released it.
        let sure = self.shared.acknowledged == Acknowledged::AtOnce;
        assert!(released == 1 || !sure, "somebody else released it");
    }

    /// All clients see the same events.
    fn see_events(&mut self, step: u64) {
        let event = self.key(&format!("event:{step}"));
        match self.call(&["KEYNS.SEEN", &event]) {
            Outcome::Sure(Value::Integer(1)) => self.ledger.new_events.push(step),
            Outcome::Sure(_) => self.ledger.old_events.push(step),
            Outcome::Unsure => {}
        }
    }

    fn advance(&mut self) {
        let revision = self.shared.next[0].fetch_add(1, Ordering::SeqCst);
        let stored = self.store_greater("KEYNS.ADVANCE", "revision", revision);
        self.ledger.revisions.extend(stored);
    }

    fn checkpoint(&mut self) {
        let position = self.shared.next[1].fetch_add(1, Ordering::SeqCst);
        let stored = self.store_greater("KEYNS.CHECKPOINT", "reader", position);
        self.ledger.positions.extend(stored);
    }

    /// Stores a number unless a greater one is stored, and checks that a second attempt is refused.
    fn store_greater(&mut self, command: &str, key: &str, number: i64) -> Option<i64> {
        let (key, text) = (self.key(key), number.to_string());
        let Outcome::Sure(first) = self.call(&[command, &key, &text]) else {
            return None;
        };
        let again = self.insist(&[command, &key, &text]);
        let [is_stored, stored] = [0, 1].map(|at| again.array()[at].integer());
        assert_eq!(
            is_stored, 0,
            "{command} {number}: {first:?}, then {again:?}"
        );
        assert!(stored >= number, "{command} {number}: {again:?}");
        (first.array()[0].integer() == 1).then_some(number)
    }
}
