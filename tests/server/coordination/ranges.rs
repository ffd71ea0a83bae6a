//! KEYNS.COUNT.RANGE: counters from one moment to another.

use keyns_testkit::{Client, Random, Server, Value, wait_until};

use super::counts::{ALL_GRAINS, DAY, GRAINS, HOUR, LAST, MINUTE, count, range, stamp};

#[test]
fn a_range_is_a_total_and_a_list_of_labels_with_counts() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET n:2024:02:28 3");
    client.run("SET n:2024:03:01 -10");
    // 2024-02-28T00:00:00Z to 2024-03-02T23:59:59Z.
    let line = "KEYNS.COUNT.RANGE n GRAIN DAY 1709078400 1709423999";
    let bucket =
        |label: &str, count: i64| Value::Array(vec![Value::bulk(label), Value::Integer(count)]);
    let buckets = Value::Array(vec![
        bucket("2024:02:28", 3),
        bucket("2024:02:29", 0),
        bucket("2024:03:01", -10),
        bucket("2024:03:02", 0),
    ]);
    let total = (Value::bulk("total"), Value::Integer(-7));
    let buckets = (Value::bulk("buckets"), buckets);
    let flat = vec![
        total.0.clone(),
        total.1.clone(),
        buckets.0.clone(),
        buckets.1.clone(),
    ];
    assert_eq!(client.run(line), Value::Array(flat));
    let map = Value::Map(vec![total, buckets]);
    assert_eq!(server.client3().run(line), map);
}

#[test]
fn a_range_has_both_of_its_ends_and_every_bucket_in_between() {
    let server = Server::start();
    let mut client = server.client();
    let labels = |client: &mut Client, line: &str| -> Vec<String> {
        let (_, buckets) = range(client, &format!("KEYNS.COUNT.RANGE n {line}"));
        buckets.into_iter().map(|(label, _)| label).collect()
    };
    for (line, expected) in [
        ("GRAIN YEAR 0 0", &["1970"][..]),
        ("GRAIN YEAR 1735689599 1735689600", &["2024", "2025"]),
        ("GRAIN MONTH 1735689599 1735689600", &["2024:12", "2025:01"]),
        (
            // The last second of January 2024 to the first of April.
            "GRAIN MONTH 1706745599 1711929600",
            &["2024:01", "2024:02", "2024:03", "2024:04"],
        ),
        (
            "GRAIN DAY 4107542399 4107542400",
            &["2100:02:28", "2100:03:01"],
        ),
        (
            "GRAIN HOUR 1735689599 1735693200",
            &["2024:12:31:23", "2025:01:01:00", "2025:01:01:01"],
        ),
        (
            "GRAIN MINUTE 1735689599 1735689660",
            &["2024:12:31:23:59", "2025:01:01:00:00", "2025:01:01:00:01"],
        ),
        (
            "grain minute 59 60",
            &["1970:01:01:00:00", "1970:01:01:00:01"],
        ),
        ("1735689599 1735689600 GRAIN YEAR", &["2024", "2025"]),
        ("1735689599 GRAIN year 1735689600", &["2024", "2025"]),
    ] {
        assert_eq!(labels(&mut client, line), expected, "{line}");
    }
    let years = labels(&mut client, &format!("GRAIN YEAR 0 {LAST}"));
    let expected: Vec<String> = (1970..=9999).map(|year| year.to_string()).collect();
    assert_eq!(years, expected);
    let last = labels(&mut client, &format!("GRAIN MINUTE {LAST} {LAST}"));
    assert_eq!(last, ["9999:12:31:23:59"]);
    // Every day of a leap year.
    let days = labels(&mut client, "GRAIN DAY 1704067200 1735689599");
    let expected: Vec<String> = (0..366)
        .map(|day| stamp(1_704_067_200 + day * DAY)[..10].to_owned())
        .collect();
    assert_eq!(days, expected);
}

#[test]
fn a_range_of_more_than_10_000_buckets_is_refused() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET n:1970:01:01:00:00 1");
    client.run("SET n:1970:01:07:22:39 20");
    for (grain, seconds) in [("MINUTE", 60), ("HOUR", HOUR), ("DAY", DAY)] {
        let most = 10_000 * seconds - 1;
        let line = format!("KEYNS.COUNT.RANGE n GRAIN {grain} 0 {most}");
        let (total, buckets) = range(&mut client, &line);
        assert_eq!(buckets.len(), 10_000);
        assert_eq!(total, if grain == "MINUTE" { 21 } else { 0 });
        let line = format!("KEYNS.COUNT.RANGE n GRAIN {grain} 0 {}", most + 1);
        let error = "ERR the range has 10001 buckets, more than 10000";
        assert_eq!(client.run(&line), Value::Error(error.into()));
    }
    for (grain, buckets) in [
        ("MONTH", 8030 * 12),
        ("DAY", LAST / DAY + 1),
        ("MINUTE", LAST / 60 + 1),
    ] {
        let line = format!("KEYNS.COUNT.RANGE n GRAIN {grain} 0 {LAST}");
        let error = format!("ERR the range has {buckets} buckets, more than 10000");
        assert_eq!(client.run(&line), Value::Error(error));
    }
}

