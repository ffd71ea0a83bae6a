//! Namespaces: definitions, lists, files and dumps.

use std::collections::BTreeSet;

use keyns_testkit::{Client, PRESETS, Server, Value, namespaces_json, texts, wait_until};
use serde_json::Value as Json;

fn start() -> (Server, Client) {
    let server = Server::start();
    let client = server.client();
    (server, client)
}

#[test]
fn a_definition_is_shown_as_it_was_made() {
    let (server, mut client) = start();
    let set = [
        "KEYNS.NS.SET",
        "session",
        "PATTERN",
        "session:<sid:hex>[:<attribute>]",
        "TTL",
        "1800",
        "CLASS",
        "EVICTABLE",
        "TYPE",
        "hash",
        "OWNER",
        "web",
        "READERS",
        "ops,audit",
        "DESC",
        "Größe | state of a visitor",
    ];
    assert_eq!(client.call(&set), Value::Simple("OK".into()));
    let bulk = Value::bulk;
    let field = |name: &str, value: Value| (bulk(name), value);
    let expected = vec![
        field("name", bulk("session")),
        field("pattern", bulk("session:<sid:hex>[:<attribute>]")),
        field("ttl", Value::Integer(1800)),
        field("class", bulk("EVICTABLE")),
        field("type", bulk("hash")),
        field("owner", bulk("web")),
        field("readers", Value::Array(vec![bulk("audit"), bulk("ops")])),
        field("description", bulk("Größe | state of a visitor")),
        field("example", bulk("session:5f3a9c:attribute")),
    ];
    let shown = server.client3().run("KEYNS.NS.GET session");
    assert_eq!(shown, Value::Map(expected.clone()));
    let flat: Vec<Value> = expected.into_iter().flat_map(|(k, v)| [k, v]).collect();
    assert_eq!(client.run("KEYNS.NS.GET session"), Value::Array(flat));

    client.define("lock", "lock:<name>", "");
    let shown = client.run("KEYNS.NS.GET lock").fields();
    assert_eq!(shown["class"].text(), "PROTECTED");
    for absent in ["ttl", "type", "owner", "description"] {
        assert_eq!(shown[absent], Value::Null, "{absent}");
    }
    assert_eq!(client.run("KEYNS.NS.GET nothing"), Value::Null);
    assert_eq!(server.client3().run("KEYNS.NS.GET nothing"), Value::Null);
}

#[test]
fn options_come_in_any_order_and_case() {
    let (_server, mut client) = start();
    client.define("first", "a:<x>", "TTL 60 CLASS temporary TYPE ZSET OWNER o");
    let expected = client.run("KEYNS.NS.GET first").fields();
    for line in [
        "KEYNS.NS.SET first OWNER o TYPE zset CLASS TEMPORARY TTL 60 PATTERN a:<x>",
        "keyns.ns.set first pattern a:<x> owner o ttl 60 class Temporary type Zset",
        "Keyns.Ns.Set first Ttl 60 Pattern a:<x> Type zset Owner o",
    ] {
        client.run("KEYNS.NS.DEL first");
        assert_eq!(client.run(line).text(), "OK", "{line}");
        let got = client.run("KEYNS.NS.GET first").fields();
        assert_eq!(got, expected, "{line}");
    }
    client.run("KEYNS.NS.SET first PATTERN a:<x> TTL none CLASS Protected");
    let got = client.run("KEYNS.NS.GET first").fields();
    assert_eq!(got["ttl"], Value::Null);
    assert_eq!(got["class"].text(), "PROTECTED");
}

#[test]
fn a_class_that_is_not_given_follows_from_the_ttl() {
    let (_server, mut client) = start();
    for (options, class) in [
        ("", "PROTECTED"),
        ("TTL NONE", "PROTECTED"),
        ("TTL 1", "TEMPORARY"),
        ("TTL 100000000000 CLASS EVICTABLE", "EVICTABLE"),
    ] {
        client.define("n", "n:<x>", options);
        let got = client.run("KEYNS.NS.GET n").fields();
        assert_eq!(got["class"].text(), class, "{options}");
    }
}

