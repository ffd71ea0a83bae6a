//! No glob, no key and no registry keeps the server from its other work.

use std::time::{Duration, Instant};

use keyns_testkit::{Client, Server, Value};

/// As many as there may be, all alike but for a text in the middle.
fn many_alike() -> String {
    let entries: Vec<String> = (0..10_000)
        .map(|n| format!(r#"{{"name":"n{n}","pattern":"x:a<p:hex>c<q>n{n}-<r>z","ttl":77}}"#))
        .collect();
    format!(r#"{{"namespaces":[{}]}}"#, entries.join(","))
}

fn loaded() -> (Server, Client) {
    let server = Server::start();
    let mut client = server.client();
    let reply = client.call(&["KEYNS.NS.LOAD", &many_alike()]);
    assert_eq!(reply.integer(), 10_000);
    (server, client)
}

/// How long the server takes at best. Others may have the processor meanwhile, but not every time.
fn time_of(client: &mut Client, call: &[&str]) -> Duration {
    let times = (0..3).map(|_| {
        // So that an event is a new one.
        client.call(&["FLUSHALL"]);
        let start = Instant::now();
        client.call(call);
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

#[test]
fn a_long_glob_took_seconds_and_is_refused() {
    let (_server, mut client) = loaded();
    for len in [257, 100_000, 1 << 20] {
        let reply = client.call(&["KEYNS.NS.LIST", &"a*".repeat(len)[..len]]);
        let expected = format!("ERR glob must be at most 256 bytes, got {len}");
        assert_eq!(reply, Value::Error(expected));
    }
    for (glob, count) in [
        ("*".repeat(256), 10_000),
        ("n*".repeat(128), 0),
        ("?*".repeat(2), 10_000),
        ("n[0-4]*".to_owned(), 4_445),
        ("n[^0-4]???".to_owned(), 5_000),
        ("N1".to_owned(), 0),
    ] {
        let names = client.call(&["KEYNS.NS.LIST", &glob]);
        assert_eq!(names.array().len(), count, "{glob}");
    }
}

/// Keys that fit all patterns, or none, but for what is said at the end of each.
fn near_keys(len: usize) -> Vec<String> {
    let filled = |start: &str, filling: &str, end: &str| {
        let count = len.saturating_sub(start.len() + end.len());
        let filling = filling.repeat(count / filling.len() + 1);
        format!("{start}{}{end}", &filling[..count])
    };
    vec![
        filled("x:a0c", "q", "z"),
        filled("x:a0c", "n1-", "y"),
        filled("x:a0", "0", "z"),
        filled("x:a0c", "n12345-", "z"),
        filled("x:ag", "cn1-", "z"),
        filled("x:a0c", "n1-n22-n333-", "z:"),
    ]
}

#[test]
fn a_key_that_nearly_fits_ten_thousand_patterns_is_told_apart_from_one_that_does() {
    let (_server, mut client) = loaded();
    for len in [20, 1_024, 1 << 20] {
        for key in near_keys(len) {
            let shown = &key[..20];
            let check = client.check(&key);
            assert_eq!(check["namespace"], Value::Null, "{shown}");
            assert_eq!(check["valid"], Value::Integer(0), "{shown}");
            let parsed = client.call(&["KEYNS.PARSE", &key]);
            assert_eq!(parsed, Value::Null, "{shown}");
            assert_eq!(client.call(&["KEYNS.SEEN", &key]).integer(), 1, "{shown}");
            assert!(client.call(&["TTL", &key]).integer() > 77, "{shown}");
        }
    }
    for n in [0, 17, 9_999] {
        let key = format!("x:a0cqn{n}-rz");
        let parsed = client.call(&["KEYNS.PARSE", &key]).fields();
        assert_eq!(parsed["namespace"].text(), format!("n{n}"));
        assert_eq!(client.call(&["KEYNS.SEEN", &key]).integer(), 1);
        assert_eq!(client.call(&["TTL", &key]).integer(), 77);
    }
    assert_eq!(client.info("keyns", "keyns_namespaces_lookups_cut"), "0");
}

#[test]
fn a_key_that_nearly_fits_ten_thousand_patterns_took_half_a_minute() {
    let few_server = Server::start();
    let mut few = few_server.client();
    for n in 0..20 {
        few.define(&format!("n{n}"), &format!("x:a<p:hex>c<q>n{n}-<r>z"), "");
    }
    let (_server, mut all) = loaded();
    for len in [1 << 20, 1_024, 20] {
        for key in near_keys(len) {
            for command in ["KEYNS.CHECK", "KEYNS.PARSE", "KEYNS.SEEN"] {
                let call = [command, &key];
                let few = time_of(&mut few, &call);
                let all = time_of(&mut all, &call);
                // Two more digits are two more lengths to look for, and the rest is for other work
                // of the machine.
                let limit = 10 * few + Duration::from_millis(50);
                let shown = &key[..20];
                assert!(all < limit, "{all:?} after {few:?}: {command} {shown}");
            }
        }
    }
}

#[test]
fn a_key_past_the_limit_is_no_namespaces_key() {
    let server = Server::start();
    let mut client = server.client();
    client.define("all", "x:<rest...>", "TTL 77");
    let key = |len: usize| format!("x:{}", "a".repeat(len - 2));
    for (limit, longer) in [(1_024, 1_025), (64, 65), (4_096, 16 << 20)] {
        client.run(&format!("CONFIG SET keyns.max-key-bytes {limit}"));
        let (fits, longer) = (key(limit), key(longer));
        assert_eq!(client.check(&fits)["namespace"].text(), "all");
        let parsed = client.call(&["KEYNS.PARSE", &fits]).fields();
        assert_eq!(parsed["namespace"].text(), "all");
        for (line, key, by_namespace) in [
            (&["KEYNS.SEEN"][..], &fits, true),
            (&["KEYNS.SEEN"], &longer, false),
            (&["KEYNS.CHECKPOINT", "5"], &longer, false),
        ] {
            client.call(&["DEL", key]);
            let line = [&line[..1], &[key.as_str()], &line[1..]].concat();
            assert!(!client.call(&line).is_error());
            let ttl = client.call(&["TTL", key]).integer();
            assert_eq!(ttl == 77, by_namespace, "{ttl}: {}", line[0]);
        }
        if longer.len() <= 1 << 20 {
            let check = client.check(&longer);
            assert_eq!(check["namespace"], Value::Null);
            assert!(
                client
                    .problems(&longer)
                    .contains(&"NO_NAMESPACE".to_owned())
            );
            let detail = format!(
                "a key of a namespace has at most {limit} bytes, got {} (keyns.max-key-bytes)",
                longer.len()
            );
            assert_eq!(check["details"].array(), [Value::bulk(&detail)]);
            assert_eq!(check["suggestion"], Value::Null);
            assert_eq!(client.call(&["KEYNS.PARSE", &longer]), Value::Null);
        }
        let value = "a".repeat(limit - 2);
        let built = client.call(&["KEYNS.KEY", "all", &value]);
        assert_eq!(built.text(), fits);
        let expected = format!(
            "ERR key must be at most {limit} bytes, got {} (keyns.max-key-bytes)",
            limit + 1
        );
        let refused = client.call(&["KEYNS.KEY", "all", &format!("{value}a")]);
        assert_eq!(refused, Value::Error(expected));
    }
}

#[test]
fn a_look_up_that_is_given_up_is_said_and_counted() {
    let server = Server::start();
    let mut client = server.client();
    let types = ["", ":hex", ":path", ":number"];
    let entries: Vec<String> = (0..4_096_usize)
        .map(|n| {
            let kind = |place: u32| types[n / 4_usize.pow(place) % 4];
            let holes: String = (0..6).map(|at| format!(":<p{at}{}>", kind(at))).collect();
            format!(r#"{{"name":"n{n}","pattern":"x{holes}:y","ttl":77}}"#)
        })
        .collect();
    let json = format!(r#"{{"namespaces":[{}]}}"#, entries.join(","));
    assert_eq!(client.call(&["KEYNS.NS.LOAD", &json]).integer(), 4_096);
    let key = format!("x{}:n", ":000".repeat(6));
    let reason = "too many patterns start like this key to find its namespace";
    assert_eq!(client.check(&key)["details"].array(), [Value::bulk(reason)]);
    assert_eq!(client.run(&format!("KEYNS.SEEN {key}")).integer(), 1);
    assert!(client.run(&format!("TTL {key}")).integer() > 77);
    assert_eq!(client.info("keyns", "keyns_namespaces_lookups_cut"), "2");
}
