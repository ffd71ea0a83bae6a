//! What clients were told, and whether the cluster keeps to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use keyns_testkit::{
    Client, ClusterClient, Content, Document, Keyspace, Ruling, Told, Value, keyspace,
};

/// How many calls each limit ever admits.
pub const RATE_LIMIT: u64 = 20;

/// When counting starts, in seconds since 1970, and for how many hours at most.
pub const START: i64 = 1_794_700_800;
const HOURS: i64 = 9_000;

/// The limit of the key with this number. The algorithms take turns, and none gives anything back.
pub fn rate_limit(number: u64) -> String {
    match number % 3 {
        0 => format!("SLIDING {RATE_LIMIT} 1500d"),
        1 => format!("FIXED {RATE_LIMIT} 1500d"),
        _ => format!("BUCKET {RATE_LIMIT} 1 1500d"),
    }
}

/// All that was acknowledged.
#[derive(Default)]
pub struct Ledger {
    pub names: Vec<String>,
    /// All numbers of the prefix's own counter, whichever command took them.
    pub numbers: Vec<i64>,
    /// Documents and their texts.
    pub documents: BTreeMap<String, String>,
    pub dropped: Vec<String>,
    /// Calls by the number of their limit.
    pub admitted: BTreeMap<u64, u64>,
    pub perhaps_admitted: BTreeMap<u64, u64>,
    pub counted: i64,
    pub perhaps_counted: i64,
    pub tokens: Vec<i64>,
    pub new_events: Vec<u64>,
    pub old_events: Vec<u64>,
    /// The revisions that were stored because they were the greatest.
    pub revisions: Vec<i64>,
    pub positions: Vec<i64>,
    /// What each client was told instead of an answer.
    pub told: Vec<Told>,
}

impl Ledger {
    #[track_caller]
    pub fn keep(&mut self, name: String, source: String) {
        let before = self.documents.insert(name.clone(), source);
        assert!(before.is_none(), "{name} is there twice");
    }

    /// Adds what another client was told.
    pub fn add(&mut self, other: Ledger) {
        self.names.extend(other.names);
        self.numbers.extend(other.numbers);
        for (name, source) in other.documents {
            self.keep(name, source);
        }
        self.dropped.extend(other.dropped);
        for (number, count) in other.admitted {
            *self.admitted.entry(number).or_default() += count;
        }
        for (number, count) in other.perhaps_admitted {
            *self.perhaps_admitted.entry(number).or_default() += count;
        }
        self.counted += other.counted;
        self.perhaps_counted += other.perhaps_counted;
        self.new_events.extend(other.new_events);
        self.old_events.extend(other.old_events);
        self.revisions.extend(other.revisions);
        self.positions.extend(other.positions);
        self.told.extend(other.told);
    }

    /// Fails unless the master that has the keys agrees with all of it.
    #[track_caller]
    pub fn assert_holds(&self, tag: &str, client: &mut ClusterClient, master: &mut Client) {
        self.assert_nothing_was_given_twice();
        self.assert_counters_are_beyond(tag, client);
        let keyspace = keyspace(master);
        self.assert_documents_are_complete(&keyspace);
        self.assert_limits_hold(tag, client);
        self.assert_counts_add_up(tag, client);
        self.assert_events_are_known(tag, client);
        self.assert_only_upwards(tag, client);
    }

    fn assert_nothing_was_given_twice(&self) {
        assert_unique("a name", &self.names);
        assert_unique("a number", &self.numbers);
        assert_unique("a new event", &self.new_events);
        let rising = self.tokens.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(rising, "the tokens of a lock: {:?}", self.tokens);
        let documents: Vec<&String> = self.documents.keys().chain(&self.dropped).collect();
        assert_unique("a document", &documents);
    }

    /// The next names and numbers are new, too.
    fn assert_counters_are_beyond(&self, tag: &str, client: &mut ClusterClient) {
        let next = client.run(&format!("KEYNS.NEXTID {{{tag}}}:page"));
        let last = self.numbers.iter().max().expect("numbers");
        assert!(next.integer() > *last, "{next:?} after {last}");
        for (kind, text) in [("page", "Alpha"), ("page", "Beta"), ("note", "Delta")] {
            for numbering in ["GLOBAL", "SLUG"] {
                let line = format!("KEYNS.MAKE {{{tag}}}:{kind} {text} NUMBERING {numbering}");
                let name = client.run(&line).text();
                assert!(!self.names.contains(&name), "{name} is given again");
            }
        }
    }

