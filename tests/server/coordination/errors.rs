//! Mistakes in calls on coordination, and keys that hold something else: a clear error, nothing
//! changed, and the server goes on.

use keyns_testkit::{Client, Options, Random, Server, Value};

/// Every command with one key, on a key.
const ON_ONE_KEY: [&str; 6] = [
    "KEYNS.LOCK KEY alice PX 60000",
    "KEYNS.EXTEND KEY alice PX 60000",
    "KEYNS.UNLOCK KEY alice",
    "KEYNS.SEEN KEY EX 600",
    "KEYNS.ADVANCE KEY 5 EX 600",
    "KEYNS.CHECKPOINT KEY 5 FORCE",
];

/// Those that derive keys.
const ON_BUCKETS: [&str; 2] = [
    "KEYNS.COUNT KEY GRAIN DAY GRAIN YEAR AT 1794735000",
    "KEYNS.COUNT.RANGE KEY GRAIN DAY 1794735000 1794735000",
];

const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";

fn call_on(client: &mut Client, line: &str, key: &[u8]) -> Value {
    let words = line.split(' ').map(|word| match word {
        "KEY" => key.to_vec(),
        _ => word.as_bytes().to_vec(),
    });
    client.call(&words.collect::<Vec<_>>())
}

/// Something to change: of each kind of ours one, and of each other type.
fn fill(client: &mut Client) {
    for line in [
        "KEYNS.LOCK lock alice PX 60000000",
        "KEYNS.SEEN event",
        "KEYNS.ADVANCE revision 5",
        "KEYNS.CHECKPOINT checkpoint 5",
        "KEYNS.COUNT n GRAIN DAY GRAIN YEAR AT 1794735000",
        "SET string text",
        "LPUSH list a b",
        "HSET hash f v",
        "SADD set a",
        "ZADD zset 1 a",
        "XADD stream * f v",
    ] {
        assert!(!client.run(line).is_error(), "{line}");
    }
}

#[test]
fn another_type_is_left_alone() {
    let server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    let before = client.snapshot();
    for line in ON_ONE_KEY {
        let is_hash = line.starts_with("KEYNS.CHECKPOINT");
        let types: &[&str] = match is_hash {
            true => &[
                "string", "list", "set", "zset", "stream", "lock", "revision",
            ],
            false => &["hash", "list", "set", "zset", "stream", "checkpoint"],
        };
        for key in types {
            let reply = call_on(&mut client, line, key.as_bytes());
            assert_eq!(reply, Value::Error(WRONG_TYPE.into()), "{line}: {key}");
        }
    }
    assert_eq!(client.snapshot(), before);
}

#[test]
fn a_key_may_have_any_bytes() {
    let server = Server::start();
    let mut client = server.client();
    let keys: [&[u8]; 6] = [b"", b"\xff\xfe\x80", b"a\0b", b"\r\n", b"{}", &[b'k'; 1024]];
    for key in keys {
        for line in ON_ONE_KEY.into_iter().chain(ON_BUCKETS) {
            client.run("FLUSHALL");
            let reply = call_on(&mut client, line, key);
            assert!(!reply.is_error(), "{key:?}: {reply:?}");
        }
        call_on(&mut client, ON_BUCKETS[0], key);
        let bucket = [key, b":2026:11:15"].concat();
        assert_eq!(client.bytes_of(&bucket).unwrap(), b"1");
    }
    let key = b"not an \xff integer";
    client.call(&[b"SET", key.as_slice(), b"x"]);
    let error = call_on(&mut client, "KEYNS.ADVANCE KEY 5", key).text();
    assert_eq!(error, r"ERR 'not an \xff integer' does not hold an integer");
}

