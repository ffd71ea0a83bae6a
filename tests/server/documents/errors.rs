//! Mistakes in calls of the document commands: each is named, and nothing is written.

use keyns_testkit::{
    Client, GUIDE, Options, Server, Value, ingest, read_in_background, try_ingest,
};

fn front_matter(body: &str) -> String {
    format!("---\n{body}\n---\n# Moss\n")
}

#[test]
fn mistakes_in_arguments_are_named() {
    let server = Server::start();
    let mut client = server.client();
    for (arguments, error) in [
        (
            "ch text",
            "ERR prefix must not end in 'ch', which names parts of documents",
        ),
        (
            "{acme}:para text",
            "ERR prefix must not end in 'para', which names parts of documents",
        ),
        (
            "subpara: text",
            "ERR prefix must not end in 'subpara', which names parts of documents",
        ),
        (
            "chunk text",
            "ERR prefix must not end in 'chunk', which names parts of documents",
        ),
        (
            "a::doc text",
            "ERR prefix must have a name in every segment, as in doc or {acme}:doc, got 'a::doc'",
        ),
        (
            "doc:risk:001 text",
            "ERR prefix must look like doc or {acme}:doc, got the name 'doc:risk:001' (REPLACE takes names)",
        ),
        (
            "doc text FOO",
            "ERR syntax error near 'FOO', expected TITLE, FILE, REPLACE, CHUNK, MAXCHUNK, SIBLINGS, CONTENT, WORDS, KEEPSTOP, LANG, NUMBERS, SYMBOLS, NOABBREV, MAXLEN, SHORTEN, NUMBERING or WIDTH",
        ),
        (
            "doc text COUNT 1",
            "ERR syntax error near 'COUNT', expected TITLE, FILE, REPLACE, CHUNK, MAXCHUNK, SIBLINGS, CONTENT, WORDS, KEEPSTOP, LANG, NUMBERS, SYMBOLS, NOABBREV, MAXLEN, SHORTEN, NUMBERING or WIDTH",
        ),
        ("doc text TITLE", "ERR TITLE needs a value"),
        ("doc text REPLACE", "ERR REPLACE needs a value"),
        (
            "doc text TITLE My Title",
            "ERR TITLE is given twice (quote a value of several words)",
        ),
        (
            "doc text TITLE a title b",
            "ERR TITLE is given twice (quote a value of several words)",
        ),
        (
            "doc text TITLE a FILE b TITLE c",
            "ERR TITLE is given twice",
        ),
        (
            "doc text FILE a FILE b",
            "ERR FILE is given twice (quote a value of several words)",
        ),
        (
            "doc text REPLACE doc:a1:001 REPLACE doc:a1:001",
            "ERR REPLACE is given twice (quote a value of several words)",
        ),
        (
            "doc text CHUNK BLOCK CHUNK SECTION",
            "ERR CHUNK is given twice",
        ),
        (
            "doc text MAXCHUNK 16 MAXCHUNK 16",
            "ERR MAXCHUNK is given twice",
        ),
        ("doc text SIBLINGS SIBLINGS", "ERR SIBLINGS is given twice"),
        ("doc text WIDTH 1 WIDTH 1", "ERR WIDTH is given twice"),
        ("doc text LANG de LANG de", "ERR LANG is given twice"),
        (
            "doc text CHUNK WORD",
            "ERR CHUNK must be BLOCK or SECTION, got 'WORD'",
        ),
        (
            "doc text MAXCHUNK 15",
            "ERR MAXCHUNK must be an integer between 16 and 536870912, got '15'",
        ),
        (
            "doc text MAXCHUNK 536870913",
            "ERR MAXCHUNK must be an integer between 16 and 536870912, got '536870913'",
        ),
        (
            "doc text MAXCHUNK -1",
            "ERR MAXCHUNK must be an integer between 16 and 536870912, got '-1'",
        ),
        (
            "doc text MAXCHUNK many",
            "ERR MAXCHUNK must be an integer between 16 and 536870912, got 'many'",
        ),
        (
            "doc text WIDTH 13",
            "ERR WIDTH must be an integer between 1 and 12, got '13'",
        ),
    ] {
        let reply = client.run(&format!("KEYNS.INGESTMD {arguments}"));
        assert_eq!(reply, Value::Error(error.into()), "{arguments}");
    }
    for line in [
        "KEYNS.INGESTMD doc",
        "KEYNS.DROP",
        "KEYNS.EXPORTMD a b",
        "KEYNS.NAV doc",
    ] {
        let error = client.run(line).text();
        assert!(
            error.starts_with("ERR wrong number of arguments"),
            "{error}"
        );
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn text_that_is_no_text_is_refused_at_the_byte() {
    let server = Server::start();
    let mut client = server.client();
    for (markdown, at) in [
        (&b"\xff"[..], 0),
        (b"# Moss\n\ngr\xc3", 10),
        (b"---\ntitle: \xed\xa0\x80\n---\n", 11),
        (b"ok\xf8\x88\x80\x80\x80", 2),
    ] {
        let error = try_ingest(&mut client, "doc", markdown, "").text();
        assert_eq!(
            error,
            format!("ERR markdown is not valid UTF-8 at byte {at}")
        );
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn bad_front_matter_is_refused_at_its_line() {
    let server = Server::start();
    let mut client = server.client();
    for (body, line) in [
        ("title: Moss\ntags: [a", 4),
        ("title: 'Moss", 2),
        ("a: b: c", 2),
        ("ok: 1\n- item", 3),
        ("ok: 1\nok: 2", 3),
        ("- a\n- list", 2),
        ("tags: *nowhere", 2),
        ("title: Moss\n%YAML 1.2", 3),
    ] {
        let error = try_ingest(&mut client, "doc", front_matter(body), "").text();
        let start = format!("ERR front matter, line {line}: ");
        assert!(error.starts_with(&start), "{body:?}: {error}");
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn a_mistake_in_front_matter_is_told_with_its_quotes() {
    let server = Server::start();
    let mut client = server.client();
    let error = try_ingest(&mut client, "doc", "---\ntags: [yaml\n---\n", "").text();
    assert!(error.contains("expected ',' or ']'"), "{error}");
}

#[test]
fn hostile_front_matter_is_an_error_and_no_more() {
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let bomb: String = (1..30)
        .map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1))
        .collect();
    for body in [
        format!("a0: &a0 lol\n{bomb}"),
        "- ".repeat(50_000),
        "- ".repeat(30_000),
        "[".repeat(100_000),
        "[".repeat(60_000),
        "{a: ".repeat(15_000),
        "? ".repeat(30_000),
        format!("a: {}", "[".repeat(200)),
        (0..60)
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect(),
        format!("a: {}", "&x ".repeat(20_000)),
        format!(
            "tags: [{}]",
            (0..65).map(|n| format!("t{n},")).collect::<String>()
        ),
        format!("{}: 1", "\"\\u0000".repeat(10_000)),
    ] {
        let error = try_ingest(&mut client, "doc", front_matter(&body), "").text();
        let start = &body[..body.len().min(30)];
        assert!(
            error.starts_with("ERR front matter, line "),
            "{start}: {error}"
        );
        assert!(error.len() < 300, "{error}");
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}

#[test]
fn limits_hold_to_the_byte_and_the_element() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-document-bytes 1024");
    client.run("CONFIG SET keyns.max-elements 3");
    client.run("CONFIG SET keyns.max-text-bytes 64");
    let title = |len: usize| format!("TITLE {}", "x".repeat(len));
    let file = |len: usize| format!("FILE {}", "x".repeat(len));
    let (at_most, too_much) = ("x".repeat(1024), "x".repeat(1025));
    let quotes = |count: usize| format!("ok\n{}x\n", ">".repeat(count));
    for (fits, breaks, error) in [
        (
            (at_most.as_str(), String::new()),
            (too_much.as_str(), String::new()),
            "ERR markdown must be at most 1024 bytes, got 1025 (keyns.max-document-bytes)",
        ),
        (
            ("a\n\nb\n\nc", String::new()),
            ("a\n\nb\n\nc\n\nd", String::new()),
            "ERR the document has more than 3 elements (keyns.max-elements)",
        ),
        (
            (quotes(100).as_str(), String::new()),
            (quotes(101).as_str(), String::new()),
            "ERR line 2 of the markdown may open more than 100 nested quotes and lists",
        ),
        (
            ("x", title(64)),
            ("x", title(65)),
            "ERR TITLE must be at most 64 bytes, got 65 (keyns.max-text-bytes)",
        ),
        (
            ("x", file(64)),
            ("x", file(65)),
            "ERR FILE must be at most 64 bytes, got 65 (keyns.max-text-bytes)",
        ),
    ] {
        client.run("FLUSHALL");
        let reply = try_ingest(&mut client, "doc", breaks.0, &breaks.1);
        assert_eq!(reply, Value::Error(error.into()));
        assert_eq!(client.run("DBSIZE").integer(), 0);
        ingest(&mut client, "doc", fits.0, &fits.1);
    }
}

#[test]
fn a_document_may_repeat_itself_only_so_often() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-document-bytes 1024");
    client.run("CONFIG SET keyns.max-elements 64");
    let tags: Vec<String> = (0..64).map(|number| format!("t{number}")).collect();
    let tags = tags.join(",");
    let tagged = |chunks: usize| front_matter(&format!("tags: {tags}")) + &"x\n\n".repeat(chunks);
    let in_sections = |chunks: usize| format!("# A\n\n{}", "x\n\n".repeat(chunks)).repeat(4);
    let title = "x".repeat(300);
    let under_title = |chunks: usize| format!("# {title}\n\n{}", "x\n\n".repeat(chunks));
    let markup = |count: usize| format!("x{}", "*".repeat(count));
    for (fits, breaks, options, error) in [
        (
            tagged(10),
            tagged(11),
            "",
            "ERR tags and siblings may add at most 640 set members, got 704 (10 times keyns.max-elements)",
        ),
        (
            in_sections(12),
            in_sections(13),
            "SIBLINGS",
            "ERR tags and siblings may add at most 640 set members, got 692 (10 times keyns.max-elements)",
        ),
        (
            under_title(54),
            under_title(55),
            "",
            "ERR the paths of all chunks may take at most 16384 bytes, got 16665 (16 times keyns.max-document-bytes)",
        ),
        (
            markup(256),
            markup(257),
            "",
            "ERR markdown may contain at most 256 markup characters, got 257 (a quarter of keyns.max-document-bytes)",
        ),
    ] {
        for in_background in [false, true] {
            read_in_background(&mut client, in_background);
            client.run("FLUSHALL");
            let reply = try_ingest(&mut client, "doc", &breaks, options);
            assert_eq!(reply, Value::Error(error.into()));
            assert_eq!(client.run("DBSIZE").integer(), 0);
            ingest(&mut client, "doc", &fits, options);
        }
    }
}

#[test]
fn only_a_document_of_the_prefix_can_be_replaced() {
    let server = Server::start();
    let mut client = server.client();
    ingest(&mut client, "doc", GUIDE, "");
    client.run("HSET doc:own_hash:007 type draft");
    client.run("SET doc:text:007 x");
    let before = server.digest();
    for (prefix, key, error) in [
        (
            "doc",
            "doc:missing:001",
            "ERR there is no document 'doc:missing:001'",
        ),
        (
            "doc",
            "doc:own_hash:007",
            "ERR there is no document 'doc:own_hash:007'",
        ),
        (
            "doc",
            "doc:text:007",
            "WRONGTYPE Operation against a key holding the wrong kind of value: 'doc:text:007'",
        ),
        (
            "page",
            "doc:field_guide:001",
            "ERR REPLACE must name a document with the same prefix, got 'doc:field_guide:001'",
        ),
        (
            "{acme}:doc",
            "doc:field_guide:001",
            "ERR REPLACE must name a document with the same prefix, got 'doc:field_guide:001'",
        ),
        (
            "doc",
            "ch:forests:001",
            "ERR REPLACE must name a document with the same prefix, got 'ch:forests:001'",
        ),
        (
            "doc",
            "doc:field_guide:001:children",
            "ERR REPLACE must name a document with the same prefix, got 'doc:field_guide:001:children'",
        ),
        (
            "doc",
            "doc",
            "ERR REPLACE must name a document with the same prefix, got 'doc'",
        ),
    ] {
        let reply = try_ingest(&mut client, prefix, "# New\n", &format!("REPLACE {key}"));
        assert_eq!(reply, Value::Error(error.into()));
    }
    let reply = try_ingest(
        &mut client,
        "doc",
        "# New\n\n\u{0}",
        "REPLACE doc:field_guide:001 FOO",
    );
    assert!(reply.is_error());
    let reply = try_ingest(&mut client, "doc", b"# \xff", "REPLACE doc:field_guide:001");
    assert!(reply.is_error());
    assert_eq!(server.digest(), before);
}

/// Runs a command on a key of each kind that is no document.
#[track_caller]
fn on_what_is_no_document(command: &str, if_missing: &Value) {
    let server = Server::start();
    let mut client = server.client();
    ingest(&mut client, "doc", GUIDE, "");
    client.run("HSET some:hash:001 type draft");
    client.run("HSET bare field value");
    client.run("LPUSH list x");
    let before = server.digest();
    let run = |client: &mut Client, key: &str| client.run(&format!("{command} {key}"));
    assert_eq!(&run(&mut client, "doc:missing:001"), if_missing);
    for key in ["some:hash:001", "bare", "ch:forests:001"] {
        let error = format!("ERR there is no document '{key}'");
        assert_eq!(run(&mut client, key), Value::Error(error));
    }
    for key in ["list", "doc:_seq", "doc:field_guide:001:children"] {
        let error = run(&mut client, key).text();
        assert!(error.starts_with("WRONGTYPE "), "{key}: {error}");
    }
    assert_eq!(server.digest(), before);
}

#[test]
fn only_a_document_can_be_exported() {
    on_what_is_no_document("KEYNS.EXPORTMD", &Value::Null);
}

#[test]
fn only_a_document_can_be_dropped() {
    on_what_is_no_document("KEYNS.DROP", &Value::Integer(0));
}
