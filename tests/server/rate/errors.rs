//! Mistakes in calls on rate limits, and keys that hold something else: a clear error, nothing
//! changed, and the server goes on.

use keyns_testkit::{Client, Options, Random, Server, Value};

/// Every command, on a key.
const CALLS: [&str; 7] = [
    "KEYNS.RATE KEY BUCKET 5 1 1500d",
    "KEYNS.RATE KEY FIXED 5 1500d",
    "KEYNS.RATE KEY SLIDING 5 1500d COST 2",
    "KEYNS.RATE.PEEK KEY BUCKET 5 1 1500d",
    "KEYNS.RATE.REFUND KEY SLIDING 5 1500d COST 1",
    "KEYNS.RATE.BLOCK KEY 1d",
    "KEYNS.THROTTLE KEY 4 1 1500",
];

fn call_on(client: &mut Client, line: &str, key: &[u8]) -> Value {
    let words = line.split(' ').map(|word| match word {
        "KEY" => key.to_vec(),
        _ => word.as_bytes().to_vec(),
    });
    client.call(&words.collect::<Vec<_>>())
}

/// Sends every command to a key, and answers the errors; all of it must leave the server as it is.
#[track_caller]
fn errors_on(server: &Server, key: &[u8]) -> Vec<String> {
    let mut client = server.client();
    let before = (server.digest(), client.call(&[b"PEXPIRETIME", key]));
    let errors = CALLS.map(|line| {
        let reply = call_on(&mut client, line, key);
        assert!(reply.is_error(), "{line}: {reply:?}");
        reply.text()
    });
    let after = (server.digest(), client.call(&[b"PEXPIRETIME", key]));
    assert_eq!(after, before);
    errors.to_vec()
}

#[test]
fn another_type_is_left_alone() {
    let server = Server::start();
    let mut client = server.client();
    for line in [
        "LPUSH list a b",
        "HSET hash f v",
        "SADD set a",
        "SADD ints 1 2",
        "ZADD zset 1 a",
        "XADD stream * f v",
    ] {
        client.run(line);
        let key = line.split(' ').nth(1).unwrap();
        for error in errors_on(&server, key.as_bytes()) {
            assert_eq!(
                error, "WRONGTYPE Operation against a key holding the wrong kind of value",
                "{key}"
            );
        }
    }
}

#[test]
fn a_foreign_string_is_left_alone() {
    let server = Server::start();
    let mut client = server.client();
    let strings: [&[u8]; 14] = [
        b"",
        b"x",
        b"text",
        b"12345",
        b"-9223372036854775808",
        b"3.14",
        b"exactly 12 b",
        b"exactly 16 bytes",
        b"{\"tokens\": 10, \"time\": 1800000000}",
        &[0; 8],
        &[0; 12],
        &[0xff; 12],
        &[0xff; 16],
        &[b'x'; 1_000_000],
    ];
    for string in strings {
        client.call(&[b"SET", b"foreign".as_slice(), string]);
        for error in errors_on(&server, b"foreign") {
            assert_eq!(error, "ERR not a rate limit: 'foreign'");
        }
        assert_eq!(client.bytes_of("foreign").unwrap(), string);
        client.call(&[b"SET", b"foreign".as_slice(), string, b"EX", b"10000"]);
        errors_on(&server, b"foreign");
    }
    client.run("INCR counter");
    client.run("INCR counter");
    errors_on(&server, b"counter");
    assert_eq!(client.run("INCR counter").integer(), 3);
}

