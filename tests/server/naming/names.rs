//! KEYNS.NEXTID and KEYNS.MAKE: which names come, and that none comes twice.

use keyns_testkit::{Server, Value};

#[test]
fn numbers_run_per_prefix() {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(client.run("KEYNS.NEXTID doc").integer(), 1);
    assert_eq!(client.run("KEYNS.NEXTID doc:").integer(), 2);
    assert_eq!(client.run("KEYNS.NEXTID doc COUNT 10").integer(), 3);
    assert_eq!(client.run("KEYNS.NEXTID doc count 1000000").integer(), 13);
    assert_eq!(client.run("KEYNS.NEXTID {acme}:doc").integer(), 1);
    assert_eq!(client.run("GET doc:_seq").text(), "1000012");
    assert_eq!(client.run("INCR doc:_seq").integer(), 1_000_013);
    assert_eq!(client.run("KEYNS.NEXTID doc").integer(), 1_000_014);
}

#[test]
fn a_name_is_prefix_slug_and_number() {
    let server = Server::start();
    let mut client = server.client();
    let mut make = |args: &[&str]| client.call(&[&["KEYNS.MAKE"], args].concat()).text();
    assert_eq!(make(&["doc", "Risk Management"]), "doc:risk_management:001");
    assert_eq!(make(&["doc", "Risk Management"]), "doc:risk_management:002");
    assert_eq!(make(&["doc:", "Intro"]), "doc:intro:003");
    assert_eq!(make(&["ch", "Intro", "WIDTH", "1"]), "ch:intro:1");
    assert_eq!(
        make(&["ch", "Intro", "WIDTH", "12"]),
        "ch:intro:000000000002"
    );
    assert_eq!(make(&["{acme}:doc", "Intro"]), "{acme}:doc:intro:001");
    assert_eq!(
        make(&[
            "para",
            "Die Korrelation der Assets",
            "CONTENT",
            "WORDS",
            "2",
            "MAXLEN",
            "12"
        ]),
        "para:korrelation:001"
    );
    client.run("SET big:_seq 999");
    assert_eq!(client.run("KEYNS.MAKE big ab").text(), "big:ab:1000");
    client.run("SET big:_seq 9223372036854775806");
    let largest = client.run("KEYNS.MAKE big ab").text();
    assert_eq!(largest, "big:ab:9223372036854775807");
}

#[test]
fn slug_numbering_counts_each_slug() {
    let server = Server::start();
    let mut client = server.client();
    let mut make = |text: &str| {
        let args = ["KEYNS.MAKE", "ch", text, "NUMBERING", "SLUG"];
        client.call(&args).text()
    };
    assert_eq!(make("Risk Management"), "ch:risk_management:001");
    assert_eq!(make("Risk Management"), "ch:risk_management:002");
    assert_eq!(make("Other"), "ch:other:001");
    assert_eq!(client.run("HGET ch:_slugs risk_management").text(), "2");
    assert_eq!(client.run("EXISTS ch:_seq").integer(), 0);
}

#[test]
fn a_name_comes_once_even_where_both_numberings_meet() {
    let server = Server::start();
    let mut client = server.client();
    let mut names = Vec::new();
    for round in 0..200 {
        let numbering = if (round * 7) % 5 < 2 {
            "SLUG"
        } else {
            "GLOBAL"
        };
        let text = ["one", "two", "three"][round % 3];
        let args = ["KEYNS.MAKE", "doc", text, "NUMBERING", numbering];
        names.push(client.call(&args).text());
    }
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn existing_keys_are_skipped() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET doc:intro:001 x");
    client.run("HSET doc:intro:002 field x");
    client.run("SET doc:other:003 x");
    assert_eq!(client.run("KEYNS.MAKE doc intro").text(), "doc:intro:003");
    assert_eq!(client.run("GET doc:_seq").text(), "3");
    client.run("SET ch:intro:001 x");
    let name = client.run("KEYNS.MAKE ch intro NUMBERING SLUG").text();
    assert_eq!(name, "ch:intro:002");
    // An expired key is no key.
    client.run("SET para:intro:001 x PX 1");
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(client.run("KEYNS.MAKE para intro").text(), "para:intro:001");
}

#[test]
fn giving_up_on_too_many_existing_names_changes_nothing() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-skips 2");
    for number in 1..=3 {
        client.run(&format!("SET doc:intro:00{number} x"));
    }
    let error = client.run("KEYNS.MAKE doc intro").text();
    assert_eq!(
        error,
        "ERR the next 3 names after the counter 'doc:_seq' exist already (keyns.max-skips)"
    );
    assert_eq!(client.run("EXISTS doc:_seq").integer(), 0);
    client.run("CONFIG SET keyns.max-skips 3");
    assert_eq!(client.run("KEYNS.MAKE doc intro").text(), "doc:intro:004");
}

