//! KEYNS.COUNT and KEYNS.COUNT.RANGE: which buckets of the calendar are counted in, and for how
//! long they stay.

use std::collections::BTreeMap;

use keyns_testkit::{Client, Random, Server, Value, wait_until};

/// With how many bytes of `2026:11:15:09:30` its label has.
pub(super) const GRAINS: [(&str, usize); 5] = [
    ("YEAR", 4),
    ("MONTH", 7),
    ("DAY", 10),
    ("HOUR", 13),
    ("MINUTE", 16),
];

pub(super) const ALL_GRAINS: &str = "GRAIN YEAR GRAIN MONTH GRAIN DAY GRAIN HOUR GRAIN MINUTE";

/// The end of 9999.
pub(super) const LAST: i64 = 253_402_300_799;

pub(super) const MINUTE: i64 = 60;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// Numbers of an array.
#[track_caller]
fn numbers(reply: &Value) -> Vec<i64> {
    reply.array().iter().map(Value::integer).collect()
}

/// Sends a call that must work, and answers the new counts.
#[track_caller]
pub(super) fn count(client: &mut Client, line: &str) -> Vec<i64> {
    let reply = client.run(line);
    assert!(!reply.is_error(), "{line}: {reply:?}");
    numbers(&reply)
}

/// What is in the database: all of it strings.
#[track_caller]
fn strings(client: &mut Client) -> BTreeMap<String, String> {
    let keys = client.run("KEYS *");
    let keys = keys.array().iter().map(Value::text);
    keys.map(|key| {
        let value = client.call(&["GET", &key]).text();
        (key, value)
    })
    .collect()
}

/// The total and the buckets of a range.
#[track_caller]
pub(super) fn range(client: &mut Client, line: &str) -> (i64, Vec<(String, i64)>) {
    let reply = client.run(line);
    assert!(!reply.is_error(), "{line}: {reply:?}");
    let fields = reply.fields();
    assert_eq!(fields.len(), 2);
    let bucket = |bucket: &Value| match bucket.array() {
        [label, count] => (label.text(), count.integer()),
        other => panic!("not a bucket: {other:?}"),
    };
    let buckets = fields["buckets"].array().iter().map(bucket).collect();
    (fields["total"].integer(), buckets)
}

