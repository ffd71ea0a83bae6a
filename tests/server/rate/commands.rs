//! What each command on rate limits replies and keeps. Periods are so long that nothing comes back
//! while a test runs, however slow the machine.

use keyns_testkit::{Client, Ruling, Server, Value, wait_until};

const DAY_MS: i64 = 86_400_000;

fn start() -> (Server, Client) {
    let server = Server::start();
    let client = server.client();
    (server, client)
}

/// Whether a time is that of so many days, of which a few hours may have passed. What is rounded up
/// may be a millisecond more.
fn is_days(millis: i64, days: i64) -> bool {
    (days * DAY_MS - DAY_MS / 2..=days * DAY_MS + 1).contains(&millis)
}

#[test]
fn a_request_passes_until_nothing_is_left() {
    for limit in ["BUCKET 3 1 1500d", "FIXED 3 1500d", "SLIDING 3 1500d"] {
        let (_server, mut client) = start();
        for left in [2, 1, 0] {
            let ruling = client.rule(&format!("KEYNS.RATE k {limit}"));
            assert_eq!(ruling.timeless(), (true, 3, left, 0), "{limit}");
            assert_eq!(ruling.retry_after_ms, -1, "{limit}");
        }
        for _ in 0..3 {
            let ruling = client.rule(&format!("KEYNS.RATE k {limit}"));
            assert_eq!(ruling.timeless(), (false, 3, 0, 0), "{limit}");
            assert!(ruling.retry_after_ms > 0, "{limit}: {ruling:?}");
        }
    }
}

#[test]
fn a_bucket_comes_back_a_token_at_a_time() {
    let (_server, mut client) = start();
    let ruling = client.rule("KEYNS.RATE k BUCKET 5 1 100d COST 4");
    assert!(is_days(ruling.reset_after_ms, 400), "{ruling:?}");
    let ruling = client.rule("KEYNS.RATE k BUCKET 5 1 100d COST 3");
    assert_eq!(ruling.timeless(), (false, 5, 1, 0));
    assert!(is_days(ruling.retry_after_ms, 200), "{ruling:?}");
    assert!(is_days(ruling.reset_after_ms, 400), "{ruling:?}");
    // What is left may still be used.
    let ruling = client.rule("KEYNS.RATE k BUCKET 5 1 100d");
    assert_eq!(ruling.timeless(), (true, 5, 0, 0));
    assert!(is_days(ruling.reset_after_ms, 500), "{ruling:?}");
}

#[test]
fn a_sliding_window_comes_back_when_what_passed_is_over() {
    let (_server, mut client) = start();
    client.run("KEYNS.RATE k SLIDING 5 100d COST 3");
    let ruling = client.rule("KEYNS.RATE k SLIDING 5 100d COST 4");
    assert_eq!(ruling.timeless(), (false, 5, 2, 0));
    assert!(is_days(ruling.retry_after_ms, 100), "{ruling:?}");
    assert!(is_days(ruling.reset_after_ms, 100), "{ruling:?}");
}

#[test]
fn a_fixed_window_is_aligned_to_the_clock() {
    const PERIOD_MS: i64 = 1000 * DAY_MS;
    let (_server, mut client) = start();
    let millis = |client: &mut Client| {
        let time = client.run("TIME");
        let number = |at: usize| time.array()[at].text().parse::<i64>().unwrap();
        number(0) * 1000 + number(1) / 1000
    };
    let before = millis(&mut client);
    let allowed = client.rule("KEYNS.RATE k FIXED 1 1000d");
    let denied = client.rule("KEYNS.RATE k FIXED 1 1000d");
    let after = millis(&mut client);
    let end = (before / PERIOD_MS + 1) * PERIOD_MS;
    assert!((end - after..=end - before).contains(&allowed.reset_after_ms));
    assert!((end - after..=end - before).contains(&denied.retry_after_ms));
    assert_eq!(client.run("PEXPIRETIME k").integer(), end);
}