#[test]
fn a_total_that_redis_cannot_count_is_an_error() {
    let server = Server::start();
    let mut client = server.client();
    let line = "KEYNS.COUNT.RANGE n GRAIN YEAR 1735689599 1735689600";
    let error = Value::Error("ERR the total of 'n' would overflow".into());
    for (first, second, fits) in [
        (i64::MAX, 0, true),
        (i64::MAX, 1, false),
        (i64::MIN, 0, true),
        (i64::MIN, -1, false),
        (i64::MIN, i64::MAX, true),
        (i64::MAX, i64::MAX, false),
    ] {
        client.run(&format!("SET n:2024 {first}"));
        client.run(&format!("SET n:2025 {second}"));
        match fits {
            true => assert_eq!(range(&mut client, line).0, first + second),
            false => assert_eq!(client.run(line), error),
        }
    }
}

#[test]
fn a_total_that_redis_can_count_is_no_error_whatever_comes_first() {
    let server = Server::start();
    let mut client = server.client();
    client.run(&format!("SET n:2024 {}", i64::MAX));
    client.run("SET n:2025 1");
    client.run("SET n:2026 -2");
    let line = "KEYNS.COUNT.RANGE n GRAIN YEAR 1735689599 1794735000";
    assert_eq!(range(&mut client, line).0, i64::MAX - 1);
}

#[test]
fn ranges_say_what_plain_reads_say() {
    let server = Server::start();
    let mut client = server.client();
    let mut random = Random::seeded(0x9E37_79B9_7F4A_7C15);
    // 2023-12-30T00:00:00Z and about a hundred days on, over a year's end and a leap day.
    let (start, span) = (1_703_894_400, 100 * DAY);
    let moment = |random: &mut Random| start + random.below(span as u64) as i64;
    for _ in 0..3000 {
        let at = moment(&mut random);
        let by = random.below(100) as i64 - 20;
        let first = random.below(5) as usize;
        let grains = match random.below(3) {
            0 => format!("GRAIN {}", GRAINS[first].0),
            1 => format!(
                "GRAIN {} GRAIN {}",
                GRAINS[first].0,
                GRAINS[(first + 2) % 5].0
            ),
            _ => ALL_GRAINS.to_owned(),
        };
        count(
            &mut client,
            &format!("KEYNS.COUNT n BY {by} {grains} AT {at}"),
        );
    }
    for _ in 0..60 {
        let (grain, len) = *random.pick(&GRAINS);
        let reach = if grain == "MINUTE" {
            5000 * 60
        } else {
            span as u64
        };
        let from = moment(&mut random);
        let to = from + random.below(reach) as i64;
        let line = format!("KEYNS.COUNT.RANGE n GRAIN {grain} {from} {to}");
        let (total, buckets) = range(&mut client, &line);
        // No bucket is shorter than a step; a month and a year have many.
        let step = match grain {
            "MINUTE" => MINUTE,
            "HOUR" => HOUR,
            _ => DAY,
        };
        let mut expected: Vec<String> = (from / step..=to / step)
            .map(|number| stamp(number * step)[..len].to_owned())
            .collect();
        expected.dedup();
        let labels: Vec<&String> = buckets.iter().map(|(label, _)| label).collect();
        assert_eq!(labels, expected.iter().collect::<Vec<_>>(), "{line}");
        let gets = expected
            .iter()
            .map(|label| vec!["GET".into(), format!("n:{label}")]);
        let gets = client.pipeline(&gets.collect::<Vec<_>>());
        let plain: Vec<i64> = gets
            .iter()
            .map(|value| match value {
                Value::Null => 0,
                value => value.text().parse().unwrap(),
            })
            .collect();
        let counts: Vec<i64> = buckets.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, plain, "{line}");
        assert_eq!(total, plain.iter().sum::<i64>(), "{line}");
    }
}

#[test]
fn a_replica_reads_ranges_and_counts_nothing() {
    let server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    client.run("KEYNS.COUNT n BY 5 GRAIN DAY AT 1794735000");
    client.run("WAIT 1 60000");
    let before = replica.digest();
    let mut client = replica.client();
    let line = "KEYNS.COUNT.RANGE n GRAIN DAY 1794735000 1794735000";
    let expected = (5, vec![("2026:11:15".to_owned(), 5)]);
    assert_eq!(range(&mut client, line), expected);
    let reply = client.run("KEYNS.COUNT n GRAIN DAY AT 1794735000").text();
    assert!(reply.starts_with("READONLY"), "{reply}");
    assert_eq!(replica.digest(), before);
    // What has expired is not there, though the primary has not said so yet.
    server.client().run("DEBUG SET-ACTIVE-EXPIRE 0");
    server.client().run("PEXPIRE n:2026:11:15 1");
    wait_until("the day is not there any more", || {
        range(&mut client, line).0 == 0
    });
    assert_eq!(client.run("DBSIZE").integer(), 1);
}