/// A second of the calendar as `2026:11:15:09:30`, told a second time: day by day.
pub(super) fn stamp(seconds: i64) -> String {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (mut days, mut year) = (seconds / DAY, 1970);
    while days >= if is_leap(year) { 366 } else { 365 } {
        days -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (month, day) = (month + 1, days + 1);
    let (hour, minute) = (seconds % DAY / HOUR, seconds % HOUR / MINUTE);
    format!("{year:04}:{month:02}:{day:02}:{hour:02}:{minute:02}")
}

#[test]
fn one_call_counts_in_the_year_the_month_the_day_the_hour_and_the_minute() {
    let server = Server::start();
    let mut client = server.client();
    let counts = count(
        &mut client,
        &format!("KEYNS.COUNT n {ALL_GRAINS} AT 1794735000"),
    );
    assert_eq!(counts, [1; 5]);
    let expected = [
        "n:2026",
        "n:2026:11",
        "n:2026:11:15",
        "n:2026:11:15:09",
        "n:2026:11:15:09:30",
    ];
    let expected = expected.map(|key| (key.to_owned(), "1".to_owned()));
    assert_eq!(strings(&mut client), expected.into());
}

#[test]
fn buckets_are_those_of_the_calendar_in_utc() {
    let server = Server::start();
    let mut client = server.client();
    for (at, label) in [
        (0, "1970:01:01:00:00"),
        (59, "1970:01:01:00:00"),
        (60, "1970:01:01:00:01"),
        (3599, "1970:01:01:00:59"),
        (3600, "1970:01:01:01:00"),
        (86_399, "1970:01:01:23:59"),
        (86_400, "1970:01:02:00:00"),
        (68_169_600, "1972:02:29:00:00"),
        (951_868_799, "2000:02:29:23:59"),
        (951_868_800, "2000:03:01:00:00"),
        (1_709_208_000, "2024:02:29:12:00"),
        (1_735_689_599, "2024:12:31:23:59"),
        (1_735_689_600, "2025:01:01:00:00"),
        (1_777_593_599, "2026:04:30:23:59"),
        (1_777_593_600, "2026:05:01:00:00"),
        (1_798_761_599, "2026:12:31:23:59"),
        (1_798_761_600, "2027:01:01:00:00"),
        (4_107_542_399, "2100:02:28:23:59"),
        (4_107_542_400, "2100:03:01:00:00"),
        (253_281_186_420, "9996:02:29:05:07"),
        (LAST, "9999:12:31:23:59"),
    ] {
        assert_eq!(stamp(at), label, "the test's own calendar");
        client.run("FLUSHALL");
        let counts = count(
            &mut client,
            &format!("KEYNS.COUNT n {ALL_GRAINS} AT {at} BY 3"),
        );
        assert_eq!(counts, [3; 5]);
        let keys = GRAINS.map(|(_, len)| (format!("n:{}", &label[..len]), "3".to_owned()));
        assert_eq!(strings(&mut client), keys.into(), "{at}");
    }
}

#[test]
fn any_second_is_in_the_buckets_that_the_calendar_says() {
    let server = Server::start();
    let mut client = server.client();
    let mut random = Random::seeded(0x2545_F491_4F6C_DD1D);
    for _ in 0..500 {
        let at = random.below(LAST as u64 + 1) as i64;
        let (grain, len) = *random.pick(&GRAINS);
        client.run("FLUSHALL");
        count(
            &mut client,
            &format!("KEYNS.COUNT n GRAIN {grain} AT {at} KEEP 0"),
        );
        let key = format!("n:{}", &stamp(at)[..len]);
        assert_eq!(client.run("KEYS *").array(), [Value::bulk(&key)], "{at}");
    }
}

#[test]
fn counts_come_in_the_order_of_the_grains() {
    let server = Server::start();
    let mut client = server.client();
    for (key, value) in [("n:2026", 100), ("n:2026:11", 20), ("n:2026:11:15", 3)] {
        client.run(&format!("SET {key} {value}"));
    }
    for (grains, expected) in [
        ("GRAIN YEAR GRAIN DAY", &[101, 4][..]),
        ("GRAIN DAY GRAIN YEAR", &[5, 102]),
        ("GRAIN MONTH", &[21]),
        ("GRAIN DAY GRAIN MINUTE GRAIN MONTH", &[6, 1, 22]),
    ] {
        let line = format!("KEYNS.COUNT n {grains} AT 1794735000");
        assert_eq!(count(&mut client, &line), expected, "{grains}");
    }
}

#[test]
fn options_come_in_any_order_and_case() {
    let server = Server::start();
    let mut client = server.client();
    for (index, line) in [
        "KEYNS.COUNT n BY 5 GRAIN DAY AT 1794735000 KEEP 0",
        "keyns.count n at 1794735000 keep 0 grain day by 5",
        "KEYNS.COUNT n Keep 0 By 5 Grain Day At 1794735000",
        "KEYNS.COUNT n GRAIN day AT 1794735000 BY 5 KEEP 0",
    ]
    .into_iter()
    .enumerate()
    {
        let expected = 5 * (index as i64 + 1);
        assert_eq!(count(&mut client, line), [expected], "{line}");
    }
    assert_eq!(client.run("GET n:2026:11:15"), Value::bulk("20"));
    assert_eq!(client.run("DBSIZE").integer(), 1);
}

#[test]
fn without_a_moment_the_servers_clock_counts() {
    let server = Server::start();
    let mut client = server.client();
    let before = client.clock() / 1_000_000;
    let line = format!("KEYNS.COUNT n {ALL_GRAINS}");
    assert_eq!(count(&mut client, &line), [1; 5]);
    let after = client.clock() / 1_000_000;
    // A minute may end in between, and with it anything else.
    let keys = |at: i64| {
        let stamp = stamp(at);
        GRAINS.map(|(_, len)| (format!("n:{}", &stamp[..len]), "1".to_owned()))
    };
    let found = strings(&mut client);
    assert!(
        found == keys(before).into() || found == keys(after).into(),
        "{found:?} at {before} to {after}"
    );
    let (total, buckets) = range(
        &mut client,
        &format!("KEYNS.COUNT.RANGE n GRAIN MINUTE {before} {after}"),
    );
    assert_eq!(total, 1);
    assert!(buckets.len() <= 2);
}

#[test]
fn an_amount_may_be_negative_and_nothing_is_nothing_to_write() {
    let server = Server::start();
    let mut client = server.client();
    let grains = "GRAIN YEAR GRAIN HOUR AT 1794735000";
    assert_eq!(
        count(&mut client, &format!("KEYNS.COUNT n {grains} BY 0")),
        [0, 0]
    );
    assert_eq!(client.run("DBSIZE").integer(), 0);
    for (by, sum) in [(7, 7), (-10, -3), (-1, -4), (4, 0), (-1, -1), (100, 99)] {
        let line = format!("KEYNS.COUNT n {grains} BY {by}");
        assert_eq!(count(&mut client, &line), [sum, sum]);
        assert_eq!(client.run("GET n:2026").text(), sum.to_string());
    }
    let before = client.snapshot();
    let line = format!("KEYNS.COUNT n {grains} GRAIN DAY BY 0 KEEP 1");
    assert_eq!(count(&mut client, &line), [99, 99, 0]);
    assert_eq!(client.snapshot(), before);
}

#[test]
fn counts_go_to_the_ends_of_what_redis_counts_and_not_past_them() {
    let server = Server::start();
    let mut client = server.client();
    let at = "AT 1794735000";
    for by in [i64::MAX, i64::MIN] {
        client.run("FLUSHALL");
        let line = format!("KEYNS.COUNT n BY {by} GRAIN MONTH GRAIN MINUTE {at}");
        assert_eq!(count(&mut client, &line), [by, by]);
        assert_eq!(client.run("GET n:2026:11").text(), by.to_string());
        let past = by.signum();
        let line = format!("KEYNS.COUNT n BY {} GRAIN MONTH {at}", -past);
        assert_eq!(count(&mut client, &line), [by - past]);
        let line = format!("KEYNS.COUNT n BY {past} GRAIN MONTH {at}");
        assert_eq!(count(&mut client, &line), [by]);
    }
    let line = format!("KEYNS.COUNT n BY {} GRAIN MONTH {at}", i64::MAX);
    assert_eq!(count(&mut client, &line), [-1]);
}

/// The bucket that fails is not the first, and what comes before it is neither made nor changed.
#[test]
fn a_count_that_cannot_go_on_stops_all_of_them() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET n:2026 0");
    for (value, by) in [(i64::MAX, 1), (i64::MIN, -1), (-2, i64::MIN), (1, i64::MAX)] {
        client.run(&format!("SET n:2026:11:15 {value} EX 1000"));
        let before = client.snapshot();
        for grains in [
            "GRAIN YEAR GRAIN MONTH GRAIN DAY",
            "GRAIN DAY GRAIN YEAR",
            "GRAIN MINUTE GRAIN YEAR GRAIN HOUR GRAIN DAY",
        ] {
            let line = format!("KEYNS.COUNT n BY {by} {grains} AT 1794735000");
            assert_eq!(
                client.run(&line),
                Value::Error("ERR the counter 'n:2026:11:15' would overflow".into()),
                "{line}"
            );
        }
        assert_eq!(client.snapshot(), before);
    }
}