#[test]
fn options_come_in_any_order_and_case() {
    let (_server, mut client) = start();
    for (index, line) in [
        "KEYNS.RATE k BUCKET 100 1 1500d FIXED 200 1500d COST 10",
        "KEYNS.RATE k COST 10 BUCKET 100 1 1500d FIXED 200 1500d",
        "keyns.rate k bucket 100 1 1500d cost 10 fixed 200 1500d",
        "Keyns.Rate k Fixed 200 1500d CoSt 10 bUCKET 100 1 1500d",
    ]
    .into_iter()
    .enumerate()
    {
        let ruling = client.rule(line);
        let bucket = i64::from(index == 3);
        let left = 90 - 10 * index as i64;
        assert_eq!(ruling.timeless(), (true, 100, left, bucket), "{line}");
    }
}

#[test]
fn a_period_has_a_unit_or_is_in_seconds() {
    let (_server, mut client) = start();
    for (period, days) in [
        ("100d", 100),
        ("2400h", 100),
        ("144000m", 100),
        ("8640000s", 100),
        ("8640000", 100),
        ("8640000000ms", 100),
    ] {
        client.run("DEL k");
        let ruling = client.rule(&format!("KEYNS.RATE k BUCKET 1 1 {period}"));
        assert!(is_days(ruling.reset_after_ms, days), "{period}: {ruling:?}");
    }
}

#[test]
fn several_limits_admit_together_or_not_at_all() {
    let (_server, mut client) = start();
    let limits = "SLIDING 2 1500d FIXED 10 1500d BUCKET 5 1 1500d";
    // The one with least left speaks.
    for left in [1, 0] {
        let ruling = client.rule(&format!("KEYNS.RATE k {limits}"));
        assert_eq!(ruling.timeless(), (true, 2, left, 0));
    }
    let before = client.bytes_of("k");
    for _ in 0..10 {
        let ruling = client.rule(&format!("KEYNS.RATE k {limits}"));
        assert_eq!(ruling.timeless(), (false, 2, 0, 0));
    }
    assert_eq!(client.bytes_of("k"), before);
    // None of the refusals was counted by the others.
    let ruling = client.rule("KEYNS.RATE.PEEK k SLIDING 9 1500d FIXED 10 1500d BUCKET 5 1 1500d");
    assert_eq!(ruling.timeless(), (true, 5, 2, 2));
    let ruling = client.rule("KEYNS.RATE.PEEK k FIXED 10 1500d");
    assert_eq!(ruling.timeless(), (true, 10, 7, 0));
}

#[test]
fn the_limit_that_refuses_longest_binds() {
    let (_server, mut client) = start();
    client.run("KEYNS.RATE k BUCKET 9 1 10d BUCKET 2 1 30d BUCKET 2 1 20d COST 2");
    let ruling = client.rule("KEYNS.RATE k BUCKET 9 1 10d BUCKET 2 1 30d BUCKET 2 1 20d");
    assert_eq!(ruling.timeless(), (false, 2, 0, 1));
    assert!(is_days(ruling.retry_after_ms, 30), "{ruling:?}");
    assert!(is_days(ruling.reset_after_ms, 60), "{ruling:?}");
}

#[test]
fn eight_limits_of_all_kinds_keep_their_places() {
    let (_server, mut client) = start();
    let limits = "BUCKET 10 1 1500d BUCKET 20 1 1500d BUCKET 30 1 1500d FIXED 11 1500d \
                  FIXED 12 1500d SLIDING 13 1500d SLIDING 14 1500d SLIDING 15 1500d";
    for left in (0..10).rev() {
        let ruling = client.rule(&format!("KEYNS.RATE k {limits}"));
        assert_eq!(ruling.timeless(), (true, 10, left, 0));
    }
    assert!(!client.rule(&format!("KEYNS.RATE k {limits}")).allowed);
    for (limit, left) in [
        ("BUCKET 99 1 1500d BUCKET 20 1 1500d", 9),
        ("FIXED 12 1500d", 1),
        ("SLIDING 99 1500d SLIDING 14 1500d", 3),
        ("SLIDING 99 1500d SLIDING 99 1500d SLIDING 15 1500d", 4),
    ] {
        let ruling = client.rule(&format!("KEYNS.RATE.PEEK k {limit}"));
        assert_eq!(ruling.remaining, left, "{limit}");
    }
}

