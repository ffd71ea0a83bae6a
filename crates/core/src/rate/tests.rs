//! Limits by the clock: what is told, and when.

mod forged;
mod golden;
mod joint;

use super::fake::Key;
use super::model::{Rule, limits, moment, period};
use super::{Bucket, Fixed, Limit, Limits, Moment, Outcome, Sliding, State};
use crate::rate::Error;

/// A full hour, in microseconds since 1970.
const START: u64 = 1_800_000_000_000_000;

const MS: u64 = 1000;
const SECOND: u64 = 1000 * MS;
const MINUTE: u64 = 60 * SECOND;

/// When a request comes, in microseconds after the start, what it costs, whether it is allowed, and
/// what is told then: remaining, retry_after_ms (-1 if allowed) and reset_after_ms.
type Row = (u64, u64, bool, u64, i64, u64);

fn bucket(capacity: u64, refill: u64, period: u64) -> Rule {
    Rule::Bucket {
        capacity,
        refill,
        period,
    }
}

fn fixed(max: u64, period: u64) -> Rule {
    Rule::Fixed { max, period }
}

fn sliding(max: u64, period: u64) -> Rule {
    Rule::Sliding { max, period }
}

fn told(outcome: &Outcome) -> (bool, u64, i64, u64) {
    (
        outcome.allowed,
        outcome.remaining,
        outcome.retry_after_ms.map_or(-1, |millis| millis as i64),
        outcome.reset_after_ms,
    )
}

fn check(rules: &[Rule], rows: &[Row]) {
    let mut key = Key::default();
    for &(when, cost, allowed, remaining, retry, reset) in rows {
        let outcome = key.rate(rules, cost, START + when);
        assert_eq!(
            told(&outcome),
            (allowed, remaining, retry, reset),
            "{cost} at {when} with {rules:?}"
        );
    }
}

/// As [`check`], but every request has limits of its own.
fn check_changes(rows: &[(Rule, Row)]) {
    let mut key = Key::default();
    for &(rule, (when, cost, allowed, remaining, retry, reset)) in rows {
        let outcome = key.rate(&[rule], cost, START + when);
        assert_eq!(
            told(&outcome),
            (allowed, remaining, retry, reset),
            "{cost} at {when} with {rule:?}"
        );
    }
}

#[test]
fn a_bucket_refills_continuously() {
    check(
        &[bucket(3, 1, 1000)],
        &[
            (0, 1, true, 2, -1, 1000),
            (0, 2, true, 0, -1, 3000),
            (0, 1, false, 0, 1000, 3000),
            (SECOND - 1, 1, false, 0, 1, 2001),
            (SECOND, 1, true, 0, -1, 3000),
            (SECOND, 3, false, 0, 3000, 3000),
            (2_500 * MS, 1, true, 0, -1, 2500),
            (2_500 * MS, 1, false, 0, 500, 2500),
            (5 * SECOND - 1, 3, false, 2, 1, 1),
            (5 * SECOND, 3, true, 0, -1, 3000),
        ],
    );
}

#[test]
fn a_bucket_rounds_no_part_of_a_token_away() {
    // A token every 333 1/3 microseconds.
    check(
        &[bucket(1, 3, 1)],
        &[
            (0, 1, true, 0, -1, 1),
            (333, 1, false, 0, 1, 1),
            (334, 1, true, 0, -1, 1),
            (667, 1, false, 0, 1, 1),
            (668, 1, true, 0, -1, 1),
            (1001, 1, false, 0, 1, 1),
            (1002, 1, true, 0, -1, 1),
        ],
    );
    // Two at once, which are 666 2/3: what is over counts for the next.
    check(
        &[bucket(2, 3, 1)],
        &[
            (0, 2, true, 0, -1, 1),
            (334, 1, true, 0, -1, 1),
            (667, 1, true, 0, -1, 1),
            (1000, 1, true, 0, -1, 1),
            (1333, 1, false, 0, 1, 1),
            (1334, 1, true, 0, -1, 1),
        ],
    );
}

