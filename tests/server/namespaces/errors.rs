//! Namespaces: every mistake has its error, and leaves everything as it was.

use keyns_testkit::{Refusing, namespaces_json, wait_until};

#[test]
fn two_that_cannot_be_told_apart_are_refused_and_the_error_names_the_other() {
    let mut test = Refusing::start();
    for (pattern, other) in [
        ("user:<n:int>", "user"),
        ("session:<other:hex>", "session"),
        ("session:<a:hex>:<b>", "session"),
        ("session:<a:hex>[:<b>]", "session"),
        ("session:<a:hex>[:<b:int>]", "session"),
        ("file:<x>.json:{<y>}", "file"),
    ] {
        let reason = format!("the pattern of 'n' cannot be distinguished from that of '{other}'");
        test.refuses_pattern(pattern, &reason);
        let json = namespaces_json(&[("fine", "fine:<x>"), ("n", pattern)]);
        for existing in ["REPLACE", "replace"] {
            test.refuses(&["KEYNS.NS.LOAD", &json, existing], &reason);
        }
        test.refuses(&["KEYNS.NS.LOAD", &json], &reason);
    }
    // Two of one text.
    let json = namespaces_json(&[("a", "x:<a>"), ("b", "x:<b>")]);
    test.refuses_json(
        json,
        "the pattern of 'b' cannot be distinguished from that of 'a'",
    );
    // A replacement must not run into others either.
    test.refuses_line(
        "KEYNS.NS.SET user PATTERN session:<id:hex>",
        "the pattern of 'user' cannot be distinguished from that of 'session'",
    );
    // These can: the more specific one has the key.
    for (name, pattern) in [
        ("a", "user:<id:number>"),
        ("b", "user:<id...>"),
        ("c", "session:<a>:<b>"),
        ("d", "user:<id:int>:<attribute>"),
    ] {
        test.client.define(name, pattern, "");
    }
}

#[test]
fn a_wrong_pattern_is_refused_with_the_column_of_the_mistake() {
    let mut test = Refusing::start();
    for (pattern, reason) in [
        ("", "column 1: a segment is empty"),
        ("a:<x", "column 3: '<' is not closed"),
        ("a:<x<y>", "column 3: '<' is not closed"),
        ("a:x>", "column 4: '>' without '<'"),
        ("a[:<x>", "column 2: '[' is not closed"),
        ("a:<x>]", "column 6: ']' without '['"),
        ("a[:<x>[:<y>]]", "column 7: '[' inside '[]'"),
        (
            "a[:<x>]:b",
            "column 8: nothing may follow the optional part",
        ),
        (
            "a[:<x>][:<y>]",
            "column 8: nothing may follow the optional part",
        ),
        ("a[<x>]", "column 3: an optional part must start with ':'"),
        ("a[:b]", "column 2: an optional part needs a placeholder"),
        ("[:<x>]", "column 1: a pattern must start with literal text"),
        ("<x>", "column 1: a pattern must start with literal text"),
        ("<x...>", "column 1: a pattern must start with literal text"),
        ("a:<x...>:<y...>", "column 9: nothing may follow '<x...>'"),
        ("a:<x...>[:<y>]", "column 9: nothing may follow '<x...>'"),
        ("a:v<x...>", "'<x...>' must be a segment of its own"),
        ("a:<x:int...>", "'...' takes no type"),
        (
            "a:<x:integer>",
            "column 6: unknown type 'integer', expected int, hex, uuid, slug, number, date, path or hash",
        ),
        ("a:<x:INT>", "unknown type 'INT'"),
        ("a:<x:>", "unknown type ''"),
        ("a:<>", "column 4: a placeholder needs a name"),
        ("a:<X>", "a placeholder's name must be 1 to 32 of [a-z0-9_]"),
        (
            "a:<1x>",
            "a placeholder's name must be 1 to 32 of [a-z0-9_]",
        ),
        ("a:<x>:<x>", "column 8: the placeholder 'x' appears twice"),
        (
            "a:<x><y>",
            "column 6: two placeholders need literal text between them",
        ),
        ("a::b", "column 3: a segment is empty"),
        (":a", "column 1: a segment is empty"),
        ("a:", "column 3: a segment is empty"),
        ("a:{<x>", "column 3: '{' is not closed in its segment"),
        ("a:{<x>:b}", "column 3: '{' is not closed in its segment"),
        ("a:<x>}", "column 6: '}' without '{'"),
        ("a:{}", "column 4: '{}' with nothing in it"),
        ("a:{b{c}}", "column 5: '{' inside '{}'"),
        ("a b", "column 2: white space is not allowed"),
        ("größe\t", "column 6: white space is not allowed"),
        ("a*", "column 2: the character * is not allowed"),
        ("a?", "column 2: the character ? is not allowed"),
        ("a\\", "column 2: the character \\ is not allowed"),
        ("a\"", "column 2: the character \" is not allowed"),
        ("a`", "column 2: the character ` is not allowed"),
        ("a\u{200b}", "column 2: the character U+200B is not allowed"),
        ("a\0b", "column 2: the character U+0000 is not allowed"),
        ("a\x1b", "column 2: the character U+001B is not allowed"),
        ("a:<d:date>:12", "a date must be followed by literal text"),
        ("a:<d:date>:<x>", "a date must be followed by literal text"),
    ] {
        test.refuses_pattern(pattern, reason);
    }
    for pattern in [&b"a:\xff"[..], b"\xc3", b"a:<\xf0\x9f\x98>"] {
        let set: [&[u8]; 4] = [b"KEYNS.NS.SET", b"n", b"PATTERN", pattern];
        test.refuses(&set, "this is not valid UTF-8");
    }
    test.finish();
}