#[test]
fn a_changed_limit_counts_at_once() {
    for [few, many] in [
        ["BUCKET 5 1 1500d", "BUCKET 8 1 1500d"],
        ["FIXED 5 1500d", "FIXED 8 1500d"],
        ["SLIDING 5 1500d", "SLIDING 8 1500d"],
    ] {
        let (_server, mut client) = start();
        let mut rate = |limit: &str| client.rule(&format!("KEYNS.RATE k {limit}")).timeless();
        for left in (0..5).rev() {
            assert_eq!(rate(few), (true, 5, left, 0), "{few}");
        }
        assert!(!rate(few).0, "{few}");
        for left in (0..3).rev() {
            assert_eq!(rate(many), (true, 8, left, 0), "{many}");
        }
        assert_eq!(rate(few), (false, 5, 0, 0), "{few}");
    }
}

#[test]
fn peeking_tells_what_would_happen_and_changes_nothing() {
    for limit in [
        "BUCKET 3 1 1500d",
        "FIXED 3 1500d",
        "SLIDING 3 1500d",
        "SLIDING 200 1500d",
        "BUCKET 3 1 1500d SLIDING 9 1500d FIXED 9 1500d",
    ] {
        let (server, mut client) = start();
        let most = client
            .rule(&format!("KEYNS.RATE.PEEK k {limit} COST 3"))
            .limit;
        assert_eq!(client.run("EXISTS k").integer(), 0);
        for cost in [most - 1, 1, 1] {
            let before = (server.digest(), client.run("DUMP k"));
            let expires = client.run("PEXPIRETIME k");
            let peeked = client.rule(&format!("KEYNS.RATE.PEEK k {limit} COST {cost}"));
            assert_eq!((server.digest(), client.run("DUMP k")), before, "{limit}");
            assert_eq!(client.run("PEXPIRETIME k"), expires, "{limit}");
            let done = client.rule(&format!("KEYNS.RATE k {limit} COST {cost}"));
            assert_eq!(peeked.timeless(), done.timeless(), "{limit}");
        }
    }
}

#[test]
fn peeking_at_a_cost_of_nothing_tells_what_is_left() {
    for limit in ["BUCKET 3 1 1500d", "FIXED 3 1500d", "SLIDING 3 1500d"] {
        let (_server, mut client) = start();
        let look = format!("KEYNS.RATE.PEEK k {limit} COST 0");
        let fresh = client.rule(&look);
        assert_eq!(fresh.timeless(), (true, 3, 3, 0), "{limit}");
        assert_eq!(fresh.reset_after_ms, 0, "{limit}");
        for left in (0..3).rev() {
            let done = client.rule(&format!("KEYNS.RATE k {limit}"));
            let ruling = client.rule(&look);
            assert_eq!(ruling.timeless(), (true, 3, left, 0), "{limit}");
            assert!(ruling.reset_after_ms > 0, "{limit}: {ruling:?}");
            assert!(ruling.reset_after_ms <= done.reset_after_ms, "{limit}");
        }
    }
}

#[test]
fn a_block_refuses_everything_and_forgets_nothing() {
    let (_server, mut client) = start();
    client.run("KEYNS.RATE k BUCKET 5 1 100d COST 2");
    assert_eq!(
        client.run("KEYNS.RATE.BLOCK k 10d"),
        Value::Integer(10 * DAY_MS)
    );
    for line in [
        "KEYNS.RATE k BUCKET 5 1 100d",
        "KEYNS.RATE.PEEK k BUCKET 5 1 100d",
    ] {
        let ruling = client.rule(line);
        assert_eq!(ruling.timeless(), (false, 5, 0, -1), "{line}");
        assert!(is_days(ruling.retry_after_ms, 10), "{line}: {ruling:?}");
    }
    let throttled = client.run("KEYNS.THROTTLE k 4 1 8640000");
    assert_eq!(throttled.array()[0], Value::Integer(1));
    // Where the bucket would refuse for longer than the block does, that is the honest time.
    let ruling = client.rule("KEYNS.RATE k BUCKET 5 1 100d COST 4");
    assert!(is_days(ruling.retry_after_ms, 100), "{ruling:?}");
    // A block that is over leaves the tokens as they were.
    client.run("KEYNS.RATE l BUCKET 5 1 100d COST 2");
    client.run("KEYNS.RATE.BLOCK l 1ms");
    wait_until("the block is over", || {
        client.rule("KEYNS.RATE.PEEK l BUCKET 5 1 100d").allowed
    });
    let ruling = client.rule("KEYNS.RATE l BUCKET 5 1 100d");
    assert_eq!(ruling.timeless(), (true, 5, 2, 0));
}