/// What is no integer, with how an error shows it.
const NO_INTEGERS: [(&[u8], &str); 15] = [
    (b"9223372036854775808", "9223372036854775808"),
    (b"-9223372036854775809", "-9223372036854775809"),
    (b"18446744073709551617", "18446744073709551617"),
    (b"01", "01"),
    (b"-0", "-0"),
    (b"1e3", "1e3"),
    (b"1.5", "1.5"),
    (b" 1", " 1"),
    (b"1 ", "1 "),
    (b"+1", "+1"),
    (b"0x10", "0x10"),
    (b"", ""),
    (b"-", "-"),
    (b"1\0", r"1\x00"),
    (b"\xff", r"\xff"),
];

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
fn a_number_is_within_its_bounds() {
    const PX: &str = "PX, in milliseconds (EX takes periods such as 30s),";
    const MILLIS: i64 = 100_000_000_000_000;
    const SECONDS: i64 = 100_000_000_000;
    const LAST: i64 = 253_402_300_799;
    let server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    let before = client.snapshot();
    for (line, option, range) in [
        ("KEYNS.LOCK lock alice EX ?", "lease", 1..=SECONDS),
        ("KEYNS.EXTEND lock alice EX ?", "lease", 1..=SECONDS),
        ("KEYNS.LOCK lock alice PX ?", PX, 1..=MILLIS),
        ("KEYNS.LOCK new alice PX ?", PX, 1..=MILLIS),
        ("KEYNS.EXTEND lock alice PX ?", PX, 1..=MILLIS),
        ("KEYNS.SEEN new EX ?", "EX", 1..=SECONDS),
        ("KEYNS.SEEN event EX ?", "EX", 1..=SECONDS),
        ("KEYNS.ADVANCE revision ?", "revision", i64::MIN..=i64::MAX),
        ("KEYNS.ADVANCE revision 6 EX ?", "EX", 0..=SECONDS),
        (
            "KEYNS.CHECKPOINT checkpoint ?",
            "position",
            i64::MIN..=i64::MAX,
        ),
        (
            "KEYNS.CHECKPOINT checkpoint ? FORCE",
            "position",
            i64::MIN..=i64::MAX,
        ),
        ("KEYNS.COUNT n BY ? GRAIN DAY", "BY", i64::MIN..=i64::MAX),
        (
            "KEYNS.COUNT n GRAIN DAY AT ?",
            "AT, in seconds since 1970,",
            0..=LAST,
        ),
        ("KEYNS.COUNT n GRAIN DAY KEEP ?", "KEEP", 0..=SECONDS),
        ("KEYNS.COUNT n KEEP ? GRAIN DAY", "KEEP", 0..=SECONDS),
        (
            "KEYNS.COUNT.RANGE n GRAIN DAY ? 5",
            "from, in seconds since 1970,",
            0..=LAST,
        ),
        (
            "KEYNS.COUNT.RANGE n GRAIN DAY 5 ?",
            "to, in seconds since 1970,",
            0..=LAST,
        ),
        (
            "KEYNS.COUNT.RANGE n ? 5 GRAIN DAY",
            "from, in seconds since 1970,",
            0..=LAST,
        ),
    ] {
        let (least, most) = (*range.start(), *range.end());
        let edges = [i128::from(least) - 1, i128::from(most) + 1].map(|edge| edge.to_string());
        let edges = edges.iter().map(|edge| (edge.as_bytes(), edge.as_str()));
        for (value, shown) in NO_INTEGERS.into_iter().chain(edges) {
            let error = fill_in(&mut client, line, value);
            let (option, range) = match option {
                "lease" => {
                    let range = format!("1ms to {most}s, as in 500ms, 10s, 1m, 2h or 7d");
                    ("EX", range)
                }
                "EX" | "KEEP" => {
                    let range = format!("{least} to {most} seconds, as in 90, 90s, 15m, 2h or 7d");
                    (option, range)
                }
                _ => (option, format!("an integer between {least} and {most}")),
            };
            let expected = format!("ERR {option} must be {range}, got '{shown}'");
            assert_eq!(error, expected, "{line}");
        }
    }
    assert_eq!(client.snapshot(), before);
}

