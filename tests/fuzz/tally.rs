//! How often each command was accepted and refused, so that one sees what was reached.

use std::collections::BTreeMap;
use std::fmt;

use keyns_testkit::Value;

use crate::call::Call;
use crate::grammar;

#[derive(Default)]
pub struct Tally {
    /// Accepted and refused, by command.
    calls: BTreeMap<&'static str, [u64; 2]>,
}

impl Tally {
    pub fn count(&mut self, call: &Call, reply: &Value) {
        if let Some(spec) = call.spec() {
            let name = spec.name.to_str().expect("names are ASCII");
            self.calls.entry(name).or_default()[usize::from(reply.is_error())] += 1;
        }
    }

    pub fn never_accepted(&self) -> Vec<&'static str> {
        let names = grammar::commands().into_iter();
        let names = names.map(|spec| spec.name.to_str().expect("names are ASCII"));
        let accepted = |name: &str| {
            self.calls
                .get(name)
                .is_some_and(|[accepted, _]| *accepted > 0)
        };
        names.filter(|name| !accepted(name)).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<20} {:>9} {:>9}", "replies", "accepted", "refused")?;
        for (name, [accepted, refused]) in &self.calls {
            writeln!(f, "{name:<20} {accepted:>9} {refused:>9}")?;
        }
        let sum = |index: usize| self.calls.values().map(|counts| counts[index]).sum::<u64>();
        write!(f, "{:<20} {:>9} {:>9}", "all", sum(0), sum(1))
    }
}