#[test]
fn a_bucket_may_take_a_year_for_a_token() {
    let year = 365 * 86_400_000;
    check(
        &[bucket(1, 1, year)],
        &[
            (0, 1, true, 0, -1, year),
            (SECOND, 1, false, 0, year as i64 - 1000, year - 1000),
            (year * MS - 1, 1, false, 0, 1, 1),
            (year * MS, 1, true, 0, -1, year),
        ],
    );
}

#[test]
fn a_fixed_window_starts_with_the_clock() {
    check(
        &[fixed(3, 60_000)],
        &[
            (50 * SECOND, 2, true, 1, -1, 10_000),
            (50 * SECOND, 2, false, 1, 10_000, 10_000),
            (MINUTE - 1, 1, true, 0, -1, 1),
            (MINUTE - 1, 1, false, 0, 1, 1),
            (MINUTE, 3, true, 0, -1, 60_000),
            (2 * MINUTE - 500, 1, false, 0, 1, 1),
            (5 * MINUTE + SECOND, 1, true, 2, -1, 59_000),
        ],
    );
}

#[test]
fn a_sliding_window_forgets_each_unit_in_its_time() {
    check(
        &[sliding(3, 1000)],
        &[
            (0, 1, true, 2, -1, 1000),
            (400 * MS, 2, true, 0, -1, 1000),
            (400 * MS, 1, false, 0, 600, 1000),
            (400 * MS, 2, false, 0, 1000, 1000),
            (SECOND - 1, 1, false, 0, 1, 401),
            (SECOND, 1, true, 0, -1, 1000),
            (SECOND, 1, false, 0, 400, 1000),
            (1400 * MS, 3, false, 2, 600, 600),
            (1400 * MS, 2, true, 0, -1, 1000),
            (2400 * MS, 3, true, 0, -1, 1000),
        ],
    );
}

#[test]
fn a_sliding_window_lives_through_the_wrap_of_its_six_bytes() {
    // The lower 48 bits of the time start again here.
    let wrap = 1_577_836_800_000_000 + 7 * (1 << 48);
    let rules = [sliding(2, 1500 * 86_400_000)];
    let period = rules[0].period();
    let mut key = Key::default();
    assert!(key.rate(&rules, 1, wrap - 1).allowed);
    assert!(key.rate(&rules, 1, wrap + 1).allowed);
    assert!(!key.rate(&rules, 1, wrap - 2 + period).allowed);
    assert!(key.rate(&rules, 1, wrap - 1 + period).allowed);
    assert!(!key.rate(&rules, 1, wrap + period).allowed);
    assert!(key.rate(&rules, 1, wrap + 1 + period).allowed);
}

#[test]
fn a_clock_that_is_set_back_stands_still_until_it_is_there_again() {
    check(
        &[bucket(2, 1, 1000)],
        &[
            (10 * SECOND, 1, true, 1, -1, 1000),
            (4 * SECOND, 1, true, 0, -1, 8000),
            (4 * SECOND, 1, false, 0, 7000, 8000),
            (10 * SECOND, 1, false, 0, 1000, 2000),
            (11 * SECOND, 1, true, 0, -1, 2000),
        ],
    );
    check(
        &[fixed(2, 60_000)],
        &[
            (MINUTE, 1, true, 1, -1, 60_000),
            (30 * SECOND, 1, true, 0, -1, 90_000),
            (30 * SECOND, 1, false, 0, 90_000, 90_000),
            (2 * MINUTE, 1, true, 1, -1, 60_000),
        ],
    );
    check(
        &[sliding(2, 1000)],
        &[
            (10 * SECOND, 1, true, 1, -1, 1000),
            (4 * SECOND, 1, true, 0, -1, 7000),
            (4 * SECOND, 1, false, 0, 7000, 7000),
            (11 * SECOND, 2, true, 0, -1, 1000),
        ],
    );
}

#[test]
fn a_bucket_owes_the_same_whatever_its_numbers() {
    check_changes(&[
        (bucket(10, 1, 1000), (0, 6, true, 4, -1, 6000)),
        // More room, less room, and less than is owed.
        (bucket(20, 1, 1000), (0, 1, true, 13, -1, 7000)),
        (bucket(8, 1, 1000), (0, 1, true, 0, -1, 8000)),
        (bucket(3, 1, 1000), (0, 1, false, 0, 1000, 3000)),
        (bucket(3, 1, 1000), (SECOND, 1, true, 0, -1, 3000)),
        // Faster and slower.
        (bucket(3, 10, 1000), (1100 * MS, 1, true, 0, -1, 300)),
        (
            bucket(3, 1, 60_000),
            (1100 * MS, 1, false, 0, 60_000, 180_000),
        ),
    ]);
}

