//! How many namespaces there are. Each number of them has a server of its own, with the same number
//! of keys in them, and with counters for INCR.

use keyns_testkit::{Client, Options, Server};

use super::axis::{Axis, Effort, Growth, Unit, count};
use super::curve::Line;
use crate::families::namespaces::plan::{KEYS, Plan};
use crate::measure::{Clients, Connection, Cpu, Dice, Request, setting};

const SIZES: [usize; 7] = [10, 30, 100, 300, 1_000, 3_000, 10_000];
const COMMANDS: usize = 4_000;
/// A definition costs more.
const DEFINITIONS: usize = 800;
/// What goes through all namespaces does it for so many in a sample.
const GONE_THROUGH: usize = 10_000;

/// A set of all their names.
const NAMES: &str = "names";

const LINES: [Line; 12] = [
    Line::own("KEYNS.KEY"),
    Line::own("KEYNS.CHECK"),
    Line::own("KEYNS.CHECK, a wrong name"),
    Line::own("KEYNS.PARSE"),
    Line::own("KEYNS.NS.SET, another DESC"),
    Line::own("KEYNS.NS.SET, another PATTERN"),
    Line::control("INCR"),
    Line::own("KEYNS.NS.LIST")
        .aside()
        .beside("SORT ALPHA of as many"),
    Line::own("KEYNS.NS.LOAD REPLACE of all").aside(),
    Line::own("KEYNS.NS.DEL of all")
        .aside()
        .beside("DEL of as many keys"),
    Line::control("SORT ALPHA of as many").aside(),
    Line::control("DEL of as many keys").aside(),
];

pub fn run(effort: &Effort) -> Growth {
    let axis = Axis {
        what: "namespaces",
        one: ("namespace", 1.0),
        size: count,
        unit: Unit::Microseconds,
        full_rounds: 11,
        how: "100,000 keys and as many counters",
    };
    let sizes = effort.sizes(&SIZES);
    let mut sides: Vec<_> = sizes.iter().map(|&size| Side::start(size)).collect();
    let server = setting(&mut sides[0].control);
    Growth::measure(axis, effort, sizes, LINES, |at| sides[at].costs()).on(server)
}

struct Side {
    plan: Plan,
    /// All of them as they were defined.
    json: String,
    control: Client,
    clients: Clients,
    connection: Connection,
    dice: Dice,
    /// So that no definition is like the one before.
    changes: usize,
    _server: Server,
}

impl Side {
    fn start(namespaces: usize) -> Side {
        let plan = Plan { namespaces };
        let server = Options::new().start();
        let mut control = server.client();
        let mut connection = Connection::tcp(&server);
        call_all(&mut connection, plan.definitions());
        let name = |key| vec!["SADD".to_owned(), NAMES.to_owned(), plan.namespace(key)];
        call_all(&mut connection, (0..namespaces).map(name));
        call_all(&mut connection, (0..KEYS).map(increment));
        call_all(&mut connection, (0..KEYS).map(|key| plan.set(key)));
        Side {
            plan,
            json: control.run("KEYNS.NS.DUMP JSON").text(),
            clients: Clients::connect(&server),
            connection,
            control,
            dice: Dice::new(),
            changes: 0,
            _server: server,
        }
    }

    fn costs(&mut self) -> [f64; LINES.len()] {
        let plan = self.plan;
        let building = |key: usize| {
            let words = ["KEYNS.KEY".to_owned(), plan.namespace(key)];
            words.into_iter().chain(plan.values(key)).collect()
        };
        let of_key = |command: &str, key: String| vec![command.to_owned(), key];
        let load = ["KEYNS.NS.LOAD", &self.json, "REPLACE"].map(str::to_owned);
        [
            self.of_keys(building),
            self.of_keys(|key| of_key("KEYNS.CHECK", plan.key(key))),
            self.of_keys(|key| of_key("KEYNS.CHECK", plan.wrong_key(key))),
            self.of_keys(|key| of_key("KEYNS.PARSE", plan.key(key))),
            self.of_definitions(|pattern, _| pattern.to_owned()),
            self.of_definitions(|pattern, change| format!("v{change}.{pattern}")),
            self.of_keys(increment),
            self.of_all(&["KEYNS.NS.LIST".to_owned()]),
            self.of_all(&load),
            self.of_removal(&load),
            self.of_all(&["SORT", NAMES, "ALPHA"].map(str::to_owned)),
            self.of_plain_removal(),
        ]
    }

