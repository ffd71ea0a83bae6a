//! Who may make rules for keys: whoever may write all of them.

use keyns_testkit::{Client, Options, Server, Value, namespaces_json, wait_until};

/// What the guides recommend against damage, and what every tenant then has.
const TENANT: &str = "~t:* +@all -@dangerous -@admin";

const APP: &str = "KEYNS.NS.SET x PATTERN app:<kind>:<n> TTL 1";

fn refusal(reply: &Value) -> String {
    assert!(reply.is_error(), "{reply:?}");
    let text = reply.text();
    assert!(text.contains("NOPERM"), "{text}");
    text
}

/// As a user with these rules, who may call all commands on namespaces whatever their categories.
fn definer(server: &Server, keys: &str) -> Client {
    server.login(&format!(
        "{keys} +@all -@dangerous -@admin \
         +keyns.ns.set +keyns.ns.del +keyns.ns.load +keyns.ns.preset"
    ))
}

fn pattern_refusal(namespace: &str, glob: &str) -> Value {
    Value::Error(format!(
        "NOPERM No permissions to write all keys of the namespace '{namespace}': '~{glob}'"
    ))
}

#[test]
fn a_tenant_could_expire_the_keys_of_others_by_defining_their_namespace() {
    let server = Server::start();
    let mut owner = server.client();
    let mut tenant = server.login(TENANT);
    refusal(&tenant.run(APP));
    for line in [
        "KEYNS.CHECKPOINT app:cp:orders 5",
        "KEYNS.SEEN app:seen:event",
        "KEYNS.ADVANCE app:rev:orders 5",
    ] {
        assert!(!owner.run(line).is_error(), "{line}");
    }
    assert_eq!(owner.run("TTL app:cp:orders").integer(), -1);
    for key in ["app:seen:event", "app:rev:orders"] {
        assert!(owner.run(&format!("TTL {key}")).integer() > 1, "{key}");
    }
    assert_eq!(owner.run("KEYNS.NS.LIST").array(), []);
}

#[test]
fn what_changes_namespaces_is_administrative_and_dangerous_where_modules_have_categories() {
    let server = Server::start();
    let mut client = server.client();
    if !server.has_module_categories() {
        return;
    }
    for category in ["admin", "dangerous", "write", "keyns"] {
        let listed = client.run(&format!("ACL CAT {category}"));
        let listed: Vec<String> = listed
            .array()
            .iter()
            .map(|name| name.text().to_lowercase())
            .collect();
        for command in ["set", "del", "load", "preset"] {
            let command = format!("keyns.ns.{command}");
            assert!(listed.contains(&command), "{command} in @{category}");
        }
        let reads = [
            "keyns.ns.get",
            "keyns.ns.list",
            "keyns.ns.dump",
            "keyns.key",
        ];
        for command in reads.iter().filter(|_| category != "keyns") {
            assert!(
                !listed.contains(&(*command).into()),
                "{command} in @{category}"
            );
        }
    }
    let mut tenant = server.login(TENANT);
    let own = "KEYNS.NS.SET x PATTERN t:<n>";
    let refused = refusal(&tenant.run(own)).to_lowercase();
    assert!(refused.contains("keyns.ns.set"), "{refused}");
    let mut operator = server.login("~t:* +@all");
    assert_eq!(operator.run(own).text(), "OK");
}

#[test]
fn a_definition_needs_a_rule_that_covers_all_keys_of_its_pattern() {
    let server = Server::start();
    for (pattern, glob) in [
        ("app:<kind>:<n>", "app:*:*"),
        ("app:<rest...>", "app:*"),
        ("app", "app"),
        ("t<x>:<n>", "t*:*"),
        ("{app}:<n>", "{app}:*"),
    ] {
        for keys in [
            "~t:*",
            "~t:* %R~*",
            "~t:* ~app:cp:*",
            "~app:*:orders",
            "resetkeys",
        ] {
            let mut client = definer(&server, keys);
            let reply = client.run(&format!("KEYNS.NS.SET x PATTERN {pattern} TTL 1"));
            assert_eq!(reply, pattern_refusal("x", glob), "{keys} {pattern}");
            let log = server.client().run("ACL LOG 1").array()[0].fields();
            assert_eq!(log["object"].text(), glob);
            assert_eq!(log["username"].text(), "tester");
            assert_eq!(log["reason"].text(), "key");
        }
    }
    for (keys, pattern) in [
        ("~*", "app:<kind>:<n>"),
        ("~app:*", "app:<kind>:<n>"),
        ("~app:*:*", "app:<kind>:<n>"),
        ("%W~app:*", "app:<kind>:<n>[:<more>]"),
        ("~t:* ~app*", "app<n>:x"),
        ("~t:*", "t:<rest...>"),
    ] {
        let mut client = definer(&server, keys);
        let reply = client.run(&format!("KEYNS.NS.SET x PATTERN {pattern}"));
        assert_eq!(reply.text(), "OK", "{keys} {pattern}");
        assert_eq!(client.run("KEYNS.NS.DEL x").integer(), 1);
    }
}

