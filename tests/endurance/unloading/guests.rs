//! A client that calls all families in every possible way, whether the module is loaded or not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use keyns_testkit::{Client, Random, Value};

pub const SCOPE: &str = "library:";

/// At least one call of every family. None fails while the module is loaded.
pub const LINES: [&str; 29] = [
    "KEYNS.SLUG 5_Strategien CONTENT",
    "KEYNS.MAKE doc Risk",
    "KEYNS.MAKE doc Risk NUMBERING SLUG",
    "KEYNS.NEXTID doc COUNT 3",
    "KEYNS.CHECK doc:risk:001 x",
    "KEYNS.PARSE doc:risk:001",
    "KEYNS.INGESTMD note Text",
    "KEYNS.RATE limit BUCKET 10 10 1s SLIDING 5 1s FIXED 9 1s",
    "KEYNS.RATE.PEEK limit BUCKET 10 10 1s",
    "KEYNS.RATE.REFUND other BUCKET 10 10 1s COST 1",
    "KEYNS.RATE.BLOCK blocked 1s",
    "KEYNS.THROTTLE throttle 5 10 1",
    "KEYNS.NS.SET guest PATTERN guest:<id:int> TTL 60",
    "KEYNS.NS.SET attribute PATTERN attribute:<id:/[0-9]+/>:<name:/[a-z_]+/>",
    "KEYNS.CHECK attribute:42:name attribute:42:Na-me attribute:x:y",
    "KEYNS.PARSE attribute:42:name",
    "KEYNS.NS.LIST",
    "KEYNS.NS.DUMP",
    "KEYNS.NS.PRESET general REPLACE",
    "KEYNS.NS.DEL guest",
    "KEYNS.LOCK lock ada PX 1000",
    "KEYNS.EXTEND lock ada PX 1000",
    "KEYNS.UNLOCK lock ada",
    "KEYNS.SEEN event EX 10",
    "KEYNS.ADVANCE revision 7",
    "KEYNS.CHECKPOINT reader 7",
    "KEYNS.COUNT hits GRAIN YEAR GRAIN MINUTE",
    "KEYNS.COUNT.RANGE hits GRAIN YEAR 0 1",
    "INFO keyns",
];

/// The calls of all guests together.
#[derive(Default)]
pub struct Calls {
    served: AtomicU64,
    missed: AtomicU64,
}

impl Calls {
    /// Calls that were answered.
    pub fn served(&self) -> u64 {
        self.served.load(Ordering::Relaxed)
    }

    /// Calls that found no such command.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

pub struct Guest<'a> {
    client: Client,
    random: Random,
    number: u64,
    calls: &'a Calls,
    /// The documents that exist by the replies, with their Markdown.
    pub documents: Vec<(String, String)>,
    /// How many numbers the guest has got.
    pub counted: u64,
}

impl<'a> Guest<'a> {
    pub fn new(number: u64, client: Client, calls: &'a Calls) -> Guest<'a> {
        Guest {
            client,
            random: Random::seeded(number),
            number,
            calls,
            documents: Vec::new(),
            counted: 0,
        }
    }

    pub fn act(&mut self) {
        match self.random.below(7) {
            0 | 1 => self.call_some(),
            2 => self.pipeline(),
            3 => self.transact(),
            4 => self.run_script(),
            5 => self.ingest(),
            _ => self.take_numbers(),
        }
        // While a client's last command is one of ours, the module stays.
        self.client.run("PING");
        let rest = self.random.below(8);
        thread::sleep(Duration::from_millis(rest));
    }

    /// Notes whether the server knew the command.
    fn note(&mut self, reply: &Value) -> bool {
        let is_there = !is_missing(reply);
        let count = match is_there {
            true => &self.calls.served,
            false => &self.calls.missed,
        };
        count.fetch_add(1, Ordering::Relaxed);
        is_there
    }

    fn line(&mut self) -> &'static str {
        self.random.pick::<&str>(&LINES)
    }

    fn call_some(&mut self) {
        for _ in 0..self.random.below(5) {
            let line = self.line();
            let reply = self.client.run(line);
            self.note(&reply);
        }
    }

    fn pipeline(&mut self) {
        let lines: Vec<Vec<&str>> = (0..30).map(|_| self.line().split(' ').collect()).collect();
        for reply in self.client.pipeline(&lines) {
            self.note(&reply);
        }
    }

    /// Some transactions take their time.
    fn transact(&mut self) {
        let mut is_whole = true;
        self.client.run("MULTI");
        for _ in 0..4 {
            let line = self.line();
            let reply = self.client.run(line);
            is_whole &= self.note(&reply);
            if self.random.once_in(8) {
                thread::sleep(Duration::from_millis(2));
            }
        }
        let reply = self.client.run("EXEC");
        match is_whole {
            true => assert_eq!(reply.array().len(), 4, "{reply:?}"),
            false => assert!(reply.text().starts_with("EXECABORT"), "{reply:?}"),
        }
    }

    fn run_script(&mut self) {
        const SCRIPT: &str = "local n = 0 for line = 1, #ARGV do local words = {} \
            for word in ARGV[line]:gmatch('[^ ]+') do words[#words + 1] = word end \
            redis.call(unpack(words)) n = n + 1 end return n";
        let lines = [self.line(), self.line(), self.line()];
        let script = ["EVAL", SCRIPT, "0"];
        let reply = self.client.call(&[&script[..], &lines].concat());
        if self.note(&reply) {
            assert_eq!(reply.integer(), 3);
        }
    }

    /// Most documents are read in the background.
    fn ingest(&mut self) {
        let count = self.documents.len();
        let words = "and some more of them ".repeat(self.random.below(2000) as usize);
        let text = format!("# Notes {count} of {}\n\nWords {words}\n", self.number);
        let call = ["KEYNS.INGESTMD", "library:doc", &text];
        let reply = match self.documents.last() {
            Some((name, _)) if self.random.once_in(3) => {
                let name = name.clone();
                let reply = self.client.call(&[&call[..], &["REPLACE", &name]].concat());
                if self.note(&reply) {
                    self.documents.pop();
                    self.documents.push((name, text));
                }
                return;
            }
            Some((name, _)) if count > 3 => self.client.call(&["KEYNS.DROP", name]),
            _ => self.client.call(&call),
        };
        if self.note(&reply) {
            match reply {
                Value::Integer(_) => drop(self.documents.pop()),
                new => self.documents.push((new.fields()["doc"].text(), text)),
            }
        }
    }

    fn take_numbers(&mut self) {
        for _ in 0..10 {
            let reply = self.client.run("KEYNS.NEXTID numbers");
            self.counted += u64::from(self.note(&reply));
        }
    }
}

/// Whether the server did not know the command. No other error is allowed.
#[track_caller]
fn is_missing(reply: &Value) -> bool {
    if !reply.is_error() {
        return false;
    }
    let error = reply.text().to_lowercase();
    assert!(
        error.contains("unknown command") || error.contains("unknown redis command"),
        "{error}"
    );
    true
}