#[test]
fn a_definition_takes_the_place_of_the_one_with_its_name() {
    let (_server, mut client) = start();
    client.define("n", "old:<x>", "OWNER web");
    client.define("n", "new:<x>", "");
    assert_eq!(client.namespace_names(), ["n"]);
    let shown = client.run("KEYNS.NS.GET n").fields();
    assert_eq!(shown["owner"], Value::Null);
    assert!(client.problems("old:1").contains(&"NO_NAMESPACE".into()));
    assert!(client.problems("new:1").is_empty());
    // The same once more, and its old pattern for another.
    client.define("n", "new:<x>", "");
    client.define("m", "old:<x>", "");
}

#[test]
fn names_are_listed_sorted_and_by_glob() {
    let (_server, mut client) = start();
    assert_eq!(client.run("KEYNS.NS.LIST"), Value::Array(vec![]));
    for name in ["user:b", "user:a", "User", "cache", "a.b-c_d"] {
        let pattern = format!("{}:<x>", name.replace(':', "_"));
        client.define(name, &pattern, "");
    }
    for (glob, names) in [
        ("*", &["User", "a.b-c_d", "cache", "user:a", "user:b"][..]),
        ("user:*", &["user:a", "user:b"]),
        ("[uU]ser*", &["User", "user:a", "user:b"]),
        ("?ache", &["cache"]),
        ("user:[^a]", &["user:b"]),
        ("USER*", &[]),
        ("", &[]),
    ] {
        let reply = client.call(&["KEYNS.NS.LIST", glob]);
        assert_eq!(texts(&reply), names, "{glob}");
    }
    let all = texts(&client.run("KEYNS.NS.LIST"));
    assert_eq!(all.len(), 5);
    // A glob that takes others all day.
    let hostile = "*a".repeat(127) + "b";
    assert_eq!(client.call(&["KEYNS.NS.LIST", &hostile]).array(), []);
}

#[test]
fn removing_counts_what_was_there() {
    let (_server, mut client) = start();
    for name in ["a", "b", "c"] {
        client.define(name, &format!("{name}:<x>"), "");
    }
    assert_eq!(client.run("KEYNS.NS.DEL a nothing b a").integer(), 2);
    assert_eq!(client.run("KEYNS.NS.DEL a").integer(), 0);
    assert_eq!(client.call(&[&b"KEYNS.NS.DEL"[..], b"\xff\0"]).integer(), 0);
    assert_eq!(client.namespace_names(), ["c"]);
}

#[test]
fn presets_load_alone_and_twice_and_their_examples_are_valid() {
    let (_server, mut client) = start();
    for preset in PRESETS {
        let count = client
            .run(&format!("KEYNS.NS.PRESET {preset} FLUSH"))
            .integer();
        let dump = client.namespaces();
        let again = client.run(&format!("keyns.ns.preset {}", preset.to_uppercase()));
        assert_eq!(again.integer(), count, "{preset}");
        assert_eq!(client.namespaces(), dump, "{preset}");
        let names = client.namespace_names();
        assert_eq!(names.len() as i64, count, "{preset}");
        for name in names {
            let shown = client.run(&format!("KEYNS.NS.GET {name}")).fields();
            let report = client.check(&shown["example"].text());
            assert_eq!(report["valid"], Value::Integer(1), "{preset}: {report:?}");
            assert_eq!(report["namespace"].text(), name, "{preset}");
        }
    }
}

#[test]
fn the_ttls_of_the_presets_are_those_of_the_specification() {
    let (_server, mut client) = start();
    for (preset, name, ttl) in [
        ("content", "page:cache", 300),
        ("content", "template:cache", 900),
        ("content", "rate", 900),
        ("content", "session", 86_400),
        ("content", "csrf", 3600),
        ("content", "lock", 30),
        ("content", "temp", 600),
        ("projections", "notification.slack:pp:ver", 7 * 86_400),
        ("projections", "notification.slack:pd:dup", 48 * 3600),
        ("projections", "notification.slack:tombstone", 30 * 86_400),
        ("campaigns", "segment:members", 3600),
        ("campaigns", "segment:metadata", 600),
        ("campaigns", "events:recent", 60),
        ("general", "session", 1800),
    ] {
        client.run(&format!("KEYNS.NS.PRESET {preset} FLUSH"));
        let shown = client.run(&format!("KEYNS.NS.GET {name}")).fields();
        assert_eq!(shown["ttl"], Value::Integer(ttl), "{preset} {name}");
    }
}