#[test]
fn a_pattern_past_its_limits_is_refused_with_the_limit() {
    let mut test = Refusing::start();
    let long = "PATTERN must be at most 512 bytes, got 10000";
    for piece in ["a", ":", "<", "[", "{", "<x>", "a:", "<a>:"] {
        let pattern = piece.repeat(10_000);
        test.refuses_pattern(&pattern[..10_000], long);
    }
    let many = |count: usize| -> String { (0..count).map(|n| format!(":<p{n}>")).collect() };
    test.refuses_pattern(&format!("a{}", many(17)), "at most 16 placeholders");
    test.refuses_pattern(&["a"; 33].join(":"), "at most 32 segments");
    test.client.define("most", &format!("a{}", many(16)), "");
    test.client.define("deep", &["a"; 32].join(":"), "");
    test.client.define("long", &"a".repeat(512), "");
    let values: Vec<String> = (0..16).map(|n| n.to_string()).collect();
    let mut build = vec!["KEYNS.KEY", "most"];
    build.extend(values.iter().map(String::as_str));
    let key = format!("a:{}", values.join(":"));
    assert_eq!(test.client.call(&build).text(), key);
    assert_eq!(test.client.check(&key)["namespace"].text(), "most");
    test.finish();
}

#[test]
fn names_owners_and_descriptions_have_their_rules() {
    let mut test = Refusing::start();
    let set = |name: &[u8], option: &[u8], value: &[u8]| -> Vec<Vec<u8>> {
        let args: [&[u8]; 6] = [b"KEYNS.NS.SET", name, b"PATTERN", b"n:<x>", option, value];
        args.iter().map(|arg| arg.to_vec()).collect()
    };
    for name in [
        &b""[..],
        b"a b",
        b"a\0",
        b"\xff",
        "größe".as_bytes(),
        b"a/b",
        b"a*",
        &[b'a'; 65],
        &[b'a'; 100_000],
    ] {
        let reason = "name must be 1 to 64 of [A-Za-z0-9_.:-], got '";
        test.refuses(&set(name, b"OWNER", b"o"), reason);
    }
    for owner in [
        &b""[..],
        b"a b",
        b"a\0",
        b"\xff",
        b"a\n",
        b"a'b",
        b"a\"b",
        b"a\\b",
        "a\u{a0}b".as_bytes(),
        &[b'a'; 65],
    ] {
        test.refuses(
            &set(b"n", b"OWNER", owner),
            "OWNER must be 1 to 64 of [A-Za-z0-9_.@:-]",
        );
    }
    for description in [
        &b""[..],
        b"a\0",
        b"\xff",
        b"a\nb",
        b"a\tb",
        b"a\x1b[1m",
        &[b'a'; 1001],
    ] {
        let reason = "DESC must be 1 to 1000 bytes";
        test.refuses(&set(b"n", b"DESC", description), reason);
    }
    for (name, option, value) in [
        (&[b'a'; 64][..], &b"OWNER"[..], &[b'o'; 64][..]),
        (b"A.b-c:d_1", b"DESC", &[b'd'; 1000]),
    ] {
        assert_eq!(test.client.call(&set(name, option, value)).text(), "OK");
        test.client.call(&[b"KEYNS.NS.DEL", name]);
    }
    test.finish();
}

