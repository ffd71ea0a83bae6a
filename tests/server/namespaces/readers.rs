//! Namespaces: who owns keys, who reads them, and the rules for both.

use keyns_testkit::{Client, Options, Refusing, Server, Value, texts, wait_until};

fn define(client: &mut Client) {
    client.define("cart", "cart:<id:int>", "OWNER shop READERS web,audit");
    client.define("page", "page:<path>", "OWNER web READERS shop");
    client.define("log", "log:<day>", "READERS audit");
    client.define("free", "free:<x>", "");
}

#[test]
fn readers_are_shown_in_every_form_and_come_back() {
    let server = Server::start();
    let mut client = server.client();
    define(&mut client);
    let shown = client.run("KEYNS.NS.GET cart").fields();
    assert_eq!(texts(&shown["readers"]), ["audit", "web"]);
    let none = client.run("KEYNS.NS.GET free").fields();
    assert_eq!(none["readers"], Value::Array(Vec::new()));
    let page = client.run("KEYNS.NS.DUMP MARKDOWN").text();
    assert!(page.contains("| shop | audit, web |"), "{page}");
    let json = client.namespaces();
    assert_eq!(json.matches("\"readers\"").count(), 3, "{json}");
    client.forget_namespaces();
    assert_eq!(client.call(&["KEYNS.NS.LOAD", &json]), Value::Integer(4));
    assert_eq!(client.namespaces(), json);
    // Another order is the same definition.
    client.define("cart", "cart:<id:int>", "READERS audit,web OWNER shop");
    assert_eq!(client.namespaces(), json);
    // A definition without readers has none, as with every option.
    client.define("cart", "cart:<id:int>", "OWNER shop");
    let shown = client.run("KEYNS.NS.GET cart").fields();
    assert_eq!(shown["readers"], Value::Array(Vec::new()));
    let empty = r#"{"namespaces": [{"name": "a", "pattern": "a", "readers": []},
        {"name": "b", "pattern": "b", "readers": null}]}"#;
    assert_eq!(client.call(&["KEYNS.NS.LOAD", empty]), Value::Integer(2));
}

#[test]
fn readers_last_in_aof_and_snapshot_and_reach_replicas() {
    let plain = || Options::new().module_arguments(&["namespaces-in-rdb", "no"]);
    for options in [Options::new().durable(), plain().durable(), Options::new()] {
        let mut server = options.start();
        let mut client = server.client();
        define(&mut client);
        let expected = client.namespaces();
        assert_eq!(client.run("SAVE").text(), "OK");
        let replica = server.replica();
        wait_until("the replica has them", || {
            replica.client().namespaces() == expected
        });
        server.start_again();
        assert_eq!(server.client().namespaces(), expected);
    }
}

/// What is written has no readers where there are none: a version that does not know them reads it.
#[test]
fn what_has_no_readers_is_written_as_before() {
    let server = Server::start();
    let mut client = server.client();
    client.define("free", "free:<x>", "OWNER web");
    assert!(!client.namespaces().contains("readers"));
}

#[test]
fn spaces_around_commas_are_no_part_of_a_name() {
    let server = Server::start();
    let mut client = server.client();
    let set = ["KEYNS.NS.SET", "n", "PATTERN", "n", "READERS"];
    client.call(&[&set[..], &[" web, audit ,ops"]].concat());
    let spaced = client.namespaces();
    client.call(&[&set[..], &["web,audit,ops"]].concat());
    assert_eq!(client.namespaces(), spaced);
    assert!(spaced.contains("audit"), "{spaced}");
}

