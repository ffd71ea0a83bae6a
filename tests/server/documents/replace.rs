//! KEYNS.INGESTMD with REPLACE: the document is the new one, and what is the same keeps its keys.

use keyns_testkit::{
    Client, Content, Document, Fields, GUIDE, Keyspace, Server, Value, assert_same, draft, edit,
    for_any, ingest, keyspace, options, try_ingest, without_counters,
};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::Index;

const CASES: u32 = 250;

#[track_caller]
fn replace(client: &mut Client, doc: &str, markdown: &str, options: &str) -> Value {
    let prefix = doc.rsplitn(3, ':').nth(2).unwrap();
    try_ingest(
        client,
        prefix,
        markdown,
        &format!("REPLACE {doc} {options}"),
    )
}

#[track_caller]
fn document(client: &mut Client, name: &str) -> (Document, Keyspace) {
    let keys = without_counters(keyspace(client));
    (Document::find(name, &keys), keys)
}

/// What a chunk says, or a section is called: the rules and definitions that follow are no part
/// of it, and how its lines end does not matter.
fn content(fields: &Fields) -> String {
    match fields.get("text") {
        None => fields["title"].clone(),
        Some(text) => {
            let tail = fields.get("tail").map_or(0, |tail| tail.parse().unwrap());
            let block = text[..text.len() - tail].trim_ascii_end();
            block.replace("\r\n", "\n").replace('\r', "\n")
        }
    }
}

/// Gives every part a field as a user would, and answers the document and all keys.
#[track_caller]
fn mark_parts(client: &mut Client, name: &str) -> (Document, Keyspace) {
    let (before, _) = document(client, name);
    for part in before.names() {
        client.call(&["HSET", part, "embedding", part]);
    }
    document(client, name)
}

/// How many keys of the second keyspace are new or different in it.
fn count_changes(before: &Keyspace, after: &Keyspace) -> usize {
    let changed = after.iter();
    changed
        .filter(|(key, content)| before.get(*key) != Some(content))
        .count()
}

/// Fails unless parts of the old document have their keys, their content and the user's field, and
/// the reply counts them.
#[track_caller]
fn assert_kept(before: &Document, after: &Document, reply: &Value) {
    let mut kept = 0;
    for (name, fields) in &after.parts {
        let old = before.parts.iter().find(|(old, _)| old == name);
        let embedding = fields.get("embedding");
        assert_eq!(embedding, old.map(|_| name));
        if let Some((_, old)) = old {
            assert_eq!(content(old), content(fields), "{name}");
            kept += 1;
        }
    }
    let reply = reply.fields();
    let count = |field: &str| reply[field].integer() as usize;
    assert_eq!(count("kept"), kept);
    assert_eq!(count("added"), after.parts.len() - kept);
    assert_eq!(count("removed"), before.parts.len() - kept);
}

/// The keys as they would be without the user's field.
fn without_marks(mut keys: Keyspace) -> Keyspace {
    for content in keys.values_mut() {
        if let Content::Hash(fields) = content {
            fields.remove("embedding");
        }
    }
    keys
}

#[test]
fn a_replaced_document_is_the_new_one_whatever_was_edited() {
    let server = Server::start();
    server.client().run("CONFIG SET keyns.max-siblings 10000");
    let rounds = vec((vec(edit(), 1..5), options()), 1..4);
    let cases = (draft(), options(), rounds);
    for_any(CASES, cases, |(mut draft, options, rounds)| {
        let mut client = server.client();
        client.run("FLUSHALL");
        let reply = try_ingest(&mut client, "doc", draft.text(), &options);
        if reply.is_error() {
            return;
        }
        let name = reply.fields()["doc"].text();
        for (edits, options) in rounds {
            for edit in &edits {
                draft.apply(edit);
            }
            check_replacement(&mut client, &name, &draft.text(), &options);
        }
        client.call(&["KEYNS.DROP", &name]);
        assert_eq!(without_counters(keyspace(&mut client)), Keyspace::new());
    });
}