#[test]
fn ttl_and_class_must_agree() {
    let mut test = Refusing::start();
    let range = "TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '";
    for (options, reason) in [
        (
            "CLASS PROTECTED TTL 60",
            "CLASS PROTECTED must have no TTL, got 60",
        ),
        ("CLASS EVICTABLE", "CLASS EVICTABLE needs a TTL"),
        ("CLASS TEMPORARY TTL NONE", "CLASS TEMPORARY needs a TTL"),
        ("TTL 0", range),
        ("TTL -1", range),
        ("TTL 100000000001", range),
        ("TTL 9223372036854775808", range),
        ("TTL 30m30", range),
        ("TTL 1157408d", range),
        (
            "TTL 1500ms",
            "TTL must be a whole number of seconds, got '1500ms'",
        ),
        (
            "TTL 1.5",
            "TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '1.5'",
        ),
        (
            "TTL 60S",
            "TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got '60S'",
        ),
        (
            "TTL NEVER",
            "TTL must be 1 to 100000000000 seconds, as in 90, 90s, 15m, 2h or 7d, got 'NEVER'",
        ),
        (
            "CLASS KEPT",
            "CLASS must be PROTECTED, EVICTABLE or TEMPORARY, got 'KEPT'",
        ),
        (
            "TYPE json",
            "TYPE must be string, hash, list, set, zset or stream, got 'json'",
        ),
    ] {
        test.refuses_line(&format!("KEYNS.NS.SET n PATTERN n:<x> {options}"), reason);
    }
    test.finish();
}

#[test]
fn wrong_options_are_refused() {
    let mut test = Refusing::start();
    for option in [
        "PATTERN x:<x>",
        "TTL 60",
        "CLASS PROTECTED",
        "TYPE hash",
        "OWNER o",
        "DESC d",
    ] {
        let name = option.split(' ').next().unwrap();
        let line = match name {
            "PATTERN" => format!("KEYNS.NS.SET n {option} {option}"),
            _ => format!("KEYNS.NS.SET n PATTERN n:<x> {option} {option}"),
        };
        test.refuses_line(&line, &format!("{name} is given twice"));
        let missing = match name {
            "PATTERN" => "KEYNS.NS.SET n TTL 60 PATTERN".to_owned(),
            _ => format!("KEYNS.NS.SET n PATTERN n:<x> {name}"),
        };
        test.refuses_line(&missing, &format!("{name} needs a value"));
    }
    let json = namespaces_json(&[]);
    for (line, reason) in [
        (
            "KEYNS.NS.SET n PATTERN n:<x> FOO",
            "syntax error near 'FOO', expected TTL, CLASS, TYPE, OWNER, READERS or DESC",
        ),
        (
            "KEYNS.NS.SET n TTL 60 CLASS EVICTABLE",
            "PATTERN must be given",
        ),
        (
            "KEYNS.NS.SET n n:<x> PATTERN",
            "syntax error near 'n:<x>', expected PATTERN, TTL, CLASS, TYPE, OWNER, READERS or DESC",
        ),
        (
            "KEYNS.NS.LIST a b",
            "syntax error near 'b', expected nothing more",
        ),
        (
            "KEYNS.NS.DUMP YAML",
            "syntax error near 'YAML', expected JSON, MARKDOWN or ACL",
        ),
        (
            "KEYNS.NS.DUMP JSON JSON",
            "syntax error near 'JSON', expected nothing more",
        ),
        (
            "KEYNS.NS.PRESET nothing",
            "preset must be documents, content, projections, campaigns or general, got 'nothing'",
        ),
        (
            "KEYNS.NS.PRESET general FOO",
            "syntax error near 'FOO', expected REPLACE, FLUSH or DRYRUN",
        ),
        (
            "KEYNS.NS.PRESET general REPLACE FLUSH",
            "REPLACE and FLUSH cannot be combined",
        ),
    ] {
        test.refuses_line(line, reason);
    }
    for (words, reason) in [
        (
            &["FOO"][..],
            "syntax error near 'FOO', expected REPLACE, FLUSH or DRYRUN",
        ),
        (&["REPLACE", "replace"], "ERR REPLACE is given twice"),
        (&["FLUSH", "FLUSH"], "ERR FLUSH is given twice"),
        (
            &["FLUSH", "REPLACE"],
            "FLUSH and REPLACE cannot be combined",
        ),
        (
            &["FLUSH", "FOO"],
            "syntax error near 'FOO', expected DRYRUN",
        ),
    ] {
        test.refuses(&[&["KEYNS.NS.LOAD", &json], words].concat(), reason);
    }
    for line in [
        "KEYNS.NS.SET",
        "KEYNS.NS.SET n",
        "KEYNS.NS.SET n PATTERN",
        "KEYNS.NS.GET",
        "KEYNS.NS.GET a b",
        "KEYNS.NS.DEL",
        "KEYNS.NS.LOAD",
        "KEYNS.NS.PRESET",
        "KEYNS.KEY",
    ] {
        test.refuses_line(line, "wrong number of arguments for '");
    }
    test.finish();
}