/// A refused request takes nothing, and so it is not what the limits have to recover from.
#[test]
fn a_limit_that_nobody_used_is_fresh_when_the_block_is_over() {
    let (_server, mut client) = start();
    client.run("KEYNS.RATE.BLOCK k 10d");
    for limit in ["BUCKET 5 1 1500d", "FIXED 5 1500d", "SLIDING 5 1500d"] {
        let ruling = client.rule(&format!("KEYNS.RATE k {limit}"));
        assert!(is_days(ruling.reset_after_ms, 10), "{limit}: {ruling:?}");
    }
}

#[test]
fn a_key_that_was_made_to_stay_stays_with_a_block() {
    for limit in ["BUCKET 5 1 1500d COST 2", "SLIDING 900 1500d COST 300"] {
        let (_server, mut client) = start();
        let taken = client.rule(&format!("KEYNS.RATE k {limit}"));
        client.run("PERSIST k");
        client.run("KEYNS.RATE.BLOCK k 1ms");
        let peek = format!("KEYNS.RATE.PEEK k {limit}");
        wait_until("the block is over", || client.rule(&peek).allowed);
        assert_eq!(client.run("PTTL k").integer(), -1, "{limit}");
        let refunded = client.rule(&format!("KEYNS.RATE.REFUND k {limit}"));
        assert_eq!(refunded.remaining, taken.limit, "{limit}");
    }
}

#[test]
fn of_two_blocks_the_longer_one_holds() {
    let (_server, mut client) = start();
    for (period, days) in [("10d", 10), ("1d", 10), ("30d", 30), ("1ms", 30)] {
        let left = client
            .run(&format!("KEYNS.RATE.BLOCK k {period}"))
            .integer();
        assert!(is_days(left, days), "{period}: {left}");
        assert!(is_days(client.run("PTTL k").integer(), days), "{period}");
    }
    client.run("DEL k");
    assert!(client.rule("KEYNS.RATE k FIXED 1 1500d").allowed);
}

#[test]
fn a_refund_gives_back_what_was_taken_and_no_more() {
    for limit in ["BUCKET 10 1 1500d", "FIXED 10 1500d", "SLIDING 10 1500d"] {
        let (_server, mut client) = start();
        let mut call = |name: &str, cost: i64| -> Ruling {
            client.rule(&format!("KEYNS.RATE{name} k {limit} COST {cost}"))
        };
        // Nothing is known of the key.
        assert_eq!(call(".REFUND", 5).timeless(), (true, 10, 10, 0), "{limit}");
        assert_eq!(call("", 7).remaining, 3, "{limit}");
        let refunded = call(".REFUND", 4);
        assert_eq!(refunded.timeless(), (true, 10, 7, 0), "{limit}");
        assert_eq!(refunded.retry_after_ms, -1, "{limit}");
        assert!(!call("", 8).allowed, "{limit}");
        assert_eq!(call("", 7).remaining, 0, "{limit}");
        let full = call(".REFUND", 1_000_000);
        assert_eq!(full.timeless(), (true, 10, 10, 0), "{limit}");
        assert_eq!(full.reset_after_ms, 0, "{limit}");
        assert_eq!(call("", 10).remaining, 0, "{limit}");
        assert_eq!(call(".REFUND", i64::MAX).remaining, 10, "{limit}");
    }
}

#[test]
fn a_refund_of_a_key_that_is_not_there_makes_none() {
    let (_server, mut client) = start();
    client.run("KEYNS.RATE.REFUND k BUCKET 5 1 1500d SLIDING 5 1500d COST 1");
    assert_eq!(client.run("EXISTS k").integer(), 0);
}

#[test]
fn a_refund_goes_to_all_limits_and_leaves_a_block_alone() {
    let (_server, mut client) = start();
    client.run("KEYNS.RATE k BUCKET 9 1 1500d FIXED 8 1500d SLIDING 7 1500d COST 5");
    client.run("KEYNS.RATE.BLOCK k 10d");
    client.run("KEYNS.RATE.REFUND k BUCKET 9 1 1500d FIXED 8 1500d SLIDING 7 1500d COST 2");
    assert_eq!(client.rule("KEYNS.RATE k FIXED 8 1500d").binding, -1);
    for (limits, left) in [
        ("BUCKET 9 1 1500d", 6),
        ("FIXED 8 1500d", 5),
        ("SLIDING 7 1500d", 4),
    ] {
        let ruling = client.rule(&format!("KEYNS.RATE.REFUND k {limits} COST 1"));
        assert_eq!(ruling.remaining, left + 1, "{limits}");
    }
}