/// Replaces a document and compares everything with one that was written anew.
#[track_caller]
fn check_replacement(client: &mut Client, name: &str, text: &str, options: &str) {
    let (before, old_keys) = mark_parts(client, name);
    let reply = replace(client, name, text, options);
    if reply.is_error() {
        let error = reply.text();
        assert!(error.starts_with("ERR front matter, line "), "{error}");
        return;
    }
    let (after, keys) = document(client, name);
    assert_kept(&before, &after, &reply);
    let changes = count_changes(&old_keys, &keys);
    assert_eq!(reply.fields()["keys"].integer() as usize, changes);
    after.assert_covers(text);
    let exported = client.call(&["KEYNS.EXPORTMD", name]);
    assert_eq!(exported, Value::Bulk(text.into()));

    client.run("SELECT 1");
    client.run("FLUSHDB");
    let fresh = ingest(client, "doc", text, options)["doc"].text();
    let (fresh, fresh_keys) = document(client, &fresh);
    client.run("SELECT 0");
    assert_same(
        &after.with_places_for_names(without_marks(keys)),
        &fresh.with_places_for_names(fresh_keys),
    );

    let again = replace(client, name, text, options).fields();
    assert_eq!(again["keys"].integer(), 0);
    assert_eq!(again["kept"].integer() as usize, after.parts.len());
}

/// Compares a document with one that is written anew, and drops it.
#[track_caller]
fn assert_like_fresh(client: &mut Client, name: &str, text: &str, options: &str) {
    let (after, keys) = document(client, name);
    assert_same(&keys, &after.keys());
    after.assert_covers(text);
    client.run("SELECT 1");
    client.run("FLUSHDB");
    let fresh = ingest(client, "doc", text, options)["doc"].text();
    let (fresh, fresh_keys) = document(client, &fresh);
    client.run("SELECT 0");
    assert_same(
        &after.with_places_for_names(keys),
        &fresh.with_places_for_names(fresh_keys),
    );
    client.call(&["KEYNS.DROP", name]);
    assert_same(&without_counters(keyspace(client)), &Keyspace::new());
}

#[test]
fn a_new_part_with_the_name_of_one_that_was_lost_is_in_all_its_sets() {
    let server = Server::start();
    let mut client = server.client();
    let text = "---\ntags: sun\n---\n# Sky\n\nOne.\n\nTwo.\n";
    for options in ["", "SIBLINGS"] {
        client.run("FLUSHALL");
        let name = ingest(&mut client, "doc", text, options)["doc"].text();
        let lost = "chunk:one:001";
        for key in ["", ":next", ":previous", ":siblings"] {
            client.call(&["DEL", &format!("{lost}{key}")]);
        }
        client.run("DEL chunk:_seq");
        assert!(!replace(&mut client, &name, text, options).is_error());
        for set in ["level:chunk:chunks", "tag:sun:chunks"] {
            let there = client.call(&["SISMEMBER", set, lost]);
            assert_eq!(there.integer(), 1, "{set}");
        }
        assert_like_fresh(&mut client, &name, text, options);
    }
}

#[test]
fn a_replaced_document_is_the_new_one_whatever_it_had_lost() {
    let server = Server::start();
    server.client().run("CONFIG SET keyns.max-siblings 10000");
    let losses = vec(any::<Index>(), 1..12);
    let again = (vec(edit(), 0..3), options());
    let cases = (draft(), options(), losses, any::<bool>(), again);
    for_any(
        CASES,
        cases,
        |(mut draft, options, losses, counters, (edits, new_options))| {
            let mut client = server.client();
            client.run("FLUSHALL");
            let reply = try_ingest(&mut client, "doc", draft.text(), &options);
            if reply.is_error() {
                return;
            }
            let name = reply.fields()["doc"].text();
            let keys = keyspace(&mut client).into_keys();
            // What is neither in its hash nor in both of its lists is not known any more.
            let needed = [name.clone(), format!("{name}:all_descendants")];
            let keys: Vec<String> = keys.filter(|key| !needed.contains(key)).collect();
            for loss in &losses {
                client.call(&["DEL", loss.get(&keys).as_str()]);
            }
            for key in keys.iter().filter(|key| counters && key.contains(":_s")) {
                client.call(&["DEL", key]);
            }
            for edit in &edits {
                draft.apply(edit);
            }
            let reply = replace(&mut client, &name, &draft.text(), &new_options);
            if reply.is_error() {
                let error = reply.text();
                assert!(error.starts_with("ERR front matter, line "), "{error}");
                return;
            }
            assert_like_fresh(&mut client, &name, &draft.text(), &new_options);
        },
    );
}