#[test]
fn every_mistake_in_a_call_has_its_words() {
    let server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    let before = client.snapshot();
    let arity = |name: &str| format!("ERR wrong number of arguments for '{name}' command");
    let near =
        |word: &str, allowed: &str| format!("ERR syntax error near '{word}', expected {allowed}");
    let no_value = |option: &str| format!("ERR {option} needs a value");
    let twice = |option: &str| format!("ERR {option} is given twice");
    let both = |one: &str, other: &str| format!("ERR {one} and {other} cannot be combined");
    let missing = |option: &str| format!("ERR {option} must be given");
    let grain =
        |got: &str| format!("ERR GRAIN must be YEAR, MONTH, DAY, HOUR or MINUTE, got '{got}'");
    for (line, expected) in [
        ("KEYNS.LOCK", arity("keyns.lock")),
        ("KEYNS.LOCK lock alice", arity("keyns.lock")),
        ("KEYNS.LOCK lock alice PX", arity("keyns.lock")),
        ("KEYNS.LOCK lock alice PX 5 5", near("5", "nothing more")),
        (
            "KEYNS.LOCK lock alice EX 5 FORCE",
            near("FORCE", "nothing more"),
        ),
        ("KEYNS.LOCK lock alice EX 5 PX 5", both("EX", "PX")),
        ("KEYNS.LOCK lock alice PX 5 ex 5", both("PX", "EX")),
        ("KEYNS.LOCK lock alice EX 5 EX 5", twice("EX")),
        ("KEYNS.LOCK lock alice PX 5 px", twice("PX")),
        ("KEYNS.LOCK lock alice 5 PX", near("5", "EX or PX")),
        (
            "KEYNS.LOCK lock  PX 5",
            "ERR owner must not be empty".into(),
        ),
        ("KEYNS.LOCK new  PX 5", "ERR owner must not be empty".into()),
        ("KEYNS.EXTEND lock alice", arity("keyns.extend")),
        ("KEYNS.EXTEND lock alice PX 5 5", near("5", "nothing more")),
        ("KEYNS.EXTEND lock alice EX 5 PX 5", both("EX", "PX")),
        ("KEYNS.EXTEND lock alice PXAT 5", near("PXAT", "EX or PX")),
        (
            "KEYNS.EXTEND lock  PX 5",
            "ERR owner must not be empty".into(),
        ),
        ("KEYNS.UNLOCK lock", arity("keyns.unlock")),
        ("KEYNS.UNLOCK lock alice FORCE", arity("keyns.unlock")),
        ("KEYNS.UNLOCK lock ", "ERR owner must not be empty".into()),
        ("KEYNS.SEEN", arity("keyns.seen")),
        ("KEYNS.SEEN new 5", near("5", "EX")),
        ("KEYNS.SEEN new PX 5", near("PX", "EX")),
        ("KEYNS.SEEN new EX", no_value("EX")),
        ("KEYNS.SEEN new EX 5 ", near("", "nothing more")),
        ("KEYNS.SEEN new EX 5 XX", near("XX", "nothing more")),
        ("KEYNS.SEEN new EX 5 ex 6", twice("EX")),
        ("KEYNS.SEEN event EX 5 EX 5", twice("EX")),
        ("KEYNS.SEEN new EX 5 EX", no_value("EX")),
        ("KEYNS.ADVANCE revision", arity("keyns.advance")),
        ("KEYNS.ADVANCE revision 6 FORCE", near("FORCE", "EX")),
        ("KEYNS.ADVANCE revision 6 EX", no_value("EX")),
        ("KEYNS.ADVANCE revision 6 EX 5 EX 5", twice("EX")),
        ("KEYNS.ADVANCE revision 6 EX 5 7", near("7", "nothing more")),
        ("KEYNS.CHECKPOINT checkpoint", arity("keyns.checkpoint")),
        ("KEYNS.CHECKPOINT checkpoint 6 EX 5", near("EX", "FORCE")),
        (
            "KEYNS.CHECKPOINT checkpoint 6 FORCED",
            near("FORCED", "FORCE"),
        ),
        ("KEYNS.CHECKPOINT checkpoint 6 FORCE FORCE", twice("FORCE")),
        ("KEYNS.CHECKPOINT checkpoint 6 force Force", twice("FORCE")),
        (
            "KEYNS.CHECKPOINT checkpoint 6 FORCE 7",
            near("7", "nothing more"),
        ),
        ("KEYNS.COUNT n", arity("keyns.count")),
        ("KEYNS.COUNT n GRAIN", arity("keyns.count")),
        ("KEYNS.COUNT n BY 5", missing("GRAIN")),
        ("KEYNS.COUNT n AT 5 KEEP 5", missing("GRAIN")),
        (
            "KEYNS.COUNT n DAY GRAIN",
            near("DAY", "BY, GRAIN, AT or KEEP"),
        ),
        (
            "KEYNS.COUNT n GRAIN DAY HOUR",
            near("HOUR", "BY, GRAIN, AT or KEEP"),
        ),
        (
            "KEYNS.COUNT n GRAIN DAY 5",
            near("5", "BY, GRAIN, AT or KEEP"),
        ),
        ("KEYNS.COUNT n GRAIN DAY GRAIN", no_value("GRAIN")),
        ("KEYNS.COUNT n GRAIN WEEK", grain("WEEK")),
        ("KEYNS.COUNT n GRAIN DAYS", grain("DAYS")),
        ("KEYNS.COUNT n GRAIN ", grain("")),
        ("KEYNS.COUNT n GRAIN DAY GRAIN GRAIN", grain("GRAIN")),
        ("KEYNS.COUNT n GRAIN DAY GRAIN DAY", twice("GRAIN DAY")),
        (
            "KEYNS.COUNT n GRAIN HOUR GRAIN DAY GRAIN hour",
            twice("GRAIN HOUR"),
        ),
        ("KEYNS.COUNT n GRAIN DAY BY", no_value("BY")),
        ("KEYNS.COUNT n GRAIN DAY AT", no_value("AT")),
        ("KEYNS.COUNT n GRAIN DAY KEEP", no_value("KEEP")),
        ("KEYNS.COUNT n GRAIN DAY BY 1 by 1", twice("BY")),
        ("KEYNS.COUNT n AT 1 GRAIN DAY AT 1", twice("AT")),
        ("KEYNS.COUNT n KEEP 1 KEEP 1 GRAIN DAY", twice("KEEP")),
        (
            "KEYNS.COUNT.RANGE n GRAIN DAY 5",
            arity("keyns.count.range"),
        ),
        (
            "KEYNS.COUNT.RANGE n GRAIN DAY 5 5 5",
            arity("keyns.count.range"),
        ),
        ("KEYNS.COUNT.RANGE n GRAIN WEEK 5 5", grain("WEEK")),
        ("KEYNS.COUNT.RANGE n GRAIN DAY GRAIN DAY", twice("GRAIN")),
        ("KEYNS.COUNT.RANGE n GRAIN DAY GRAIN HOUR", twice("GRAIN")),
        ("KEYNS.COUNT.RANGE n 5 5 5 5", near("5", "GRAIN")),
        ("KEYNS.COUNT.RANGE n 5 5 5 GRAIN", near("5", "GRAIN")),
        ("KEYNS.COUNT.RANGE n 5 5 GRAIN GRAIN", grain("GRAIN")),
        (
            "KEYNS.COUNT.RANGE n GRAIN DAY 6 5",
            "ERR from must not be after to, got 6 and 5".into(),
        ),
        (
            "KEYNS.COUNT.RANGE n GRAIN YEAR 253402300799 0",
            "ERR from must not be after to, got 253402300799 and 0".into(),
        ),
    ] {
        // How the server writes the command's name depends on its version.
        let reply = client.run(line);
        assert!(reply.is_error(), "{line}: {reply:?}");
        let error = reply.text();
        let is_same = match expected.contains("number of arguments") {
            true => error.eq_ignore_ascii_case(&expected),
            false => error == expected,
        };
        assert!(
            is_same,
            "{line}\n       got: {error}\n  expected: {expected}"
        );
    }
    assert_eq!(client.snapshot(), before);
}

