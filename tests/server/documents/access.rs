//! Every key that a document command derives is one its user must have a right to.

use std::collections::BTreeSet;

use keyns_core::naming::key_name::RELATIONS;
use keyns_testkit::{
    Client, GUIDE, Server, Value, ingest, keyspace, read_in_background, try_ingest,
    without_counters,
};

const DOC: &str = "doc:field_guide:001";

/// A server with the guide, and its keys.
fn start() -> (Server, BTreeSet<String>) {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(
        ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text(),
        DOC
    );
    let keys = without_counters(keyspace(&mut client))
        .into_keys()
        .collect();
    (server, keys)
}

/// A client that may do everything with these keys, and nothing with any other.
fn login<'k>(server: &Server, keys: impl IntoIterator<Item = &'k String>) -> Client {
    let rules: Vec<String> = keys.into_iter().map(|key| format!("~{key}")).collect();
    login_with(server, &rules.join(" "))
}

fn login_with(server: &Server, rules: &str) -> Client {
    let rules = format!("ACL SETUSER tester reset on nopass +@all {rules}");
    let rules: Vec<&str> = rules.split_whitespace().collect();
    assert_eq!(server.client().call(&rules).text(), "OK");
    let mut client = server.client();
    assert_eq!(client.run("AUTH tester any").text(), "OK");
    client
}

#[track_caller]
fn assert_refused(server: &Server, reply: &Value, key: &str) {
    let error = format!("NOPERM No permissions to access the key '{key}'");
    assert_eq!(reply, &Value::Error(error));
    let log = server.client().run("ACL LOG 1").array()[0].fields();
    assert_eq!(log["object"].text(), key);
    assert_eq!(log["username"].text(), "tester");
    server.client().run("ACL LOG RESET");
}

/// Every key that writing the guide may touch, the counters included.
fn keys_of_writing(keys: &BTreeSet<String>) -> BTreeSet<String> {
    let mut all = keys.clone();
    let hashes = keys
        .iter()
        .filter(|key| key.ends_with(|c: char| c.is_ascii_digit()));
    for name in hashes {
        let is_chunk = name.starts_with("chunk:");
        for relation in RELATIONS {
            let is_needed = match relation {
                "next" | "previous" | "siblings" => name != DOC,
                _ => !is_chunk,
            };
            all.extend(is_needed.then(|| format!("{name}:{relation}")));
        }
    }
    for kind in ["doc", "ch", "para", "subpara", "chunk"] {
        all.insert(format!("{kind}:_seq"));
        all.insert(format!("{kind}:_slugs"));
    }
    all
}

#[test]
fn ingesting_needs_a_right_to_every_single_key() {
    let (server, keys) = start();
    let mut admin = server.client();
    let all = keys_of_writing(&keys);
    let prefix = "doc".to_owned();
    for in_background in [false, true] {
        read_in_background(&mut admin, in_background);
        admin.run("FLUSHALL");
        for missing in &all {
            let allowed = all.iter().filter(|key| *key != missing);
            let mut client = login(&server, allowed.chain([&prefix]));
            let reply = try_ingest(&mut client, "doc", GUIDE, "SIBLINGS");
            assert_refused(&server, &reply, missing);
            assert_eq!(admin.run("DBSIZE").integer(), 0);
        }
        let mut client = login(&server, all.iter().chain([&prefix]));
        ingest(&mut client, "doc", GUIDE, "SIBLINGS");
    }
}

#[test]
fn a_pattern_that_is_missing_or_only_reads_is_not_enough() {
    let server = Server::start();
    let kinds = [
        "ch", "para", "subpara", "chunk", "tag", "level", "category", "author",
    ];
    for missing in kinds {
        let others = kinds.iter().filter(|kind| **kind != missing);
        let others: String = others.map(|kind| format!("~{kind}:* ")).collect();
        for rules in [
            format!("~doc ~doc:* {others}"),
            format!("~doc ~doc:* {others} %R~{missing}:*"),
        ] {
            let mut client = login_with(&server, &rules);
            let error = try_ingest(&mut client, "doc", GUIDE, "").text();
            let start = format!("NOPERM No permissions to access the key '{missing}:");
            assert!(error.starts_with(&start), "{rules}: {error}");
            assert_eq!(server.client().run("DBSIZE").integer(), 0);
        }
    }
}

/// Makes a call that reads as a user who lacks one key after the other: those in `needed` are named
/// in the refusal, and without any other it works.
fn assert_needs(call: &[&str], needed: impl Fn(&str) -> bool) {
    let (server, keys) = start();
    // The server itself looks after the key that the command declares.
    for missing in keys.iter().filter(|key| *key != call[1]) {
        let mut client = login(&server, keys.iter().filter(|key| *key != missing));
        let reply = client.call(call);
        match needed(missing) {
            true => assert_refused(&server, &reply, missing),
            false => assert!(!reply.is_error(), "without {missing}: {reply:?}"),
        }
    }
    assert!(keys.iter().any(|key| needed(key)));
}

/// Whether a key is needed to read the whole guide.
fn is_read(key: &str) -> bool {
    key.ends_with(|c: char| c.is_ascii_digit()) || key == format!("{DOC}:sequence")
}

#[test]
fn a_tree_needs_a_right_to_every_part() {
    assert_needs(&["KEYNS.TREE", DOC], is_read);
}

#[test]
fn an_export_needs_a_right_to_every_part() {
    assert_needs(&["KEYNS.EXPORTMD", DOC], is_read);
}

