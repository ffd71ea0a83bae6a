//! Namespaces that come and go, and keys that are built, checked and taken apart by them. One client
//! has them all, and so knows which are there.

use keyns_testkit::{Value, namespaces_json};

use super::{Families, REST, Worker};
use crate::soak::invariants::Invariant;

const NAMESPACES: u64 = 20;

/// How rare a change of the namespaces is among their uses.
const CHANGES: u64 = 10;

struct Known<'a> {
    worker: Worker<'a>,
    /// Which ones are defined, `None` if that is not known.
    defined: Option<Vec<u64>>,
}

pub fn work(_: &Families, worker: Worker) {
    let stage = worker.link.stage;
    let mut known = Known {
        worker,
        defined: None,
    };
    stage.repeat(REST, || known.step());
}

fn name(number: u64) -> String {
    format!("order{number}")
}

fn pattern(number: u64) -> String {
    format!("shop{number}:{{<tenant>}}:order:<id:int>[:<attribute>]")
}

impl Known<'_> {
    fn step(&mut self) {
        let Some(defined) = self.defined.take() else {
            let empty = namespaces_json(&[]);
            let link = &mut self.worker.link;
            let done = link.call(&["KEYNS.NS.LOAD", &empty, "FLUSH"]);
            self.defined = done.map(|_| Vec::new());
            return;
        };
        self.defined = match self.worker.random.once_in(CHANGES) || defined.is_empty() {
            true => self.change(defined),
            false => self.use_one(&defined).map(|()| defined),
        };
    }

    /// What is defined afterwards.
    fn change(&mut self, mut defined: Vec<u64>) -> Option<Vec<u64>> {
        let Worker { link, random, .. } = &mut self.worker;
        let number = random.below(NAMESPACES);
        let is_there = defined.contains(&number);
        match random.below(5) {
            0 => {
                let all: Vec<u64> = (0..NAMESPACES).collect();
                let texts: Vec<_> = all.iter().map(|&n| (name(n), pattern(n))).collect();
                let texts: Vec<_> = texts
                    .iter()
                    .map(|(n, p)| (n.as_str(), p.as_str()))
                    .collect();
                link.call(&["KEYNS.NS.LOAD", &namespaces_json(&texts), "REPLACE"])?;
                defined = all;
            }
            1 | 2 if is_there => {
                link.call(&["KEYNS.NS.DEL", &name(number)])?;
                defined.retain(|other| *other != number);
            }
            _ => {
                let (name, pattern) = (name(number), pattern(number));
                link.call(&["KEYNS.NS.SET", &name, "PATTERN", &pattern, "TTL", "60"])?;
                if !is_there {
                    defined.push(number);
                }
            }
        }
        Some(defined)
    }

    fn use_one(&mut self, defined: &[u64]) -> Option<()> {
        let Worker { link, random, .. } = &mut self.worker;
        let number = *random.pick(defined);
        let id = random.below(100_000).to_string();
        let name = name(number);
        let key = link
            .call(&["KEYNS.KEY", &name, "acme", &id, "state"])?
            .text();
        let expected = format!("shop{number}:{{acme}}:order:{id}:state");
        let mut holds = key == expected;
        match random.once_in(2) {
            true => {
                let checked = link.call(&["KEYNS.CHECK", &key])?;
                let checked = checked.array()[0].fields();
                holds &= checked["valid"] == Value::Integer(1);
                holds &= checked["namespace"] == Value::bulk(&name);
            }
            false => {
                let parsed = link.call(&["KEYNS.PARSE", &key])?.fields();
                holds &= parsed["namespace"] == Value::bulk(&name);
                holds &= parsed["values"].fields()["tenant"] == Value::bulk("acme");
            }
        }
        let invariants = &link.stage.invariants;
        invariants.check(Invariant::KeysOfNamespaces, holds, || {
            format!("{key} of {name}, {expected} was expected")
        });
        Some(())
    }
}