#[test]
fn a_key_that_cannot_be_built_names_the_placeholder() {
    let mut test = Refusing::start();
    test.client.run("CONFIG SET keyns.max-text-bytes 64");
    let long = format!("file {} x", "a".repeat(65));
    for (line, reason) in [
        ("nothing", "no such namespace 'nothing'"),
        ("User 42", "no such namespace 'User'"),
        ("user", "missing value for <id>"),
        ("user 1 2", "the pattern takes at most 1 value, got 2"),
        (
            "user x",
            "<id> must be an integer without leading zeros, got 'x'",
        ),
        ("user x WITHTTL", "<id> must be an integer"),
        (
            "session 5f a b",
            "the pattern takes at most 2 values, got 3",
        ),
        (
            "file a.json b",
            "<name> must not contain '.json' in this pattern, got 'a.json'",
        ),
        (
            "file a b}c",
            "<tenant> must not contain '}' in this pattern, got 'b}c'",
        ),
        (
            "file {a b",
            "<name> must not contain '{' in this pattern, got '{a'",
        ),
        (&long, "<name> must be at most 64 bytes, got 65"),
    ] {
        test.refuses_line(&format!("KEYNS.KEY {line}"), reason);
    }
    test.refuses(
        &[&b"KEYNS.KEY"[..], b"\xff\0"],
        "no such namespace '\\xff\\x00'",
    );
    test.finish();
}

#[test]
fn there_are_no_more_than_the_settings_allow() {
    let mut test = Refusing::start();
    test.client.run("CONFIG SET keyns.max-namespaces 3");
    let reason = "this would make 4 namespaces, the limit is 3 (keyns.max-namespaces)";
    test.refuses_pattern("n:<x>", reason);
    let one = namespaces_json(&[("n", "n:<x>")]);
    test.refuses(&["KEYNS.NS.LOAD", &one, "REPLACE"], reason);
    test.refuses_line(
        "KEYNS.NS.PRESET campaigns FLUSH",
        "this would make 10 namespaces, the limit is 3",
    );
    // What is there already can be replaced, and made fewer, even where there are too many.
    test.client.run("CONFIG SET keyns.max-namespaces 1");
    test.client.define("user", "user:<id:int>", "OWNER web");
    let reply = test.client.call(&["KEYNS.NS.LOAD", &test.before.clone()]);
    assert_eq!(reply.integer(), 3);
    assert_eq!(test.client.namespaces(), test.before);
    assert_eq!(test.client.run("KEYNS.NS.DEL user session").integer(), 2);
    test.client.run("KEYNS.NS.DEL file");
    assert_eq!(test.client.call(&["KEYNS.NS.LOAD", &one]).integer(), 1);
}

#[test]
fn a_full_server_refuses_definitions_and_goes_on_reading() {
    let mut test = Refusing::start();
    test.client.run("CONFIG SET maxmemory 1");
    let json = namespaces_json(&[]);
    for args in [
        &["KEYNS.NS.SET", "n", "PATTERN", "n:<x>"][..],
        &["KEYNS.NS.LOAD", &json, "FLUSH"],
        &["KEYNS.NS.PRESET", "general"],
    ] {
        let reply = test.client.call(args).text();
        assert!(reply.starts_with("OOM"), "{reply}");
    }
    for line in [
        "KEYNS.NS.GET user",
        "KEYNS.NS.LIST",
        "KEYNS.NS.DUMP MARKDOWN",
        "KEYNS.KEY user 42",
        "KEYNS.CHECK user:42",
        "KEYNS.PARSE user:42",
    ] {
        assert!(!test.client.run(line).is_error(), "{line}");
    }
    assert_eq!(test.client.namespaces(), test.before);
    assert_eq!(test.client.run("KEYNS.NS.DEL user").integer(), 1);
}

