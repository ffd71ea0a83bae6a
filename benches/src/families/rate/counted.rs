//! The same cases, for counting instructions.

use keyns_testkit::{Client, Value};

use super::case::Case;
use super::cases;
use super::peers::{Scripts, load_redis_cell};
use crate::families::counting::Cases;
use crate::measure::Dice;
use crate::measure::instructions::{COMMANDS, Counted, RANDOM_KEYS, Work};

/// All but those with windows of milliseconds: what has left them is a matter of time.
pub fn counted(client: &mut Client) -> Cases {
    let scripts = Scripts::load(client);
    let peer = load_redis_cell(client);
    let mut counted = Cases::default();
    let cases = cases::all(&scripts, peer.is_some()).into_iter();
    for case in cases.filter(|case| !case.has_short_window()) {
        let dice = Dice::new();
        counted.add(Loads { case, dice });
    }
    counted.versions.extend(peer);
    counted
}

struct Loads {
    case: Case,
    dice: Dice,
}

impl Loads {
    fn count(&self) -> usize {
        self.case.keys.count().min(RANDOM_KEYS)
    }
}

impl Counted for Loads {
    fn case(&self) -> String {
        self.case.name.clone()
    }

    fn keys(&self) -> String {
        self.case.keys.name().into()
    }

    fn prepare(&mut self, client: &mut Client) {
        self.case.fill_some(client, self.count());
    }

    fn load(&mut self, _: &mut Client) -> Work {
        let count = self.count();
        let keys = (0..COMMANDS).map(|_| self.dice.below(count));
        Work::of(keys.map(|key| self.case.command(key)).collect())
    }

    fn is_right(&self, _: usize, reply: &Value) -> bool {
        self.case.is_as_said(reply)
    }
}
