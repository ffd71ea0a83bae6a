//! Configs: CONFIG GET, SET and REWRITE, and wrong values.

use std::fs;
use std::path::Path;

use keyns::FAMILIES;
use keyns::server::config::Shape;
use keyns_testkit::{Client, Options, Server, Value};

/// Set when the module is loaded, and fixed afterwards.
const FIXED: [&str; 2] = ["keyns.namespaces", "keyns.namespaces-in-rdb"];

#[test]
fn every_config_has_its_default_and_its_bounds() {
    let server = Server::start();
    let mut client = server.client();
    for config in FAMILIES.iter().flat_map(|family| family.configs) {
        let name = &format!("keyns.{}", config.name().to_str().unwrap());
        let value = client.call(&["CONFIG", "GET", name]).fields()[name].text();
        let is_fixed = FIXED.contains(&name.as_str());
        let mut set = |value: &str| {
            let reply = client.call(&["CONFIG", "SET", name, value]);
            if is_fixed {
                let error = reply.text();
                assert!(error.contains("can't set immutable config"), "{error}");
                return Value::Simple("OK".into());
            }
            reply
        };
        match config.shape() {
            Shape::Number { default, min, max } => {
                assert_eq!(value, default.to_string(), "{name}");
                assert_eq!(set(&min.to_string()).text(), "OK");
                assert_eq!(set(&max.to_string()).text(), "OK");
                assert!(set(&(min - 1).to_string()).is_error(), "{name}");
                assert!(set(&(max + 1).to_string()).is_error(), "{name}");
                assert!(set("x").is_error(), "{name}");
                assert_eq!(set(&value).text(), "OK");
            }
            Shape::Text { default } => {
                assert_eq!(value, default.to_str().unwrap(), "{name}");
                assert_eq!(set(&value).text(), "OK");
            }
            Shape::Choice { default, words } => {
                assert_eq!(value, words[default as usize].to_str().unwrap(), "{name}");
                assert!(is_fixed || set("no-such-word").is_error(), "{name}");
                for word in words.iter() {
                    assert_eq!(set(word.to_str().unwrap()).text(), "OK");
                }
            }
        }
    }
}

#[test]
fn redis_conf_example_sets_every_config_to_its_default() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/redis.conf.example");
    let example = fs::read_to_string(path).unwrap();
    let server = Server::start();
    let mut client = server.client();
    let lines: Vec<_> = example
        .lines()
        .filter(|line| line.starts_with("keyns."))
        .collect();
    let configs = FAMILIES.iter().flat_map(|family| family.configs);
    assert_eq!(lines.len(), configs.count(), "{lines:?}");
    for line in lines {
        let (name, value) = line.split_once(' ').unwrap();
        let actual = client.call(&["CONFIG", "GET", name]).fields()[name].text();
        assert_eq!(actual, value.trim_matches(['"', '\'']), "{line}");
    }
}

#[test]
fn a_setting_takes_effect_on_the_next_call() {
    let server = Server::start();
    let mut client = server.client();
    let mut slug = |name: &str, value: &str, text: &str| {
        let reply = client.call(&["CONFIG", "SET", name, value]);
        assert_eq!(reply.text(), "OK");
        client.call(&["KEYNS.SLUG", text]).text()
    };
    assert_eq!(slug("keyns.lang", "en", "5 things"), "five_things");
    assert_eq!(slug("keyns.lang", "de", "5 Dinge"), "fuenf_dinge");
    let json = r#"{"SLA": "service level agreement", "ROI": ""}"#;
    assert_eq!(
        slug("keyns.abbreviations", json, "SLA"),
        "service_level_agreement"
    );
    assert_eq!(
        slug("keyns.abbreviations", json, "ROI VaR"),
        "roi_value_at_risk"
    );
    assert_eq!(
        slug("keyns.abbreviations", "{}", "SLA ROI"),
        "sla_return_on_investment"
    );
}

