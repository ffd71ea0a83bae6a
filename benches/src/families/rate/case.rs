//! A command, the keys it is about, and what has to be true while it is measured.

use keyns_testkit::{Client, Server, Value};

use crate::measure::{Cost, Load, RANDOM, info, on_key};

pub const COMMANDS: usize = 30_000;
/// Where commands take several times as long: in scripts, and without pipelines.
pub const SLOW_COMMANDS: usize = 10_000;
pub const PIPELINE: usize = 16;

/// How many keys are looked at before and after each load.
const SAMPLE: usize = 50;
/// A key that lives longer than this is still there when a load ends.
const LONG_ENOUGH: i64 = 60_000;

#[derive(Clone, Copy, PartialEq)]
pub enum Keys {
    One,
    /// So many that each is called often, but not so often that every limit would be reached.
    Few,
    Random,
}

impl Keys {
    pub fn count(self) -> usize {
        match self {
            Keys::One => 1,
            Keys::Few => 32,
            Keys::Random => 100_000,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Keys::One => "one",
            Keys::Few => "32",
            Keys::Random => "random",
        }
    }
}

/// What a limit says to a call.
#[derive(Clone, Copy, PartialEq)]
pub enum Verdict {
    Allowed,
    Denied,
}

pub struct Case {
    pub name: String,
    pub keys: Keys,
    /// With `__rand_int__` in the key.
    command: Vec<String>,
    commands: usize,
    database: usize,
    /// What makes the keys, and how often it has to be called for each.
    filler: Vec<String>,
    fills: usize,
    /// What all calls are told.
    verdict: Option<Verdict>,
    /// Whether the keys come and go while they are in use.
    is_passing: bool,
    /// What it may cost at most, and what it should, in costs of INCR on random keys.
    pub limit: Option<f64>,
    pub aim: Option<f64>,
}

impl Case {
    /// A command in words without spaces, where `KEY` stands for the key, and `OTHER` for one more.
    pub fn new(name: &str, keys: Keys, line: &str) -> Case {
        let command = words(line);
        Case {
            name: name.into(),
            keys,
            commands: COMMANDS,
            database: 0,
            filler: command.clone(),
            command,
            fills: 1,
            verdict: None,
            is_passing: false,
            limit: None,
            aim: None,
        }
    }

    pub fn allowed(mut self) -> Case {
        self.name += ", allowed";
        self.verdict = Some(Verdict::Allowed);
        self
    }

    pub fn denied(mut self) -> Case {
        self.name += ", denied";
        self.verdict = Some(Verdict::Denied);
        self
    }

    pub fn filled(mut self, times: usize) -> Case {
        self.fills = times;
        self
    }

    pub fn filled_by(mut self, line: &str) -> Case {
        self.filler = words(line);
        self
    }

    pub fn passing(mut self) -> Case {
        self.is_passing = true;
        self
    }

    pub fn slow(mut self) -> Case {
        self.commands = SLOW_COMMANDS;
        self
    }

    pub fn at_most(mut self, limit: f64) -> Case {
        self.limit = Some(limit);
        self
    }

    pub fn aim(mut self, aim: f64) -> Case {
        self.aim = Some(aim);
        self
    }

    pub fn in_database(mut self, database: usize) -> Case {
        self.database = database;
        self
    }

