//! What is stored: for how long, and in how many bytes.

use super::*;
use crate::rate::model::{limits, moment};
use crate::rate::{Change, Lasting};
use proptest::collection::vec;

/// The millisecond at which a change lets the key expire, if that is for it to say.
fn expiry(change: &Change) -> Option<u64> {
    match change.expiry {
        Lasting::At(millis) => Some(millis),
        Lasting::NotBefore(_) => None,
    }
}

/// Whether nobody could tell a key from one that was never used.
fn is_as_fresh(key: &Key, rules: &[Rule], now: u64) -> bool {
    [Cost::One, Cost::Part(8), Cost::Part(16)]
        .iter()
        .all(|cost| {
            let cost = cost.of(rules);
            key.peek(rules, cost, now) == Key::default().peek(rules, cost, now)
        })
}

/// The slots of the first ring, where there is nothing but a sliding window.
fn slots(value: &[u8]) -> usize {
    u32::from_le_bytes(value[8..12].try_into().unwrap()) as usize
}

const FRONT: usize = 20;

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_key_expires_when_a_fresh_one_would_do(
        rule in any_rule(),
        arrivals in arrivals(any_step(), 30),
        refund in amount(20),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for (at, Arrival { wait, cost }) in arrivals.into_iter().enumerate() {
            let cost = cost.of(&[rule]);
            now = wait.from(now, &[rule], retry_at);
            let (limits, moment) = (limits(&[rule]), moment(now));
            let (told, change) = match at % 4 {
                3 => key.state().refund(&limits, refund, moment),
                _ => key.state().take(&limits, cost, moment),
            };
            retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000)).or(retry_at);
            let Some(change) = change else { continue };
            match at % 4 {
                3 => key.refund(&[rule], refund, now),
                _ => key.rate(&[rule], cost, now),
            };
            let expiry = expiry(&change).expect("there is nothing but this limit");
            prop_assert_eq!(key.expires_at, expiry);
            prop_assert!(expiry > now / 1000);
            if expiry * 1000 <= LATEST {
                prop_assert!(is_as_fresh(&key, &[rule], expiry * 1000));
            }
            // What was given back may have been all, and then a fresh one does at once.
            let before = (expiry - 1) * 1000;
            if at % 4 != 3 && before >= now && before <= LATEST {
                prop_assert!(!is_as_fresh(&key, &[rule], before), "a millisecond would do less");
            }
        }
    }

    /// With calls that name all limits, or only the first ones of each algorithm.
    #[test]
    fn a_key_expires_when_a_fresh_one_would_do_for_all_its_limits(
        rules in vec(any_rule(), 2..6),
        arrivals in vec((any_wait(), any_cost(), 0..4usize, 0..4usize, 0..4usize), 1..30),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for (wait, cost, buckets, fixed, sliding) in arrivals {
            let mut left = [buckets, fixed, sliding];
            let mut named: Vec<Rule> = rules.clone();
            named.retain(|rule| {
                let left = &mut left[rule.algorithm() as usize];
                *left = left.wrapping_sub(1);
                *left < 8
            });
            if named.is_empty() {
                named = rules.clone();
            }
            let cost = cost.of(&named);
            now = wait.from(now, &named, retry_at);
            key.expire(now);
            let told = key.rate(&named, cost, now);
            retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000)).or(retry_at);
            let at_expiry = key.expires_at * 1000;
            if key.value.is_some() && at_expiry <= LATEST {
                prop_assert!(is_as_fresh(&key, &rules, at_expiry));
            }
        }
    }

    #[test]
    fn a_sliding_window_takes_no_more_than_eight_bytes_for_a_unit(
        max in 1..=400u64,
        arrivals in vec((any_wait(), any_cost(), any::<bool>()), 1..80),
    ) {
        let rules = [Rule::Sliding { max, period: 1000 }];
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for (wait, cost, is_refund) in arrivals {
            let cost = cost.of(&rules);
            now = wait.from(now, &rules, retry_at);
            let before = key.value.clone();
            let told = match is_refund {
                true => key.refund(&rules, cost, now),
                false => key.rate(&rules, cost, now),
            };
            retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000)).or(retry_at);
            if key.value != before {
                let value = key.value.as_ref().unwrap();
                let live = (max - told.remaining) as usize;
                prop_assert!(value.len() <= FRONT + 8 * live, "{} bytes for {live}", value.len());
                prop_assert_eq!(value.len(), FRONT + 6 * slots(value));
            }
        }
    }

    /// A ring that is changed in its places says the same as one that was built anew.
    #[test]
    fn a_ring_that_is_changed_in_place_is_like_a_new_one(
        max in 20..=60u64,
        arrivals in arrivals(any_wait(), 120),
    ) {
        says_what_the_model_says(Rule::Sliding { max, period: 1000 }, &arrivals)?;
    }

    /// A block writes everything, and changes nothing but itself.
    #[test]
    fn a_state_is_written_as_it_was_read(
        rules in vec(any_rule(), 1..9),
        arrivals in arrivals(any_step(), 10),
        block in 2..1_000_000u64,
    ) {
        let mut key = Key::default();
        let mut now = START;
        for Arrival { wait, cost } in arrivals {
            now = wait.from(now, &rules, None);
            key.rate(&rules, cost.of(&rules), now);
        }
        key.block(block, now);
        let mut again = key.clone();
        again.block(block + 1, now);
        prop_assert!(again.bytes_written > key.bytes_written);
        let behind_the_block = |key: &Key| key.value.as_ref().map(|value| value[12..].to_vec());
        prop_assert_eq!(behind_the_block(&again), behind_the_block(&key));
        let written = again.bytes_written;
        again.block(block, now);
        prop_assert_eq!(again.bytes_written, written, "a shorter block");
    }
}

