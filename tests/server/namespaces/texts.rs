//! KEYNS.NS.LOAD: a text is loaded as a whole or not at all, however hostile.

use keyns_testkit::Refusing;

#[test]
fn a_wrong_entry_of_a_text_is_named_and_nothing_is_loaded() {
    let mut test = Refusing::start();
    for (entry, reason) in [
        ("5", "namespace at index 1: must be an object"),
        ("null", "namespace at index 1: must be an object"),
        ("{}", "namespace at index 1: the field 'name' is missing"),
        (
            r#"{"name": "n"}"#,
            "namespace 'n': the field 'pattern' is missing",
        ),
        (
            r#"{"pattern": "a:<x>"}"#,
            "namespace at index 1: the field 'name' is missing",
        ),
        (
            r#"{"name": 5, "pattern": "a:<x>"}"#,
            "name must be a string, got an integer",
        ),
        (
            r#"{"name": null, "pattern": "a:<x>"}"#,
            "name must be a string, got null",
        ),
        (
            r#"{"name": "n", "pattern": ["a"]}"#,
            "namespace 'n': pattern must be a string, got an array",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x"}"#,
            "namespace 'n': PATTERN at column 3: '<' is not closed",
        ),
        (
            r#"{"name": "", "pattern": "a:<x>"}"#,
            "namespace '': name must be",
        ),
        (
            r#"{"name": "a b", "pattern": "a:<x>"}"#,
            "namespace 'a b': name must be",
        ),
        (
            r#"{"name": "\u0000\u001b\ud83d\ude00", "pattern": "a:<x>"}"#,
            "name must be",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": "60 s"}"#,
            "namespace 'n': TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '60 s'",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": true}"#,
            "ttl must be seconds as an integer, or a period such as \"30m\", got a boolean",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": 1.5}"#,
            "ttl must be seconds as an integer",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": 1e300}"#,
            "ttl must be seconds as an integer",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": 99999999999999999999}"#,
            "ttl must be seconds as an integer",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": 18446744073709551615}"#,
            "ttl must be seconds as an integer",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": 0}"#,
            "TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '0'",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": -5}"#,
            "TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '-5'",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": 60, "class": "PROTECTED"}"#,
            "must have no TTL",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "class": "EVICTABLE"}"#,
            "needs a TTL",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "class": "KEPT"}"#,
            "CLASS must be",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "class": 5}"#,
            "class must be a string",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "type": "json"}"#,
            "TYPE must be",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "owner": "a b"}"#,
            "OWNER must be",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "description": "a\nb"}"#,
            "DESC must be",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "Ttl": 60}"#,
            "unknown field 'Ttl', expected name, pattern, ttl, class, type, owner, readers or description",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "name": "m"}"#,
            "the field 'name' appears twice",
        ),
        (
            r#"{"name": "n", "pattern": "a:<x>", "ttl": null, "ttl": 5}"#,
            "namespace 'n': the field 'ttl' appears twice",
        ),
        (
            r#"{"name": "fine", "pattern": "a:<x>"}"#,
            "namespace 'fine': this name appears twice",
        ),
    ] {
        test.refuses_entry(entry, reason);
    }
    test.finish();
}

