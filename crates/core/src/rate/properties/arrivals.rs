//! Limits of all sizes, and requests that come when it matters.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::rate::model::Rule;

/// When the tests start: in 2025, at an odd microsecond.
pub const START: u64 = 1_750_000_000_123_457;
/// The last microsecond that can be told.
pub const LATEST: u64 = 1_577_836_800_000_000 + (1 << 51) - 1;

const DAY: u64 = 86_400_000;

/// When a request comes.
#[derive(Clone, Copy, Debug)]
pub enum Wait {
    Micros(u64),
    /// So many eighths of the time that a token takes to come back.
    Tokens(u64),
    /// So many eighths of the period.
    Periods(u64),
    /// When the last one that was refused may come again, or so many microseconds beside that.
    Retry(i64),
    /// The clock is set back.
    Back(u64),
    /// The clock is set back by so many eighths of the period.
    BackPeriods(u64),
}

/// What a request costs.
#[derive(Clone, Copy, Debug)]
pub enum Cost {
    One,
    /// So many sixteenths of what the limits ever admit.
    Part(u64),
}

#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub wait: Wait,
    pub cost: Cost,
}

pub fn bucket(capacity: u64, refill: u64, period: u64) -> Rule {
    // What fills in no time that anybody could wait for is refused.
    let most = (1u128 << 53) * 1000 * u128::from(refill) / u128::from(period * 1000);
    let most = u64::try_from(most).unwrap_or(u64::MAX).max(1);
    Rule::Bucket {
        capacity: capacity.min(most),
        refill,
        period,
    }
}

/// From 1 to 2^bits - 1, as many of each length.
pub fn amount(bits: u32) -> impl Strategy<Value = u64> {
    (0..bits, any::<u64>()).prop_map(|(bits, number)| (1 << bits) | (number & ((1 << bits) - 1)))
}

/// In milliseconds.
pub fn any_period() -> impl Strategy<Value = u64> {
    let usual = vec![
        1,
        2,
        3,
        7,
        10,
        128,
        999,
        1000,
        3000,
        60_000,
        3_600_000,
        DAY,
        365 * DAY,
        1500 * DAY,
    ];
    prop_oneof![3 => select(usual), 1 => 1..=1500 * DAY, 1 => amount(30)]
}

pub fn any_bucket() -> impl Strategy<Value = Rule> {
    let named = vec![
        // The slowest and the fastest.
        bucket(1, 1, 365 * DAY),
        bucket(3, 1, 1500 * DAY),
        bucket(1, 1_000_000_000, 1000),
        bucket(1_000_000_000, 1_000_000_000, 1000),
        // What others get wrong.
        bucket(1, 1050, 1000),
        bucket(5, 6000, 1000),
        bucket(19, 20_000, 1000),
        bucket(2, 8000, 1000),
        bucket(150_000_000, 150_000_000, 1000),
        bucket(700_000_000, 700_000_000, 1000),
        bucket(1, 700_000_000, 1000),
        // What is usual.
        bucket(10, 1, 1000),
        bucket(100, 7, 60_000),
        bucket(1000, 1000, 3_600_000),
        // What rounds badly.
        bucket(3, 1_000_000, 3000),
        bucket(7, 999_999_937, 999_983),
    ];
    prop_oneof![
        3 => select(named),
        2 => (1..=20u64, 1..=1000u64, any_period()).prop_map(|(c, r, p)| bucket(c, r, p)),
        2 => (amount(63), amount(63), any_period()).prop_map(|(c, r, p)| bucket(c, r, p)),
        1 => (1..=9u64, amount(30), any_period()).prop_map(|(c, r, p)| bucket(c, r, p)),
    ]
}

pub fn any_fixed() -> impl Strategy<Value = Rule> {
    let max = prop_oneof![1..=20u64, amount(63)];
    (max, any_period()).prop_map(|(max, period)| Rule::Fixed { max, period })
}

pub fn any_sliding() -> impl Strategy<Value = Rule> {
    let max = prop_oneof![1..=8u64, 1..=100u64];
    (max, any_period()).prop_map(|(max, period)| Rule::Sliding { max, period })
}

pub fn any_rule() -> impl Strategy<Value = Rule> {
    prop_oneof![any_bucket(), any_fixed(), any_sliding()]
}

/// A wait on a clock that only goes forward.
pub fn any_wait() -> impl Strategy<Value = Wait> {
    let beside = select(vec![-1000, -999, -1, 0, 0, 0, 1, 1000]);
    prop_oneof![
        2 => Just(Wait::Micros(0)),
        1 => Just(Wait::Micros(1)),
        1 => amount(44).prop_map(Wait::Micros),
        2 => (1..=20u64).prop_map(Wait::Tokens),
        2 => (1..=12u64).prop_map(Wait::Periods),
        4 => beside.prop_map(Wait::Retry),
    ]
}

/// A wait on a clock that is also set back.
pub fn any_step() -> impl Strategy<Value = Wait> {
    prop_oneof![
        4 => any_wait(),
        1 => amount(44).prop_map(Wait::Back),
        1 => (1..=12u64).prop_map(Wait::BackPeriods),
    ]
}

pub fn any_cost() -> impl Strategy<Value = Cost> {
    prop_oneof![3 => Just(Cost::One), 2 => (0..=16u64).prop_map(Cost::Part)]
}

pub fn arrivals(
    wait: impl Strategy<Value = Wait>,
    count: usize,
) -> impl Strategy<Value = Vec<Arrival>> {
    let arrival = (wait, any_cost()).prop_map(|(wait, cost)| Arrival { wait, cost });
    vec(arrival, 1..count)
}

impl Wait {
    /// The time after it.
    pub fn from(self, now: u64, rules: &[Rule], retry_at: Option<u64>) -> u64 {
        let period = |eighths: u64| rules[0].period() / 8 * eighths;
        let then = match self {
            Wait::Micros(micros) => now.saturating_add(micros),
            Wait::Tokens(eighths) => {
                let token = match rules[0] {
                    Rule::Bucket { refill, .. } => rules[0].period() / refill,
                    _ => 1000,
                };
                now.saturating_add(token / 8 * eighths + eighths % 2)
            }
            Wait::Periods(eighths) => now.saturating_add(period(eighths)),
            Wait::Retry(beside) => {
                let then = retry_at.unwrap_or(now).saturating_add_signed(beside);
                then.max(now)
            }
            Wait::Back(micros) => now.saturating_sub(micros),
            Wait::BackPeriods(eighths) => now.saturating_sub(period(eighths)),
        };
        then.clamp(1_577_836_800_000_000, LATEST)
    }
}

impl Cost {
    pub fn of(self, rules: &[Rule]) -> u64 {
        let most = rules.iter().map(|rule| rule.most()).min().unwrap_or(1);
        match self {
            Cost::One => 1,
            Cost::Part(sixteenths) => {
                let part = u128::from(most) * u128::from(sixteenths) / 16;
                (part as u64).max(1)
            }
        }
    }
}
