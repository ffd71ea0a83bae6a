//! What a document takes in memory is known before it is written, and bounded.

use std::thread::sleep;
use std::time::Duration;

use keyns_testkit::{
    Client, Content, Options, Server, Value, ingest, keyspace, read_in_background, try_ingest,
    wait_until, without_counters,
};

/// Sections of paragraphs of a few words.
fn prose(sections: usize, paragraphs: usize) -> String {
    let paragraph = |n: usize| {
        format!(
            "Paragraph {n} of this section goes on for as long as most of them do, or nearly.\n\n"
        )
    };
    let section = |n: usize| {
        format!(
            "## Section {n}\n\n{}",
            (0..paragraphs).map(paragraph).collect::<String>()
        )
    };
    format!(
        "# Prose\n\n{}",
        (0..sections).map(section).collect::<String>()
    )
}

/// Headings with one-letter paragraphs.
fn letters(headings: usize, paragraphs: usize) -> String {
    format!("# A\n\n{}", "a\n\n".repeat(paragraphs)).repeat(headings)
}

fn memory(client: &mut Client, field: &str) -> i64 {
    client.info("memory", field).parse().expect("a number")
}

/// What the server uses when nothing has changed for a while.
fn settled_memory(server: &Server) -> i64 {
    let mut client = server.client();
    let mut used = 0;
    wait_until("the memory stays the same", || {
        let last = used;
        sleep(Duration::from_millis(100));
        used = memory(&mut client, "used_memory");
        (used - last).abs() < 16 << 10
    });
    used
}

/// What the server takes a document to need, which it tells when that is too much.
#[track_caller]
fn estimate(client: &mut Client, prefix: &str, markdown: &str, options: &str) -> i64 {
    client.run("CONFIG SET keyns.max-write-bytes 65536");
    let error = try_ingest(client, prefix, markdown, options).text();
    client.run("CONFIG SET keyns.max-write-bytes 402653184");
    let start = "ERR the document would take about ";
    let end = " bytes in keys, more than 65536 (keyns.max-write-bytes)";
    let bytes = error.strip_prefix(start).and_then(|e| e.strip_suffix(end));
    let bytes = bytes.unwrap_or_else(|| panic!("{error}"));
    assert_eq!(client.run("DBSIZE").integer(), 0);
    bytes.parse().expect("a number")
}

