//! How many other keys there are under a prefix. Each number of them has a database of its own: keys
//! with names as KEYNS.MAKE gives them, the slugs that were numbered one by one, and the sets that a
//! document shares with all others.

use keyns_testkit::{Client, Options};

use super::axis::{Axis, Effort, Growth, Unit, count};
use super::curve::Line;
use crate::measure::{Clients, Dice, setting};

const SIZES: [usize; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
const COMMANDS: usize = 4_000;
const DOCUMENTS: usize = 200;
/// It is in the sets of its tag, its author and its category, and its elements in those of levels.
const DOCUMENT: &str = "---\ntitle: Ein kleiner Text\nauthor: Redaktion\ncategory: Technik\n\
    tags: [Wartung]\n---\n\n# Betrieb\n\nEin Absatz.\n\n## Wartung\n\nNoch ein Absatz.\n";
/// Of these sets, those that have all other keys as members.
const SHARED: [&str; 2] = ["level:chunk:chunks", "tag:wartung:chunks"];

const LINES: [Line; 9] = [
    Line::own("KEYNS.NEXTID"),
    Line::own("KEYNS.MAKE"),
    Line::own("KEYNS.MAKE NUMBERING SLUG"),
    Line::own("KEYNS.INGESTMD, small"),
    Line::own("KEYNS.DROP, small"),
    Line::control("INCR, one key"),
    Line::control("GET, all keys"),
    Line::control("HINCRBY, all fields"),
    Line::control("SADD and SREM"),
];

pub fn run(effort: &Effort) -> Growth {
    let axis = Axis {
        what: "keys under one prefix",
        one: ("key", 1.0),
        size: count,
        unit: Unit::Microseconds,
        full_rounds: 11,
        how: "a database for each size",
    };
    let sizes = effort.sizes(&SIZES);
    let server = Options::new().start();
    let mut control = server.client();
    let name = setting(&mut control);
    for (database, &size) in sizes.iter().enumerate() {
        control.call(&["SELECT", &database.to_string()]);
        fill(&mut control, size);
    }
    let mut bench = Bench {
        clients: Clients::connect(&server),
        control,
        dice: Dice::new(),
    };
    Growth::measure(axis, effort, sizes, LINES, |at| bench.costs(at, SIZES[at])).on(name)
}

fn key(number: usize) -> String {
    format!("doc:{}:{number:03}", slug(number))
}

fn slug(number: usize) -> String {
    format!("kapitel_{number}")
}

fn fill(client: &mut Client, size: usize) {
    let numbers: Vec<usize> = (1..=size).collect();
    for numbers in numbers.chunks(1000) {
        let mut commands = vec![
            command("MSET", numbers.iter().flat_map(|&n| [key(n), "x".into()])),
            command(
                "HSET doc:_slugs",
                numbers.iter().flat_map(|&n| [slug(n), "1".into()]),
            ),
        ];
        let keys = || numbers.iter().map(|&n| key(n));
        commands.extend(SHARED.map(|set| command(&format!("SADD {set}"), keys())));
        let replies = client.pipeline(&commands);
        assert_eq!(replies.iter().find(|reply| reply.is_error()), None);
    }
    client.call(&["SET", "doc:_seq", &size.to_string()]);
}

fn command(start: &str, rest: impl IntoIterator<Item = String>) -> Vec<String> {
    let start = start.split(' ').map(str::to_owned);
    start.chain(rest).collect()
}

struct Bench {
    clients: Clients,
    control: Client,
    dice: Dice,
}

impl Bench {
    fn costs(&mut self, database: usize, size: usize) -> [f64; LINES.len()] {
        self.control.call(&["SELECT", &database.to_string()]);
        self.clients.select(database);
        let by_slug = |n| format!("KEYNS.MAKE doc {} NUMBERING SLUG", slug(n));
        let next = self.cost(size, |_| "KEYNS.NEXTID doc".into());
        let make = self.cost(size, |n| format!("KEYNS.MAKE doc Neues_{}", n % 100));
        let make_by_slug = self.cost(size, by_slug);
        let incr = self.cost(size, |_| "INCR doc:_seq".into());
        let get = self.cost(size, |n| format!("GET {}", key(n)));
        let field = self.cost(size, |n| format!("HINCRBY doc:_slugs {} 1", slug(n)));
        let member = self.member();
        let [ingest, drop] = self.document();
        [
            next,
            make,
            make_by_slug,
            ingest,
            drop,
            incr,
            get,
            field,
            member,
        ]
    }

    /// Of commands for numbers of keys at random.
    fn cost(&mut self, size: usize, line: impl Fn(usize) -> String) -> f64 {
        let numbers = (0..COMMANDS).map(|_| self.dice.below(size) + 1);
        let commands: Vec<_> = numbers.map(|n| command(&line(n), [])).collect();
        self.seconds(&commands)
    }

    /// Of putting a member into a shared set, or taking it out.
    fn member(&mut self) -> f64 {
        let line = |at: usize| {
            let name = ["SADD", "SREM"][at % 2];
            format!("{name} {} new:{}", SHARED[0], at / 2)
        };
        let commands: Vec<_> = (0..COMMANDS).map(|at| command(&line(at), [])).collect();
        self.seconds(&commands)
    }

    /// Of a small document that comes and goes.
    fn document(&mut self) -> [f64; 2] {
        let keys = self.control.run("DBSIZE").integer();
        let ingest = vec![command("KEYNS.INGESTMD doc", [DOCUMENT.to_owned()]); DOCUMENTS];
        let mut names = Vec::new();
        let ingested =
            self.clients
                .nanoseconds_and_replies(&ingest, &mut self.control, |_, reply| {
                    names.push(document_of(reply))
                });
        let names = names.into_iter();
        let drop: Vec<_> = names.map(|name| command("KEYNS.DROP", [name])).collect();
        let dropped = self.seconds(&drop);
        // The first documents leave counters behind.
        let left = self.control.run("DBSIZE").integer() - keys;
        assert!(left <= 4, "{left} keys are left");
        [ingested * 1e-9, dropped]
    }

    fn seconds(&mut self, commands: &[Vec<String>]) -> f64 {
        self.clients.nanoseconds(commands, &mut self.control) * 1e-9
    }
}

/// The first value of the map that KEYNS.INGESTMD replies.
fn document_of(reply: &[u8]) -> String {
    let reply = String::from_utf8_lossy(reply);
    let name = reply.lines().nth(4);
    name.expect("the document's name").to_owned()
}