#[test]
fn a_bucket_that_holds_something_else_stops_all_of_them() {
    let server = Server::start();
    let mut client = server.client();
    let no_integers: [&[u8]; 9] = [
        b"",
        b"abc",
        b" 5",
        b"05",
        b"5.0",
        b"+5",
        b"9223372036854775808",
        b"5\0",
        &[0xff; 100],
    ];
    client.run("SET n:2026 5");
    let mut assert_stopped = |error: &str| {
        let before = client.snapshot();
        for by in [1, 0, -1] {
            for grains in ["GRAIN YEAR GRAIN MONTH GRAIN DAY", "GRAIN DAY GRAIN YEAR"] {
                let line = format!("KEYNS.COUNT n {grains} AT 1794735000 BY {by}");
                assert_eq!(client.run(&line), Value::Error(error.into()), "{line}");
            }
        }
        let line = "KEYNS.COUNT.RANGE n GRAIN DAY 1794735000 1794735000";
        assert_eq!(client.run(line), Value::Error(error.into()));
        assert_eq!(client.snapshot(), before);
    };
    for value in no_integers {
        let set = [b"SET".as_slice(), b"n:2026:11:15", value, b"EX", b"1000"];
        server.client().call(&set);
        assert_stopped("ERR 'n:2026:11:15' does not hold an integer");
    }
    for line in [
        "LPUSH n:2026:11:15 1",
        "HSET n:2026:11:15 f 1",
        "SADD n:2026:11:15 1",
        "ZADD n:2026:11:15 1 a",
        "XADD n:2026:11:15 * f v",
    ] {
        server.client().run("DEL n:2026:11:15");
        server.client().run(line);
        assert_stopped(
            "WRONGTYPE Operation against a key holding the wrong kind of value: 'n:2026:11:15'",
        );
    }
}