    /// Of commands on keys at random, which go round all namespaces.
    fn of_keys(&mut self, command: impl Fn(usize) -> Vec<String>) -> f64 {
        let keys = (0..COMMANDS).map(|_| self.dice.below(KEYS));
        let commands: Vec<_> = keys.map(command).collect();
        self.clients.nanoseconds(&commands, &mut self.control) * 1e-9
    }

    /// Of definitions in place of those that are there, with this pattern instead of theirs.
    fn of_definitions(&mut self, pattern: impl Fn(&str, usize) -> String) -> f64 {
        let definitions: Vec<_> = self.plan.definitions().collect();
        let mut command = || {
            self.changes += 1;
            let mut words = definitions[self.dice.below(definitions.len())].clone();
            words[3] = pattern(&words[3], self.changes);
            words.extend(["DESC".into(), self.changes.to_string()]);
            words
        };
        let commands: Vec<_> = (0..DEFINITIONS).map(|_| command()).collect();
        self.clients.nanoseconds(&commands, &mut self.control) * 1e-9
    }

    /// Of a command that goes through all namespaces.
    fn of_all(&mut self, command: &[String]) -> f64 {
        let times = (GONE_THROUGH / self.plan.namespaces).clamp(1, 200);
        let request = Request::of(&vec![command; times]);
        self.seconds(&request) / times as f64
    }

    /// Of the removal of all of them, which are there again afterwards.
    fn of_removal(&mut self, load: &[String]) -> f64 {
        let names: Vec<_> = (0..self.plan.namespaces)
            .map(|key| self.plan.namespace(key))
            .collect();
        let remove = Request::of(&[with("KEYNS.NS.DEL", names)]);
        let seconds = self.of_removals(&remove, load);
        assert_eq!(self.control.run("KEYNS.NS.DUMP JSON").text(), self.json);
        seconds
    }

    /// The same of plain keys with long values.
    fn of_plain_removal(&mut self) -> f64 {
        let names: Vec<_> = (0..self.plan.namespaces)
            .map(|key| format!("plain:{key}"))
            .collect();
        let values = names
            .iter()
            .flat_map(|name| [name.clone(), "x".repeat(200)]);
        let load = with("MSET", values);
        assert!(!self.control.call(&load).is_error());
        let seconds = self.of_removals(&Request::of(&[with("DEL", names.clone())]), &load);
        self.control.call(&with("DEL", names));
        seconds
    }

    /// Of a removal, after each of which everything is brought back.
    fn of_removals(&mut self, remove: &Request, bring_back: &[String]) -> f64 {
        let times = (GONE_THROUGH / self.plan.namespaces).clamp(1, 50);
        let seconds = (0..times).map(|_| {
            let seconds = self.seconds(remove);
            assert!(!self.control.call(bring_back).is_error());
            seconds
        });
        seconds.sum::<f64>() / times as f64
    }

    fn seconds(&mut self, request: &Request) -> f64 {
        let before = Cpu::of(&mut self.control);
        self.connection.exchange(request);
        before.per_command(&mut self.control, 1).main
    }
}

fn with(command: &str, rest: impl IntoIterator<Item = String>) -> Vec<String> {
    [command.to_owned()].into_iter().chain(rest).collect()
}

fn increment(key: usize) -> Vec<String> {
    vec!["INCR".into(), format!("key:{key:012}")]
}

fn call_all(connection: &mut Connection, commands: impl Iterator<Item = Vec<String>>) {
    let commands: Vec<_> = commands.collect();
    for commands in commands.chunks(1000) {
        connection.exchange(&Request::of(commands));
    }
}