const CHAPTER_A: &str = "# Alder\n\nGrows by water.\n\nBurns slowly.\n\n";
const CHAPTER_B: &str = "# Birch\n\nWhite.\n\nWhite.\n\n## Bark\n\nPeels off.\n";

#[test]
fn an_edit_costs_no_more_keys_than_it_touches() {
    let server = Server::start();
    let mut client = server.client();
    let text = [CHAPTER_A, CHAPTER_B].concat();
    for (what, edited, [kept, added, removed]) in [
        ("nothing", text.clone(), [8, 0, 0]),
        (
            "a paragraph at the top",
            format!("First.\n\n{text}"),
            [8, 1, 0],
        ),
        (
            "a paragraph in the middle",
            text.replace("Burns", "Is light.\n\nBurns"),
            [8, 1, 0],
        ),
        (
            "a renamed heading",
            text.replace("# Alder", "# Alders"),
            [7, 1, 1],
        ),
        (
            "another level",
            text.replace("## Bark", "### Bark"),
            [7, 1, 1],
        ),
        ("a changed word", text.replace("Peels", "Comes"), [7, 1, 1]),
        (
            "a removed paragraph",
            text.replace("Burns slowly.\n\n", ""),
            [7, 0, 1],
        ),
        ("a heading gone", text.replace("# Birch\n\n", ""), [7, 0, 1]),
        (
            "one of two equals gone",
            text.replacen("White.\n\n", "", 1),
            [7, 0, 1],
        ),
        (
            "a third equal",
            text.replacen("White.", "White.\n\nWhite.", 1),
            [8, 1, 0],
        ),
        (
            "chapters the other way round",
            format!("{CHAPTER_B}\n{CHAPTER_A}"),
            [8, 0, 0],
        ),
        (
            "a paragraph somewhere else",
            format!(
                "{CHAPTER_A}Peels off.\n\n{}",
                CHAPTER_B.replace("Peels off.\n", "")
            ),
            [8, 0, 0],
        ),
        (
            "front matter",
            format!("---\ntags: trees\n---\n{text}"),
            [8, 0, 0],
        ),
        ("line endings", text.replace('\n', "\r\n"), [8, 0, 0]),
        ("a rule", text.replace("Burns", "---\n\nBurns"), [8, 0, 0]),
        (
            "a definition",
            text.replace("# Birch", "[a]: b\n\n# Birch"),
            [8, 0, 0],
        ),
        (
            "a heading's style",
            text.replace("# Alder", "Alder\n==="),
            [8, 0, 0],
        ),
        ("everything", "Other.\n".to_owned(), [0, 1, 8]),
        ("all gone", String::new(), [0, 0, 8]),
    ] {
        client.run("FLUSHALL");
        let name = ingest(&mut client, "doc", &text, "")["doc"].text();
        let (before, _) = mark_parts(&mut client, &name);
        let reply = replace(&mut client, &name, &edited, "");
        let fields = reply.fields();
        let counts = ["kept", "added", "removed"].map(|field| fields[field].integer());
        assert_eq!(counts, [kept, added, removed], "{what}");
        let (after, _) = document(&mut client, &name);
        assert_kept(&before, &after, &reply);
        assert_eq!(client.call(&["KEYNS.EXPORTMD", &name]).text(), edited);
    }
}