#[test]
fn a_replica_refuses_changes() {
    let test = Refusing::start();
    let replica = test.server.replica();
    let mut client = replica.client();
    wait_until("the namespaces are there", || {
        client.namespaces() == test.before
    });
    for line in [
        "KEYNS.NS.SET n PATTERN n:<x>",
        "KEYNS.NS.DEL user",
        "KEYNS.NS.LOAD {\"namespaces\":[]} FLUSH",
        "KEYNS.NS.PRESET general",
    ] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("READONLY"), "{line}: {reply}");
    }
    assert_eq!(client.namespaces(), test.before);
    test.finish();
}

#[test]
fn a_user_needs_the_permission_for_the_command() {
    let mut test = Refusing::start();
    let rules =
        "reset on nopass ~* +@all -keyns.ns.set -keyns.ns.load -keyns.ns.preset -keyns.ns.del";
    test.client.run(&format!("ACL SETUSER reader {rules}"));
    let mut reader = test.server.client();
    reader.run("AUTH reader x");
    for line in [
        "KEYNS.NS.SET n PATTERN n:<x>",
        "KEYNS.NS.DEL user",
        "KEYNS.NS.LOAD {\"namespaces\":[]} FLUSH",
        "KEYNS.NS.PRESET general",
    ] {
        let reply = reader.run(line).text();
        assert!(reply.starts_with("NOPERM"), "{line}: {reply}");
        let script = format!("return redis.call('{}')", line.replace(' ', "','"));
        assert!(reader.call(&["EVAL", &script, "0"]).is_error(), "{line}");
    }
    assert_eq!(reader.run("KEYNS.KEY user 42").text(), "user:42");
    // A key's name is no secret, and what is stored under it is.
    test.client.run("ACL SETUSER reader resetkeys ~session:*");
    let reply = reader.run("KEYNS.CHECK session:5f user:42").text();
    assert!(reply.starts_with("NOPERM"), "{reply}");
    assert!(!reader.run("KEYNS.CHECK session:5f").is_error());
    assert_eq!(test.client.namespaces(), test.before);
    test.finish();
}

#[test]
fn readers_and_writers_are_told_apart_by_category_where_the_server_has_them() {
    let mut test = Refusing::start();
    if !test.server.has_module_categories() {
        return;
    }
    test.client
        .run("ACL SETUSER reader reset on nopass ~* -@all +@read");
    let mut reader = test.server.client();
    reader.run("AUTH reader x");
    assert_eq!(reader.run("KEYNS.KEY user 42").text(), "user:42");
    assert!(!reader.run("KEYNS.NS.DUMP").is_error());
    let reply = reader.run("KEYNS.NS.SET n PATTERN n:<x>").text();
    assert!(reply.starts_with("NOPERM"), "{reply}");
}