#[test]
fn a_text_without_a_slug_still_gets_a_name() {
    let server = Server::start();
    let mut client = server.client();
    for (text, reason) in [
        (&b""[..], "empty_content_"),
        (b" \t", "empty_content_"),
        (b"a", "short_content_"),
        (b"!!", "short_content_"),
        (b"!!!", "special_chars_only_"),
        (b"\xff\xfe\xfd", "empty_content_"),
        (
            "\u{1F680}\u{1F680}\u{1F680}".as_bytes(),
            "special_chars_only_",
        ),
    ] {
        let args = [&b"KEYNS.MAKE"[..], b"doc", text, b"MAXLEN", b"64"];
        let name = client.call(&args).text();
        let slug = name.split(':').nth(1).unwrap();
        let time = slug
            .strip_prefix(reason)
            .unwrap_or_else(|| panic!("{name}"));
        let digits = time.replacen('_', "", 1);
        assert!(time.len() == 15 && digits.len() == 14, "{name}");
        assert!(digits.starts_with("20") && digits.bytes().all(|b| b.is_ascii_digit()));
    }
    let cut = client.call(&["KEYNS.MAKE", "doc", "!!!"]).text();
    assert_eq!(cut.split(':').nth(1).unwrap().len(), 30);
}

#[test]
fn mistakes_are_named_and_change_nothing() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET text:_seq hello");
    client.run("SET negative:_seq -5");
    client.run("SET full:_seq 9223372036854775807");
    client.run("LPUSH list:_seq x");
    client.run("SET slugs:_slugs x");
    client.run("HSET bad:_slugs intro x");
    let before = server.digest();
    let wrong_type = |key: &str| {
        format!("WRONGTYPE Operation against a key holding the wrong kind of value: '{key}'")
    };
    let (wrong_counter, wrong_slugs) = (wrong_type("list:_seq"), wrong_type("slugs:_slugs"));
    for (line, error) in [
        (
            "KEYNS.NEXTID doc COUNT 0",
            "ERR COUNT must be an integer between 1 and 1000000, got '0'",
        ),
        (
            "KEYNS.NEXTID doc COUNT 1000001",
            "ERR COUNT must be an integer between 1 and 1000000, got '1000001'",
        ),
        ("KEYNS.NEXTID doc COUNT", "ERR COUNT needs a value"),
        (
            "KEYNS.NEXTID doc COUNT 1 COUNT 1",
            "ERR COUNT is given twice",
        ),
        (
            "KEYNS.NEXTID doc 5",
            "ERR syntax error near '5', expected COUNT",
        ),
        (
            "KEYNS.NEXTID :",
            "ERR prefix must have a name in every segment, as in doc or {acme}:doc, got ':'",
        ),
        (
            "KEYNS.NEXTID a::",
            "ERR prefix must have a name in every segment, as in doc or {acme}:doc, got 'a::'",
        ),
        (
            "KEYNS.MAKE doc intro WIDTH 0",
            "ERR WIDTH must be an integer between 1 and 12, got '0'",
        ),
        (
            "KEYNS.MAKE doc intro WIDTH 40",
            "ERR WIDTH must be an integer between 1 and 12, got '40'",
        ),
        (
            "KEYNS.MAKE doc intro NUMBERING x",
            "ERR NUMBERING must be GLOBAL or SLUG, got 'x'",
        ),
        ("KEYNS.MAKE doc intro LANG", "ERR LANG needs a value"),
        (
            "KEYNS.NEXTID text",
            "ERR the counter 'text:_seq' does not hold a non-negative integer",
        ),
        (
            "KEYNS.MAKE negative intro",
            "ERR the counter 'negative:_seq' does not hold a non-negative integer",
        ),
        (
            "KEYNS.NEXTID full",
            "ERR the counter 'full:_seq' would overflow",
        ),
        (
            "KEYNS.MAKE full intro",
            "ERR the counter 'full:_seq' would overflow",
        ),
        (
            "KEYNS.MAKE full intro NUMBERING SLUG",
            "ERR the counter 'full:_slugs' would overflow",
        ),
        ("KEYNS.NEXTID list", &wrong_counter),
        ("KEYNS.MAKE list intro", &wrong_counter),
        ("KEYNS.MAKE slugs intro", &wrong_slugs),
        ("KEYNS.MAKE slugs intro NUMBERING SLUG", &wrong_slugs),
        (
            "KEYNS.MAKE bad intro NUMBERING SLUG",
            "ERR the counter 'bad:_slugs' does not hold a non-negative integer",
        ),
    ] {
        assert_eq!(client.run(line), Value::Error(error.into()), "{line}");
    }
    let long = "x".repeat(257);
    let error = client.call(&["KEYNS.NEXTID", &long]).text();
    assert_eq!(error, "ERR prefix must be at most 256 bytes, got 257");
    assert_eq!(server.digest(), before);
}

#[test]
fn any_bytes_can_be_a_prefix() {
    let server = Server::start();
    let mut client = server.client();
    let prefix = b"\0\xff \r\n:%s";
    let name = client.call(&[&b"KEYNS.MAKE"[..], prefix, b"intro"]);
    assert_eq!(name, Value::Bulk([&prefix[..], b":intro:001"].concat()));
    let counter = [&prefix[..], b":_seq"].concat();
    assert_eq!(client.call(&[&b"GET"[..], &counter]), Value::bulk("1"));
}