#[test]
fn a_dump_loads_as_it_was() {
    let (_server, mut client) = start();
    for preset in PRESETS {
        client.run(&format!("KEYNS.NS.PRESET {preset} REPLACE"));
    }
    client.call(&[
        "KEYNS.NS.SET",
        "odd",
        "PATTERN",
        "größe:{<t>}:v<n:int>.json[:<rest...>]",
        "OWNER",
        "böse",
        "DESC",
        "\"quoted\" \\ <b> | € 😀",
    ]);
    let dump = client.namespaces();
    assert_eq!(client.run("KEYNS.NS.DUMP json").text(), dump);
    let count = client.namespace_names().len() as i64;
    let flush = ["KEYNS.NS.LOAD", r#"{"namespaces": []}"#, "FLUSH"];
    assert_eq!(client.call(&flush).integer(), 0);
    assert!(client.namespace_names().is_empty());
    assert_eq!(client.call(&["KEYNS.NS.LOAD", &dump]).integer(), count);
    assert_eq!(client.namespaces(), dump);
    // What is the same already is no contradiction.
    assert_eq!(client.call(&["KEYNS.NS.LOAD", &dump]).integer(), count);
    let json: Json = serde_json::from_str(&dump).unwrap();
    let names: Vec<&str> = json["namespaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["name"].as_str().unwrap())
        .collect();
    assert!(names.is_sorted());
    assert_eq!(names, client.namespace_names());
}

#[test]
fn loading_keeps_replaces_or_removes_what_is_there() {
    let (_server, mut client) = start();
    let first = namespaces_json(&[("a", "a:<x>"), ("b", "b:<x>")]);
    assert_eq!(client.call(&["KEYNS.NS.LOAD", &first]).integer(), 2);
    let swapped = namespaces_json(&[("a", "b:<x>"), ("b", "a:<x>")]);
    let refused = client.call(&["KEYNS.NS.LOAD", &swapped]).text();
    let reason = "ERR namespace 'a' already has another definition (REPLACE replaces it)";
    assert_eq!(refused, reason);
    // Two that change places are no contradiction.
    assert_eq!(
        client
            .call(&["KEYNS.NS.LOAD", &swapped, "replace"])
            .integer(),
        2
    );
    assert_eq!(client.check("b:1")["namespace"].text(), "a");
    let third = namespaces_json(&[("c", "c:<x>")]);
    assert_eq!(
        client.call(&["KEYNS.NS.LOAD", &third, "REPLACE"]).integer(),
        1
    );
    assert_eq!(client.namespace_names(), ["a", "b", "c"]);
    assert_eq!(
        client.call(&["KEYNS.NS.LOAD", &third, "flush"]).integer(),
        1
    );
    assert_eq!(client.namespace_names(), ["c"]);
}

#[test]
fn the_only_presets_that_contradict_each_other_are_told_apart_by_an_option() {
    let (_server, mut client) = start();
    for preset in ["documents", "content", "projections", "campaigns"] {
        let reply = client.run(&format!("KEYNS.NS.PRESET {preset}"));
        assert!(!reply.is_error(), "{preset}: {reply:?}");
    }
    let before = client.namespaces();
    let error = client.run("KEYNS.NS.PRESET general").text();
    let reason = "ERR namespace 'session' already has another definition (REPLACE replaces it)";
    assert_eq!(error, reason);
    assert_eq!(client.namespaces(), before);
    assert!(!client.run("KEYNS.NS.PRESET general REPLACE").is_error());
    assert_eq!(
        client.run("KEYNS.NS.GET session").fields()["ttl"].integer(),
        1800
    );
}

#[test]
fn a_dump_for_people_has_a_table_for_each_class() {
    let (_server, mut client) = start();
    let empty = client.run("KEYNS.NS.DUMP MARKDOWN").text();
    assert!(empty.contains("0 namespaces"), "{empty}");
    assert!(!empty.contains("| Name |"), "{empty}");
    client.define("kept", "kept:<x>", "OWNER web.team");
    client.define(
        "cache",
        "cache:<x>|<y>",
        "TTL 1800 CLASS EVICTABLE TYPE hash",
    );
    client.define("lock", "lock:<x>", "TTL 30");
    client.define("temp", "temp:<x>", "TTL 90");
    client.call(&[
        "KEYNS.NS.SET",
        "d",
        "PATTERN",
        "d:<x>",
        "DESC",
        "*not* | <b>bold</b> `x`",
    ]);
    let page = client.run("KEYNS.NS.DUMP markdown").text();
    assert!(
        page.contains("5 namespaces: 2 protected, 1 evictable, 2 temporary."),
        "{page}"
    );
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    let titles: Vec<_> = sections.iter().map(|s| s.lines().next().unwrap()).collect();
    assert_eq!(titles, ["PROTECTED", "EVICTABLE", "TEMPORARY"]);
    let rows = |section: &str| section.lines().filter(|l| l.starts_with("| `")).count();
    assert_eq!(
        sections.iter().map(|s| rows(s)).collect::<Vec<_>>(),
        [2, 1, 2]
    );
    for (section, row) in [
        (
            0,
            r"| `kept` | `kept:<x>` |  | none | web.team |  | `kept:x` |",
        ),
        (
            1,
            r"| `cache` | `cache:<x>\|<y>` | hash | 30 min (1800 s) |  |  | `cache:x\|y` |",
        ),
        (2, "| `temp` | `temp:<x>` |  | 90 s |  |  | `temp:x` |"),
    ] {
        assert!(sections[section].lines().any(|line| line == row), "{page}");
    }
    // As many cells in every row, whatever is in them.
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let cells = line.replace(r"\|", "").matches('|').count();
        assert_eq!(cells, 8, "{line}");
    }
    assert!(!page.contains("<b>bold"), "{page}");
}

#[test]
fn a_dump_for_the_acl_is_accepted_as_it_is_and_gives_each_owner_its_keys() {
    let (_server, mut client) = start();
    client.define(
        "session",
        "session:<sid:hex>[:<attribute>]",
        "OWNER web TTL 60",
    );
    client.define("config", "config:web[:v<n:int>]", "OWNER web");
    client.define(
        "tenant",
        "{<tenant>}:order:<id:int>:items",
        "OWNER Shop.Team-1",
    );
    client.define("mail", "mail:<at>@<host>", "OWNER groesse");
    client.define("free", "free:<x>", "");
    let lines = client.run("KEYNS.NS.DUMP ACL").text();
    assert_eq!(lines.lines().count(), 3, "{lines}");
    for line in lines.lines() {
        assert_eq!(client.run(line).text(), "OK", "{line}");
        let owner = line.split(' ').nth(2).unwrap();
        client.run(&format!("ACL SETUSER {owner} +@all"));
    }
    for (owner, key, allowed) in [
        ("web", "session:5f3a", true),
        ("web", "session:5f3a:cart", true),
        ("web", "config:web", true),
        ("web", "config:web:v2", true),
        ("web", "config:web:x", false),
        ("web", "config:webby", false),
        ("web", "session", false),
        ("web", "xsession:1", false),
        ("web", "free:x", false),
        ("web", "{acme}:order:1:items", false),
        ("Shop.Team-1", "{acme}:order:1:items", true),
        ("Shop.Team-1", "{acme}:order:1:total", false),
        ("Shop.Team-1", "acme:order:1:items", false),
        ("Shop.Team-1", "session:5f3a", false),
        ("groesse", "mail:a@b.c", true),
        ("groesse", "mail:a", false),
    ] {
        for command in [&["GET", key][..], &["SET", key, "x"]] {
            let dry_run = [&["ACL", "DRYRUN", owner], command].concat();
            let reply = client.call(&dry_run);
            assert_eq!(
                reply.text() == "OK",
                allowed,
                "{owner} {command:?}: {reply:?}"
            );
        }
    }
    // Once more, after a change: what is gone is no longer allowed.
    client.run("KEYNS.NS.DEL session");
    for line in client.run("KEYNS.NS.DUMP ACL").text().lines() {
        client.run(line);
    }
    let gone = client.run("ACL DRYRUN web GET session:5f3a");
    assert_ne!(gone.text(), "OK");
}

#[test]
fn examples_of_all_owned_namespaces_are_allowed_by_their_acl() {
    let (_server, mut client) = start();
    let mut owned = Vec::new();
    for preset in ["documents", "content", "projections", "campaigns"] {
        client.run(&format!("KEYNS.NS.PRESET {preset}"));
    }
    let mut json: Json = serde_json::from_str(&client.namespaces()).unwrap();
    for (index, entry) in json["namespaces"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .enumerate()
    {
        entry["owner"] = format!("owner{}", index % 7).into();
    }
    client.call(&["KEYNS.NS.LOAD", &json.to_string(), "REPLACE"]);
    for line in client.run("KEYNS.NS.DUMP ACL").text().lines() {
        assert_eq!(client.run(line).text(), "OK", "{line}");
        client.run(&format!(
            "ACL SETUSER {} +@all",
            line.split(' ').nth(2).unwrap()
        ));
    }
    for name in client.namespace_names() {
        let shown = client.run(&format!("KEYNS.NS.GET {name}")).fields();
        owned.push((shown["owner"].text(), shown["example"].text()));
    }
    for (owner, key) in &owned {
        let reply = client.call(&["ACL", "DRYRUN", owner, "GET", key]);
        assert_eq!(reply.text(), "OK", "{key}");
    }
    let owners: BTreeSet<_> = owned.iter().map(|(owner, _)| owner).collect();
    assert_eq!(owners.len(), 7);
}

#[test]
fn info_counts_namespaces_calls_and_errors() {
    let (_server, mut client) = start();
    let counts = |client: &mut Client| {
        [
            "keyns_namespaces",
            "keyns_namespaces_calls",
            "keyns_namespaces_errors",
        ]
        .map(|field| client.info("keyns", field).parse::<u64>().unwrap())
    };
    assert_eq!(counts(&mut client), [0, 0, 0]);
    client.define("a", "a:<x>", "");
    client.define("b", "b:<x>", "");
    assert_eq!(counts(&mut client), [2, 2, 0]);
    client.run("KEYNS.NS.SET c PATTERN a:<y>");
    client.run("KEYNS.KEY a");
    client.run("KEYNS.KEY a 1");
    client.run("KEYNS.NS.GET nothing");
    client.run("KEYNS.NS.DUMP ACL");
    assert_eq!(counts(&mut client), [2, 7, 2]);
    client.run("KEYNS.NS.DEL a b");
    assert_eq!(counts(&mut client), [0, 8, 2]);
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}

#[test]
fn transactions_and_scripts() {
    let (_server, mut client) = start();
    client.run("MULTI");
    for line in [
        "KEYNS.NS.SET user PATTERN user:<id:int>",
        "KEYNS.KEY user 42",
        "KEYNS.NS.SET other PATTERN user:<n:int>",
        "KEYNS.CHECK user:42",
        "KEYNS.NS.PRESET campaigns",
        "KEYNS.NS.DEL user",
        "KEYNS.NS.LIST contact*",
    ] {
        assert_eq!(client.run(line).text(), "QUEUED", "{line}");
    }
    let replies = client.run("EXEC");
    let replies = replies.array();
    assert_eq!(replies[1], Value::bulk("user:42"));
    assert!(replies[2].is_error());
    assert_eq!(replies[3].array()[0].fields()["namespace"].text(), "user");
    assert_eq!(replies[4].integer(), 10);
    assert_eq!(replies[5].integer(), 1);
    assert_eq!(texts(&replies[6]), ["contact", "contacts:ids"]);

    let script = "redis.call('KEYNS.NS.SET', 'lua', 'PATTERN', 'lua:<x>', 'TTL', '5')
        local built = redis.call('KEYNS.KEY', 'lua', ARGV[1], 'WITHTTL')
        redis.call('SET', built[1], 'x', 'EX', built[2])
        return {built[1], redis.call('KEYNS.CHECK', built[1])[1][2]}";
    let reply = client.call(&["EVAL", script, "0", "a b"]);
    assert_eq!(reply.array(), [Value::bulk("lua:a b"), Value::Integer(1)]);
    let read_only = ["EVAL_RO", "return redis.call('KEYNS.KEY', 'lua', '1')", "0"];
    assert_eq!(client.call(&read_only).text(), "lua:1");
    let write = "return redis.call('KEYNS.NS.DEL', 'lua')";
    assert!(client.call(&["EVAL_RO", write, "0"]).is_error());
    assert_eq!(client.call(&["EVAL", write, "0"]).integer(), 1);
}

#[test]
fn a_node_of_a_cluster_has_its_own() {
    let server = Server::node();
    let mut client = server.client();
    client.call(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    wait_until("the cluster is up", || {
        let info = client.run("CLUSTER INFO").text();
        info.contains("cluster_state:ok")
    });
    client.define("user", "user:{<tenant>}:<id:int>", "");
    assert_eq!(
        client.run("KEYNS.KEY user acme 42").text(),
        "user:{acme}:42"
    );
    assert!(client.problems("user:{acme}:42").is_empty());
    let apart = client.run("KEYNS.CHECK user:{a}:1 user:{b}:1").text();
    assert!(apart.starts_with("CROSSSLOT"), "{apart}");
}

#[test]
fn definitions_are_no_keys_and_outlive_flushall() {
    let (_server, mut client) = start();
    client.define("user", "user:<id:int>", "");
    assert_eq!(client.run("DBSIZE").integer(), 0);
    client.run("FLUSHALL");
    client.run("SELECT 3");
    assert_eq!(client.run("KEYNS.KEY user 42").text(), "user:42");
}

#[test]
fn replicas_answer_reads() {
    let (server, mut client) = start();
    client.define("cache", "cache:<x>", "TTL 60");
    client.run("SET cache:a x");
    let replica = server.replica();
    let mut reader = replica.client();
    wait_until("the namespaces are there", || {
        reader.namespace_names() == ["cache"]
    });
    assert_eq!(reader.run("KEYNS.KEY cache a").text(), "cache:a");
    assert_eq!(reader.problems("cache:a"), ["NO_TTL"]);
    let parsed = reader.run("KEYNS.PARSE cache:a").fields();
    assert_eq!(parsed["values"].fields()["x"].text(), "a");
    assert_eq!(
        reader.run("KEYNS.NS.GET cache").fields()["ttl"].integer(),
        60
    );
    for format in ["JSON", "MARKDOWN", "ACL"] {
        let dump = format!("KEYNS.NS.DUMP {format}");
        assert_eq!(reader.run(&dump), client.run(&dump));
    }
}

#[test]
fn a_ttl_is_seconds_or_a_period_and_is_shown_in_seconds() {
    let (_server, mut client) = start();
    for (period, seconds) in [
        ("1800", 1800),
        ("1800s", 1800),
        ("2000ms", 2),
        ("30m", 1800),
        ("2h", 7200),
        ("7d", 604_800),
        ("1157407d", 99_999_964_800),
    ] {
        client.define("a", "a:<x>", &format!("TTL {period}"));
        let shown = client.run("KEYNS.NS.GET a").fields();
        assert_eq!(shown["ttl"].integer(), seconds, "{period}");
        let json = format!(
            r#"{{"namespaces": [{{"name": "b", "pattern": "b:<x>", "ttl": "{period}"}}]}}"#
        );
        assert_eq!(
            client.call(&["KEYNS.NS.LOAD", &json, "REPLACE"]).integer(),
            1
        );
        assert_eq!(
            client.run("KEYNS.KEY b x WITHTTL").array()[1].integer(),
            seconds
        );
        let written = format!("\"ttl\": {seconds},");
        assert_eq!(client.namespaces().matches(&written).count(), 2, "{period}");
    }
}