    /// What it is about: who is compared with whom.
    pub fn subject(&self) -> &'static str {
        const SUBJECTS: [(&str, &[&str]); 5] = [
            ("denied", &[", denied"]),
            ("several", &["four limits", "PEEK"]),
            ("sliding", &["SLIDING", "sliding log"]),
            ("fixed", &["FIXED", "fixed window"]),
            ("bucket", &["BUCKET", "THROTTLE", "token bucket"]),
        ];
        let is_about = |words: &[&str]| words.iter().any(|word| self.name.contains(word));
        let subject = SUBJECTS.iter().find(|(_, words)| is_about(words));
        subject.map_or("plain", |(subject, _)| subject)
    }

    /// Makes all keys.
    pub fn fill(&self, client: &mut Client) {
        self.fill_some(client, self.keys.count());
    }

    /// Makes so many of the keys.
    pub fn fill_some(&self, client: &mut Client, count: usize) {
        const AT_ONCE: usize = 1000;
        self.select(client);
        let calls: Vec<usize> = (0..count)
            .flat_map(|key| std::iter::repeat_n(key, self.fills))
            .collect();
        for calls in calls.chunks(AT_ONCE) {
            let calls: Vec<_> = calls.iter().map(|&key| on_key(&self.filler, key)).collect();
            let replies = client.pipeline(&calls);
            let error = replies.iter().find(|reply| reply.is_error());
            assert_eq!(error, None, "{}", self.name);
        }
    }

    /// Removes all keys.
    pub fn empty(&self, client: &mut Client) {
        self.select(client);
        client.run("FLUSHDB SYNC");
    }

    /// Measures one load, and fails if it was another than it should be.
    pub fn measure(&self, server: &Server, client: &mut Client, pipeline: usize) -> Cost {
        let load = Load {
            command: &self.command,
            commands: if pipeline == 1 {
                SLOW_COMMANDS
            } else {
                self.commands
            },
            pipeline,
            database: self.database,
            random: self.keys.count(),
        };
        self.select(client);
        self.check_keys(client);
        self.check_verdicts(client);
        let wrong = self.wrong_replies(client);
        let cost = load.run(server, client);
        assert_eq!(self.wrong_replies(client), wrong, "{}", self.name);
        self.check_verdicts(client);
        self.check_keys(client);
        cost
    }

    /// All keys are there, and will be for a while.
    #[track_caller]
    fn check_keys(&self, client: &mut Client) {
        if self.is_passing {
            return;
        }
        let count = client.run("DBSIZE").integer();
        let named = self.command.iter().filter(|word| word.contains(RANDOM));
        let expected = self.keys.count() * named.count();
        assert_eq!(count, expected as i64, "{}: keys", self.name);
        for reply in self.sample(client, &words("PTTL KEY")) {
            let milliseconds = reply.integer();
            let is_lasting = milliseconds == -1 || milliseconds > LONG_ENOUGH;
            assert!(is_lasting, "{}: a TTL of {milliseconds} ms", self.name);
        }
    }

    /// Tokens that are taken come back too late to matter, so what is allowed after a load was
    /// allowed all the time, and what is refused before it was refused all the time. (In windows
    /// that pass it is the server's own count that tells, and a script is too slow to fill one.)
    #[track_caller]
    fn check_verdicts(&self, client: &mut Client) {
        if self.verdict.is_some() {
            for reply in self.sample(client, &self.command) {
                assert!(self.is_as_said(&reply), "{}: {reply:?}", self.name);
            }
        }
    }

    /// Whether a reply says what all calls are told.
    pub fn is_as_said(&self, reply: &Value) -> bool {
        let Some(verdict) = self.verdict else {
            return !reply.is_error();
        };
        // The throttles reply whether the call was limited, all others whether it was allowed.
        let says_limited = self.command[0].ends_with("THROTTLE");
        let said = i64::from((verdict == Verdict::Allowed) != says_limited);
        // Of several keys, the one that speaks comes first.
        let place = usize::from(self.command[0].ends_with(".ALL"));
        let said = Value::Integer(said);
        matches!(reply, Value::Array(numbers) if numbers.get(place) == Some(&said))
    }

    /// Whether one of its windows passes within a load.
    pub fn has_short_window(&self) -> bool {
        self.is_passing || self.command.iter().any(|word| word.ends_with("ms"))
    }

    pub fn command(&self, key: usize) -> Vec<String> {
        on_key(&self.command, key)
    }

    /// How many errors the server has replied so far, and KEYNS what it must not say in this case.
    fn wrong_replies(&self, client: &mut Client) -> (String, u64) {
        let errors = client.info("stats", "total_error_replies");
        let wrong = match self.verdict {
            Some(Verdict::Allowed) => "_denied",
            Some(Verdict::Denied) => "_allowed",
            None => return (errors, 0),
        };
        let fields = info(client, "keyns");
        let counts = fields.iter().filter(|(field, _)| field.ends_with(wrong));
        let counts = counts.map(|(_, count)| count.parse::<u64>().expect("a count"));
        (errors, counts.sum())
    }

    /// The replies of some keys.
    fn sample(&self, client: &mut Client, command: &[String]) -> Vec<Value> {
        let keys = (0..self.keys.count()).step_by(self.keys.count().div_ceil(SAMPLE));
        let calls: Vec<_> = keys.map(|key| on_key(command, key)).collect();
        client.pipeline(&calls)
    }

    fn select(&self, client: &mut Client) {
        let reply = client.call(&["SELECT", &self.database.to_string()]);
        assert!(!reply.is_error(), "{reply:?}");
    }
}

fn words(line: &str) -> Vec<String> {
    let words = line.split(' ').map(|word| match word {
        "KEY" => "key:__rand_int__",
        "OTHER" => "other:__rand_int__",
        word => word,
    });
    words.map(str::to_owned).collect()
}