#[test]
fn a_fixed_window_has_counted_the_same_whatever_its_numbers() {
    check_changes(&[
        (fixed(10, 60_000), (SECOND, 6, true, 4, -1, 59_000)),
        (fixed(5, 60_000), (SECOND, 1, false, 0, 59_000, 59_000)),
        (fixed(10, 3_600_000), (SECOND, 4, true, 0, -1, 3_599_000)),
        (fixed(20, 60_000), (MINUTE, 1, true, 19, -1, 60_000)),
    ]);
}

#[test]
fn a_sliding_window_keeps_its_units_whatever_its_numbers() {
    check_changes(&[
        (sliding(5, 10_000), (0, 2, true, 3, -1, 10_000)),
        (sliding(5, 10_000), (2 * SECOND, 3, true, 0, -1, 10_000)),
        (
            sliding(2, 10_000),
            (2 * SECOND, 1, false, 0, 10_000, 10_000),
        ),
        (sliding(4, 10_000), (2 * SECOND, 1, false, 0, 8000, 10_000)),
        (
            sliding(4, 20_000),
            (2 * SECOND, 1, false, 0, 18_000, 20_000),
        ),
        (sliding(4, 1000), (3 * SECOND, 4, true, 0, -1, 1000)),
    ]);
}

/// (when, cost, allowed, binding, remaining, retry).
#[test]
fn the_limit_that_refuses_longest_binds_or_else_the_one_with_least_left() {
    let rules = [
        bucket(5, 1, 1000),
        fixed(8, 60_000),
        sliding(3, 500),
        bucket(9, 1, 10_000),
    ];
    let mut key = Key::default();
    for (when, cost, allowed, binding, remaining, retry) in [
        (0, 1, true, 2, 2, -1),
        (0, 2, true, 2, 0, -1),
        (0, 2, false, 2, 0, 500),
        (500 * MS, 3, false, 0, 2, 500),
        (SECOND, 3, true, 0, 0, -1),
        (SECOND, 3, false, 1, 2, 59_000),
        (SECOND, 1, false, 0, 0, 1000),
        (2 * SECOND, 1, true, 0, 0, -1),
        (3 * SECOND, 1, true, 0, 0, -1),
        (4 * SECOND, 2, false, 1, 0, 56_000),
    ] {
        let outcome = key.rate(&rules, cost, START + when);
        let (is_allowed, left, wait, _) = told(&outcome);
        assert_eq!(
            (is_allowed, outcome.binding, left, wait),
            (allowed, Some(binding), remaining, retry),
            "{cost} at {when}"
        );
        assert_eq!(outcome.algorithm, rules[binding].algorithm());
        assert_eq!(outcome.limit, rules[binding].most());
    }
}

#[test]
fn a_limit_that_a_call_leaves_out_is_not_forgotten() {
    let (bucket, window, log) = (bucket(5, 1, 60_000), fixed(5, 60_000), sliding(5, 60_000));
    let mut key = Key::default();
    key.rate(&[bucket, window], 3, START);
    key.rate(&[log], 1, START);
    key.rate(&[window, log, bucket], 1, START);
    for (rules, remaining) in [
        (vec![bucket], 0),
        (vec![window], 0),
        (vec![log], 2),
        (vec![log, window], 0),
        (vec![fixed(9, 60_000)], 4),
        // Another bucket behind the first is another one.
        (vec![bucket, bucket], 0),
        (
            vec![
                super::tests::bucket(9, 1, 60_000),
                super::tests::bucket(6, 1, 60_000),
            ],
            4,
        ),
    ] {
        let outcome = key.peek(&rules, 1, START);
        assert_eq!(outcome.remaining, remaining, "{rules:?}");
    }
}