#[test]
fn a_wrong_value_is_refused_with_its_reason_and_changes_nothing() {
    let server = Server::start();
    let mut client = server.client();
    let good = r#"{"SLA": "service level agreement"}"#;
    client.call(&["CONFIG", "SET", "keyns.abbreviations", good]);
    for (name, value, reason) in [
        ("keyns.abbreviations", "nonsense", "must be a JSON object"),
        ("keyns.abbreviations", "[1]", "must be a JSON object"),
        (
            "keyns.abbreviations",
            r#"{"sla": "x"}"#,
            "entry 'sla' must have a character",
        ),
        (
            "keyns.abbreviations",
            r#"{"SLA": 5}"#,
            "entry 'SLA' must be a string",
        ),
        ("keyns.kinds", "doc Page", "got 'Page'"),
        ("keyns.kinds", "doc,page", "got 'doc,page'"),
        ("keyns.lang", "fr", "de"),
        ("keyns.max-skips", "0", "between 1 and 10000000"),
    ] {
        let error = client.call(&["CONFIG", "SET", name, value]).text();
        assert!(
            error.starts_with("ERR") && error.contains(reason),
            "{value}: {error}"
        );
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(
        client
            .call(&["CONFIG", "SET", "keyns.abbreviations", &deep])
            .is_error()
    );
    assert_eq!(
        client.run("KEYNS.SLUG SLA").text(),
        "service_level_agreement"
    );
}

#[test]
fn rewrite_keeps_settings_over_a_restart() {
    // Use the folder of another server, which removes it.
    let other = Server::start();
    let file = other.dir.join("rewritten.conf");
    let path = file.to_str().unwrap().to_owned();
    let module = Options::module_path();
    fs::write(&file, format!("loadmodule {}\n", module.display())).unwrap();
    let json = r#"{"SLA":"service \"level\" agreement"}"#;
    let mut server = Options::config_file(&path).start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.lang en");
    client.run("CONFIG SET keyns.max-skips 77");
    client.call(&["CONFIG", "SET", "keyns.kinds", "doc page"]);
    let quotes_survive = can_rewrite_quotes(&mut client, &file);
    if quotes_survive {
        client.call(&["CONFIG", "SET", "keyns.abbreviations", json]);
    }
    assert_eq!(client.run("CONFIG REWRITE").text(), "OK");
    server.start_again();
    let mut client = server.client();
    let values = client.run("CONFIG GET keyns.*").fields();
    assert_eq!(values["keyns.lang"], Value::bulk("en"));
    assert_eq!(values["keyns.max-skips"], Value::bulk("77"));
    assert_eq!(values["keyns.kinds"], Value::bulk("doc page"));
    if quotes_survive {
        assert_eq!(values["keyns.abbreviations"].text(), json);
    }
}

/// Valkey 8.1.1 writes quotes in values unescaped, even in its own configs, and then cannot read its
/// file.
fn can_rewrite_quotes(client: &mut Client, file: &Path) -> bool {
    client.call(&["CONFIG", "SET", "masterauth", "a\"b"]);
    client.run("CONFIG REWRITE");
    let written = fs::read_to_string(file).unwrap();
    client.call(&["CONFIG", "SET", "masterauth", ""]);
    written.contains(r#"auth "a\"b""#)
}

#[test]
fn module_arguments_are_defaults() {
    let server = Options::new()
        .module_arguments(&["lang", "en", "keyns.max-skips", "5", "KINDS", "page"])
        .start();
    let mut client = server.client();
    let values = client.run("CONFIG GET keyns.*").fields();
    assert_eq!(values["keyns.lang"].text(), "en");
    assert_eq!(values["keyns.max-skips"].text(), "5");
    assert_eq!(values["keyns.kinds"].text(), "page");
    assert_eq!(
        client.call(&["KEYNS.SLUG", "5 things"]).text(),
        "five_things"
    );
}

#[test]
fn a_wrong_value_at_load_stops_the_load_and_says_why() {
    for (arguments, reason) in [
        (&["lang", "fr"][..], "keyns.lang must be de or en, got 'fr'"),
        (
            &["max-skips", "0"],
            "keyns.max-skips must be an integer between 1 and 10000000, got '0'",
        ),
        (
            &["max-skips", "x"],
            "keyns.max-skips must be an integer between 1 and 10000000, got 'x'",
        ),
        (
            &["abbreviations", "{"],
            "keyns.abbreviations must be a JSON object",
        ),
        (&["nonsense", "1"], "unknown config 'nonsense'"),
        (
            &["lang"],
            "syntax error near 'lang', expected a value after it",
        ),
    ] {
        let log = Options::new().module_arguments(arguments).refused();
        assert!(log.contains("keyns cannot be loaded: "), "{log}");
        assert!(log.contains(reason), "{reason}\n{log}");
    }
    for (name, value) in [
        ("--keyns.lang", "fr"),
        ("--keyns.max-skips", "0"),
        ("--keyns.abbreviations", "[]"),
        ("--keyns.kinds", "Doc"),
    ] {
        let log = Options::new().set(name, &[value]).refused();
        assert!(log.contains("keyns cannot be loaded: "), "{log}");
        assert!(log.contains(name.trim_start_matches('-')), "{log}");
    }
}