/// A state of every kind, as the server made it.
fn states(server: &Server) -> Vec<Vec<u8>> {
    let mut client = server.client();
    [
        "KEYNS.RATE KEY BUCKET 5 1 1500d",
        "KEYNS.RATE KEY BUCKET 9223372036854775807 1000000000 1s COST 9223372036854775",
        "KEYNS.RATE KEY FIXED 5 1500d",
        "KEYNS.RATE KEY FIXED 9223372036854775807 1500d COST 9223372036854775807",
        "KEYNS.RATE KEY SLIDING 5 1500d",
        "KEYNS.RATE KEY SLIDING 500 1500d COST 300",
        "KEYNS.RATE KEY BUCKET 9 1 1500d FIXED 9 1500d SLIDING 9 1500d COST 3",
        "KEYNS.RATE.BLOCK KEY 1500d",
    ]
    .into_iter()
    .map(|line| {
        client.run("DEL state");
        assert!(!call_on(&mut client, line, b"state").is_error(), "{line}");
        client.bytes_of("state").unwrap()
    })
    .collect()
}

#[test]
fn a_truncated_or_longer_state_is_no_rate_limit() {
    let server = Server::start();
    let mut client = server.client();
    for state in states(&server) {
        client.call(&[b"SET", b"whole".as_slice(), &state]);
        let reply = client.run("KEYNS.RATE.PEEK whole BUCKET 5 1 1500d");
        assert!(!reply.is_error(), "{reply:?}");
        let cuts = (1..state.len()).filter(|cut| state.len() < 100 || cut % 97 == 0);
        let parts = cuts.map(|cut| state[..cut].to_vec());
        let longer = [b"x".as_slice(), &[0; 6], &[0; 12]].map(|end| [&state, end].concat());
        for bytes in parts.chain(longer) {
            client.call(&[b"SET", b"cut".as_slice(), &bytes]);
            for line in CALLS {
                let reply = call_on(&mut client, line, b"cut");
                assert_eq!(reply.text(), "ERR not a rate limit: 'cut'", "{bytes:?}");
            }
            assert_eq!(client.bytes_of("cut").unwrap(), bytes);
        }
    }
}

/// Of random values with the length of a state, one in some hundred is taken for one. Whatever
/// comes then, comes without an internal error: the module under test is the one in which overflows
/// panic.
#[test]
fn random_bytes_are_hardly_ever_a_rate_limit_and_never_fatal() {
    const STRINGS: usize = 2000;
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15);
    let mut taken = 0;
    for round in 0..STRINGS {
        let len = [12, 16, 24, round % 70][round % 4];
        let bytes: Vec<u8> = random.bytes(len as u64);
        client.call(&[b"SET", b"noise".as_slice(), &bytes]);
        let replies = client.pipeline(&on_key("noise"));
        for reply in &replies {
            assert!(!is_internal(reply), "{}", server.log());
        }
        if replies[0].is_error() {
            assert_eq!(client.bytes_of("noise").unwrap(), bytes);
        } else {
            taken += 1;
        }
    }
    assert!(taken * 150 < STRINGS, "{taken}");
}

#[test]
fn damaged_states_are_never_fatal() {
    const DAMAGES: usize = 250;
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    let mut random = Random::seeded(0x2545_F491_4F6C_DD1D);
    for state in states(&server) {
        let mut noticed = 0;
        for round in 0..DAMAGES {
            let mut bytes = state.clone();
            let at = random.below(bytes.len().min(40) as u64) as usize;
            match round % 3 {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.below(256) as u8,
                _ => {
                    let end = (at + 8).min(bytes.len());
                    bytes[at..end].fill_with(|| random.below(256) as u8);
                }
            }
            client.call(&[b"SET", b"damaged".as_slice(), &bytes]);
            let replies = client.pipeline(&on_key("damaged"));
            for reply in &replies {
                assert!(!is_internal(reply), "{}", server.log());
            }
            noticed += usize::from(replies[0].is_error());
        }
        assert!(noticed > 0);
    }
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}

fn on_key(key: &str) -> Vec<Vec<String>> {
    let lines = CALLS.map(|line| line.replace("KEY ", &format!("{key} ")));
    let words = lines.iter().map(|line| line.split(' ').map(String::from));
    words.map(|words| words.collect()).collect()
}

