//! Placeholders with a regex, through the commands.

use std::time::Instant;

use keyns_testkit::{Client, Options, Refusing, Server, namespaces_json, texts, wait_until};

const USER: &str = r"user:<id:/\d+/>:<attr:/[a-z_]+/>";
const CACHE: &str = "cache:<source:/[a-z]+/>:<path...:/.+/>";

fn start() -> (Server, Client) {
    let server = Server::start();
    let mut client = server.client();
    client.define("user", USER, "OWNER web TTL 60");
    client.define("cache", CACHE, "");
    (server, client)
}

#[test]
fn keys_are_built_checked_and_taken_apart() {
    let (_server, mut client) = start();
    assert_eq!(
        client.run("KEYNS.KEY user 42 email").text(),
        "user:42:email"
    );
    assert_eq!(
        client.run("KEYNS.KEY cache db a::b:").text(),
        "cache:db:a::b:"
    );
    assert_eq!(client.problems("user:42:email"), [""; 0]);
    let parsed = client.run("KEYNS.PARSE user:42:email").fields();
    assert_eq!(parsed["namespace"].text(), "user");
    let values = ["id", "42", "attr", "email"];
    assert_eq!(texts(&parsed["values"]), values);
    let report = client.check("user:42:E-Mail");
    assert_eq!(texts(&report["problems"]), ["BAD_FORMAT"]);
    assert_eq!(report["suggestion"].text(), "user:42:e_mail");
    let detail = "<attr> of 'user': expected a match of /[a-z_]+/, got 'E-Mail'";
    assert_eq!(texts(&report["details"]), [detail]);
    for (line, error) in [
        (
            "KEYNS.KEY user 42 X",
            "ERR <attr> must match /[a-z_]+/, got 'X'",
        ),
        ("KEYNS.KEY user x y", r"ERR <id> must match /\d+/, got 'x'"),
        (
            "KEYNS.KEY user 4:2 y",
            r"ERR <id> must match /\d+/, got '4:2'",
        ),
    ] {
        assert_eq!(client.run(line).text(), error);
    }
    // No key is so long, so that the regex never sees it.
    let long = "7".repeat(1 << 20);
    let error = client.call(&["KEYNS.KEY", "user", &long, "x"]).text();
    let expected = "ERR key must be at most 1024 bytes, got 1048576 (keyns.max-key-bytes)";
    assert_eq!(error, expected);
    let shown = client.run("KEYNS.NS.GET user").fields();
    assert_eq!(shown["pattern"].text(), USER);
    assert_eq!(shown["example"].text(), "user:42:attr");
    let rules = client.run("KEYNS.NS.DUMP ACL").text();
    assert_eq!(
        rules,
        "ACL SETUSER web resetkeys ~user:*:* -keyns.ns.set -keyns.ns.del -keyns.ns.load -keyns.ns.preset\n"
    );
}

#[test]
fn a_wrong_regex_is_refused_with_its_place() {
    let mut test = Refusing::start();
    for (pattern, reason) in [
        (
            "a:<x:/[a-z/>",
            "PATTERN at column 7: unclosed character class",
        ),
        (
            "a:<x:/b/c/>",
            r"PATTERN at column 8: '/' in a regex is written '\/'",
        ),
        (
            "a:<x:/b c/>",
            r"column 8: this character in a regex is written '\x20'",
        ),
        (
            r"a:<x:/\pL/>",
            "PATTERN at column 7: Unicode not allowed here",
        ),
        (
            "a:<x:/(?u)./>",
            "PATTERN at column 7: the flag 'u' is not supported",
        ),
        (
            "a:<x:/(a{1000}){1000}/>",
            "PATTERN at column 7: the regex takes more than 32768 bytes when compiled",
        ),
        ("a:<x:/b:c/>", "PATTERN at column 7: no value can match"),
    ] {
        test.refuses_pattern(pattern, reason);
    }
    let long = format!("a:<x:/{}/>", "a".repeat(257));
    test.refuses_pattern(&long, "column 7: a regex has at most 256 bytes, got 257");
    let json = namespaces_json(&[("n", "a:<x:/(/>")]);
    test.refuses_json(json, "namespace 'n': PATTERN at column 7: unclosed group");
    test.finish();
}

#[test]
fn regexes_last_and_reach_replicas() {
    let server = Options::new().durable().start();
    let mut client = server.client();
    client.define("user", USER, "");
    let replica = server.replica();
    client.define("cache", CACHE, "");
    let expected = client.namespaces();
    let mut reader = replica.client();
    wait_until("the namespaces are there", || {
        reader.namespaces() == expected
    });
    assert_eq!(reader.problems("user:42:X"), ["BAD_FORMAT"]);
    assert_eq!(client.run("DEBUG RELOAD").text(), "OK");
    assert_eq!(client.namespaces(), expected);
    assert_eq!(client.problems("cache:db::x"), [""; 0]);
}

#[test]
fn ten_thousand_regexes_are_loaded_kept_and_looked_up() {
    const COUNT: usize = 10_000;
    let server = Options::new().durable().start();
    let mut client = server.client();
    let memory =
        |client: &mut Client| -> i64 { client.info("memory", "used_memory").parse().unwrap() };
    let before = memory(&mut client);
    let names: Vec<String> = (0..COUNT).map(|n| format!("n{n}")).collect();
    let patterns = names
        .iter()
        .map(|name| format!("{name}:<id:/[0-9]+/>:<attr:/[a-z_]+/>"));
    let patterns: Vec<String> = patterns.collect();
    let all = names.iter().zip(&patterns);
    let json = namespaces_json(&all.map(|(n, p)| (&**n, &**p)).collect::<Vec<_>>());
    let start = Instant::now();
    assert_eq!(
        client.call(&["KEYNS.NS.LOAD", &json]).integer(),
        COUNT as i64
    );
    let loaded = start.elapsed();
    let taken = memory(&mut server.client()) - before;
    let start = Instant::now();
    assert_eq!(client.run("DEBUG RELOAD").text(), "OK");
    println!(
        "loaded in {loaded:?}, {taken} bytes; reloaded in {:?}",
        start.elapsed()
    );
    // All have the same two.
    assert!(taken < 30 << 20, "{taken}");
    assert_eq!(client.problems("n7777:42:email"), [""; 0]);
    assert_eq!(client.problems("n7777:42:E"), ["BAD_FORMAT"]);
    let more = client.call(&["KEYNS.NS.SET", "n7777", "PATTERN", "n7777:<x:/a{500}/>"]);
    assert_eq!(more.text(), "OK");
}