/// The key that is named is not one that is counted in.
#[test]
fn what_the_key_itself_holds_does_not_matter() {
    let server = Server::start();
    let mut client = server.client();
    client.run("LPUSH n x");
    assert_eq!(
        count(&mut client, "KEYNS.COUNT n GRAIN DAY AT 1794735000"),
        [1]
    );
    let line = "KEYNS.COUNT.RANGE n GRAIN DAY 1794735000 1794735000";
    assert_eq!(range(&mut client, line).0, 1);
    assert_eq!(client.run("LLEN n").integer(), 1);
}

/// 2096-10-02T07:06:40Z, with when each of its buckets ends.
const FUTURE: i64 = 4_000_000_000;
const FUTURE_ENDS: [(&str, &str, i64); 5] = [
    ("YEAR", "n:2096", 4_007_836_800),
    ("MONTH", "n:2096:10", 4_002_566_400),
    ("DAY", "n:2096:10:02", 4_000_060_800),
    ("HOUR", "n:2096:10:02:07", 4_000_003_200),
    ("MINUTE", "n:2096:10:02:07:06", 4_000_000_020),
];

#[test]
fn a_bucket_expires_by_its_grain_after_its_end() {
    let server = Server::start();
    let mut client = server.client();
    count(
        &mut client,
        &format!("KEYNS.COUNT n {ALL_GRAINS} AT {FUTURE}"),
    );
    let keeps = [None, None, Some(90 * DAY), Some(7 * DAY), Some(2 * DAY)];
    for ((grain, key, end), keep) in FUTURE_ENDS.into_iter().zip(keeps) {
        let expected = keep.map_or(-1, |keep| (end + keep) * 1000);
        assert_eq!(client.expiry_of(key), expected, "{grain}");
    }
}

#[test]
fn the_current_buckets_expire_by_their_end_too() {
    let server = Server::start();
    let mut client = server.client();
    let before = client.clock() / 1_000_000;
    count(&mut client, &format!("KEYNS.COUNT n {ALL_GRAINS}"));
    let after = client.clock() / 1_000_000;
    for (len, seconds, keep) in [(10, DAY, 90 * DAY), (13, HOUR, 7 * DAY), (16, 60, 2 * DAY)] {
        let ends = [before, after].map(|at| {
            let key = format!("n:{}", &stamp(at)[..len]);
            let end = (at / seconds + 1) * seconds;
            (key, (end + keep) * 1000)
        });
        let is_kept = |(key, expiry): &(String, i64)| client.expiry_of(key) == *expiry;
        assert!(ends.iter().any(is_kept), "{ends:?}");
    }
}

#[test]
fn keep_says_how_long_instead_and_zero_is_for_ever() {
    let server = Server::start();
    let mut client = server.client();
    for keep in [1, 60, 1_000_000, 100_000_000_000] {
        client.run("FLUSHALL");
        count(
            &mut client,
            &format!("KEYNS.COUNT n {ALL_GRAINS} AT {FUTURE} KEEP {keep}"),
        );
        for (grain, key, end) in FUTURE_ENDS {
            assert_eq!(client.expiry_of(key), (end + keep) * 1000, "{grain}");
        }
    }
    client.run("FLUSHALL");
    count(
        &mut client,
        &format!("KEYNS.COUNT n KEEP 0 {ALL_GRAINS} AT {FUTURE}"),
    );
    for (grain, key, _) in FUTURE_ENDS {
        assert_eq!(client.expiry_of(key), -1, "{grain}");
    }
    // As long as anything can be kept.
    count(
        &mut client,
        &format!("KEYNS.COUNT last {ALL_GRAINS} AT {LAST} KEEP 100000000000"),
    );
    let expiry = client.expiry_of("last:9999");
    assert_eq!(expiry, (LAST + 1 + 100_000_000_000) * 1000);
}

