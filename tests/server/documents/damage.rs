//! Whatever somebody does to the keys of a document: every call gets a reply, an error changes
//! nothing, and no other document is touched. The module under test is the one built for tests, in
//! which overflows and broken invariants panic.

use keyns_testkit::{
    Client, Content, Document, GUIDE, Keyspace, Options, Value, assert_same, draft, edit, for_any,
    ingest, keyspace, options, try_ingest, without_counters,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The document that must stay as it is.
const BYSTANDER: &str = "---\ntags: [rain, wind]\n---\n# Rain\n\nfalls.\n\n## Rain\n";

const FIELDS: &[&str] = &[
    "type",
    "doc",
    "parent",
    "position",
    "offset",
    "length",
    "text",
    "source",
    "header",
    "tail",
    "title",
    "block",
    "path",
    "bytes",
    "_sets",
    "_siblings",
];
const VALUES: &[&str] = &[
    "",
    "x",
    "-1",
    "0",
    "18446744073709551615",
    "99999999999999999999999",
    "document",
    "OTHER",
    "level:ch:chunks tag:rain:chunks :: x",
];
const SCORES: &[&str] = &["-inf", "inf", "0", "2.5", "1e300"];
const MEMBERS: &[&str] = &["OTHER", "", "x", "chunk:never_was:001", "chunk:x1:001:next"];
const DIRECTIONS: &[&str] = &[
    "PARENT", "CHILDREN", "SEQUENCE", "NEXT", "PREVIOUS", "SIBLINGS",
];

/// A call in words, in which `KEY` and `OTHER` stand for any keys, and `DOC` for the document.
type Words = Vec<String>;

fn words<const N: usize>(words: [&str; N]) -> Words {
    words.map(str::to_owned).into()
}

/// What somebody does to a key.
fn damage() -> impl Strategy<Value = Words> {
    let field = || select(FIELDS);
    prop_oneof![
        2 => Just(words(["DEL", "KEY"])),
        1 => Just(words(["SET", "KEY", "OTHER"])),
        1 => Just(words(["COPY", "OTHER", "KEY", "REPLACE"])),
        3 => (field(), select(VALUES)).prop_map(|(f, v)| words(["HSET", "KEY", f, v])),
        1 => field().prop_map(|f| words(["HDEL", "KEY", f])),
        2 => (select(SCORES), select(MEMBERS)).prop_map(|(s, m)| words(["ZADD", "KEY", s, m])),
        1 => select(MEMBERS).prop_map(|m| words(["SADD", "KEY", m])),
    ]
}

/// A call of ours; the texts of those that write are added to it.
fn call() -> impl Strategy<Value = Words> {
    prop_oneof![
        Just(words(["KEYNS.EXPORTMD", "DOC"])),
        Just(words(["KEYNS.TREE", "DOC"])),
        Just(words(["KEYNS.TREE", "KEY", "FORMAT", "TEXT"])),
        Just(words(["KEYNS.TREE", "DOC", "FORMAT", "MERMAID"])),
        select(DIRECTIONS).prop_map(|direction| words(["KEYNS.NAV", "KEY", direction])),
        Just(words(["KEYNS.DROP", "DOC"])),
        Just(words(["KEYNS.INGESTMD", "doc", "TEXT"])),
        Just(words(["KEYNS.INGESTMD", "doc", "TEXT", "REPLACE", "DOC"])),
    ]
}

/// Those keys of a document that are still recognizably its own.
fn own_keys(doc: &str, keys: &Keyspace) -> Keyspace {
    let is_part = |name: &str| match keys.get(name) {
        Some(Content::Hash(fields)) => fields.get("doc").is_some_and(|of| of == doc),
        _ => false,
    };
    let is_own = |key: &str| is_part(key) || key.rsplit_once(':').is_some_and(|(n, _)| is_part(n));
    let keys = keys.iter().filter(|(key, _)| is_own(key));
    keys.map(|(key, content)| (key.clone(), content.clone()))
        .collect()
}

#[test]
fn damaged_documents_get_a_reply_and_an_error_changes_nothing() {
    const CASES: u32 = 150;
    let server = Options::with_panic_command().start();
    server.client().run("CONFIG SET keyns.max-siblings 10000");
    let damages = vec((any::<Index>(), any::<Index>(), damage()), 1..6);
    let calls = vec((any::<Index>(), call()), 1..4);
    let cases = (draft(), options(), edit(), damages, calls);
    for_any(
        CASES,
        cases,
        |(mut draft, options, edit, damages, calls)| {
            let mut client = server.client();
            client.run("FLUSHALL");
            let bystander = ingest(&mut client, "doc", BYSTANDER, "")["doc"].text();
            let reply = try_ingest(&mut client, "doc", draft.text(), &options);
            if reply.is_error() {
                return;
            }
            let doc = reply.fields()["doc"].text();
            draft.apply(&edit);
            let text = draft.text();
            let keys: Vec<String> = keyspace(&mut client).into_keys().collect();
            let fill_in = |words: &Words, key: &Index, other: &Index| -> Words {
                let fill = |word: &String| match word.as_str() {
                    "KEY" => key.get(&keys).clone(),
                    "OTHER" => other.get(&keys).clone(),
                    "DOC" => doc.clone(),
                    "TEXT" => text.clone(),
                    _ => word.clone(),
                };
                words.iter().map(fill).collect()
            };
            for (key, other, words) in &damages {
                client.call(&fill_in(words, key, other));
            }
            for (key, words) in &calls {
                let before = keyspace(&mut client);
                let reply = client.call(&fill_in(words, key, key));
                let after = keyspace(&mut client);
                let is_internal = reply.is_error() && reply.text().contains("internal error");
                assert!(!is_internal, "{}", server.log());
                if reply.is_error()
                    || !["KEYNS.DROP", "KEYNS.INGESTMD"].contains(&words[0].as_str())
                {
                    assert!(before == after, "{words:?}: {reply:?}");
                }
                let own = own_keys(&bystander, &before);
                assert!(own == own_keys(&bystander, &after), "{words:?}");
            }
        },
    );
    assert_eq!(server.client().info("keyns", "keyns_panics"), "0");
}

const DOC: &str = "doc:field_guide:001";
const SEQUENCE: &str = "doc:field_guide:001:sequence";

/// Runs a check on the guide once for every way in which its sequence can lose parts, with how many
/// are left in it.
fn for_every_loss(check: impl Fn(&mut Client, usize)) {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    ingest(&mut client, "doc", GUIDE, "SIBLINGS");
    let members = client.run(&format!("ZRANGE {SEQUENCE} 0 -1"));
    let members: Vec<String> = members.array().iter().map(Value::text).collect();
    let without_one = members.iter().map(|member| vec!["ZREM", SEQUENCE, member]);
    let without_any = vec!["DEL", SEQUENCE];
    for loss in without_one.chain([without_any]) {
        client.run("FLUSHALL");
        ingest(&mut client, "doc", GUIDE, "SIBLINGS");
        assert_eq!(client.call(&loss).integer(), 1);
        let left = client.run(&format!("ZCARD {SEQUENCE}")).integer();
        check(&mut client, left as usize);
    }
}

#[test]
fn an_export_names_the_sequence_that_lost_a_part() {
    for_every_loss(|client, left| {
        let error = format!("ERR '{SEQUENCE}' must have 9 members, got {left}");
        let reply = client.call(&["KEYNS.EXPORTMD", DOC]);
        assert_eq!(reply, Value::Error(error));
    });
}

#[test]
fn dropping_finds_what_the_sequence_lost() {
    for_every_loss(|client, _| {
        let keys = without_counters(keyspace(client)).len();
        let gone = client.call(&["KEYNS.DROP", DOC]).integer();
        assert_same(&without_counters(keyspace(client)), &Keyspace::new());
        assert_eq!(gone as usize, keys);
    });
}

#[test]
fn replacing_finds_what_the_sequence_lost() {
    let edited = GUIDE
        .replace("Trees", "Pines")
        .replace("## Oaks", "## Firs");
    for text in [GUIDE, &edited, "# New\n"] {
        for_every_loss(|client, _| {
            ingest(client, "doc", text, &format!("SIBLINGS REPLACE {DOC}"));
            let keys = without_counters(keyspace(client));
            let document = Document::find(DOC, &keys);
            assert_same(&keys, &document.keys());
            document.assert_covers(text);
        });
    }
}

#[test]
fn a_document_without_its_hash_can_still_be_dropped() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let name = ingest(
        &mut client,
        "doc",
        "# Rain\n\nfalls.\n\n## Wind\n",
        "SIBLINGS",
    )["doc"]
        .text();
    client.call(&["DEL", &name]);
    let left = without_counters(keyspace(&mut client)).len();
    let gone = client.call(&["KEYNS.DROP", &name]).integer();
    assert_same(&without_counters(keyspace(&mut client)), &Keyspace::new());
    assert_eq!(gone as usize, left);
    assert_eq!(client.call(&["KEYNS.DROP", &name]).integer(), 0);
}

#[test]
fn sets_that_name_a_key_which_the_call_writes_are_no_sets() {
    const NEW: &str = "---\ntags: birds\n---\n# New\n\nFresh words.\n\nFresh words.\n";
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let replace = |client: &mut Client| {
        ingest(client, "doc", NEW, &format!("SIBLINGS REPLACE {DOC}"));
        keyspace(client)
    };
    ingest(&mut client, "doc", GUIDE, "");
    let old = keyspace(&mut client);
    let expected = replace(&mut client);
    for key in old.keys().chain(expected.keys()) {
        client.run("FLUSHALL");
        ingest(&mut client, "doc", GUIDE, "");
        let sets = client.call(&["HGET", DOC, "_sets"]).text();
        client.call(&["HSET", DOC, "_sets", &format!("{key} {sets} {key}")]);
        assert_same(&replace(&mut client), &expected);
        let sets = client.call(&["HGET", DOC, "_sets"]).text();
        client.call(&["HSET", DOC, "_sets", &format!("{key} {sets}")]);
        assert!(client.call(&["KEYNS.DROP", DOC]).integer() > 0);
        assert_same(&without_counters(keyspace(&mut client)), &Keyspace::new());
    }
}