fn is_internal(reply: &Value) -> bool {
    reply.is_error() && reply.text().contains("internal error")
}

#[test]
fn a_key_may_have_any_bytes() {
    let server = Server::start();
    let mut client = server.client();
    let keys: [&[u8]; 5] = [b"", b"\xff\xfe\x80", b"a\0b", b"\r\n", &[b'k'; 10_000]];
    for key in keys {
        for line in CALLS {
            client.call(&[b"DEL", key]);
            let reply = call_on(&mut client, line, key);
            assert!(!reply.is_error(), "{key:?}: {reply:?}");
        }
        client.call(&[b"DEL", key]);
        for expected in [1, 0] {
            let reply = call_on(&mut client, "KEYNS.RATE KEY FIXED 1 1500d", key);
            assert_eq!(reply.array()[0].integer(), expected, "{key:?}");
        }
    }
    let key = b"not a \xff rate limit";
    client.call(&[b"SET", key.as_slice(), b"x"]);
    let error = call_on(&mut client, CALLS[0], key).text();
    assert_eq!(error, r"ERR not a rate limit: 'not a \xff rate limit'");
}

/// What no number that must be 1 at least may be, with how an error shows it.
const NO_AMOUNTS: [(&[u8], &str); 14] = [
    (b"0", "0"),
    (b"-1", "-1"),
    (b"-9223372036854775808", "-9223372036854775808"),
    (b"9223372036854775808", "9223372036854775808"),
    (b"18446744073709551617", "18446744073709551617"),
    (b"1e3", "1e3"),
    (b"1.5", "1.5"),
    (b" 1", " 1"),
    (b"1 ", "1 "),
    (b"+1", "+1"),
    (b"0x10", "0x10"),
    (b"", ""),
    (b"1\0", r"1\x00"),
    (b"\xff", r"\xff"),
];

#[test]
fn an_amount_is_an_integer_from_one_on() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.RATE k BUCKET 5 1 1500d FIXED 9 1500d SLIDING 9 1500d");
    let before = server.digest();
    const MAX: i64 = i64::MAX;
    for (line, option, range) in [
        ("KEYNS.RATE k BUCKET ? 1 1500d", "BUCKET capacity", 1..=MAX),
        ("KEYNS.RATE k BUCKET 5 ? 1500d", "BUCKET refill", 1..=MAX),
        ("KEYNS.RATE k FIXED ? 1500d", "FIXED max", 1..=MAX),
        ("KEYNS.RATE k SLIDING ? 1500d", "SLIDING max", 1..=MAX),
        ("KEYNS.RATE k BUCKET 5 1 1500d COST ?", "COST", 1..=MAX),
        ("KEYNS.RATE k COST ? FIXED 5 1500d", "COST", 1..=MAX),
        ("KEYNS.RATE.PEEK k FIXED ? 1500d", "FIXED max", 1..=MAX),
        ("KEYNS.RATE.PEEK k FIXED 5 1500d COST ?", "COST", 0..=MAX),
        (
            "KEYNS.RATE.REFUND k FIXED ? 1500d COST 1",
            "FIXED max",
            1..=MAX,
        ),
        ("KEYNS.RATE.REFUND k FIXED 5 1500d COST ?", "COST", 1..=MAX),
        ("KEYNS.THROTTLE k ? 1 60", "max_burst", 0..=MAX - 1),
        ("KEYNS.THROTTLE k 4 ? 60", "count", 1..=MAX),
        (
            "KEYNS.THROTTLE k 4 1 ?",
            "period in seconds",
            1..=129_600_000,
        ),
        ("KEYNS.THROTTLE k 4 1 60 ?", "quantity", 0..=MAX),
    ] {
        let (least, most) = (range.start(), range.end());
        let one_less = (least - 1).to_string();
        let one_more = (i128::from(*most) + 1).to_string();
        let edges = [&one_less, &one_more].map(|edge| (edge.as_bytes(), edge.as_str()));
        let wrong = NO_AMOUNTS.into_iter().chain(edges);
        for (value, shown) in wrong.filter(|(value, _)| *least > 0 || *value != b"0") {
            let error = fill_in(&mut client, line, value);
            let expected = format!(
                "ERR {option} must be an integer between {least} and {most}, got '{shown}'"
            );
            assert_eq!(error, expected, "{line}");
        }
    }
    assert_eq!(server.digest(), before);
}