/// Random bytes and random pieces of patterns, as definitions and as keys.
#[test]
fn random_patterns_and_keys_get_a_reply_and_panic_nothing() {
    const ROUNDS: u32 = 3000;
    const PIECES: [&str; 40] = [
        "<",
        ">",
        "[",
        "]",
        "[:",
        "{",
        "}",
        ":",
        "::",
        "...",
        "a",
        "user",
        "<x>",
        "<y:int>",
        "<d:date>",
        "<r...>",
        "<u:uuid>",
        "<s:slug>",
        "<n:number>",
        "<h:hash>",
        "<p:path>",
        "<q:hex>",
        "2024:05:17",
        "12",
        "007",
        "-1",
        "ä",
        "\u{301}",
        "\0",
        "*",
        " ",
        "'",
        "\\",
        "A",
        "-",
        "_",
        ".",
        "|",
        "/",
        "v",
    ];
    let test = Refusing::start();
    let Refusing {
        server, mut client, ..
    } = test;
    let mut state = 0x9E37_79B9_u32;
    let mut random = |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let mut defined = 0;
    for round in 0..ROUNDS {
        let mut text = Vec::new();
        if round % 2 == 0 {
            text.extend(b"user:");
        }
        for _ in 0..1 + random(7) {
            match random(30) {
                0 => text.push(random(256) as u8),
                _ => text.extend(PIECES[random(40) as usize].bytes()),
            }
        }
        let name = format!("n{}", random(50)).into_bytes();
        let replies = client.pipeline(&[
            vec![
                b"KEYNS.NS.SET".to_vec(),
                name.clone(),
                b"PATTERN".to_vec(),
                text.clone(),
            ],
            vec![b"KEYNS.CHECK".to_vec(), text.clone()],
            vec![b"KEYNS.PARSE".to_vec(), text.clone()],
            vec![b"KEYNS.KEY".to_vec(), name.clone(), text.clone()],
            vec![
                b"KEYNS.KEY".to_vec(),
                name.clone(),
                b"42".to_vec(),
                text.clone(),
                b"WITHTTL".to_vec(),
            ],
            vec![b"KEYNS.NS.LOAD".to_vec(), text.clone(), b"FLUSH".to_vec()],
            vec![b"KEYNS.NS.GET".to_vec(), name],
        ]);
        defined += u32::from(!replies[0].is_error());
        for reply in &replies {
            let internal = reply.is_error() && reply.text().contains("internal error");
            assert!(!internal, "{}\n{}", text.escape_ascii(), server.log());
        }
    }
    assert!(defined > ROUNDS / 20, "{defined}");
    for format in ["JSON", "MARKDOWN", "ACL"] {
        assert!(!client.run(&format!("KEYNS.NS.DUMP {format}")).is_error());
    }
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}

#[test]
fn placeholders_of_other_languages_are_refused_with_the_right_spelling() {
    let mut test = Refusing::start();
    for (pattern, reason) in [
        (
            "n:${id}",
            "PATTERN at column 3: a placeholder is written <id>, not ${id}",
        ),
        (
            "n:${userId}",
            "column 3: a placeholder is written <user_id>, not ${userId}",
        ),
        (
            "n:%s:x",
            "column 3: a placeholder is written <name>, not %s",
        ),
        ("n:$id", "column 3: a placeholder is written <id>, not $id"),
        (
            "n:#{id}",
            "column 3: a placeholder is written <id>, not #{id}",
        ),
        (
            "n:%05d",
            "column 3: a placeholder is written <name:number>, not %05d",
        ),
        (
            "n:%d",
            "column 3: a placeholder is written <name:int>, not %d",
        ),
        (
            "n:%(id)s",
            "column 3: a placeholder is written <id>, not %(id)s",
        ),
        (
            "n:{{id}}",
            "column 3: a placeholder is written <id>, not {{id}}",
        ),
        (
            "n::id",
            "column 3: a segment is empty (a placeholder is written <id>, not :id)",
        ),
        ("/n/:id", "column 4: a placeholder is written <id>, not :id"),
    ] {
        test.refuses_pattern(pattern, reason);
        let reason = format!(
            "namespace 'n': PATTERN at {}",
            &reason[reason.find("column").unwrap()..]
        );
        test.refuses_json(namespaces_json(&[("n", pattern)]), &reason);
    }
    test.finish();
}

#[test]
fn a_hash_tag_is_no_placeholder_and_values_for_it_are_told_so() {
    let mut test = Refusing::start();
    for (name, pattern) in [
        ("tag", "n:{id}:x"),
        ("app", "{app}:n:<id>"),
        ("plain", "n:id"),
    ] {
        test.client.define(name, pattern, "");
    }
    test.before = test.client.namespaces();
    let none = "the pattern has no placeholders and takes no values";
    test.refuses_line(
        "KEYNS.KEY tag 42",
        &format!("{none}, got 1: a placeholder is written <id>, not {{id}}"),
    );
    test.refuses_line(
        "KEYNS.KEY tag 42 7 WITHTTL",
        &format!("{none}, got 2: a placeholder is written <id>, not {{id}}"),
    );
    test.refuses_line(
        "KEYNS.KEY plain 42",
        &format!("{none}, got 1: a placeholder is written <name>"),
    );
    test.refuses_line(
        "KEYNS.KEY app 42 7",
        "the pattern takes at most 1 value, got 2",
    );
    assert_eq!(test.client.run("KEYNS.KEY tag").text(), "n:{id}:x");
    assert_eq!(test.client.run("KEYNS.KEY app 42").text(), "{app}:n:42");
    test.finish();
}