#[test]
fn eleven_kilobytes_do_not_become_a_gigabyte() {
    let server = Server::start();
    let mut client = server.client();
    let before = memory(&mut client, "used_memory");
    let prefix = format!("{}:doc", "x".repeat(1002));
    for (markdown, options) in [(letters(15, 255), "SIBLINGS"), ("a\n\n".repeat(99_000), "")] {
        for in_background in [false, true] {
            read_in_background(&mut client, in_background);
            let reply = try_ingest(&mut client, &prefix, &markdown, options);
            let error = "ERR prefix must be at most 256 bytes, got 1006";
            assert_eq!(reply, Value::Error(error.into()));
        }
    }
    // The longest prefix there may be, and names as long as they get.
    let prefix = format!("{}:doc", "x".repeat(252));
    let long = format!("{}\n\n", "wonderfully ".repeat(60));
    for (markdown, options) in [
        (letters(17, 255), "SIBLINGS"),
        ("a\n\n".repeat(99_000), ""),
        (long.repeat(30_000 / 3), "MAXLEN 512 WORDS 16 SIBLINGS"),
        (long.repeat(10_000), "MAXLEN 512 WORDS 16 MAXCHUNK 80"),
    ] {
        client.run("CONFIG SET keyns.max-siblings 10000");
        for in_background in [false, true] {
            read_in_background(&mut client, in_background);
            let reply = try_ingest(&mut client, &prefix, &markdown, options);
            assert!(reply.is_error(), "{reply:?}");
            let error = reply.text();
            let is_told = error.starts_with("ERR the document would take about ")
                || error.starts_with("ERR tags and siblings may add at most ");
            assert!(is_told, "{error}");
        }
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
    let after = memory(&mut client, "used_memory");
    assert!(after - before < 32 << 20, "{before} {after}");
}

#[test]
fn the_document_of_ordinary_texts_at_the_other_limits_is_written() {
    let server = Server::start();
    let mut client = server.client();
    // Nearly 100,000 elements and 8 MB.
    let reply = ingest(
        &mut client,
        "prod:{customer-1234}:v1:doc",
        prose(980, 100),
        "",
    );
    assert_eq!(reply["chunks"].integer(), 98_000);
}

#[test]
fn what_a_document_takes_is_known_before_it_is_written() {
    let tags = "---\ntags: a1, b1, c1, d1, e1, f1, g1, h1\ncategory: c1\nauthor: Ada\n---\n";
    let long = format!("{}:doc", "x".repeat(252));
    let many_titles = "# A title of some length\n\n### Another one below\n\n".repeat(2000);
    let table = format!(
        "| side | colour |\n|---|---|\n{}",
        "| north | green |\n".repeat(3000)
    );
    for (prefix, markdown, options) in [
        ("doc", prose(100, 50), ""),
        ("{acme}:doc", letters(40, 100), ""),
        ("doc", letters(8, 150), "SIBLINGS"),
        (&long, letters(5, 100), "SIBLINGS"),
        (&long, prose(20, 50), ""),
        ("doc", format!("{tags}{}", prose(40, 50)), "NUMBERING SLUG"),
        ("doc", prose(20, 20), "MAXLEN 512 WORDS 16 NUMBERING SLUG"),
        ("doc", many_titles, ""),
        ("doc", table, "MAXCHUNK 64"),
        ("doc", "Word by word. ".repeat(20_000), "MAXCHUNK 16"),
        ("doc", "Word by word. ".repeat(400_000), "CHUNK SECTION"),
    ] {
        let server = Server::start();
        // Clients that go take the buffers for their calls with them.
        let expected = estimate(&mut server.client(), prefix, &markdown, options);
        let before = settled_memory(&server);
        ingest(&mut server.client(), prefix, &markdown, options);
        let taken = settled_memory(&server) - before;
        let what = format!(
            "{} bytes, {options}: {expected} for {taken}",
            markdown.len()
        );
        // The server takes something for itself, too.
        assert!(taken <= expected + (128 << 10), "{what}");
        assert!(expected <= 3 * taken, "{what}");
    }
}

#[test]
fn a_document_that_does_not_fit_into_maxmemory_is_refused() {
    let server = Server::start();
    let mut client = server.client();
    let markdown = prose(100, 50);
    let size = estimate(&mut client, "doc", &markdown, "");
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        for (policy, limit, fits) in [
            (
                "noeviction",
                memory(&mut client, "used_memory") + size / 2,
                false,
            ),
            (
                "noeviction",
                memory(&mut client, "used_memory") + 2 * size,
                true,
            ),
            // There is nothing that it could evict.
            (
                "volatile-lru",
                memory(&mut client, "used_memory") + size / 2,
                false,
            ),
            // It evicts before the next command, and may have twice its limit until then.
            ("allkeys-lru", size / 2, false),
            (
                "allkeys-lru",
                memory(&mut client, "used_memory") + 2 * size,
                true,
            ),
        ] {
            client.run(&format!(
                "CONFIG SET maxmemory-policy {policy} maxmemory {limit}"
            ));
            let reply = try_ingest(&mut client, "doc", &markdown, "");
            let keys = client.run("DBSIZE").integer();
            client.run("CONFIG SET maxmemory 0");
            if fits {
                assert!(!reply.is_error(), "{policy} {reply:?}");
                client.run("FLUSHALL SYNC");
                continue;
            }
            let start = "OOM command not allowed when used memory > 'maxmemory'";
            assert!(reply.text().starts_with(start), "{policy} {reply:?}");
            assert_eq!(keys, 0);
        }
    }
}

/// Nothing is evicted between the commands of a transaction, nor between documents that waited.
#[test]
fn documents_take_a_server_that_evicts_to_twice_its_limit_at_most() {
    const COUNT: usize = 14;
    let server = Server::start();
    let mut client = server.client();
    let markdown = prose(100, 50);
    let size = estimate(&mut client, "doc", &markdown, "");
    let limit = memory(&mut client, "used_memory") + 2 * size;
    client.run(&format!(
        "CONFIG SET maxmemory-policy allkeys-lru maxmemory {limit}"
    ));
    client.run("MULTI");
    for _ in 0..COUNT {
        client.call(&["KEYNS.INGESTMD", "doc", &markdown]);
    }
    client.run("INFO memory");
    let replies = client.run("EXEC");
    let (info, replies) = replies.array().split_last().unwrap();
    let refused = replies.iter().filter(|reply| reply.is_error()).count();
    assert!((1..COUNT).contains(&refused), "{refused}");
    let info = info.text();
    let used = info
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    let used: i64 = used.and_then(|used| used.parse().ok()).expect("a number");
    assert!(used < 2 * limit, "{used} of {limit}");
}

