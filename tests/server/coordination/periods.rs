//! Periods: `EX` and `KEEP` take units, and no unit changes what a bare number means.

use keyns_testkit::{Server, Value};

/// In the year 2096, and the end of that day.
const FUTURE: i64 = 4_000_000_000;
const MIDNIGHT: i64 = 4_000_060_800;

#[test]
fn a_lease_is_given_in_any_unit() {
    let server = Server::start();
    let mut client = server.client();
    for (lease, millis) in [
        ("EX 60", 60_000),
        ("ex 60s", 60_000),
        ("EX 90000ms", 90_000),
        ("EX 60500ms", 60_500),
        ("EX 15m", 900_000),
        ("EX 2h", 7_200_000),
        ("EX 7d", 604_800_000),
        ("EX 100000000000", 100_000_000_000_000),
        ("EX 100000000000000ms", 100_000_000_000_000),
        ("PX 60000", 60_000),
    ] {
        let line = format!("KEYNS.LOCK k alice {lease}");
        client.run_giving(&line, "k", millis);
        let line = format!("KEYNS.EXTEND k alice {lease}");
        assert_eq!(client.run_giving(&line, "k", millis), Value::Integer(1));
    }
}

#[test]
fn what_is_kept_in_seconds_takes_any_unit_of_whole_ones() {
    let server = Server::start();
    let mut client = server.client();
    for (period, seconds) in [
        ("90", 90),
        ("90s", 90),
        ("90000ms", 90),
        ("15m", 900),
        ("2h", 7200),
        ("7d", 604_800),
        ("1157407d", 99_999_964_800),
        ("100000000000s", 100_000_000_000_i64),
    ] {
        client.run("FLUSHALL");
        let millis = seconds * 1000;
        client.run_giving(&format!("KEYNS.SEEN event EX {period}"), "event", millis);
        let line = format!("KEYNS.ADVANCE revision 5 EX {period}");
        client.run_giving(&line, "revision", millis);
        client.run(&format!(
            "KEYNS.COUNT n GRAIN DAY AT {FUTURE} KEEP {period}"
        ));
        let expiry = client.expiry_of("n:2096:10:02");
        assert_eq!(expiry, MIDNIGHT * 1000 + millis, "{period}");
    }
    for period in ["0", "0s", "0ms", "0d"] {
        client.run("FLUSHALL");
        client.run(&format!("KEYNS.ADVANCE revision 5 EX {period}"));
        client.run(&format!("KEYNS.COUNT n GRAIN DAY KEEP {period} AT 0"));
        for key in ["revision", "n:1970:01:01"] {
            assert_eq!(client.expiry_of(key), -1, "{period}: {key}");
        }
    }
}

#[test]
fn a_part_of_a_second_is_an_error_where_seconds_are_kept() {
    let server = Server::start();
    let mut client = server.client();
    for (line, option) in [
        ("KEYNS.SEEN event EX ?", "EX"),
        ("KEYNS.ADVANCE revision 5 EX ?", "EX"),
        ("KEYNS.COUNT n GRAIN DAY KEEP ?", "KEEP"),
    ] {
        for period in ["1ms", "999ms", "1500ms"] {
            let error = client.run(&line.replace('?', period));
            let expected =
                format!("ERR {option} must be a whole number of seconds, got '{period}'");
            assert_eq!(error, Value::Error(expected));
        }
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn what_is_no_period_says_so_wherever_one_is_taken() {
    let server = Server::start();
    let mut client = server.client();
    for line in [
        "KEYNS.LOCK k alice EX ?",
        "KEYNS.EXTEND k alice EX ?",
        "KEYNS.SEEN event EX ?",
        "KEYNS.ADVANCE revision 5 EX ?",
        "KEYNS.COUNT n GRAIN DAY KEEP ?",
    ] {
        for period in [
            "1w",
            "1S",
            "1M",
            "30min",
            "1.5h",
            "-1m",
            "+1m",
            "m",
            "01m",
            "1m30s",
            "1157408d",
            "9223372036854775807d",
            "99999999999999999999s",
        ] {
            let error = client.run(&line.replace('?', period)).text();
            assert!(
                error.contains("m, 2h or 7d, got '") && error.ends_with(&format!("'{period}'")),
                "{line}: {error}"
            );
        }
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}