/// Calls with these bytes in the place of the question mark.
#[track_caller]
fn fill_in(client: &mut Client, line: &str, value: &[u8]) -> String {
    let words = line.split(' ').map(|word| match word {
        "?" => value,
        word => word.as_bytes(),
    });
    let reply = client.call(&words.collect::<Vec<_>>());
    assert!(reply.is_error(), "{line} with {value:?}: {reply:?}");
    reply.text()
}

#[test]
fn a_period_is_an_integer_with_a_unit() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.RATE k BUCKET 5 1 1500d FIXED 9 1500d SLIDING 9 1500d");
    let before = server.digest();
    for (line, option) in [
        ("KEYNS.RATE k BUCKET 5 1 ?", "BUCKET period"),
        ("KEYNS.RATE k FIXED 5 ?", "FIXED period"),
        ("KEYNS.RATE k SLIDING 5 ?", "SLIDING period"),
        ("KEYNS.RATE.PEEK k SLIDING 5 ?", "SLIDING period"),
        ("KEYNS.RATE.REFUND k FIXED 5 ? COST 1", "FIXED period"),
        ("KEYNS.RATE.BLOCK k ?", "period"),
    ] {
        let more = ["0s", "-1s", "1S", "1w", "s", "1501d", "36001h", "1s\0"];
        let more = more.map(|text| (text.as_bytes(), text));
        for (value, _) in NO_AMOUNTS.into_iter().chain(more) {
            let error = fill_in(&mut client, line, value);
            let expected =
                format!("ERR {option} must be 1ms to 1500d, as in 500ms, 10s, 1m, 2h or 7d, got '");
            assert!(error.starts_with(&expected), "{line}: {error}");
        }
    }
    let error = client.run("KEYNS.THROTTLE k 4 1 129600001").text();
    assert_eq!(
        error,
        "ERR period in seconds must be an integer between 1 and 129600000, got '129600001'"
    );
    assert_eq!(server.digest(), before);
}

#[test]
fn the_largest_numbers_count() {
    let server = Server::start();
    let mut client = server.client();
    let most = i64::MAX;
    for limit in [
        format!("BUCKET {most} {most} 1ms"),
        format!("BUCKET {most} {most} 1500d"),
        format!("BUCKET {most} 1000000000 1s"),
        format!("FIXED {most} 1500d"),
        format!("FIXED {most} 1ms FIXED {most} 1500d"),
    ] {
        client.run("DEL k");
        let ruling = client.rule(&format!("KEYNS.RATE k {limit} COST {most}"));
        assert_eq!((ruling.allowed, ruling.limit), (true, most), "{limit}");
        assert_eq!(ruling.remaining, 0, "{limit}");
        client.run(&format!("KEYNS.RATE k {limit} COST {most}"));
        let ruling = client.rule(&format!("KEYNS.RATE.REFUND k {limit} COST {most}"));
        assert_eq!(ruling.remaining, most, "{limit}");
    }
    let burst = most - 1;
    let reply = client.run(&format!("KEYNS.THROTTLE t {burst} {most} 1 {most}"));
    assert!(!reply.is_error(), "{reply:?}");
    let error = client
        .run(&format!("KEYNS.RATE k BUCKET {most} 1 1ms"))
        .text();
    assert_eq!(
        error,
        "ERR a bucket must not take longer than 285000 years to fill"
    );
}