#[test]
fn a_refund_gives_back_what_was_taken_and_no_more() {
    for (rule, when, given, remaining, reset) in [
        (bucket(5, 1, 1000), 0, 2, 3, 2000),
        (bucket(5, 1, 1000), 0, 9, 5, 0),
        (bucket(5, 1, 1000), 3500 * MS, 1, 5, 0),
        (fixed(5, 60_000), 0, 2, 3, 60_000),
        (fixed(5, 60_000), 0, 9, 5, 0),
        (fixed(5, 60_000), MINUTE, 1, 5, 0),
        (sliding(5, 1000), 0, 2, 3, 1000),
        (sliding(5, 1000), 0, 9, 5, 0),
        (sliding(5, 1000), 600 * MS, 1, 2, 400),
        (sliding(5, 1000), SECOND, 1, 5, 0),
    ] {
        let mut key = Key::default();
        key.rate(&[rule], 4, START);
        let outcome = key.refund(&[rule], given, START + when);
        assert_eq!(
            told(&outcome),
            (true, remaining, -1, reset),
            "{given} to {rule:?} at {when}"
        );
    }
}

#[test]
fn a_refund_takes_the_newest_units_out_of_a_window() {
    let rules = [sliding(3, 1000)];
    let mut key = Key::default();
    key.rate(&rules, 1, START);
    key.rate(&rules, 2, START + 500 * MS);
    key.refund(&rules, 2, START + 600 * MS);
    let outcome = key.rate(&rules, 3, START + 700 * MS);
    assert_eq!(told(&outcome), (false, 2, 300, 300));
}

#[test]
fn a_refund_changes_nothing_where_nothing_is_known() {
    let now = moment(START);
    let rules = [bucket(5, 1, 1000), fixed(4, 60_000), sliding(3, 1000)];
    let (outcome, change) = State::default().refund(&limits(&rules), 1, now);
    assert_eq!(change, None);
    assert_eq!(
        (outcome.binding, told(&outcome)),
        (Some(2), (true, 3, -1, 0))
    );

    let mut key = Key::default();
    key.rate(&[rules[0]], 1, START);
    let (outcome, change) = key.state().refund(&limits(&rules[1..]), 1, now);
    assert_eq!(change, None);
    assert_eq!(outcome.remaining, 3);
}

#[test]
fn a_block_refuses_until_it_is_over() {
    let rules = [bucket(5, 1, 1000)];
    let mut key = Key::default();
    key.rate(&rules, 2, START);
    key.block(10_000, START);
    key.block(4000, START + SECOND);
    for (when, allowed, remaining, retry, binding) in [
        (SECOND, false, 0, 9000, None),
        (10 * SECOND - 1, false, 0, 1, None),
        (10 * SECOND, true, 4, -1, Some(0)),
    ] {
        let outcome = key.rate(&rules, 1, START + when);
        let (is_allowed, left, wait, _) = told(&outcome);
        assert_eq!(
            (is_allowed, left, wait, outcome.binding),
            (allowed, remaining, retry, binding),
            "at {when}"
        );
    }
}

#[test]
fn a_block_tells_the_time_of_a_limit_that_refuses_longer() {
    let rules = [bucket(1, 1, 60_000)];
    let mut key = Key::default();
    key.rate(&rules, 1, START);
    key.block(1000, START);
    let outcome = key.rate(&rules, 1, START);
    assert_eq!(told(&outcome), (false, 0, 60_000, 60_000));
    assert_eq!(outcome.binding, None);
}

/// How many of the requests that come in an even row are admitted.
fn admitted(rule: Rule, cost: u64, every: u64, micros: u64) -> u64 {
    let mut key = Key::default();
    let arrivals = (0..=micros).step_by(every as usize);
    let admits = |now: &u64| {
        key.expire(START + now);
        key.rate(&[rule], cost, START + now).allowed
    };
    arrivals.filter(admits).count() as u64
}