#[test]
fn deleting_a_key_resets_it() {
    let (_server, mut client) = start();
    for limit in ["BUCKET 1 1 1500d", "FIXED 1 1500d", "SLIDING 1 1500d"] {
        assert!(client.rule(&format!("KEYNS.RATE k {limit}")).allowed);
        assert!(!client.rule(&format!("KEYNS.RATE k {limit}")).allowed);
        client.run("DEL k");
        assert!(client.rule(&format!("KEYNS.RATE k {limit}")).allowed);
        client.run("DEL k");
    }
}

#[test]
fn a_key_goes_when_a_fresh_one_would_do_as_well() {
    let (_server, mut client) = start();
    let mut ttl = |line: &str| {
        client.run(line);
        client.run("PTTL k").integer()
    };
    assert!(is_days(ttl("KEYNS.RATE k BUCKET 5 1 100d"), 100));
    assert!(is_days(ttl("KEYNS.RATE k BUCKET 5 1 100d COST 2"), 300));
    assert!(is_days(
        ttl("KEYNS.RATE.REFUND k BUCKET 5 1 100d COST 1"),
        200
    ));
    // The longest of its limits counts, also if this call does not have it.
    assert!(is_days(
        ttl("KEYNS.RATE k BUCKET 5 1 100d SLIDING 9 1000d"),
        1000
    ));
    assert!(is_days(ttl("KEYNS.RATE k BUCKET 5 1 100d"), 1000));
    assert!(is_days(ttl("KEYNS.RATE.BLOCK k 10d"), 1000));
    assert!(is_days(ttl("KEYNS.RATE.BLOCK k 1200d"), 1200));
}

#[test]
fn throttle_is_a_bucket_with_the_words_of_redis_cell() {
    let (_server, mut client) = start();
    let reply = client.run("KEYNS.THROTTLE k 4 1 8640000");
    let fields: Vec<i64> = reply.array().iter().map(Value::integer).collect();
    assert_eq!(fields, [0, 5, 4, -1, 8_640_000]);
    let reply = client.run("keyns.throttle k 4 1 8640000 3");
    assert_eq!(reply.array()[2], Value::Integer(1));
    // The same key, the same bucket.
    let ruling = client.rule("KEYNS.RATE.PEEK k BUCKET 5 1 8640000s");
    assert_eq!(ruling.timeless(), (true, 5, 0, 0));
    assert!(client.rule("KEYNS.RATE k BUCKET 5 1 100d").allowed);
    let reply = client.run("KEYNS.THROTTLE k 4 1 8640000");
    let fields: Vec<i64> = reply.array().iter().map(Value::integer).collect();
    assert_eq!(fields[..3], [1, 5, 0]);
    assert!(is_days(fields[3] * 1000, 100), "{fields:?}");
    assert!(is_days(fields[4] * 1000, 500), "{fields:?}");
}

#[test]
fn throttle_looks_at_nothing_and_limits_what_can_never_pass() {
    let (_server, mut client) = start();
    let mut throttle = |quantity: &str| -> Vec<i64> {
        let reply = client.run(&format!("KEYNS.THROTTLE k 4 1 8640000 {quantity}"));
        let fields = reply.array().iter().map(Value::integer);
        fields.take(4).collect()
    };
    assert_eq!(throttle("0"), [0, 5, 5, -1]);
    assert_eq!(throttle("6"), [1, 5, 5, -1]);
    assert_eq!(throttle("9223372036854775807"), [1, 5, 5, -1]);
    assert_eq!(throttle("3"), [0, 5, 2, -1]);
    assert_eq!(throttle("0"), [0, 5, 2, -1]);
    assert_eq!(throttle("6"), [1, 5, 2, -1]);
    assert_eq!(throttle("2"), [0, 5, 0, -1]);
    assert_eq!(throttle("0"), [0, 5, 0, -1]);
    assert_eq!(throttle("6"), [1, 5, 0, -1]);
}
