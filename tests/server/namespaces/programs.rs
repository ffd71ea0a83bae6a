//! The programs in docs/guides/namespaces.md, run as they stand there on the namespaces that stand
//! there, and the tables of docs/commands/namespaces.md.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use keyns_testkit::{Client, Language, Page, Server, Value, printed, spawn};

#[test]
fn the_python_program_keeps_the_rules_of_the_shop() {
    keeps_the_rules_of_the_shop(Language::Python, "[True, True, True, False]");
}

#[test]
fn the_node_program_keeps_the_rules_of_the_shop() {
    keeps_the_rules_of_the_shop(Language::Node, "[ true, true, true, false ]");
}

fn keeps_the_rules_of_the_shop(language: Language, orders: &str) {
    let server = Server::start();
    let mut client = server.client();
    let count = client.call(&["KEYNS.NS.LOAD", &guide().block("json", 0), "FLUSH"]);
    assert_eq!(count.integer(), 4);
    let text = guide().block(language.fence(), 0);
    let mut program = language.program(&server, "shop", &text);

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
    assert!(guide().contains(&format!("\n{complaint}\n")));
}

#[test]
fn the_dump_of_the_shop_is_its_file() {
    let server = Server::start();
    let mut client = server.client();
    let json = guide().block("json", 0);
    client.call(&["KEYNS.NS.LOAD", &json]);
    assert_eq!(client.run("KEYNS.NS.DUMP").text() + "\n", json);
}

#[test]
fn the_other_json_of_the_page_loads() {
    let server = Server::start();
    let json = page().block("json", 0);
    let loaded = server.client().call(&["KEYNS.NS.LOAD", &json]);
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
    let belongs = page().table("| key | namespace | because |");
    assert_eq!(belongs.len(), 6);
    for row in belongs {
        let parsed = client.call(&["KEYNS.PARSE", &row[0]]).fields();
        assert_eq!(parsed["namespace"].text(), row[1], "{}", row[0]);
    }
    let meant = page().table("| key | suggestion |");
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
    let presets = page().table("| preset | namespaces | for |");
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
    let process = spawn(program.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let output = process.wait_with_output().unwrap();
    (output.status.success(), printed(output))
}

fn guide() -> Page {
    Page::open("guides/namespaces")
}

fn page() -> Page {
    Page::open("commands/namespaces")
}
