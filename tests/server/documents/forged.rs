//! Documents that somebody wrote by hand, and made larger than any that we write: they are refused
//! before they are read, and nothing is changed.

use std::fs;
use std::time::{Duration, Instant};

use keyns_testkit::{Client, GUIDE, Server, Value, ingest, try_ingest};

const DOC: &str = "doc:field_guide:001";

/// A server with the guide, and its client.
fn with_guide() -> (Server, Client) {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(ingest(&mut client, "doc", GUIDE, "")["doc"].text(), DOC);
    (server, client)
}

/// The most memory that a server has held from some moment on, in bytes: also within one call, which
/// `used_memory_peak` does not show.
struct Peak {
    folder: String,
    before: u64,
}

impl Peak {
    fn from_now(client: &mut Client) -> Peak {
        let folder = format!("/proc/{}", client.info("server", "process_id"));
        // 5 sets the peak back to what is held now.
        fs::write(format!("{folder}/clear_refs"), "5").expect("a new peak");
        let peak = Peak { folder, before: 0 };
        let before = peak.grown();
        Peak { before, ..peak }
    }

    fn grown(&self) -> u64 {
        let status = fs::read_to_string(format!("{}/status", self.folder)).expect("a status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.expect("a peak").trim().trim_end_matches(" kB");
        let bytes = 1024 * peak.parse::<u64>().expect("a number");
        bytes.saturating_sub(self.before)
    }
}

/// Fails unless each of these calls is refused with an error that starts and ends so, at once, with
/// little memory and without a change.
#[track_caller]
fn assert_refused(server: &Server, calls: &[&[&str]], start: &str, end: &str) {
    let mut client = server.client();
    let before = server.digest();
    let peak = Peak::from_now(&mut client);
    for call in calls {
        let begun = Instant::now();
        let reply = client.call(call);
        let time = begun.elapsed();
        let error = reply.is_error().then(|| reply.text());
        let is_right = error.is_some_and(|e| e.starts_with(start) && e.ends_with(end));
        assert!(is_right, "{call:?}: {reply:?}");
        assert!(time < Duration::from_secs(2), "{call:?}: {time:?}");
    }
    let grown = peak.grown();
    assert!(grown < 80 << 20, "{calls:?}: {grown}");
    assert_eq!(server.digest(), before);
}

/// The calls that read all of a document.
const DROP: &[&str] = &["KEYNS.DROP", DOC];
const REPLACE: &[&str] = &["KEYNS.INGESTMD", "doc", "# New\n", "REPLACE", DOC];
const EXPORT: &[&str] = &["KEYNS.EXPORTMD", DOC];
const TREE: &[&str] = &["KEYNS.TREE", DOC];
const SEQUENCE: &[&str] = &["KEYNS.NAV", DOC, "SEQUENCE"];
const CHILDREN: &[&str] = &["KEYNS.NAV", DOC, "CHILDREN"];

#[test]
fn a_field_with_millions_of_sets_is_not_taken_apart() {
    let (server, mut client) = with_guide();
    client.call(&["HSET", DOC, "_sets", &"a ".repeat(16 << 20)]);
    assert_refused(
        &server,
        &[DROP, REPLACE],
        "ERR 'doc:field_guide:001' has a field _sets of 33554432 bytes; a document has at most ",
        "",
    );
    let sets: Vec<String> = (0..193).map(|n| format!("tag:t{n}:chunks")).collect();
    client.call(&["HSET", DOC, "_sets", &sets.join(" ")]);
    let error =
        "ERR the field _sets of 'doc:field_guide:001' names 193 sets; a document has at most 192";
    assert_refused(&server, &[DROP, REPLACE], error, error);
    // Those of its own, over and over, are what they are.
    let own = client.call(&["HGET", DOC, "_sets"]).text();
    let own = own.split(' ').take(3).collect::<Vec<_>>().join(" ");
    client.call(&["HSET", DOC, "_sets", &format!("{own} ").repeat(1000)]);
    assert!(client.call(DROP).integer() > 0);
}

/// Adds members that could be those of a document.
fn add_members(client: &mut Client, key: &str, count: usize) {
    let numbers: Vec<usize> = (0..count).collect();
    let calls: Vec<Vec<String>> = numbers
        .chunks(1000)
        .map(|numbers| {
            let is_sorted = key.ends_with(":sequence");
            let command = if is_sorted { "ZADD" } else { "SADD" };
            let mut call = vec![command.to_owned(), key.to_owned()];
            for number in numbers {
                call.extend(is_sorted.then(|| number.to_string()));
                call.push(format!("chunk:forged:{number:06}"));
            }
            call
        })
        .collect();
    for reply in client.pipeline(&calls) {
        assert!(!reply.is_error(), "{reply:?}");
    }
}

#[test]
fn forged_descendants_are_counted_before_they_are_read() {
    forged_members_are_counted_before_they_are_read("all_descendants", &[DROP, REPLACE]);
}

#[test]
fn forged_sequences_are_counted_before_they_are_read() {
    let calls = [DROP, REPLACE, EXPORT, TREE, SEQUENCE, CHILDREN];
    forged_members_are_counted_before_they_are_read("sequence", &calls);
}

#[test]
fn forged_children_are_counted_before_they_are_read() {
    forged_members_are_counted_before_they_are_read("children", &[CHILDREN]);
}

#[track_caller]
fn forged_members_are_counted_before_they_are_read(relation: &str, calls: &[&[&str]]) {
    const COUNT: usize = 300_000;
    let (server, mut client) = with_guide();
    let key = format!("{DOC}:{relation}");
    client.call(&["DEL", &key]);
    add_members(&mut client, &key, COUNT);
    let error = format!(
        "ERR '{key}' has 300000 members; a document has at most 100000 (keyns.max-elements)"
    );
    assert_refused(&server, calls, &error, &error);
    // Who allows as many can get rid of it.
    client.run("CONFIG SET keyns.max-elements 400000");
    assert!(client.call(DROP).integer() > 0);
}

#[test]
fn a_replacement_counts_the_members_of_all_sets_that_it_would_change() {
    for key in [
        "doc:field_guide:001:children",
        "ch:forests:001:children",
        "ch:forests:001:all_descendants",
        "ch:forests:001:sequence",
    ] {
        let (server, mut client) = with_guide();
        add_members(&mut client, key, 100_001);
        let error = format!("ERR '{key}' has ");
        let edited = GUIDE.replace("Grass", "Moss");
        let replace = ["KEYNS.INGESTMD", "doc", &edited, "REPLACE", DOC];
        assert_refused(&server, &[&replace], &error, "(keyns.max-elements)");
    }
}

#[test]
fn forged_parts_count_together_wherever_they_are_named() {
    let (server, mut client) = with_guide();
    add_members(&mut client, &format!("{DOC}:sequence"), 60_000);
    let numbers: Vec<String> = (0..60_000).map(|n| format!("chunk:other:{n:06}")).collect();
    let descendants = format!("{DOC}:all_descendants");
    let mut call = vec!["SADD", &descendants];
    call.extend(numbers.iter().map(String::as_str));
    client.call(&call);
    let error = "ERR 'doc:field_guide:001:all_descendants' has 1200";
    assert_refused(&server, &[DROP, REPLACE], error, "(keyns.max-elements)");
}

#[test]
fn tags_times_forged_chunks_are_bounded() {
    let (server, mut client) = with_guide();
    add_members(&mut client, &format!("{DOC}:sequence"), 90_000);
    let sets: Vec<String> = (0..64).map(|n| format!("tag:t{n}:chunks")).collect();
    client.call(&["HSET", DOC, "_sets", &sets.join(" ")]);
    for set in &sets {
        client.call(&["SADD", set, "chunk:forged:000001"]);
    }
    let error = "ERR tags and siblings may add at most 1000000 set members, got 5760";
    assert_refused(
        &server,
        &[DROP, REPLACE],
        error,
        "(10 times keyns.max-elements)",
    );
}

#[test]
fn forged_texts_are_no_source() {
    let (server, mut client) = with_guide();
    let text = "x".repeat(8_388_500);
    let error = "' has text for a source of ";
    let chunk = client.run(&format!("KEYNS.NAV {DOC} SEQUENCE"));
    let first = chunk.array()[0].text();
    client.call(&["HSET", &first, "text", &text]);
    let start = "ERR '";
    let mut reader = server.client();
    let reply = reader.call(EXPORT).text();
    assert!(reply.contains(error), "{}", &reply[..reply.len().min(200)]);
    assert_refused(
        &server,
        &[EXPORT],
        start,
        " bytes; a document has at most 8388608",
    );
    // A document may be as long as new ones may be.
    client.run("CONFIG SET keyns.max-document-bytes 16777216");
    assert!(client.call(EXPORT).text().len() > 8_388_500);
}

#[test]
fn forged_titles_are_not_drawn() {
    let (server, mut client) = with_guide();
    let title = "x".repeat(14 << 20);
    for key in [DOC, "ch:forests:001", "ch:meadows:002"] {
        assert_eq!(
            client.call(&["HSET", key, "title", &title]).integer(),
            0,
            "{key}"
        );
    }
    let text = &["KEYNS.TREE", DOC, "FORMAT", "TEXT"];
    let mermaid = &["KEYNS.TREE", DOC, "FORMAT", "MERMAID"];
    let start = "ERR 'ch:forests:001' has a title of 14680064 bytes; a document has at most ";
    assert_refused(&server, &[TREE, text, mermaid], start, "");
    client.call(&["HSET", DOC, "title", "x"]);
    client.call(&["HDEL", "ch:forests:001", "title"]);
    client.call(&["HSET", "ch:forests:001", "block", &"x".repeat(65)]);
    let start = "ERR 'ch:forests:001' has a field block of 65 bytes; a document has at most 64";
    assert_refused(&server, &[TREE], start, start);
}

#[test]
fn forged_names_are_no_neighbours() {
    let (server, mut client) = with_guide();
    let long = format!("chunk:{}:001", "x".repeat(3000));
    let part = "ch:forests:001";
    let [next, previous] = ["next", "previous"].map(|what| format!("{part}:{what}"));
    client.call(&["SET", &next, &long]);
    client.call(&["SET", &previous, &long]);
    client.call(&["HSET", part, "parent", &long]);
    let nav = |direction| ["KEYNS.NAV", part, direction];
    let error = |key: &str, what: &str| {
        format!("ERR '{key}' has {what} of 3010 bytes; a document has at most 2048")
    };
    for (direction, error) in [
        ("NEXT", error(&next, "a value")),
        ("PREVIOUS", error(&previous, "a value")),
        ("PARENT", error(part, "a field parent")),
        ("SIBLINGS", error(part, "a field parent")),
    ] {
        assert_refused(&server, &[&nav(direction)], &error, &error);
    }
    client.call(&["ZADD", &format!("{DOC}:sequence"), "3", &long]);
    let of_sequence = error(&format!("{DOC}:sequence"), "a member");
    let calls = [DROP, REPLACE, EXPORT, TREE, SEQUENCE, CHILDREN];
    assert_refused(&server, &calls, &of_sequence, &of_sequence);
    client.call(&["ZREM", &format!("{DOC}:sequence"), &long]);
    client.call(&["SADD", &format!("{DOC}:all_descendants"), &long]);
    let of_descendants = error(&format!("{DOC}:all_descendants"), "a member");
    assert_refused(&server, &[DROP, REPLACE], &of_descendants, &of_descendants);
    // A longer value than the right one is replaced without a look at it.
    client.call(&["SREM", &format!("{DOC}:all_descendants"), &long]);
    client.call(&["SET", &next, &"x".repeat(32 << 20)]);
    let peak = Peak::from_now(&mut client);
    ingest(&mut client, "doc", GUIDE, &format!("REPLACE {DOC}"));
    assert!(peak.grown() < 16 << 20);
    assert_eq!(client.call(&nav("NEXT")), client.call(&["GET", &next]));
}

#[test]
fn forged_fields_of_front_matter_are_counted() {
    let (server, mut client) = with_guide();
    let fields: Vec<String> = (0..10_001).map(|n| format!("meta.f{n}")).collect();
    let mut call = vec!["HSET", DOC];
    call.extend(fields.iter().flat_map(|field| [field.as_str(), "x"]));
    client.call(&call);
    let error = "ERR 'doc:field_guide:001' has 10001 fields from front matter; a document has at most 10000";
    assert_refused(&server, &[REPLACE], error, error);
    // What users have added is none of our business.
    client.call(&["HDEL", DOC, "meta.f0"]);
    ingest(&mut client, "doc", GUIDE, &format!("REPLACE {DOC}"));
    assert_eq!(client.call(&["HEXISTS", DOC, "meta.f1"]).integer(), 0);
}

#[test]
fn keys_that_are_no_names_are_not_looked_for() {
    let (server, _) = with_guide();
    let long = "x".repeat(2049);
    let replaced = format!("doc:{}:001", "x".repeat(2041));
    let error = "ERR REPLACE must be at most 2048 bytes, got 2049";
    let replace = ["KEYNS.INGESTMD", "doc", "x", "REPLACE", &replaced];
    assert_refused(&server, &[&replace], error, error);
    let error = "ERR key must be at most 2048 bytes, got 2049";
    let calls: &[&[&str]] = &[&["KEYNS.TREE", &long], &["KEYNS.NAV", &long, "NEXT"]];
    assert_refused(&server, calls, error, error);
    let error = "ERR dockey must be at most 2048 bytes, got 2049";
    let calls: &[&[&str]] = &[&["KEYNS.DROP", &long], &["KEYNS.EXPORTMD", &long]];
    assert_refused(&server, calls, error, error);
}

#[test]
fn who_lowers_the_limits_can_read_and_drop_what_there_is() {
    let (server, mut client) = with_guide();
    for line in [
        "keyns.max-elements 1",
        "keyns.max-document-bytes 1024",
        "keyns.max-text-bytes 64",
        "keyns.max-write-bytes 65536",
        "keyns.max-siblings 1",
    ] {
        client.run(&format!("CONFIG SET {line}"));
    }
    assert_eq!(client.call(EXPORT).text(), GUIDE);
    assert_eq!(client.call(TREE).array().len(), 3);
    assert_eq!(client.call(SEQUENCE).array().len(), 9);
    let before = server.digest();
    let reply = try_ingest(&mut client, "doc", GUIDE, &format!("REPLACE {DOC}"));
    let error = "ERR the document has more than 1 elements (keyns.max-elements)";
    assert_eq!(reply, Value::Error(error.into()));
    assert_eq!(server.digest(), before);
    assert!(client.call(DROP).integer() > 0);
}