#[test]
fn a_bucket_that_is_over_expires_from_now_on() {
    let server = Server::start();
    let mut client = server.client();
    for (line, key, keep) in [
        ("GRAIN DAY AT 0", "n:1970:01:01", 90 * DAY),
        ("GRAIN HOUR AT 0", "n:1970:01:01:00", 7 * DAY),
        ("GRAIN MINUTE AT 0", "n:1970:01:01:00:00", 2 * DAY),
        ("GRAIN YEAR AT 0 KEEP 60", "n:1970", 60),
        (
            "GRAIN MINUTE AT 1000000000 KEEP 100",
            "n:2001:09:09:01:46",
            100,
        ),
    ] {
        client.run_giving(&format!("KEYNS.COUNT n {line}"), key, keep * 1000);
    }
}

#[test]
fn the_namespace_of_the_bucket_says_how_long_where_the_call_does_not() {
    let server = Server::start();
    let mut client = server.client();
    let stamp = "<year:int>:<month>:<day>:<hour>:<minute>";
    client.define("hits:minute", &format!("hits:<id>:{stamp}"), "TTL 77");
    client.define("hits:month", "hits:<id>:<year:int>:<month>", "TTL 99");
    // One that has the key and not its buckets, and one without a TTL.
    client.define("hits", "hits:<id>", "TTL 5");
    client.define("hits:day", "hits:<id>:<year:int>:<month>:<day>", "");
    count(
        &mut client,
        &format!("KEYNS.COUNT hits:n {ALL_GRAINS} AT {FUTURE}"),
    );
    let keeps = [None, Some(99), Some(90 * DAY), Some(7 * DAY), Some(77)];
    for ((grain, key, end), keep) in FUTURE_ENDS.into_iter().zip(keeps) {
        let expected = keep.map_or(-1, |keep| (end + keep) * 1000);
        let key = format!("hits:{key}");
        assert_eq!(client.expiry_of(key), expected, "{grain}");
    }
    for (keep, expected) in [(0, -1), (5, (4_000_000_020 + 5) * 1000)] {
        let line = format!("KEYNS.COUNT hits:k{keep} GRAIN MINUTE AT {FUTURE} KEEP {keep}");
        count(&mut client, &line);
        let key = format!("hits:k{keep}:2096:10:02:07:06");
        assert_eq!(client.expiry_of(key), expected);
    }
}

#[test]
fn counters_of_the_general_preset_are_what_it_says_they_are() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.NS.PRESET general");
    let line = format!("KEYNS.COUNT counter:views:article:7 {ALL_GRAINS} AT {FUTURE}");
    count(&mut client, &line);
    let keeps = [None, None, Some(90 * DAY), Some(7 * DAY), Some(2 * DAY)];
    for ((grain, key, end), keep) in FUTURE_ENDS.into_iter().zip(keeps) {
        let key = key.replace("n:", "counter:views:article:7:");
        let expected = keep.map_or(-1, |keep| (end + keep) * 1000);
        assert_eq!(client.expiry_of(&key), expected, "{grain}");
        let namespace = client.check(&key)["namespace"].text();
        assert_eq!(namespace, format!("counter:{}", grain.to_lowercase()));
        assert_eq!(client.problems(&key), [] as [String; 0], "{key}");
    }
}