    fn assert_documents_are_complete(&self, keyspace: &Keyspace) {
        assert!(!self.documents.is_empty() && !self.dropped.is_empty());
        for (name, source) in &self.documents {
            let document = Document::find(name, keyspace);
            document.assert_covers(source);
            for (key, content) in document.keys() {
                let found = keyspace.get(&key);
                assert!(
                    found.is_some_and(|found| has(found, &content)),
                    "{key} of {name}: {found:?}, not {content:?}"
                );
            }
        }
        for name in &self.dropped {
            let left = keyspace.iter().find(|(key, content)| {
                key.starts_with(name)
                    || matches!(content, Content::Hash(f) if f.get("doc") == Some(name))
            });
            assert!(left.is_none(), "{name} was dropped, but there is {left:?}");
        }
    }

    fn assert_limits_hold(&self, tag: &str, client: &mut ClusterClient) {
        assert!(self.admitted.len() > 2, "{:?}", self.admitted);
        for (number, admitted) in &self.admitted {
            let key = format!("{{{tag}}}:rate:{number}");
            let line = format!("KEYNS.RATE.PEEK {key} {}", rate_limit(*number));
            let peek = Ruling::read(&client.run(&line));
            let left = peek.remaining.unsigned_abs() + u64::from(peek.allowed);
            let perhaps = self.perhaps_admitted.get(number).copied().unwrap_or(0);
            let most = RATE_LIMIT.saturating_sub(*admitted);
            let least = most.saturating_sub(perhaps);
            assert!(*admitted <= RATE_LIMIT, "{key}: {admitted} admitted");
            assert!(
                (least..=most).contains(&left),
                "{key}: {left} left of {RATE_LIMIT} after {admitted}, and perhaps {perhaps}"
            );
        }
    }

    fn assert_counts_add_up(&self, tag: &str, client: &mut ClusterClient) {
        assert!(self.counted > 0);
        for grain in ["HOUR", "DAY"] {
            let end = START + 3600 * HOURS;
            let line = format!("KEYNS.COUNT.RANGE {{{tag}}}:visits GRAIN {grain} {START} {end}");
            let total = client.run(&line).fields()["total"].integer();
            let most = self.counted + self.perhaps_counted;
            assert!(
                (self.counted..=most).contains(&total),
                "{grain}: {total}, not {} to {most}",
                self.counted
            );
        }
    }

    fn assert_events_are_known(&self, tag: &str, client: &mut ClusterClient) {
        assert!(!self.new_events.is_empty() && !self.old_events.is_empty());
        for event in &self.new_events {
            let line = format!("KEYNS.SEEN {{{tag}}}:event:{event}");
            assert_eq!(client.run(&line), Value::Integer(0), "event {event}");
        }
    }

    fn assert_only_upwards(&self, tag: &str, client: &mut ClusterClient) {
        for (command, key, accepted) in [
            ("KEYNS.ADVANCE", "revision", &self.revisions),
            ("KEYNS.CHECKPOINT", "reader", &self.positions),
        ] {
            let call = format!("{command} {{{tag}}}:{key} 0");
            let reply = client.run(&call);
            let [stored, value] = [0, 1].map(|at| reply.array()[at].integer());
            assert_eq!(stored, 0, "{call}");
            assert!(Some(&value) >= accepted.iter().max(), "{call}: {value}");
        }
    }
}

#[track_caller]
fn assert_unique<T: Ord + Debug>(what: &str, given: &[T]) {
    assert!(!given.is_empty(), "{what} was never given");
    let mut seen = BTreeSet::new();
    let twice: Vec<&T> = given.iter().filter(|item| !seen.insert(*item)).collect();
    assert!(twice.is_empty(), "{what} was given twice: {twice:?}");
}

/// Whether a value is the wanted one, or a shared set contains the wanted members.
fn has(found: &Content, wanted: &Content) -> bool {
    match (found, wanted) {
        (Content::Set(found), Content::Set(wanted)) => found.is_superset(wanted),
        (found, wanted) => found == wanted,
    }
}
