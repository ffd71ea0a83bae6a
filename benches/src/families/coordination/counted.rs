//! The same cases, for counting instructions.

use keyns_testkit::{Client, Value};

use super::case::{Calls, Case, Keys};
use super::cases;
use super::draw::Draw;
use super::range::Range;
use super::scripts::Scripts;
use crate::families::counting::Cases;
use crate::measure::instructions::{COMMANDS, Counted, RANDOM_KEYS, Work};

/// Each command, its script, and ranges beside MGET. Which of the keys that exist is called makes a
/// difference to caches, but not to instructions: all cases on one key are there on random ones.
pub fn counted(client: &mut Client) -> Cases {
    let scripts = Scripts::load(client);
    let mut counted = Cases::default();
    let is_counted = |case: &Case| matches!(case.keys, Keys::Random | Keys::Once);
    for case in cases::all(&scripts).into_iter().filter(is_counted) {
        let lua = case.lua.clone();
        let sides = [
            (String::new(), Some(case.own.clone())),
            ("Lua for ".into(), lua),
        ];
        for (by, calls) in sides {
            if let Some(calls) = calls {
                counted.add(Loads {
                    name: format!("{by}{}", case.name),
                    case: case.clone(),
                    calls,
                    draw: Draw::of(RANDOM_KEYS),
                });
            }
        }
    }
    for minutes in [10, 1000] {
        for range in Range::both(minutes) {
            counted.add(range);
        }
    }
    counted
}

struct Loads {
    name: String,
    case: Case,
    calls: Calls,
    draw: Draw,
}

impl Counted for Loads {
    fn case(&self) -> String {
        self.name.clone()
    }

    fn keys(&self) -> String {
        self.case.keys.name().into()
    }

    fn prepare(&mut self, client: &mut Client) {
        client.call(&["SELECT", &self.calls.database.to_string()]);
        self.draw.fill(client, &self.case, &self.calls);
    }

    fn load(&mut self, client: &mut Client) -> Work {
        let keys = self.draw.keys(&self.case, &self.calls, COMMANDS);
        if self.case.keys == Keys::Once {
            client.run("FLUSHDB SYNC");
            self.draw.call_filler(client, &self.calls, &keys);
        }
        Work::of(self.draw.commands(&self.calls, &keys))
    }

    fn is_right(&self, at: usize, reply: &Value) -> bool {
        let start = self.case.replies[at % self.case.replies.len()];
        spelled(reply).starts_with(start)
    }
}

/// A reply as it came, as far as one of these commands goes.
fn spelled(reply: &Value) -> String {
    match reply {
        Value::Integer(number) => format!(":{number}\r\n"),
        Value::Null => "$-1\r\n".into(),
        Value::Simple(text) => format!("+{text}\r\n"),
        Value::Array(values) => {
            let values: String = values.iter().map(spelled).collect();
            format!("*{}\r\n{values}", reply.array().len())
        }
        other => format!("{other:?}"),
    }
}