#[test]
fn an_owner_is_as_long_as_the_setting_allows() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.max-text-bytes 64");
    let [fits, long] = [64, 65].map(|len| "o".repeat(len));
    assert!(
        !client
            .call(&["KEYNS.LOCK", "lock", &fits, "PX", "60000"])
            .is_error()
    );
    assert_eq!(
        client.call(&["KEYNS.EXTEND", "lock", &fits, "PX", "60000"]),
        Value::Integer(1)
    );
    client.call(&["SET", "foreign", &long]);
    let before = client.snapshot();
    let error = "ERR owner must be at most 64 bytes, got 65 (keyns.max-text-bytes)";
    for key in ["lock", "foreign", "new"] {
        let reply = client.call(&["KEYNS.LOCK", key, &long, "PX", "5"]);
        assert_eq!(reply, Value::Error(error.into()), "{key}");
    }
    assert_eq!(client.snapshot(), before);
    // Who holds a lock already may keep it and give it back.
    for call in [
        &["KEYNS.EXTEND", "foreign", &long, "PX", "60000"][..],
        &["KEYNS.UNLOCK", "foreign", &long],
    ] {
        assert_eq!(client.call(call), Value::Integer(1), "{call:?}");
    }
}

/// All that may be refused for want of memory is, and nothing is written by half.
#[test]
fn a_full_server_reads_ranges_and_refuses_what_is_new() {
    let server = Server::start();
    let mut client = server.client();
    fill(&mut client);
    let before = client.snapshot();
    client.run("CONFIG SET maxmemory 1");
    for line in [
        "KEYNS.SEEN event",
        "KEYNS.SEEN new",
        "KEYNS.ADVANCE revision 9",
        "KEYNS.ADVANCE new 9",
        "KEYNS.CHECKPOINT checkpoint 9",
        "KEYNS.CHECKPOINT new 9",
        "KEYNS.COUNT n GRAIN DAY AT 1794735000",
        "KEYNS.COUNT n GRAIN YEAR GRAIN HOUR AT 1794735000",
    ] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("OOM"), "{line}: {reply}");
    }
    let reply = client.run("KEYNS.COUNT.RANGE n GRAIN DAY 1794735000 1794735000");
    assert_eq!(reply.fields()["total"], Value::Integer(1));
    client.run("CONFIG SET maxmemory 0");
    assert_eq!(client.snapshot(), before);
}

