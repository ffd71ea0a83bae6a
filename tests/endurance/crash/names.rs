//! Names and numbers: each is handed out once, in all lives of the server together.

use std::collections::{HashMap, HashSet};
use std::io::Result;

use keyns_testkit::{Content, Keyspace};

use super::sender::Sender;

/// Numbers of this prefix run across all slugs.
const GLOBAL: &str = "stock:item";
/// And those of this one by slug.
const BY_SLUG: &str = "stock:label";

const TEXTS: [&str; 4] = ["Risk", "Oak Trees", "5 Strategien", "Moos"];

/// What one worker was given since it was last asked.
#[derive(Default)]
pub struct Names {
    numbers: Vec<u64>,
    names: Vec<String>,
}

impl Names {
    pub fn act(&mut self, sender: &mut Sender) -> Result<()> {
        let text = *sender.random.pick(&TEXTS);
        match sender.random.below(3) {
            0 => {
                let count = sender.random.between(1, 20);
                let first = sender.run(&format!("KEYNS.NEXTID {GLOBAL} COUNT {count}"))?;
                let first = first.integer();
                self.numbers
                    .extend((first..first + count).map(i64::unsigned_abs));
            }
            1 => {
                let name = sender.call(&["KEYNS.MAKE", GLOBAL, text])?.text();
                self.numbers.push(parts(&name).1);
                create(sender, &name)?;
            }
            _ => {
                let make = ["KEYNS.MAKE", BY_SLUG, text, "NUMBERING", "SLUG"];
                let name = sender.call(&make)?.text();
                self.names.push(name.clone());
                create(sender, &name)?;
            }
        }
        Ok(())
    }
}

/// Some names are used at once. None of them can be in use already.
fn create(sender: &mut Sender, name: &str) -> Result<()> {
    if sender.random.once_in(4) {
        let reply = sender.run(&format!("SET {name} here NX"))?;
        assert_eq!(reply.text(), "OK", "{name} was there before");
    }
    Ok(())
}

/// The slug and the number.
fn parts(name: &str) -> (&str, u64) {
    let (rest, number) = name.rsplit_once(':').expect("a number");
    let (_, slug) = rest.rsplit_once(':').expect("a slug");
    (slug, number.parse().expect("digits"))
}

/// What all of them were given.
#[derive(Default)]
pub struct AllNames {
    numbers: HashSet<u64>,
    names: HashSet<String>,
}

impl AllNames {
    pub fn len(&self) -> u64 {
        (self.numbers.len() + self.names.len()) as u64
    }

    pub fn collect(&mut self, names: &mut Names) {
        for number in names.numbers.drain(..) {
            assert!(self.numbers.insert(number), "{number} was given out twice");
        }
        for name in names.names.drain(..) {
            assert!(self.names.insert(name.clone()), "{name} came twice");
        }
    }

    /// Counters are not behind what was given out.
    pub fn check(&self, keys: &Keyspace) {
        let greatest = self.numbers.iter().max().copied().unwrap_or(0);
        let counter = match keys.get(&format!("{GLOBAL}:_seq")) {
            Some(Content::Text(count)) => count.parse().expect("a count"),
            _ => 0,
        };
        assert!(greatest <= counter, "{greatest} was given out of {counter}");
        let mut by_slug = HashMap::<&str, u64>::new();
        for (slug, number) in self.names.iter().map(|name| parts(name)) {
            let greatest = by_slug.entry(slug).or_default();
            *greatest = number.max(*greatest);
        }
        for (slug, greatest) in by_slug {
            let counter = &keys[&format!("{BY_SLUG}:_slugs")].hash()[slug];
            let counter: u64 = counter.parse().expect("a count");
            assert!(greatest <= counter, "{greatest} of {counter} for {slug}");
        }
    }
}