#[test]
fn a_selector_for_another_command_gives_no_right_to_define() {
    let server = Server::start();
    let mut client = definer(&server, "(~app:* +get) ~t:*");
    assert_eq!(client.run(APP), pattern_refusal("x", "app:*:*"));
    let mut client = definer(&server, "(~app:* +keyns.ns.set) ~t:*");
    assert_eq!(client.run(APP).text(), "OK");
    // And that one is for this command only.
    assert_eq!(
        client.run("KEYNS.NS.DEL x"),
        pattern_refusal("x", "app:*:*")
    );
}

#[test]
fn one_that_is_replaced_or_removed_needs_the_right_on_its_keys_too() {
    let server = Server::start();
    let mut admin = server.client();
    admin.define("app", "app:<kind>:<n>", "TTL 60");
    admin.define("own", "t:<n>", "");
    let before = admin.namespaces();
    let mut client = definer(&server, "~t:*");
    let refused = pattern_refusal("app", "app:*:*");
    let own = namespaces_json(&[("own", "t:<other>:<n>")]);
    for line in [
        &["KEYNS.NS.SET", "app", "PATTERN", "t:x:<n>"][..],
        &["KEYNS.NS.DEL", "app"],
        &["KEYNS.NS.DEL", "own", "none", "app"],
        &["KEYNS.NS.LOAD", &own, "FLUSH"],
        &["KEYNS.NS.LOAD", r#"{"namespaces": []}"#, "FLUSH"],
    ] {
        assert_eq!(client.call(line), refused, "{line:?}");
        assert_eq!(admin.namespaces(), before, "{line:?}");
    }
    // What stays as it is needs nothing.
    let same = "KEYNS.NS.SET app PATTERN app:<kind>:<n> TTL 60";
    assert_eq!(client.run(same).text(), "OK");
    assert_eq!(client.call(&["KEYNS.NS.LOAD", &before]).integer(), 2);
    assert_eq!(client.run("KEYNS.NS.DEL none").integer(), 0);
    assert_eq!(
        client.call(&["KEYNS.NS.LOAD", &own, "REPLACE"]).integer(),
        1
    );
    assert_eq!(client.run("KEYNS.NS.DEL own").integer(), 1);
}

#[test]
fn a_load_or_preset_of_which_one_is_not_allowed_changes_nothing() {
    let server = Server::start();
    let mut client = definer(&server, "~t:*");
    let json = namespaces_json(&[("a", "t:<n>"), ("b", "app:<n>"), ("c", "t:c:<n>")]);
    for existing in [&[][..], &["REPLACE"], &["FLUSH"]] {
        let line = [&["KEYNS.NS.LOAD", &json], existing].concat();
        assert_eq!(client.call(&line), pattern_refusal("b", "app:*"));
    }
    refusal(&client.run("KEYNS.NS.PRESET general"));
    assert_eq!(server.client().run("KEYNS.NS.LIST").array(), []);
    let mut admin = definer(&server, "~*");
    assert!(admin.run("KEYNS.NS.PRESET general").integer() > 0);
}

#[test]
fn scripts_and_transactions_give_no_more_rights_than_their_user_has() {
    let server = Server::start();
    let mut client = definer(&server, "~t:*");
    let script = "return redis.call('KEYNS.NS.SET', 'x', 'PATTERN', 'app:<n>')";
    let reply = client.call(&["EVAL", script, "0"]);
    assert!(refusal(&reply).contains("'~app:*'"), "{reply:?}");
    client.run("MULTI");
    client.run("KEYNS.NS.SET x PATTERN app:<n>");
    client.run("KEYNS.NS.SET y PATTERN t:<n>");
    let replies = client.run("EXEC");
    assert_eq!(replies.array()[0], pattern_refusal("x", "app:*"));
    assert_eq!(replies.array()[1].text(), "OK");
    assert_eq!(server.client().namespace_names(), ["y"]);
}

#[test]
fn a_replica_and_a_restart_take_what_was_defined_whoever_did_it() {
    let mut server = Options::new().durable().start();
    let replica = server.replica();
    let mut client = definer(&server, "~t:*");
    client.define("own", "t:<n>", "TTL 60");
    wait_until("the replica has it", || {
        replica.client().namespace_names() == ["own"]
    });
    server.kill();
    server.start_again();
    assert_eq!(server.client().namespace_names(), ["own"]);
}