#[test]
fn a_replica_refuses_all_that_writes() {
    let server = Server::start();
    fill(&mut server.client());
    let replica = server.replica();
    let mut client = replica.client();
    let before = client.snapshot();
    for line in ON_ONE_KEY.into_iter().chain([ON_BUCKETS[0]]) {
        let reply = call_on(&mut client, line, b"lock");
        assert!(reply.text().starts_with("READONLY"), "{line}: {reply:?}");
    }
    assert_eq!(client.snapshot(), before);
}

/// A plain command that is gone is one that the effects need: an error then, with nothing written
/// on the way, here or in the AOF.
#[test]
fn a_disabled_command_of_the_server_leaves_nothing_half_written() {
    let donor = Server::start();
    fill(&mut donor.client());
    donor.client().run("SAVE");
    for (command, refused) in [
        (
            "SET",
            &[
                "KEYNS.LOCK lock alice PX 50000",
                "KEYNS.LOCK new alice PX 50000",
                "KEYNS.EXTEND lock alice PX 50000",
                "KEYNS.SEEN new",
                "KEYNS.ADVANCE revision 9",
                "KEYNS.ADVANCE new 9 EX 0",
                "KEYNS.COUNT n GRAIN HOUR AT 1794735000",
            ][..],
        ),
        (
            "INCRBY",
            &[
                "KEYNS.COUNT n GRAIN YEAR AT 1794735000",
                "KEYNS.COUNT n GRAIN MONTH AT 1794735000",
            ],
        ),
        ("DEL", &["KEYNS.UNLOCK lock alice"]),
    ] {
        let server = Options::new()
            .set("--rename-command", &[command, ""])
            .start_with(&donor.dir.join("dump.rdb"), "dump.rdb");
        let mut client = server.client();
        let before = client.snapshot();
        for line in refused {
            let reply = client.run(line);
            assert!(reply.is_error(), "{line}: {reply:?}");
            let error = reply.text();
            let is_told = error.starts_with("ERR this command needs ")
                || error.starts_with("ERR the server refused ");
            assert!(is_told, "{line}: {error}");
            assert_eq!(client.snapshot(), before, "{command}: {line}");
        }
    }
}

#[test]
fn a_key_that_thousands_of_names_would_be_made_of_has_a_limit() {
    let server = Server::start();
    let mut client = server.client();
    let day = "GRAIN DAY";
    for (len, is_allowed) in [(1024, true), (1025, false), (1 << 20, false)] {
        let key = "k".repeat(len);
        for line in [
            format!("KEYNS.COUNT {key} {day}"),
            format!("KEYNS.COUNT.RANGE {key} {day} 0 0"),
        ] {
            let reply = client.run(&line);
            assert_eq!(reply.is_error(), !is_allowed, "{len}");
            if reply.is_error() {
                let expected = format!("ERR key must be at most 1024 bytes, got {len}");
                assert_eq!(reply.text(), expected);
            }
        }
    }
    assert_eq!(client.run("DBSIZE").integer(), 1);
}