/// Bytes written per request, by a load that keeps a window of 10,000 nearly full.
fn bytes_per_request(rules: &[Rule], requests: u64, mut wait: impl FnMut(u64) -> u64) -> f64 {
    let mut key = Key::default();
    let mut now = START;
    for request in 0..requests {
        now += wait(request);
        key.rate(rules, 1, now);
    }
    key.bytes_written as f64 / requests as f64
}

#[test]
fn the_work_for_one_more_unit_does_not_grow_with_the_units() {
    let rules = [Rule::Sliding {
        max: 10_000,
        period: 1000,
    }];
    // The front and one unit are 26 bytes.
    for (load, most, bytes) in [
        ("growing", 90.0, bytes_per_request(&rules, 10_000, |_| 1)),
        ("even", 60.0, bytes_per_request(&rules, 20_000, |_| 105)),
        ("too much", 60.0, bytes_per_request(&rules, 20_000, |_| 60)),
        (
            "in waves",
            110.0,
            bytes_per_request(&rules, 20_000, |request| match request / 4000 % 2 {
                0 => 40,
                _ => 400,
            }),
        ),
        (
            "in bursts",
            110.0,
            bytes_per_request(&rules, 20_000, |request| match request % 9000 {
                0 => 2_000_000,
                _ => 1,
            }),
        ),
    ] {
        assert!(bytes <= most, "{load}: {bytes} bytes for each request");
    }
}

/// Where parts in front of a long ring change their length, all of it has to be written.
#[test]
fn a_long_window_beside_another_limit_is_not_written_anew_all_the_time() {
    const DAY: u64 = 86_400_000;
    let long = Rule::Sliding {
        max: 10_000,
        period: DAY,
    };
    let short = Rule::Sliding {
        max: 10,
        period: 1000,
    };
    let bucket = Rule::Bucket {
        capacity: 100,
        refill: 10,
        period: 1000,
    };
    let fixed = Rule::Fixed {
        max: 10_000_000_000,
        period: DAY,
    };
    for rules in [
        [short, long].as_slice(),
        &[long, short],
        &[bucket, long],
        &[fixed, bucket, long, short],
    ] {
        let bytes = bytes_per_request(rules, 9000, |request| 1000 * (request % 9) * 37);
        assert!(bytes <= 250.0, "{rules:?}: {bytes} bytes for each request");
    }
}