#[test]
fn a_cost_that_could_never_pass_is_an_error() {
    let server = Server::start();
    let mut client = server.client();
    for (line, expected) in [
        (
            "KEYNS.RATE k BUCKET 5 1 1500d COST 6",
            "ERR COST must be at most 5, the most that BUCKET can ever admit, got 6",
        ),
        (
            "KEYNS.RATE k FIXED 9 1500d SLIDING 5 1500d COST 6",
            "ERR COST must be at most 5, the most that SLIDING can ever admit, got 6",
        ),
        (
            "KEYNS.RATE.PEEK k COST 9223372036854775807 FIXED 5 1500d",
            "ERR COST must be at most 5, the most that FIXED can ever admit, got 9223372036854775807",
        ),
    ] {
        assert_eq!(client.run(line).text(), expected, "{line}");
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn words_and_values_have_their_places() {
    let server = Server::start();
    let mut client = server.client();
    let nine = "FIXED 5 1500d ".repeat(9);
    let arity = |name: &str| format!("ERR wrong number of arguments for '{name}' command");
    for (line, expected) in [
        (
            "KEYNS.RATE k FIXED 5 1500d FOO",
            "ERR syntax error near 'FOO', expected BUCKET, FIXED, SLIDING, COST or MAP".into(),
        ),
        (
            "KEYNS.RATE k FOO FIXED 5 1500d",
            "ERR syntax error near 'FOO', expected BUCKET, FIXED, SLIDING, COST or MAP".into(),
        ),
        (
            "KEYNS.RATE k FIXED 5 1500d COST",
            "ERR COST needs a value".into(),
        ),
        (
            "KEYNS.RATE k FIXED 5 1500d FIXED",
            "ERR FIXED max must be given".into(),
        ),
        (
            "KEYNS.RATE k FIXED 5 1500d FIXED 5",
            "ERR FIXED period must be given".into(),
        ),
        (
            "KEYNS.RATE k BUCKET 5 1",
            "ERR BUCKET period must be given".into(),
        ),
        (
            "KEYNS.RATE k COST 1 COST 1 FIXED 5 1500d",
            "ERR COST is given twice".into(),
        ),
        (
            "KEYNS.RATE k FIXED 5 1500d COST 1 cost 2",
            "ERR COST is given twice".into(),
        ),
        ("KEYNS.RATE k COST 1 COST", "ERR COST needs a value".into()),
        (
            nine.trim_end(),
            "ERR give at most 8 limits for each key".into(),
        ),
        (
            "KEYNS.RATE.REFUND k FIXED 5 1500d",
            "ERR COST must be given".into(),
        ),
        (
            "KEYNS.THROTTLE k 4 1 60 1 1",
            "ERR syntax error near '1', expected nothing more".into(),
        ),
        ("KEYNS.RATE", arity("keyns.rate")),
        ("KEYNS.RATE k", arity("keyns.rate")),
        ("KEYNS.RATE k FIXED 5", arity("keyns.rate")),
        ("KEYNS.RATE.PEEK k", arity("keyns.rate.peek")),
        ("KEYNS.RATE.REFUND k FIXED 5", arity("keyns.rate.refund")),
        ("KEYNS.RATE.BLOCK k", arity("keyns.rate.block")),
        ("KEYNS.RATE.BLOCK k 1s 1s", arity("keyns.rate.block")),
        ("KEYNS.THROTTLE k 4 1", arity("keyns.throttle")),
    ] {
        let line = match line.starts_with("KEYNS") {
            true => line.to_owned(),
            false => format!("KEYNS.RATE k {line}"),
        };
        // How the server writes the command's name depends on its version.
        let error = client.run(&line).text();
        assert!(error.eq_ignore_ascii_case(&expected), "{line}: {error}");
    }
    let reply = client.run("KEYNS.RATE k COST 1 COST 1");
    assert!(reply.is_error(), "{reply:?}");
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn a_sliding_window_keeps_as_many_units_as_the_setting_allows() {
    let server = Server::start();
    let mut client = server.client();
    let error = |limit: u32, got: u32| {
        format!("ERR SLIDING max must be at most {limit}, got {got} (keyns.max-sliding)")
    };
    assert!(client.rule("KEYNS.RATE k SLIDING 10000 1500d").allowed);
    let reply = client.run("KEYNS.RATE k SLIDING 10001 1500d").text();
    assert_eq!(reply, error(10_000, 10_001));
    client.run("CONFIG SET keyns.max-sliding 5");
    for name in ["KEYNS.RATE", "KEYNS.RATE.PEEK", "KEYNS.RATE.REFUND"] {
        let reply = client
            .run(&format!("{name} k SLIDING 6 1500d COST 1"))
            .text();
        assert_eq!(reply, error(5, 6), "{name}");
    }
    assert!(client.rule("KEYNS.RATE k SLIDING 5 1500d").allowed);
    client.run("CONFIG SET keyns.max-sliding 1000000");
    let ruling = client.rule("KEYNS.RATE k SLIDING 1000000 1500d COST 500000");
    assert_eq!(ruling.timeless(), (true, 1_000_000, 499_998, 0));
    // What passed under a higher setting still counts under a lower one.
    client.run("CONFIG SET keyns.max-sliding 100");
    let ruling = client.rule("KEYNS.RATE k SLIDING 100 1500d");
    assert_eq!(ruling.timeless(), (false, 100, 0, 0));
}

#[test]
fn a_disabled_command_of_the_server_leaves_nothing_half_written() {
    for command in ["SET", "SETRANGE", "PEXPIREAT"] {
        let server = Options::new()
            .durable()
            .set("--rename-command", &[command, ""])
            .start();
        let mut client = server.client();
        let before = server.digest();
        let mut passed = 0;
        for _ in 0..2 {
            for line in CALLS
                .into_iter()
                .chain(["KEYNS.RATE KEY SLIDING 99 1500d COST 40"])
            {
                let reply = call_on(&mut client, line, line.as_bytes());
                match reply.is_error() {
                    true => assert!(
                        reply.text().starts_with("ERR the server refused"),
                        "{reply:?}"
                    ),
                    false => passed += 1,
                }
            }
        }
        match command {
            "SET" => assert_eq!(server.digest(), before),
            _ => assert_eq!(passed, 16, "{command}"),
        }
        // All of it is in the AOF as well.
        let before = server.digest();
        let mut server = server;
        server.start_again();
        assert_eq!(server.digest(), before, "{command}");
    }
}

/// Keys that were written while SET was there are not changed when it is not.
#[test]
fn a_state_stays_as_it_is_where_set_is_disabled() {
    let donor = Server::start();
    let mut client = donor.client();
    client.run("KEYNS.RATE k BUCKET 5 1 1500d");
    client.run("KEYNS.RATE l SLIDING 99 1500d COST 40");
    client.run("KEYNS.RATE s SLIDING 9 1500d COST 4");
    client.run("SAVE");
    let server = Options::new()
        .set("--rename-command", &["SET", ""])
        .start_with(&donor.dir.join("dump.rdb"), "dump.rdb");
    let mut client = server.client();
    for line in [
        "KEYNS.RATE k BUCKET 5 1 1500d",
        "KEYNS.RATE l SLIDING 99 1500d COST 40",
        "KEYNS.RATE s SLIDING 9 1500d",
        "KEYNS.RATE.REFUND k BUCKET 5 1 1500d COST 1",
        "KEYNS.RATE.BLOCK k 1d",
    ] {
        let reply = client.run(line);
        assert!(
            reply.text().starts_with("ERR the server refused"),
            "{line}: {reply:?}"
        );
    }
    assert_eq!(server.digest(), donor.digest());
    assert!(client.rule("KEYNS.RATE.PEEK k BUCKET 5 1 1500d").allowed);
}