#[test]
fn a_text_that_is_no_json_of_namespaces_is_refused() {
    let mut test = Refusing::start();
    let outer = "JSON: must be an object with the field 'namespaces'";
    for (json, reason) in [
        ("", "JSON: EOF while parsing"),
        ("   ", "JSON: EOF while parsing"),
        ("null", outer),
        ("5", outer),
        ("[]", outer),
        (r#""namespaces""#, outer),
        ("{}", outer),
        (r#"{"namespaces": {}}"#, "'namespaces' must be an array"),
        (r#"{"namespaces": null}"#, "'namespaces' must be an array"),
        (
            r#"{"namespaces": [], "namespaces": []}"#,
            "the field 'namespaces' appears twice",
        ),
        (
            r#"{"namespaces": [], "more": 5}"#,
            "unknown field 'more', expected namespaces",
        ),
        (
            r#"{"namespaces": []} x"#,
            "JSON: trailing characters at line 1 column 20",
        ),
        (
            r#"{"namespaces": []}{"namespaces": []}"#,
            "JSON: trailing characters",
        ),
        (r#"{"namespaces": [],}"#, "at line 1 column"),
        (
            r#"{"namespaces": [{"name": 'n'}]}"#,
            "JSON: expected value at line 1 column",
        ),
        (
            r#"{"namespaces": [{"name": "n", "ttl": 1e999999}]}"#,
            "JSON: number out of range",
        ),
        (
            "{\"namespaces\": [{\"name\": \"a\nb\"}]}",
            "JSON: control character",
        ),
        (r#"{"namespaces": [{"name": "\ud800"}]}"#, "JSON: "),
        (
            "shop.json",
            "JSON: the text looks like the name of a file; send its content: redis-cli -x KEYNS.NS.LOAD <shop.json",
        ),
        ("./my shop/a.JSON\n", "KEYNS.NS.LOAD <./my shop/a.JSON"),
        ("shop.yaml", "JSON: expected value at line 1 column 1"),
        (".jso", "JSON: expected value at line 1 column 1"),
        ("[1, x.json", "JSON: expected value at line 1 column 5"),
    ] {
        test.refuses_json(json, reason);
    }
    test.refuses_json(
        b"{\"namespaces\": [{\"name\": \"\xff\"}]}",
        "JSON: invalid unicode",
    );
    test.refuses_json(b"\xef\xbb\xbf{\"namespaces\": []}", "JSON: expected value");
    test.refuses_json(b"\0\0\0\0", "JSON: expected value");
    test.finish();
}

#[test]
fn every_part_of_a_text_is_an_error_and_no_crash() {
    let mut test = Refusing::start();
    test.client.run("KEYNS.NS.PRESET campaigns FLUSH");
    let whole = test.client.namespaces();
    test.before = test.client.namespaces();
    for length in (0..whole.len()).step_by(7) {
        test.refuses(
            &["KEYNS.NS.LOAD", &whole[..length], "FLUSH"],
            "JSON: EOF while parsing",
        );
    }
    test.finish();
}

#[test]
fn deep_and_huge_texts_are_refused_without_harm() {
    let mut test = Refusing::start();
    let deep = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"namespaces\":[", "]}")] {
        let text = open.repeat(deep) + "1" + &close.repeat(deep);
        test.refuses(&["KEYNS.NS.LOAD", &text], "JSON: recursion limit exceeded");
        test.refuses(&["KEYNS.NS.LOAD", &open.repeat(deep)], "JSON: ");
    }
    let nested = format!(r#"{{"name": {}1{}}}"#, "[".repeat(deep), "]".repeat(deep));
    let json = format!(r#"{{"namespaces": [{nested}]}}"#);
    test.refuses(&["KEYNS.NS.LOAD", &json], "JSON: recursion limit exceeded");
    // A little less than is refused unread.
    let megabytes = (8 << 20) - 100;
    let long = "x".repeat(megabytes);
    for json in [
        format!(r#"{{"namespaces": [{{"name": "{long}", "pattern": "a:<x>"}}]}}"#),
        format!(r#"{{"namespaces": [{{"name": "n", "pattern": "{long}"}}]}}"#),
        format!(r#"{{"namespaces": [{{"name": "n", "{long}": 5}}]}}"#),
        format!(r#"{{"{long}": []}}"#),
        " ".repeat(megabytes),
        long.clone(),
    ] {
        test.refuses(&["KEYNS.NS.LOAD", &json], "");
    }
    test.finish();
}

/// To read a text takes many times its memory.
#[test]
fn a_text_past_the_limit_is_refused_unread() {
    let mut test = Refusing::start();
    let json = format!(r#"{{"namespaces": [0{}]}}"#, ",        0".repeat(200));
    test.refuses(&["KEYNS.NS.LOAD", &json], "must be an object");
    test.client.run("CONFIG SET keyns.max-document-bytes 1024");
    let reason = format!(
        "json must be at most 1024 bytes, got {} (keyns.max-document-bytes)",
        json.len()
    );
    test.refuses(&["KEYNS.NS.LOAD", &json], &reason);
    test.finish();
}