#[test]
fn equal_paragraphs_stay_with_their_headings() {
    let server = Server::start();
    let mut client = server.client();
    let text = "# One\n\nSame.\n\n# Two\n\nSame.\n";
    let name = ingest(&mut client, "doc", text, "")["doc"].text();
    let child = |client: &mut Client, of: &str| {
        let children = client.run(&format!("KEYNS.NAV {of} CHILDREN"));
        children.array().iter().map(Value::text).collect::<Vec<_>>()
    };
    let (one, two) = (
        child(&mut client, "ch:one:001"),
        child(&mut client, "ch:two:002"),
    );
    replace(&mut client, &name, "# Two\n\nSame.\n\n# One\n\nSame.\n", "");
    assert_eq!(child(&mut client, "ch:one:001"), one);
    assert_eq!(child(&mut client, "ch:two:002"), two);
}

#[test]
fn the_same_text_again_writes_nothing() {
    let server = Server::start();
    let mut client = server.client();
    let writes = |client: &mut Client| client.info("persistence", "rdb_changes_since_last_save");
    for options in ["", "SIBLINGS", "MAXCHUNK 16 FILE a.md", "CHUNK SECTION"] {
        let name = ingest(&mut client, "doc", GUIDE, options)["doc"].text();
        let (digest, before) = (server.digest(), writes(&mut client));
        let reply = replace(&mut client, &name, GUIDE, options).fields();
        assert_eq!(reply["keys"].integer(), 0);
        assert_eq!(writes(&mut client), before);
        assert_eq!(server.digest(), digest);
        let edited = GUIDE.replace("close", "closer");
        replace(&mut client, &name, &edited, options);
        assert_ne!(writes(&mut client), before);
    }
}

#[test]
fn what_users_added_stays() {
    let server = Server::start();
    let mut client = server.client();
    let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
    client.call(&["HSET", &name, "reviewed_by", "Grace"]);
    client.run("HSET chunk:trees_stand_close:002 embedding 0.5 tail_light red");
    client.run("SADD tag:birds:chunks by_hand");
    client.run("SADD tag:mosses:chunks by_hand");
    client.run("SADD level:ch:chunks by_hand");
    let edited = GUIDE
        .replace("tags: birds, mosses", "tags: birds")
        .replace("# Meadows", "# Bogs");
    replace(&mut client, &name, &edited, "");
    assert_eq!(client.call(&["HGET", &name, "reviewed_by"]).text(), "Grace");
    let chunk = client.run("HGETALL chunk:trees_stand_close:002").fields();
    assert_eq!(chunk["embedding"].text(), "0.5");
    assert_eq!(chunk["tail_light"].text(), "red");
    for set in ["tag:birds:chunks", "tag:mosses:chunks", "level:ch:chunks"] {
        let there = client.run(&format!("SISMEMBER {set} by_hand"));
        assert_eq!(there.integer(), 1, "{set}");
    }
    assert_eq!(client.run("SCARD tag:mosses:chunks").integer(), 1);
}

#[test]
fn front_matter_moves_a_document_between_sets() {
    let server = Server::start();
    let mut client = server.client();
    let text = |matter: &str| format!("---\n{matter}\n---\nWords.\n");
    let other = ingest(
        &mut client,
        "doc",
        text("tags: sun\nauthor: Ada\ncategory: sky"),
        "",
    );
    let name = ingest(
        &mut client,
        "doc",
        text("tags: sun, rain\nauthor: Ada\ncategory: sky\nold: 1"),
        "",
    );
    let name = name["doc"].text();
    replace(
        &mut client,
        &name,
        &text("tags: rain, snow\nauthor: Grace\nnew: 2"),
        "",
    );
    let members = |client: &mut Client, set: &str| {
        let members = client.run(&format!("SMEMBERS {set}"));
        members.array().iter().map(Value::text).collect::<Vec<_>>()
    };
    let other = other["doc"].text();
    assert_eq!(members(&mut client, "tag:sun:chunks"), ["chunk:words:001"]);
    assert_eq!(members(&mut client, "tag:rain:chunks"), ["chunk:words:002"]);
    assert_eq!(members(&mut client, "tag:snow:chunks"), ["chunk:words:002"]);
    assert_eq!(members(&mut client, "author:ada:docs"), [other.as_str()]);
    assert_eq!(members(&mut client, "author:grace:docs"), [name.as_str()]);
    assert_eq!(members(&mut client, "category:sky:docs"), [other.as_str()]);
    let fields = client.call(&["HGETALL", &name]).fields();
    assert_eq!(fields["meta.new"].text(), "2");
    assert!(!fields.contains_key("meta.old") && !fields.contains_key("category"));
}

