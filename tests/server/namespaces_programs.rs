//! The programs in docs/commands/namespaces.md, run as they stand there on the namespaces that stand
//! there.
//!
//! `scripts/setup test` installs what they need. `KEYNS_PYTHON` names another python3, and
//! `KEYNS_NODE_MODULES` another folder in which Node.js finds the package `redis`.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::{Client, Server, Value};

#[test]
fn the_python_program_keeps_the_rules_of_the_shop() {
    keeps_the_rules_of_the_shop(python, "[True, True, True, False]");
}

#[test]
fn the_node_program_keeps_the_rules_of_the_shop() {
    keeps_the_rules_of_the_shop(node, "[ true, true, true, false ]");
}

fn keeps_the_rules_of_the_shop(program: fn(&Server) -> Command, orders: &str) {
    let server = Server::start();
    let mut client = server.client();
    let count = client.call(&["KEYNS.NS.LOAD", &block("json", 1), "FLUSH"]);
    assert_eq!(count.integer(), 4);
    let mut program = program(&server);

    let shown = format!("<h1>Running</h1>\nin the cart: 2\nmay order: {orders}\n");
    assert_eq!(run(&mut program), (true, shown));
    let lifetimes = lifetimes(&mut client);
    let names: Vec<&str> = lifetimes.keys().map(String::as_str).collect();
    assert_eq!(names, ["cart", "page", "rate", "session"]);
    assert_eq!(lifetimes["cart"], -1);
    for (name, ttl) in [("page", 300), ("rate", 3600), ("session", 1800)] {
        let left = lifetimes[name];
        assert!((ttl - 120..=ttl).contains(&left), "{name}: {left}");
    }

    client.run("SET shop:{acme}:session:42 ada");
    let (fine, shown) = run(&mut program);
    assert!(!fine);
    let complaint =
        "shop:{acme}:session:42 <sid> of 'session': expected a UUID in lower case, got '42'";
    assert_eq!(shown.lines().last(), Some(complaint));
    assert!(page().contains(&format!("\n{complaint}\n")));
}

#[test]
fn the_dump_of_the_shop_is_its_file() {
    let server = Server::start();
    let mut client = server.client();
    let json = block("json", 1);
    client.call(&["KEYNS.NS.LOAD", &json]);
    assert_eq!(client.run("KEYNS.NS.DUMP").text() + "\n", json);
}

#[test]
fn the_other_json_of_the_page_loads() {
    let server = Server::start();
    let loaded = server.client().call(&["KEYNS.NS.LOAD", &block("json", 0)]);
    assert_eq!(loaded.integer(), 2);
}

#[test]
fn the_tables_of_the_page_say_which_namespace_and_which_key_is_meant() {
    let server = Server::start();
    let mut client = server.client();
    for (name, pattern) in [
        ("session", "session:<sid:hex>[:<attribute>]"),
        ("page", "page:<title:slug>:<number:number>"),
        ("visits", "visits:<day:date>:unique"),
        ("user", "user:<id:int>[:<attribute>]"),
        ("cache", "cache:<source>:<path...>"),
        ("cache:v", "cache:v<version:int>:<path...>"),
        ("cache:api", "cache:api:<path...>"),
        ("cache:health", "cache:<source>:health"),
    ] {
        let definition = format!("KEYNS.NS.SET {name} PATTERN {pattern}");
        assert!(page().contains(&definition), "{definition}");
        client.run(&definition);
    }
    let belongs = table("| key | namespace | because |");
    assert_eq!(belongs.len(), 6);
    for row in belongs {
        let parsed = client.call(&["KEYNS.PARSE", &row[0]]).fields();
        assert_eq!(parsed["namespace"].text(), row[1], "{}", row[0]);
    }
    let meant = table("| key | suggestion |");
    assert_eq!(meant.len(), 6);
    for row in meant {
        let report = client.call(&["KEYNS.CHECK", &row[0]]).array()[0].fields();
        assert_eq!(report["suggestion"].text(), row[1], "{}", row[0]);
    }
}

#[test]
fn the_table_of_presets_counts_them() {
    let server = Server::start();
    let mut client = server.client();
    let presets = table("| preset | namespaces | for |");
    assert_eq!(presets.len(), 5);
    for row in presets {
        let count = client.call(&["KEYNS.NS.PRESET", &row[0], "FLUSH"]);
        assert_eq!(count.integer().to_string(), row[1], "{}", row[0]);
    }
}

/// The seconds that are left to one key of each namespace.
fn lifetimes(client: &mut Client) -> BTreeMap<String, i64> {
    let keys = client.run("KEYS *");
    let names = keys.array().iter().map(Value::text);
    names
        .map(|key| {
            let parsed = client.call(&["KEYNS.PARSE", &key]).fields();
            let ttl = client.call(&["TTL", &key]).integer();
            (parsed["namespace"].text(), ttl)
        })
        .collect()
}

fn run(program: &mut Command) -> (bool, String) {
    let output = program.output().unwrap_or_else(|error| {
        panic!("{program:?} cannot be run, `scripts/setup test` installs it: {error}")
    });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{errors}");
    let shown = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), shown)
}

fn python(server: &Server) -> Command {
    let program = server.dir.join("shop.py");
    fs::write(&program, block("python", 0)).unwrap();
    let mut python = Command::new(variable("KEYNS_PYTHON", "/usr/bin/python3"));
    python.arg(program).env("REDIS_URL", url(server));
    python
}

fn node(server: &Server) -> Command {
    let program = server.dir.join("shop.mjs");
    fs::write(&program, block("js", 0)).unwrap();
    // The program finds its package beside itself, and the package what it needs by NODE_PATH.
    let modules = variable("KEYNS_NODE_MODULES", "/usr/share/nodejs");
    symlink(&modules, server.dir.join("node_modules")).unwrap();
    let mut node = Command::new("node");
    node.arg(program).env("NODE_PATH", modules);
    node.env("REDIS_URL", url(server));
    node
}

fn url(server: &Server) -> String {
    format!("redis://127.0.0.1:{}", server.port)
}

fn variable(name: &str, default: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| default.into())
}

fn page() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands/namespaces.md");
    fs::read_to_string(page).unwrap()
}

/// A block of the page, by its place among those in its language.
fn block(language: &str, place: usize) -> String {
    let page = page();
    let block = page.split(&format!("\n```{language}\n")).nth(place + 1);
    let block = block.unwrap_or_else(|| panic!("no block {place} in {language}"));
    block.split("\n```\n").next().unwrap().to_owned() + "\n"
}

/// The cells of the rows of a table of the page, without the backticks.
fn table(head: &str) -> Vec<Vec<String>> {
    let page = page();
    let lines = page.lines().skip_while(|line| *line != head).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells = row.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().replace('`', "")).collect()
    })
    .collect()
}
