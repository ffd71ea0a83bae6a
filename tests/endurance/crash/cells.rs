//! Keys and namespaces that one worker alone changes: it knows what each of them must be, but for
//! the one of a call that was not answered, which is as before or as after.

use std::collections::BTreeMap;
use std::io::Result;
use std::mem;

use keyns_testkit::{Client, Content, Keyspace, Value};

use super::sender::{Fate, Sender};

/// 2024-02-29T23:59:59Z. Years and months are kept for ever.
const LEAP_DAY: i64 = 1_709_251_199;
/// Longer than a test takes.
const LEASE: &str = "3600000";

/// What something is, `None` if it is not there.
type State = Option<String>;

pub struct Cells {
    of: u64,
    known: BTreeMap<String, State>,
    /// What a call without an answer was to make of something.
    lost: Option<(String, State)>,
    tokens: Vec<i64>,
    /// How much has changed, by the answers.
    pub changes: u64,
}

impl Cells {
    pub fn new(of: u64) -> Cells {
        Cells {
            of,
            known: BTreeMap::new(),
            lost: None,
            tokens: Vec::new(),
            changes: 0,
        }
    }

    /// The fencing tokens since this was last asked, which have only risen.
    pub fn take_tokens(&mut self) -> Vec<i64> {
        let tokens = mem::take(&mut self.tokens);
        assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:?}");
        tokens
    }

    pub fn act(&mut self, sender: &mut Sender) -> Result<()> {
        match sender.random.below(6) {
            0 => self.see(sender),
            1 => self.advance(sender),
            2 => self.set_checkpoint(sender),
            3 => self.count(sender),
            4 => self.change_lock(sender),
            _ => self.change_namespace(sender),
        }
    }

    /// One of so many things of a kind, and what it is.
    fn pick(&self, kind: &str, of: u64, sender: &mut Sender) -> (String, State) {
        let key = format!("{kind}:{}:{}", self.of, sender.random.below(of));
        let state = self.known.get(&key).cloned().flatten();
        (key, state)
    }

    /// Makes a call that is to give something this state.
    fn change(
        &mut self,
        sender: &mut Sender,
        key: &str,
        after: State,
        line: &str,
    ) -> Result<Value> {
        self.lost = Some((key.into(), after.clone()));
        let reply = sender.run(line)?;
        self.lost = None;
        let before = self.known.insert(key.into(), after.clone()).flatten();
        self.changes += u64::from(before != after);
        Ok(reply)
    }

    fn see(&mut self, sender: &mut Sender) -> Result<()> {
        let (key, state) = self.pick("seen", 500, sender);
        let line = format!("KEYNS.SEEN {key}");
        let reply = self.change(sender, &key, Some("seen".into()), &line)?;
        assert_eq!(reply.integer(), i64::from(state.is_none()), "{line}");
        Ok(())
    }

    fn advance(&mut self, sender: &mut Sender) -> Result<()> {
        let (key, state) = self.pick("revision", 5, sender);
        let stored = state.as_deref().map(number);
        let revision = stored.unwrap_or(0) + sender.random.between(-3, 9);
        let line = format!("KEYNS.ADVANCE {key} {revision}");
        self.move_to(sender, &key, stored, revision, false, &line)
    }

    fn set_checkpoint(&mut self, sender: &mut Sender) -> Result<()> {
        let (key, state) = self.pick("reader", 5, sender);
        let stored = state.as_deref().map(number);
        let position = (stored.unwrap_or(0) + sender.random.between(-3, 9)).max(0);
        let is_forced = sender.random.once_in(5);
        let force = if is_forced { " FORCE" } else { "" };
        let line = format!("KEYNS.CHECKPOINT {key} {position}{force}");
        self.move_to(sender, &key, stored, position, is_forced, &line)
    }

    fn move_to(
        &mut self,
        sender: &mut Sender,
        key: &str,
        stored: Option<i64>,
        next: i64,
        is_forced: bool,
        line: &str,
    ) -> Result<()> {
        let moves = is_forced || stored.is_none_or(|stored| next > stored);
        let after = if moves { Some(next) } else { stored };
        let reply = self.change(sender, key, after.map(|after| after.to_string()), line)?;
        let expected = [i64::from(moves), after.expect("a number")].map(Value::Integer);
        assert_eq!(reply.array(), expected, "{line} after {stored:?}");
        Ok(())
    }

    fn count(&mut self, sender: &mut Sender) -> Result<()> {
        let (key, state) = self.pick("hits", 5, sender);
        // Nothing is written for 0.
        let by = *sender.random.pick(&[-5, -1, 1, 7, 20]);
        let after = state.as_deref().map_or(0, number) + by;
        let line = format!("KEYNS.COUNT {key} BY {by} GRAIN YEAR GRAIN MONTH AT {LEAP_DAY}");
        let reply = self.change(sender, &key, Some(after.to_string()), &line)?;
        assert_eq!(
            reply.array(),
            [Value::Integer(after), Value::Integer(after)]
        );
        Ok(())
    }

    fn change_lock(&mut self, sender: &mut Sender) -> Result<()> {
        let (key, holder) = self.pick("lock", 3, sender);
        let owner = *sender.random.pick(&["ada", "bob"]);
        let is_holder = holder.as_deref() == Some(owner);
        let after = |gets: bool| {
            if gets {
                Some(owner.into())
            } else {
                holder.clone()
            }
        };
        match sender.random.below(3) {
            0 => {
                let gets = is_holder || holder.is_none();
                let line = format!("KEYNS.LOCK {key} {owner} PX {LEASE}");
                let reply = self.change(sender, &key, after(gets), &line)?;
                assert_eq!(reply != Value::Null, gets, "{line}, held by {holder:?}");
                self.tokens.extend(gets.then(|| reply.integer()));
            }
            1 => {
                let line = format!("KEYNS.EXTEND {key} {owner} PX {LEASE}");
                let reply = self.change(sender, &key, holder.clone(), &line)?;
                assert_eq!(reply.integer(), i64::from(is_holder), "{line}");
            }
            _ => {
                let left = if is_holder { None } else { holder };
                let line = format!("KEYNS.UNLOCK {key} {owner}");
                let reply = self.change(sender, &key, left, &line)?;
                assert_eq!(reply.integer(), i64::from(is_holder), "{line}");
            }
        }
        Ok(())
    }

    fn change_namespace(&mut self, sender: &mut Sender) -> Result<()> {
        let (key, state) = self.pick("ns", 6, sender);
        let name = namespace_of(&key);
        if state.is_some() && sender.random.once_in(3) {
            let line = format!("KEYNS.NS.DEL {name}");
            let reply = self.change(sender, &key, None, &line)?;
            assert_eq!(reply.integer(), 1, "{line}");
            return Ok(());
        }
        let pattern = format!("{name}:v{}:<id:int>", sender.random.below(1000));
        let line = format!("KEYNS.NS.SET {name} PATTERN {pattern}");
        let reply = self.change(sender, &key, Some(pattern), &line)?;
        assert_eq!(reply.text(), "OK", "{line}");
        Ok(())
    }

    /// Fails unless everything is as it must be, and goes on from there.
    pub fn check(&mut self, keys: &Keyspace, client: &mut Client, fate: Fate) {
        for (key, known) in &mut self.known {
            let found = find(key, keys, client);
            let lost = self.lost.as_ref().filter(|(lost, _)| lost == key);
            match (lost, fate) {
                (Some((_, after)), Fate::Done) => assert_eq!(found, *after, "{key}"),
                (Some((_, after)), Fate::Open) => assert!(
                    found == *known || found == *after,
                    "{key}: {found:?}, which is not {known:?} or {after:?}"
                ),
                _ => assert_eq!(found, *known, "{key}"),
            }
            *known = found;
        }
        // What was new to us may be there since.
        if let Some((key, after)) = &self.lost
            && !self.known.contains_key(key)
        {
            let found = find(key, keys, client);
            assert!(found.is_none() || found == *after, "{key}: {found:?}");
            assert!(fate != Fate::Done || found == *after, "{key}: {found:?}");
            assert!(fate != Fate::Undone || found.is_none(), "{key}: {found:?}");
            self.known.insert(key.clone(), found);
        }
    }

    pub fn forget_what_was_lost(&mut self) {
        self.lost = None;
    }
}

/// What something is, by plain commands where it is a key.
fn find(key: &str, keys: &Keyspace, client: &mut Client) -> State {
    let text = |key: &str| match keys.get(key)? {
        Content::Text(text) => Some(text.clone()),
        other => panic!("{key}: {other:?}"),
    };
    match key.split_once(':').expect("a kind").0 {
        "seen" => keys.contains_key(key).then(|| "seen".into()),
        "reader" => Some(keys.get(key)?.hash()["position"].clone()),
        "hits" => {
            let [year, month] = ["2024", "2024:02"].map(|label| text(&format!("{key}:{label}")));
            assert_eq!(year, month, "one grain of {key} without the other");
            year
        }
        "ns" => match client.run(&format!("KEYNS.NS.GET {}", namespace_of(key))) {
            Value::Null => None,
            found => Some(found.fields()["pattern"].text()),
        },
        _ => text(key),
    }
}

/// `ns_1_4` for `ns:1:4`.
fn namespace_of(key: &str) -> String {
    key.replace(':', "_")
}

fn number(text: &str) -> i64 {
    text.parse().expect("a number")
}