#[test]
fn wrong_readers_are_refused() {
    let mut test = Refusing::start();
    let name = "READERS must be names with commas between, each 1 to 64 of [A-Za-z0-9_.@:-], got '";
    for (readers, reason) in [
        ("", name),
        (",", name),
        ("a,", name),
        ("a,,b", name),
        ("a b", name),
        ("a, ,b", name),
        ("default", "READERS must not be 'default'"),
        ("a,default", "READERS must not be 'default'"),
        ("\0", name),
        ("\u{e4}", name),
        (&"x".repeat(65), name),
        ("a,b,a", "READERS has 'a' twice"),
        (
            "a,web",
            "READERS must not have the owner 'web', who may read and write",
        ),
        (
            &vec!["a"; 65].join(","),
            "READERS must be at most 64 names, got 65",
        ),
        (
            &"a,".repeat(1 << 20),
            "READERS must be at most 64 names, got 1048577",
        ),
    ] {
        let set = [
            "KEYNS.NS.SET",
            "n",
            "PATTERN",
            "n",
            "OWNER",
            "web",
            "READERS",
        ];
        test.refuses(&[&set[..], &[readers]].concat(), reason);
    }
    test.refuses_line(
        "KEYNS.NS.SET n PATTERN n READERS a READERS b",
        "READERS is given twice (quote a value of several words)",
    );
    test.refuses_line("KEYNS.NS.SET n PATTERN n READERS", "READERS needs a value");
    for (readers, reason) in [
        (
            r#""a""#,
            "readers must be an array of strings, got a string",
        ),
        (
            r#"["a", 1]"#,
            "readers must be an array of strings, got an array with an integer",
        ),
        (r#"["a", "a"]"#, "READERS has 'a' twice"),
        (r#"["a,b"]"#, name),
        (r#"[""]"#, name),
    ] {
        let entry = format!(r#"{{"name": "n", "pattern": "n", "readers": {readers}}}"#);
        test.refuses_entry(&entry, &format!("namespace 'n': {reason}"));
    }
    test.finish();
}

/// An application with `+@all -@admin -@dangerous` could empty the registry where modules have no
/// categories.
#[test]
fn rules_of_a_dump_take_the_registry_away_and_let_readers_only_read() {
    let server = Server::start();
    let mut client = server.client();
    define(&mut client);
    let lines = client.run("KEYNS.NS.DUMP ACL").text();
    let taken = "-keyns.ns.set -keyns.ns.del -keyns.ns.load -keyns.ns.preset";
    assert_eq!(
        lines,
        format!(
            "ACL SETUSER audit resetkeys %R~cart:* %R~log:* {taken}\n\
             ACL SETUSER shop resetkeys ~cart:* %R~page:* {taken}\n\
             ACL SETUSER web resetkeys ~page:* %R~cart:* {taken}\n"
        )
    );
    for user in ["audit", "shop", "web"] {
        client.run(&format!("ACL SETUSER {user} on nopass +@all"));
    }
    // Twice: they may be run again after every change.
    for line in lines.lines().chain(lines.lines()) {
        assert_eq!(client.run(line).text(), "OK", "{line}");
    }
    for (user, key, reads, writes) in [
        ("shop", "cart:1", true, true),
        ("shop", "page:home", true, false),
        ("shop", "log:today", false, false),
        ("web", "page:home", true, true),
        ("web", "cart:1", true, false),
        ("audit", "cart:1", true, false),
        ("audit", "log:today", true, false),
        ("audit", "page:home", false, false),
        ("audit", "free:x", false, false),
    ] {
        for (command, allowed) in [
            (&["GET", key][..], reads),
            (&["KEYNS.CHECK", key], reads),
            (&["SET", key, "x"], writes),
            (&["KEYNS.SEEN", key], writes),
        ] {
            let dry_run = [&["ACL", "DRYRUN", user], command].concat();
            let reply = client.call(&dry_run);
            assert_eq!(
                reply.text() == "OK",
                allowed,
                "{user} {command:?}: {reply:?}"
            );
        }
    }
    let before = client.namespaces();
    let mut web = server.client();
    assert_eq!(web.run("AUTH web x").text(), "OK");
    for line in [
        "KEYNS.NS.SET mine PATTERN page:<a>:<b>",
        "KEYNS.NS.DEL page",
        "KEYNS.NS.LOAD {\"namespaces\":[]} FLUSH",
        "KEYNS.NS.LOAD {\"namespaces\":[]} FLUSH DRYRUN",
        "KEYNS.NS.PRESET general",
    ] {
        let reply = web.run(line);
        assert!(
            reply.is_error() && reply.text().contains("NOPERM"),
            "{line}: {reply:?}"
        );
    }
    assert_eq!(web.run("KEYNS.KEY page home").text(), "page:home");
    assert_eq!(client.namespaces(), before);
}