/// What redis-cell 0.4 and Redis' own GCRA get wrong: rates of which one token takes no whole
/// milliseconds, or no whole microseconds.
#[test]
fn high_rates_are_admitted_in_full_and_not_exceeded() {
    for (capacity, per_second, cost, every) in [
        (1, 1050, 1, 17),
        (5, 6000, 1, 7),
        (19, 20_000, 1, 11),
        (2, 8000, 1, 5),
        (1, 1_000_000_000, 1, 1),
        (150_000_000, 150_000_000, 15_000, 13),
        (700_000_000, 700_000_000, 70_000, 13),
        (1_000_000, 700_000_000, 65_536, 13),
    ] {
        let rule = bucket(capacity, per_second, 1000);
        let micros = SECOND / 20;
        let admitted = cost * admitted(rule, cost, every, micros);
        let bound = capacity + per_second * micros / SECOND;
        assert!(admitted <= bound, "{admitted} of {bound} with {rule:?}");
        // All that was asked for, or nearly all that there was.
        let asked = cost * (micros / every + 1);
        let lost = cost + per_second * every / SECOND + bound / 50;
        assert!(
            admitted + lost >= bound.min(asked),
            "{admitted} of {bound} with {rule:?}"
        );
    }
}

#[test]
fn what_is_too_much_is_an_error() {
    let year = period(365 * 86_400_000);
    let slow = Bucket::new(1 << 62, 1, year);
    assert_eq!(slow, Err(Error::FillsTooSlowly));
    // The longest that a bucket may take is 2^53 milliseconds.
    assert!(Bucket::new(1 << 53, 1, period(1)).is_ok());
    assert!(Bucket::new((1 << 53) + 1, 1, period(1)).is_err());
    assert!(Bucket::new(1 << 63, i64::MAX as u64, period(1)).is_ok());

    let mut all = Limits::default();
    for _ in 0..super::MAX_LIMITS {
        all.push(fixed(5, 1000).limit()).unwrap();
    }
    let one_more = all.push(fixed(5, 1000).limit());
    assert_eq!(one_more, Err(Error::TooManyLimits { limit: 8 }));

    let limits = limits(&[fixed(9, 1000), bucket(7, 1, 1000), sliding(8, 1000)]);
    assert_eq!(limits.check_cost(7), Ok(()));
    let never = limits.check_cost(8);
    assert!(
        matches!(
            never,
            Err(Error::NeverAdmitted {
                cost: 8,
                algorithm: "BUCKET",
                most: 7
            })
        ),
        "{never:?}"
    );
}

#[test]
fn a_clock_out_of_range_stands_still_or_is_an_error() {
    let first = moment(1_577_836_800_000_000);
    assert_eq!(moment(0), first);
    assert_eq!(moment(1_577_836_799_999_999), first);
    assert_eq!(first.unix_micros(), 1_577_836_800_000_000);
    let last = 1_577_836_800_000_000 + (1 << 51) - 1;
    assert_eq!(moment(last).unix_micros(), last);
    assert_eq!(Moment::from_unix_micros(last + 1), Err(Error::ClockTooLate));
    assert_eq!(Moment::from_unix_micros(u64::MAX), Err(Error::ClockTooLate));
    assert_eq!(moment(START + 1).unix_millis(), START / 1000 + 1);
}

#[test]
fn the_largest_numbers_are_counted_exactly() {
    let most = i64::MAX as u64;
    for limit in [
        Limit::Bucket(Bucket::new(most, most, period(1000)).unwrap()),
        Limit::Fixed(Fixed::new(most, period(1000))),
    ] {
        let mut limits = Limits::default();
        limits.push(limit).unwrap();
        let mut stored: Option<Vec<u8>> = None;
        for (cost, allowed, remaining) in [
            (1, true, most - 1),
            (most, false, most - 1),
            (1 << 32, true, most - 1 - (1 << 32)),
            (most - 1 - (1 << 32), true, 0),
            (1, false, 0),
            (most, false, 0),
        ] {
            let told = super::take(stored.as_deref(), &limits, cost, moment(START));
            let (outcome, change) = told.unwrap();
            assert_eq!(
                (outcome.allowed, outcome.remaining),
                (allowed, remaining),
                "{cost}"
            );
            if let Some(super::Value::Whole(value)) = change.map(|change| change.value) {
                stored = Some(value.to_vec());
            }
        }
    }
}

/// More units than a window counts with are refused before they are counted.
#[test]
fn a_window_is_asked_for_more_than_it_could_keep() {
    let window = Sliding::new(u64::MAX, period(1000));
    let answer = window.take(Default::default(), 1 << 32, moment(START));
    assert!(matches!(answer, super::Answer::Refused { .. }));
}