#[test]
fn a_direction_needs_a_right_to_the_keys_it_goes_along() {
    for (direction, keys) in [
        ("NEXT", &["para:oaks:001:next"][..]),
        ("PREVIOUS", &["para:oaks:001:previous"]),
        ("SEQUENCE", &["para:oaks:001:sequence"]),
        ("DESCENDANTS", &["para:oaks:001:sequence"]),
        (
            "CHILDREN",
            &["para:oaks:001:children", "para:oaks:001:sequence"],
        ),
        (
            "SIBLINGS",
            &["ch:forests:001:children", "ch:forests:001:sequence"],
        ),
    ] {
        let call = ["KEYNS.NAV", "para:oaks:001", direction];
        assert_needs(&call, |key| keys.contains(&key));
    }
}

#[test]
fn dropping_needs_a_right_to_every_single_key() {
    let (server, keys) = start();
    let before = server.digest();
    let all: BTreeSet<String> = keys_of_writing(&keys)
        .into_iter()
        .filter(|key| !key.ends_with(":_seq") && !key.ends_with(":_slugs") && key != DOC)
        .collect();
    let doc = DOC.to_owned();
    for missing in &all {
        let mut client = login(
            &server,
            all.iter().filter(|key| *key != missing).chain([&doc]),
        );
        let reply = client.call(&["KEYNS.DROP", DOC]);
        assert_refused(&server, &reply, missing);
        assert_eq!(server.digest(), before);
    }
    let rules: String = all.iter().map(|key| format!("%R~{key} ")).collect();
    let mut reader = login_with(&server, &format!("~{DOC} {rules}"));
    assert!(
        reader
            .call(&["KEYNS.DROP", DOC])
            .text()
            .starts_with("NOPERM")
    );
    assert_eq!(server.digest(), before);
    let mut client = login(&server, all.iter().chain([&doc]));
    assert_eq!(
        client.call(&["KEYNS.DROP", DOC]).integer(),
        keys.len() as i64
    );
}

#[test]
fn replacing_needs_a_right_to_every_single_key() {
    let (server, keys) = start();
    let edited = GUIDE.replace("Grass", "Herbs");
    let mut all = keys_of_writing(&keys);
    let new = "chunk:herbs_mostly:006";
    all.insert(new.into());
    all.extend(["next", "previous", "siblings"].map(|relation| format!("{new}:{relation}")));
    // Nothing but chunks is named anew.
    let other_counters = ["doc", "ch", "para", "subpara"];
    for kind in other_counters {
        all.remove(&format!("{kind}:_seq"));
        all.remove(&format!("{kind}:_slugs"));
    }
    let prefix = "doc".to_owned();
    let before = server.digest();
    for missing in &all {
        let mut client = login(
            &server,
            all.iter().filter(|key| *key != missing).chain([&prefix]),
        );
        let options = format!("SIBLINGS REPLACE {DOC}");
        let reply = try_ingest(&mut client, "doc", &edited, &options);
        assert_refused(&server, &reply, missing);
        assert_eq!(server.digest(), before);
    }
    // Who may only write a chunk must not learn from a replacement what it says.
    let rules: String = all.iter().map(|key| format!("%W~{key} ")).collect();
    let mut writer = login_with(&server, &format!("~doc ~{DOC} ~{DOC}:sequence {rules}"));
    let reply = try_ingest(
        &mut writer,
        "doc",
        GUIDE,
        &format!("SIBLINGS REPLACE {DOC}"),
    );
    assert!(reply.text().starts_with("NOPERM"), "{reply:?}");
    let mut client = login(&server, all.iter().chain([&prefix]));
    ingest(
        &mut client,
        "doc",
        &edited,
        &format!("SIBLINGS REPLACE {DOC}"),
    );
}

#[test]
fn leaving_siblings_out_needs_a_right_to_delete_them() {
    let (server, keys) = start();
    let options = format!("REPLACE {DOC}");
    let before = server.digest();
    let siblings: Vec<&String> = keys
        .iter()
        .filter(|key| key.ends_with(":siblings"))
        .collect();
    assert!(siblings.len() > 1);
    let all = keys_of_writing(&keys);
    for missing in siblings {
        let others = all.iter().filter(|key| *key != missing);
        let rules: String = others.map(|key| format!("~{key} ")).collect();
        let mut client = login_with(&server, &format!("~doc {rules} %R~{missing}"));
        let reply = try_ingest(&mut client, "doc", GUIDE, &options);
        assert_refused(&server, &reply, missing);
        assert_eq!(server.digest(), before);
    }
    let mut client = login(&server, all.iter().chain([&"doc".to_owned()]));
    ingest(&mut client, "doc", GUIDE, &options);
    let left = keyspace(&mut server.client());
    assert!(!left.keys().any(|key| key.ends_with(":siblings")));
}

#[test]
fn a_tenant_has_documents_of_its_own_only() {
    let (server, _) = start();
    let mut tenant = login_with(&server, "~{acme}:*");
    let name = ingest(&mut tenant, "{acme}:doc", GUIDE, "SIBLINGS")["doc"].text();
    ingest(
        &mut tenant,
        "{acme}:doc",
        "# New\n",
        &format!("REPLACE {name}"),
    );
    let script = "return redis.call('KEYNS.EXPORTMD', KEYS[1])";
    assert_eq!(tenant.call(&["EVAL", script, "1", &name]).text(), "# New\n");
    assert!(tenant.call(&["KEYNS.DROP", &name]).integer() > 0);
    let before = server.digest();
    for line in [
        &format!("KEYNS.TREE {DOC}"),
        &format!("KEYNS.EXPORTMD {DOC}"),
        &format!("KEYNS.NAV {DOC} CHILDREN"),
        &format!("KEYNS.DROP {DOC}"),
        "KEYNS.INGESTMD doc text",
        &format!("KEYNS.INGESTMD {{acme}}:doc text REPLACE {DOC}"),
    ] {
        assert!(tenant.run(line).is_error(), "{line}");
    }
    assert_eq!(server.digest(), before);
}