#[test]
fn a_bucket_keeps_the_expiry_that_it_has_or_has_not() {
    let server = Server::start();
    let mut client = server.client();
    let key = "n:2096:10:02:07:06";
    let line = format!("KEYNS.COUNT n GRAIN MINUTE AT {FUTURE}");
    count(&mut client, &format!("{line} KEEP 50"));
    let made = client.expiry_of(key);
    for by in [1, 8, 90, -200, i64::MAX - 1_000_000] {
        count(&mut client, &format!("{line} BY {by} KEEP 0"));
        count(&mut client, &line);
        assert_eq!(client.expiry_of(key), made);
    }
    client.run(&format!("PEXPIREAT {key} 4000000000000"));
    count(&mut client, &line);
    assert_eq!(client.expiry_of(key), 4_000_000_000_000);
    client.run(&format!("DEL {key}"));
    client.run(&format!("INCR {key}"));
    assert_eq!(count(&mut client, &format!("{line} KEEP 50")), [2]);
    assert_eq!(client.expiry_of(key), -1);
    // Plain commands go on where ours stopped.
    assert_eq!(client.run(&format!("INCRBY {key} 5")).integer(), 7);
    assert_eq!(count(&mut client, &line), [8]);
}

#[test]
fn a_bucket_that_has_expired_starts_anew() {
    let server = Server::start();
    let mut client = server.client();
    // So that it is our call that finds it expired.
    client.run("DEBUG SET-ACTIVE-EXPIRE 0");
    let line = format!("KEYNS.COUNT n GRAIN YEAR GRAIN MINUTE AT {FUTURE}");
    count(&mut client, &format!("{line} BY 5"));
    let made = client.expiry_of("n:2096:10:02:07:06");
    client.run("PEXPIRE n:2096:10:02:07:06 1");
    let start = client.clock();
    wait_until("the minute is over", || client.clock() > start + 2000);
    assert_eq!(client.run("DBSIZE").integer(), 2);
    assert_eq!(count(&mut client, &line), [6, 1]);
    assert_eq!(client.expiry_of("n:2096:10:02:07:06"), made);
}

#[test]
fn transactions_and_scripts_count() {
    let server = Server::start();
    let mut client = server.client();
    client.run("MULTI");
    for _ in 0..2 {
        client.run("KEYNS.COUNT n GRAIN DAY GRAIN YEAR AT 1794735000");
    }
    client.run("KEYNS.COUNT n GRAIN DAY AT x");
    client.run("KEYNS.COUNT.RANGE n GRAIN YEAR 1794735000 1794735000");
    let replies = client.run("EXEC");
    assert_eq!(numbers(&replies.array()[0]), [1, 1]);
    assert_eq!(numbers(&replies.array()[1]), [2, 2]);
    assert!(replies.array()[2].is_error());
    assert_eq!(replies.array()[3].fields()["total"], Value::Integer(2));
    let script = "
        redis.call('KEYNS.COUNT', KEYS[1], 'GRAIN', 'DAY', 'AT', 1794735000, 'BY', 5)
        return redis.call('KEYNS.COUNT.RANGE', KEYS[1], 'GRAIN', 'DAY', 1794735000, 1794735000)";
    let reply = client.call(&["EVAL", script, "1", "n"]);
    assert_eq!(reply.fields()["total"], Value::Integer(7));
    let read_only = "
        return redis.call('KEYNS.COUNT.RANGE', KEYS[1], 'GRAIN', 'DAY', 1794735000, 1794735000)";
    let reply = client.call(&["EVAL_RO", read_only, "1", "n"]);
    assert_eq!(reply.fields()["total"], Value::Integer(7));
}

#[test]
fn a_colon_at_the_end_of_the_key_means_nothing() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.COUNT views GRAIN YEAR AT 1794735000");
    let counts = client.run("KEYNS.COUNT views: GRAIN YEAR AT 1794735000");
    assert_eq!(counts.array()[0].integer(), 2);
    let line = "KEYNS.COUNT.RANGE views: GRAIN YEAR 1794735000 1794735000";
    assert_eq!(range(&mut client, line).0, 2);
    // A user with the keys behind the colon can name the counter.
    let mut user = server.login("~views:* +@all");
    let counts = user.run("KEYNS.COUNT views: GRAIN YEAR AT 1794735000");
    assert_eq!(counts.array()[0].integer(), 3);
    let refused = user.run("KEYNS.COUNT views GRAIN YEAR AT 1794735000");
    assert!(refused.text().starts_with("NOPERM"), "{refused:?}");
    // Of several, the others are part of the name.
    client.run("KEYNS.COUNT views:: GRAIN YEAR AT 1794735000");
    assert_eq!(client.run("GET views::2026").text(), "1");
}
