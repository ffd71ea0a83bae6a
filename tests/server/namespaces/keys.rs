//! Keys by their namespaces: KEYNS.KEY, KEYNS.CHECK and KEYNS.PARSE.

use std::collections::BTreeMap;

use keyns_testkit::{Client, PRESETS, Server, Value, texts, wait_until};
use serde_json::Value as Json;

const UUID: &str = "123e4567-e89b-42d3-a456-426614174000";

fn start() -> (Server, Client) {
    let server = Server::start();
    let client = server.client();
    (server, client)
}

/// The values of a key, by the names of their placeholders.
#[track_caller]
fn values(client: &mut Client, key: &str) -> BTreeMap<String, String> {
    let values = client.call(&["KEYNS.PARSE", key]).fields()["values"].fields();
    values.into_iter().map(|(k, v)| (k, v.text())).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn the_patterns_of_the_specification_build_check_and_parse() {
    let (_server, mut client) = start();
    client.define("attribute", "user:<id:int>:<attribute>", "");
    client.define("session", "session:<sid:hex>[:<attribute>]", "TTL 1800");
    client.define("cache", "cache:<source>:<path...>", "TTL 300");
    let workspace = "notification.slack:v1:{<tenant>}:workspace:<workspace>";
    client.define("workspace", workspace, "");
    for (line, key, expected) in [
        (
            "attribute 42 email",
            "user:42:email",
            &[("id", "42"), ("attribute", "email")][..],
        ),
        ("session 5f3a", "session:5f3a", &[("sid", "5f3a")]),
        (
            "session 5f3a cart",
            "session:5f3a:cart",
            &[("sid", "5f3a"), ("attribute", "cart")],
        ),
        (
            "cache api users:42:posts",
            "cache:api:users:42:posts",
            &[("source", "api"), ("path", "users:42:posts")],
        ),
        (
            "workspace acme T01",
            "notification.slack:v1:{acme}:workspace:T01",
            &[("tenant", "acme"), ("workspace", "T01")],
        ),
    ] {
        let built = client.run(&format!("KEYNS.KEY {line}"));
        assert_eq!(built, Value::bulk(key), "{line}");
        assert!(client.problems(key).is_empty(), "{key}");
        let name = line.split(' ').next().unwrap();
        assert_eq!(client.check(key)["namespace"].text(), name);
        assert_eq!(values(&mut client, key), pairs(expected), "{key}");
    }
}

#[test]
fn values_become_what_their_type_says() {
    let (_server, mut client) = start();
    for kind in [
        "int", "hex", "uuid", "slug", "number", "date", "path", "hash",
    ] {
        client.define(kind, &format!("{kind}:<x:{kind}>"), "");
    }
    client.define("text", "text:<x>", "");
    client.define("rest", "rest:<x...>", "");
    for (name, value, key) in [
        ("int", "-9223372036854775808", "int:-9223372036854775808"),
        ("hex", "00ff", "hex:00ff"),
        ("uuid", UUID, "uuid:123e4567-e89b-42d3-a456-426614174000"),
        ("slug", "5 Größen & Maße", "slug:fuenf_groessen_masse"),
        ("slug", "VaR", "slug:value_at_risk"),
        ("number", "7", "number:007"),
        ("number", "0042", "number:042"),
        ("number", "123456789012", "number:123456789012"),
        ("date", "2024:02:29", "date:2024:02:29"),
        ("date", "2024:02:29:23:59", "date:2024:02:29:23:59"),
        ("path", "/home/news", "path:_home_news"),
        ("hash", "text", "hash:982d9e3eb996f559"),
        ("hash", "", "hash:e3b0c44298fc1c14"),
        ("text", "ä *?[{}]", "text:ä *?[{}]"),
        ("rest", "a:b:c", "rest:a:b:c"),
    ] {
        let built = client.call(&["KEYNS.KEY", name, value]);
        assert_eq!(built, Value::bulk(key), "{name} {value}");
        assert_eq!(client.check(key)["namespace"].text(), name, "{key}");
    }
    for (name, value) in [
        ("int", "007"),
        ("int", "+7"),
        ("int", "-0"),
        ("int", "9223372036854775808"),
        ("int", ""),
        ("hex", "FF"),
        ("hex", ""),
        ("uuid", "123E4567-E89B-42D3-A456-426614174000"),
        ("slug", "!"),
        ("slug", ""),
        ("number", "-1"),
        ("number", "1234567890123"),
        ("date", "2023:02:29"),
        ("date", "2024:01:01:24"),
        ("date", "2024-01-01"),
        ("path", ""),
        ("path", "a:b"),
        ("text", "a:b"),
        ("text", ""),
        ("rest", "a::b"),
        ("rest", ":a"),
        ("rest", ""),
    ] {
        let error = client.call(&["KEYNS.KEY", name, value]).text();
        let named = error.starts_with("ERR <x> must be ");
        assert!(
            named && error.contains(", got '"),
            "{name} {value}: {error}"
        );
    }
}

#[test]
fn a_key_parses_to_the_values_it_was_built_from() {
    let (_server, mut client) = start();
    let pattern = "all:{<tenant>}:v<v:int>:<n:number>:<u:uuid>:<d:date>:end[:<rest...>]";
    client.define("all", pattern, "");
    let key = format!("all:{{acme}}:v3:007:{UUID}:2024:05:17:09:end:x:y");
    let build = [
        "KEYNS.KEY",
        "all",
        "acme",
        "3",
        "7",
        UUID,
        "2024:05:17:09",
        "x:y",
    ];
    assert_eq!(client.call(&build).text(), key);
    let expected = [
        ("tenant", "acme"),
        ("v", "3"),
        ("n", "7"),
        ("u", UUID),
        ("d", "2024:05:17:09"),
        ("rest", "x:y"),
    ];
    assert_eq!(values(&mut client, &key), pairs(&expected));
    let short = key.trim_end_matches(":x:y");
    assert_eq!(client.call(&build[..7]).text(), short);
    assert_eq!(values(&mut client, short), pairs(&expected[..5]));
}

#[test]
fn any_bytes_can_be_values() {
    let (_server, mut client) = start();
    client.define("text", "text:<x>", "");
    client.define("hash", "hash:<x:hash>", "");
    let odd = b"\0\xff\r\n\x80 \"'";
    let key = client.call(&[&b"KEYNS.KEY"[..], b"text", odd]);
    assert_eq!(key, Value::Bulk([b"text:", &odd[..]].concat()));
    let Value::Bulk(key) = key else {
        unreachable!()
    };
    let parsed = client.call(&[&b"KEYNS.PARSE"[..], &key]).fields();
    assert_eq!(parsed["values"].fields()["x"], Value::Bulk(odd.to_vec()));
    let report = client.call(&[&b"KEYNS.CHECK"[..], &key]).array()[0].fields();
    assert_eq!(report["valid"], Value::Integer(1));
    let hashed = client.call(&[&b"KEYNS.KEY"[..], b"hash", odd]).text();
    assert_eq!(hashed.len(), "hash:".len() + 16);
}

#[test]
fn a_ttl_comes_with_the_key_where_it_is_asked_for() {
    let (_server, mut client) = start();
    client.define("cache", "cache:<x>[:<y>]", "TTL 300");
    client.define("fixed", "fixed", "");
    for (line, key, ttl) in [
        ("cache a WITHTTL", "cache:a", 300),
        ("cache a b withttl", "cache:a:b", 300),
        ("fixed WithTtl", "fixed", -1),
    ] {
        let reply = client.run(&format!("KEYNS.KEY {line}"));
        let expected = Value::Array(vec![Value::bulk(key), Value::Integer(ttl)]);
        assert_eq!(reply, expected, "{line}");
    }
    // The word is a value where one is missing.
    assert_eq!(
        client.run("KEYNS.KEY cache WITHTTL").text(),
        "cache:WITHTTL"
    );
    let both = client.run("KEYNS.KEY cache WITHTTL WITHTTL");
    assert_eq!(both.array()[0].text(), "cache:WITHTTL");
    let all = client.run("KEYNS.KEY cache WITHTTL WITHTTL WITHTTL");
    assert_eq!(all.array()[0].text(), "cache:WITHTTL:WITHTTL");
    assert_eq!(client.run("KEYNS.KEY fixed").text(), "fixed");
}

#[test]
fn the_more_specific_namespace_has_the_key() {
    let (_server, mut client) = start();
    client.define("by_name", "user:<name>", "");
    client.define("by_id", "user:<id:int>", "");
    client.define("me", "user:me", "");
    client.define("deep", "user:<all...>", "");
    client.define("version", "user:v<n:int>", "");
    for (key, name) in [
        ("user:me", "me"),
        ("user:42", "by_id"),
        ("user:v2", "version"),
        ("user:vera", "by_name"),
        ("user:a:b", "deep"),
    ] {
        assert_eq!(client.check(key)["namespace"].text(), name, "{key}");
    }
    for (line, error) in [
        (
            "by_name 42",
            "'user:42' would belong to the namespace 'by_id'",
        ),
        ("by_name me", "'user:me' would belong to the namespace 'me'"),
        (
            "deep v2",
            "'user:v2' would belong to the namespace 'version'",
        ),
    ] {
        let got = client.run(&format!("KEYNS.KEY {line}")).text();
        assert_eq!(got, format!("ERR {error}"));
    }
    client.run("KEYNS.NS.DEL by_id");
    assert_eq!(client.run("KEYNS.KEY by_name 42").text(), "user:42");
}

#[test]
fn check_compares_what_is_stored_with_the_rules() {
    let (_server, mut client) = start();
    for kind in ["string", "hash", "list", "set", "zset", "stream"] {
        client.define(kind, &format!("{kind}:<x>"), &format!("TYPE {kind}"));
        client.define(
            &format!("{kind}.tmp"),
            &format!("{kind}.tmp:<x>"),
            &format!("TYPE {kind} TTL 60"),
        );
    }
    client.define("any", "any:<x>", "");
    client.define("cache", "cache:<x>", "TTL 60 CLASS EVICTABLE");
    let makers: [(&str, &[&str]); 6] = [
        ("string", &["SET", "", "x"]),
        ("hash", &["HSET", "", "f", "x"]),
        ("list", &["RPUSH", "", "x"]),
        ("set", &["SADD", "", "x"]),
        ("zset", &["ZADD", "", "1", "x"]),
        ("stream", &["XADD", "", "*", "f", "x"]),
    ];
    let mut failures = Vec::new();
    for (is, make) in makers {
        for name in [
            "string", "hash", "list", "set", "zset", "stream", "any", "cache",
        ]
        .iter()
        .flat_map(|name| [(*name).to_owned(), format!("{name}.tmp")])
        .filter(|name| name != "any.tmp" && name != "cache.tmp")
        {
            let key = format!("{name}:k");
            let wants_ttl = name.ends_with(".tmp") || name == "cache";
            let wanted = name.trim_end_matches(".tmp");
            let wrong_type = !["any", "cache", is].contains(&wanted);
            for has_ttl in [false, true] {
                client.call(&["DEL", &key]);
                let mut make = make.to_vec();
                make[1] = &key;
                client.call(&make);
                if has_ttl {
                    client.call(&["EXPIRE", &key, "1000"]);
                }
                let mut expected = Vec::new();
                match (wants_ttl, has_ttl) {
                    (true, false) => expected.push("NO_TTL"),
                    (false, true) => expected.push("UNWANTED_TTL"),
                    _ => {}
                }
                if wrong_type {
                    expected.push("WRONG_TYPE");
                }
                let report = client.check(&key);
                let got = texts(&report["problems"]);
                let valid = Value::Integer(i64::from(expected.is_empty()));
                let details = report["details"].array().len();
                if got != expected || report["valid"] != valid || details != expected.len() {
                    failures.push(format!("{is} {key} ttl {has_ttl}: {report:?}"));
                }
                if report["suggestion"] != Value::Null {
                    failures.push(format!("{key}: a right name has a suggestion"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // A key that is not there can have no such problem.
    assert!(client.problems("cache:nothing").is_empty());
    client.run("DEL hash:k");
    client.run("SET cache:k x");
    client.run("RPUSH hash:k x");
    let details = |client: &mut Client, key: &str| texts(&client.check(key)["details"]);
    client.run("EXPIRE hash:k 1000");
    assert_eq!(
        details(&mut client, "cache:k"),
        ["must expire: EXPIRE cache:k 60"]
    );
    assert_eq!(
        details(&mut client, "hash:k"),
        [
            "must not expire: PERSIST hash:k",
            "must be of type hash, is list"
        ]
    );
}

#[test]
fn looking_at_what_is_stored_leaves_no_trace() {
    let (server, mut client) = start();
    client.define("cache", "cache:<x>", "TTL 60 TYPE hash");
    client.run("SET cache:a x");
    client.run("SET cache:b x PX 1");
    wait_until("it is over", || client.run("EXISTS cache:b").integer() == 0);
    client.run("CONFIG RESETSTAT");
    let before = server.digest();
    assert_eq!(client.problems("cache:a"), ["NO_TTL", "WRONG_TYPE"]);
    assert!(client.problems("cache:b").is_empty());
    assert!(client.problems("cache:c").is_empty());
    assert_eq!(client.info("stats", "keyspace_hits"), "0");
    assert_eq!(client.info("stats", "keyspace_misses"), "0");
    assert_eq!(server.digest(), before);
    client.run("SELECT 3");
    assert!(client.problems("cache:a").is_empty());
}

#[test]
fn check_says_what_was_expected_where() {
    let (_server, mut client) = start();
    client.define("user", "user:<id:int>:<attribute>", "");
    client.define("day", "visits:<day:date>:log", "");
    for (key, detail) in [
        (
            "user:abc:email",
            "<id> of 'user': expected an integer without leading zeros, got 'abc'",
        ),
        (
            "user:42",
            "<attribute> of 'user': expected text without ':'",
        ),
        (
            "user:42:",
            "<attribute> of 'user': expected text without ':'",
        ),
        (
            "user:42:a:b",
            "a key of 'user': expected the end of the key, got 'b'",
        ),
        ("visits:2024:05:17", "a key of 'day': expected 'log'"),
    ] {
        let report = client.check(key);
        assert_eq!(texts(&report["problems"]), ["BAD_FORMAT"], "{key}");
        assert_eq!(texts(&report["details"]), [detail], "{key}");
        assert_eq!(report["namespace"], Value::Null, "{key}");
        assert_eq!(report["valid"], Value::Integer(0));
    }
    // Nothing starts like these: the convention's problems, and that no namespace has them.
    assert_eq!(client.problems("doc:intro:001"), ["NO_NAMESPACE"]);
    assert_eq!(
        client.problems("doc:In-tro:1"),
        ["UPPERCASE", "HYPHEN", "NUMBER_WIDTH", "NO_NAMESPACE"]
    );
    let long = format!("doc:{}:001", "x".repeat(200));
    let shown = format!("doc:{}...", "x".repeat(60));
    for (key, shown) in [
        ("doc:intro:001", "doc:intro:001"),
        ("userProfile:1", "userProfile:1"),
        ("\u{e4}\n'", "\\xc3\\xa4\\n\\'"),
        ("", ""),
        (&long, &shown),
    ] {
        let detail = format!("no namespace has a pattern for '{shown}'");
        assert_eq!(texts(&client.check(key)["details"]), [detail]);
    }
}

#[test]
fn a_suggestion_is_a_key_of_a_namespace() {
    let (_server, mut client) = start();
    client.define("user", "user:<id:int>:<attribute>", "");
    client.define("session", "session:<sid:hex>", "TTL 60");
    client.define("entity", "entity:<id:uuid>", "");
    client.define("doc", "doc:<slug:slug>:<number:number>", "");
    client.define("page", "page_cache:<path:path>", "");
    client.define("day", "visits:<day:date>", "");
    let upper = UUID.to_uppercase();
    for (key, suggestion) in [
        ("user:007:email", Some("user:7:email")),
        ("USER:42:email", Some("user:42:email")),
        ("user/42/email", Some("user:42:email")),
        ("usr:42:email", Some("user:42:email")),
        ("session:5F3A", Some("session:5f3a")),
        (&format!("entity:{upper}"), Some(&format!("entity:{UUID}"))),
        (
            "doc:portfolio-strategies:1",
            Some("doc:portfolio_strategies:001"),
        ),
        ("page-cache:home", Some("page_cache:home")),
        ("visits:2024-5-7", Some("visits:2024:05:07")),
        ("user:abc:email", None),
        ("nothing:like:it", None),
        ("", None),
        ("user:42:email", None),
    ] {
        let report = client.check(key);
        let expected = suggestion.map_or(Value::Null, Value::bulk);
        assert_eq!(report["suggestion"], expected, "{key}");
        if let Some(suggestion) = suggestion {
            let again = client.check(suggestion);
            assert_eq!(again["valid"], Value::Integer(1), "{suggestion}");
            assert_ne!(again["namespace"], Value::Null, "{suggestion}");
        }
    }
}

#[test]
fn check_and_parse_say_more_only_where_there_are_namespaces() {
    let (server, mut client) = start();
    let mut client3 = server.client3();
    let names = |value: &Value| match value {
        Value::Map(pairs) => pairs.iter().map(|(k, _)| k.text()).collect::<Vec<_>>(),
        other => panic!("not a map: {other:?}"),
    };
    let check = [
        "valid",
        "problems",
        "warnings",
        "suggestion",
        "namespace",
        "details",
    ];
    let parse = [
        "scope",
        "kind",
        "slug",
        "number",
        "relation",
        "namespace",
        "values",
    ];
    let mut fields = |line: &str| match client3.run(line) {
        Value::Array(values) => names(&values[0]),
        other => names(&other),
    };
    assert_eq!(fields("KEYNS.CHECK doc:intro:001"), check[..4]);
    assert_eq!(fields("KEYNS.PARSE doc:intro:001"), parse[..5]);
    client.define("user", "user:<id:int>", "");
    assert_eq!(fields("KEYNS.CHECK doc:intro:001"), check);
    assert_eq!(fields("KEYNS.PARSE doc:intro:001"), parse);
    client.run("KEYNS.NS.DEL user");
    assert_eq!(fields("KEYNS.CHECK doc:intro:001"), check[..4]);
    assert_eq!(fields("KEYNS.PARSE doc:intro:001"), parse[..5]);
}

#[test]
fn parse_knows_names_namespaces_or_both() {
    let (server, mut client) = start();
    client.define("user", "user:<id:int>", "");
    client.define("doc", "doc:<title:slug>:<number:number>", "");
    let mut client3 = server.client3();
    let both = client3.run("KEYNS.PARSE doc:intro:007").fields();
    assert_eq!(both["number"].text(), "007");
    assert_eq!(both["namespace"].text(), "doc");
    let expected = [("title", "intro"), ("number", "7")];
    let expected = expected.map(|(k, v)| (Value::bulk(k), Value::bulk(v)));
    assert_eq!(both["values"], Value::Map(expected.to_vec()));

    let only_namespace = client3.run("KEYNS.PARSE user:42").fields();
    assert_eq!(only_namespace["kind"], Value::Null);
    assert_eq!(only_namespace["slug"], Value::Null);
    assert_eq!(only_namespace["namespace"].text(), "user");

    let only_name = client3.run("KEYNS.PARSE ch:intro:001").fields();
    assert_eq!(only_name["kind"].text(), "ch");
    assert_eq!(only_name["namespace"], Value::Null);
    assert_eq!(only_name["values"], Value::Map(vec![]));

    assert_eq!(client3.run("KEYNS.PARSE user:x"), Value::Null);
}

#[test]
fn every_format_of_the_seeds_is_built_and_parsed_by_a_preset() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/seed_formats.json");
    let rows = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Json> = serde_json::from_str(&rows).unwrap();
    assert!(rows.len() > 300);
    let (_server, mut client) = start();
    let mut failures = Vec::new();
    for preset in PRESETS {
        client.run(&format!("KEYNS.NS.PRESET {preset} FLUSH"));
        for row in rows.iter().filter(|row| row["preset"] == preset) {
            if let Err(reason) = check_row(&mut client, row) {
                failures.push(format!("{row}\n    {reason}"));
            }
        }
    }
    let known = |row: &&Json| PRESETS.iter().any(|preset| row["preset"] == *preset);
    assert!(rows.iter().all(|row| known(&row)));
    let total = rows.len();
    let count = failures.len();
    assert!(
        failures.is_empty(),
        "{count} of {total}:\n{}",
        failures.join("\n")
    );
}

/// Builds a row's key, takes it apart, and builds it again from what came out.
fn check_row(client: &mut Client, row: &Json) -> Result<(), String> {
    let text = |field: &str| row[field].as_str().unwrap();
    let given = row["values"].as_array().unwrap();
    let given: Vec<&str> = given.iter().map(|value| value.as_str().unwrap()).collect();
    let build = |client: &mut Client, values: &[&str]| {
        let args = [&["KEYNS.KEY", text("namespace")], values].concat();
        client.call(&args).text()
    };
    let expect = |what: &str, got: String, expected: &str| match got == expected {
        true => Ok(()),
        false => Err(format!("{what}: expected '{expected}', got '{got}'")),
    };
    expect("built", build(client, &given), text("key"))?;
    let parsed = client.call(&["KEYNS.PARSE", text("key")]).fields();
    expect("namespace", parsed["namespace"].text(), text("namespace"))?;
    let parsed: Vec<String> = match &parsed["values"] {
        Value::Array(flat) => flat.chunks(2).map(|pair| pair[1].text()).collect(),
        other => panic!("not a flat map: {other:?}"),
    };
    let show = client
        .run(&format!("KEYNS.NS.GET {}", text("namespace")))
        .fields();
    let pattern = show["pattern"].text();
    let again: Vec<&str> = parsed.iter().map(String::as_str).collect();
    if given.len() != again.len() {
        return Err(format!("{} values, got {again:?}", given.len()));
    }
    let holes = pattern.split('<').skip(1);
    let kinds = holes.map(|hole| hole.split_once('>').map_or("", |(inner, _)| inner));
    let kinds = kinds.map(|inner| inner.split_once(':').map_or("", |(_, kind)| kind));
    for ((given, got), kind) in given.iter().zip(&again).zip(kinds) {
        let expected = match kind {
            // It does not show what it was made of.
            "hash" => continue,
            "slug" => client.call(&["KEYNS.SLUG", given]).text(),
            "number" => given.trim_start_matches('0').to_owned(),
            "path" => given.replace('/', "_"),
            _ => (*given).to_owned(),
        };
        expect("value", (*got).to_owned(), &expected)?;
    }
    if !pattern.contains(":hash>") {
        expect("built again", build(client, &again), text("key"))?;
    }
    let report = client.check(text("key"));
    match report["valid"] == Value::Integer(1) {
        true => Ok(()),
        false => Err(format!("{report:?}")),
    }
}

#[test]
fn slugs_in_keys_follow_the_settings() {
    let (_server, mut client) = start();
    client.define("doc", "doc:<title:slug>", "");
    let mut build = |lang: &str| {
        client.call(&["CONFIG", "SET", "keyns.lang", lang]);
        client.call(&["KEYNS.KEY", "doc", "5 x"]).text()
    };
    assert_eq!(build("en"), "doc:five_x");
    assert_eq!(build("de"), "doc:fuenf_x");
}

/// The preset had no namespace for the keys that its own pages give to these commands.
#[test]
fn live_keys_of_our_own_commands_fit_the_preset_general() {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(client.run("KEYNS.NS.PRESET general").integer(), 79);
    for (line, key, namespace) in [
        (
            "KEYNS.RATE rate:api:ada SLIDING 10 1s",
            "rate:api:ada",
            "rate",
        ),
        (
            "KEYNS.RATE rate:login:203.0.113.7 BUCKET 3 6 1h",
            "rate:login:203.0.113.7",
            "rate",
        ),
        (
            "KEYNS.RATE.BLOCK rate:login:eva 1h",
            "rate:login:eva",
            "rate",
        ),
        ("KEYNS.LOCK lock:report me PX 60000", "lock:report", "lock"),
        ("KEYNS.SEEN dup:order:4711", "dup:order:4711", "dup"),
        ("KEYNS.ADVANCE ver:order:4711 5", "ver:order:4711", "ver"),
        ("KEYNS.ADVANCE token:press 5 EX 0", "token:press", "token"),
        (
            "KEYNS.CHECKPOINT checkpoint:prod:orders 5",
            "checkpoint:prod:orders",
            "checkpoint",
        ),
    ] {
        assert!(!client.run(line).is_error(), "{line}");
        let report = client.check(key);
        assert_eq!(report["namespace"].text(), namespace, "{key}");
        assert_eq!(report["valid"], Value::Integer(1), "{key}: {report:?}");
        assert_eq!(client.run(&format!("EXISTS {key}")).integer(), 1, "{key}");
    }
    client.run("KEYNS.COUNT counter:visits:page:home GRAIN YEAR GRAIN MONTH GRAIN DAY GRAIN HOUR GRAIN MINUTE AT 1700000000 KEEP 3600");
    for (key, namespace) in [
        ("counter:visits:page:home:2023", "counter:year"),
        ("counter:visits:page:home:2023:11:14", "counter:day"),
        (
            "counter:visits:page:home:2023:11:14:22:13",
            "counter:minute",
        ),
    ] {
        assert_eq!(client.check(key)["namespace"].text(), namespace, "{key}");
    }
}