#[test]
fn replacing_mends_what_the_document_lost() {
    let server = Server::start();
    let mut client = server.client();
    let name = ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text();
    let (_, keys) = document(&mut client, &name);
    // What is not a document any more cannot be mended.
    for key in keys.keys().filter(|key| **key != name) {
        client.run("FLUSHALL");
        ingest(&mut client, "doc", GUIDE, "SIBLINGS");
        client.call(&["DEL", key]);
        let reply = replace(&mut client, &name, GUIDE, "SIBLINGS");
        assert!(!reply.is_error(), "{key}: {reply:?}");
        let (mended, keys) = document(&mut client, &name);
        assert_same(&keys, &mended.keys());
        mended.assert_covers(GUIDE);
    }
}

#[test]
fn siblings_that_are_not_wanted_any_more_go() {
    let server = Server::start();
    let mut client = server.client();
    let name = ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text();
    let (_, keys) = document(&mut client, &name);
    let siblings = keys.keys().filter(|key| key.ends_with(":siblings"));
    for key in siblings {
        client.run("FLUSHALL");
        ingest(&mut client, "doc", GUIDE, "SIBLINGS");
        client.call(&["DEL", key]);
        client.call(&["LPUSH", key, "mine"]);
        let before = server.digest();
        let error = replace(&mut client, &name, GUIDE, "").text();
        assert!(error.starts_with("WRONGTYPE "), "{key}: {error}");
        assert_eq!(server.digest(), before, "{key}");
        client.call(&["DEL", key]);
        replace(&mut client, &name, GUIDE, "");
        let (document, keys) = document(&mut client, &name);
        assert_same(&keys, &document.keys());
        assert!(!keys.keys().any(|key| key.ends_with(":siblings")));
    }
}

#[test]
fn replacing_refuses_where_a_derived_key_is_something_else() {
    let server = Server::start();
    let mut client = server.client();
    let edited = GUIDE
        .replace("# Meadows", "# Bogs")
        .replace("birds, mosses", "birds, ferns");
    let name = ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text();
    let (_, keys) = document(&mut client, &name);
    let new = [
        "ch:bogs:003:next",
        "ch:bogs:003:children",
        "tag:ferns:chunks",
    ];
    for key in keys.keys().map(String::as_str).chain(new) {
        client.run("FLUSHALL");
        let name = ingest(&mut client, "doc", GUIDE, "SIBLINGS")["doc"].text();
        client.call(&["DEL", key]);
        client.call(&["LPUSH", key, "mine"]);
        let before = server.digest();
        let error = replace(&mut client, &name, &edited, "SIBLINGS").text();
        assert!(error.starts_with("WRONGTYPE "), "{key}: {error}");
        assert_eq!(server.digest(), before, "{key}");
    }
}

#[test]
fn other_line_endings_cost_no_keys() {
    let server = Server::start();
    let mut client = server.client();
    let text = "# One\n\n- a\n- b\n\n```\ncode\nmore\n```\n";
    let name = ingest(&mut client, "doc", text, "")["doc"].text();
    for ending in ["\r\n", "\r", "\n"] {
        let reply = replace(&mut client, &name, &text.replace('\n', ending), "").fields();
        assert_eq!(reply["kept"].integer(), 3, "{ending:?}");
        assert_eq!(reply["added"].integer(), 0, "{ending:?}");
    }
    // What joins words is another text.
    let reply = replace(&mut client, &name, &text.replace("code\n", "code"), "").fields();
    assert_eq!(reply["kept"].integer(), 2);
}