/// What the document says of itself was believed, and what was added not counted.
#[test]
fn a_replacement_counts_siblings_that_only_a_field_says_are_there() {
    let server = Server::start();
    let mut client = server.client();
    let markdown = letters(10, 120);
    let document = ingest(&mut client, "doc", &markdown, "")["doc"].text();
    let limit = memory(&mut client, "used_memory") + (4 << 20);
    client.run(&format!("CONFIG SET maxmemory {limit}"));
    client.run(&format!("HSET {document} _siblings 1"));
    let before = server.digest();
    let options = format!("REPLACE {document} SIBLINGS");
    let reply = try_ingest(&mut client, "doc", &markdown, &options);
    assert!(reply.text().starts_with("OOM "), "{reply:?}");
    assert_eq!(server.digest(), before);
}

#[test]
fn a_replacement_needs_room_for_what_is_new_only() {
    let server = Server::start();
    let mut client = server.client();
    let markdown = prose(100, 50);
    let name = ingest(&mut client, "doc", &markdown, "")["doc"].text();
    let limit = memory(&mut client, "used_memory") + (4 << 20);
    client.run(&format!("CONFIG SET maxmemory {limit}"));
    let edited = markdown.replacen("goes on", "went on", 3);
    let replace = format!("REPLACE {name}");
    let reply = ingest(&mut client, "doc", &edited, &replace);
    assert_eq!(reply["added"].integer(), 3);
    let before = server.digest();
    for (text, options) in [
        (markdown.replace("goes on", "went on"), replace.clone()),
        (markdown.clone(), format!("{replace} SIBLINGS")),
        (
            format!("---\ntags: a1, b1, c1, d1, e1, f1, g1, h1, i1\n---\n{markdown}"),
            replace.clone(),
        ),
    ] {
        let reply = try_ingest(&mut client, "doc", &text, &options);
        assert!(reply.text().starts_with("OOM "), "{reply:?}");
    }
    assert_eq!(server.digest(), before);
}

#[test]
fn a_prefix_has_at_most_256_bytes() {
    let server = Server::start();
    let mut client = server.client();
    let fits = format!("{}:doc", "x".repeat(252));
    let breaks = format!("y{fits}");
    for rest in [
        &["KEYNS.NEXTID"][..],
        &["KEYNS.MAKE", "a text"],
        &["KEYNS.INGESTMD", "# Text\n"],
    ] {
        let call = |prefix: &str| [&[rest[0], prefix], &rest[1..]].concat().join("\x1f");
        let mut send = |prefix: &str| {
            let call = call(prefix);
            client.call(&call.split('\x1f').collect::<Vec<_>>())
        };
        assert!(!send(&fits).is_error());
        assert!(!send(&format!("{fits}:")).is_error());
        let error = "ERR prefix must be at most 256 bytes, got 257";
        assert_eq!(send(&breaks), Value::Error(error.into()));
    }
    // Kinds that are longer than the document's own are no reason to refuse it.
    ingest(
        &mut client,
        &format!("{}:d", "z".repeat(254)),
        "# A\n\n### B\n\nc\n",
        "",
    );
}

#[test]
fn a_document_with_a_longer_prefix_can_be_read_and_dropped() {
    let server = Options::new().start();
    let mut client = server.client();
    let scope = "x".repeat(1000);
    let (doc, chunk) = (
        format!("{scope}:doc:old_one:001"),
        format!("{scope}:chunk:old_one:001"),
    );
    let level = |kind: &str| format!("{scope}:level:{kind}:chunks");
    let [sequence, children] = ["sequence", "children"].map(|what| format!("{doc}:{what}"));
    for call in [
        &[
            "HSET", &doc, "type", "document", "title", "Old one", "chunks", "1",
        ][..],
        &[
            "HSET",
            &chunk,
            "type",
            "chunk",
            "text",
            "Old one.\n",
            "block",
            "paragraph",
            "doc",
            &doc,
        ],
        &["HSET", &chunk, "parent", &doc],
        &["ZADD", &sequence, "1", &chunk],
        &["SADD", &children, &chunk],
        &["SADD", &level("chunk"), &chunk, "another"],
        &["SADD", &level("doc"), &doc],
    ] {
        assert!(!client.call(call).is_error());
    }
    assert_eq!(client.call(&["KEYNS.EXPORTMD", &doc]).text(), "Old one.\n");
    assert_eq!(client.call(&["KEYNS.TREE", &doc]).array().len(), 3);
    assert_eq!(
        client.call(&["KEYNS.NAV", &doc, "CHILDREN"]).array().len(),
        1
    );
    assert_eq!(client.call(&["KEYNS.NAV", &chunk, "PARENT"]).text(), doc);
    client.call(&["KEYNS.DROP", &doc]);
    let left = without_counters(keyspace(&mut client));
    let other = Content::Set(["another".to_owned()].into());
    assert_eq!(left, [(level("chunk"), other)].into());
}