/// A bucket that is new is made by one command, and one that is there changed by another: where one
/// of the two is gone, the other must not have run.
#[test]
fn a_count_in_several_buckets_needs_all_of_its_commands_before_the_first_write() {
    let donor = Server::start();
    fill(&mut donor.client());
    donor.client().run("SAVE");
    for (command, grains) in [
        ("SET", ["GRAIN YEAR GRAIN HOUR", "GRAIN MONTH GRAIN HOUR"]),
        (
            "INCRBY",
            ["GRAIN HOUR GRAIN YEAR", "GRAIN HOUR GRAIN MONTH"],
        ),
    ] {
        let server = Options::new()
            .set("--rename-command", &[command, ""])
            .start_with(&donor.dir.join("dump.rdb"), "dump.rdb");
        let mut client = server.client();
        let before = client.snapshot();
        for grains in grains {
            let line = format!("KEYNS.COUNT n {grains} AT 1794735000");
            let error = client.run(&line);
            assert!(error.is_error(), "{line}: {error:?}");
            assert!(
                error.text().starts_with("ERR this command needs "),
                "{error:?}"
            );
            assert_eq!(client.snapshot(), before, "{command}: {line}");
        }
    }
}

/// Whatever comes, comes without an internal error: the module under test is the one in which
/// overflows panic.
#[test]
fn calls_of_random_words_on_random_keys_are_never_fatal() {
    const CALLS: usize = 20_000;
    let server = Options::with_panic_command().start();
    let mut client = server.client();
    client.define("event", "event:<id>", "TTL 100000000000");
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15);
    let commands = [
        "KEYNS.LOCK",
        "KEYNS.EXTEND",
        "KEYNS.UNLOCK",
        "KEYNS.SEEN",
        "KEYNS.ADVANCE",
        "KEYNS.CHECKPOINT",
        "KEYNS.COUNT",
        "KEYNS.COUNT.RANGE",
    ];
    let keys = [
        "lock",
        "event",
        "revision",
        "checkpoint",
        "n",
        "string",
        "list",
        "hash",
        "set",
        "zset",
        "event:1",
        "new",
        "",
        "\u{1f512}",
    ];
    let words = [
        "alice",
        "PX",
        "EX",
        "FORCE",
        "BY",
        "GRAIN",
        "GRAIN",
        "AT",
        "KEEP",
        "YEAR",
        "MONTH",
        "DAY",
        "HOUR",
        "MINUTE",
        "0",
        "1",
        "5",
        "-1",
        "60",
        "15m",
        "1500ms",
        "9223372036854775807d",
        "1794735000",
        "253402300799",
        "253402300800",
        "100000000000",
        "100000000000000",
        "9223372036854775807",
        "-9223372036854775808",
        "",
    ];
    let mut replied = 0;
    for round in 0..CALLS {
        if round % 500 == 0 {
            client.run("FLUSHALL");
            fill(&mut client);
        }
        let command = *random.pick(&commands);
        let mut call = vec![command.as_bytes().to_vec()];
        call.push(random.pick(&keys).as_bytes().to_vec());
        // Half of them begin as they should.
        if random.below(2) == 0 {
            let start: &[&str] = match command {
                "KEYNS.LOCK" | "KEYNS.EXTEND" => &["alice", "PX"],
                "KEYNS.COUNT" => &["GRAIN", "YEAR", "BY"],
                "KEYNS.COUNT.RANGE" => &["GRAIN", "DAY"],
                "KEYNS.SEEN" => &["EX"],
                _ => &[],
            };
            call.extend(start.iter().map(|word| word.as_bytes().to_vec()));
        }
        for _ in 0..random.below(5) {
            call.push(match random.below(10) {
                0 => {
                    let length = random.below(70);
                    random.bytes(length)
                }
                1 => (random.any() as i64 >> 8).to_string().into_bytes(),
                _ => random.pick(&words).as_bytes().to_vec(),
            });
        }
        let reply = client.call(&call);
        let is_internal = reply.is_error() && reply.text().contains("internal error");
        assert!(!is_internal, "{call:?}: {}", server.log());
        replied += usize::from(!reply.is_error());
    }
    assert!(replied > CALLS / 50, "{replied}");
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}
