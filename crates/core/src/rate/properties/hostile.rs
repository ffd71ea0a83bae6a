//! Bytes that nobody wrote, and numbers that nobody means.

use super::*;
use crate::rate::bucket::{Taken, Tokens};
use crate::rate::fixed::Counted;
use crate::rate::model::{moment, period};
use crate::rate::part::{Place, Written};
use crate::rate::sliding::Span;
use crate::rate::take;
use crate::rate::width::Width;
use crate::rate::{Bucket, Bytes, Change, Fixed, Limit, Limits, Moment, Sliding, State, Value};
use proptest::collection::vec;
use proptest::sample::select;

const EXTREMES: [u64; 12] = [
    1,
    2,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 53) - 1,
    1 << 53,
    1 << 62,
    i64::MAX as u64 - 1,
    i64::MAX as u64,
    1_000_000,
];

fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![3 => select(EXTREMES.to_vec()), 1 => amount(63)]
}

fn extreme_moment() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(START),
        Just(LATEST),
        Just(LATEST - 1),
        1_577_836_800_000_000..=LATEST
    ]
}

fn extreme_limit() -> impl Strategy<Value = Option<Limit>> {
    let millis = || prop_oneof![Just(1), Just(1500 * 86_400_000), any_period()];
    prop_oneof![
        (extreme(), extreme(), millis()).prop_map(|(capacity, refill, millis)| {
            Bucket::new(capacity, refill, period(millis))
                .map(Limit::Bucket)
                .ok()
        }),
        (extreme(), millis())
            .prop_map(|(max, millis)| Some(Limit::Fixed(Fixed::new(max, period(millis))))),
        // Every unit is kept: more of them only take more memory.
        (1..=5000u64, millis())
            .prop_map(|(max, millis)| Some(Limit::Sliding(Sliding::new(max, period(millis))))),
    ]
}

fn extreme_limits() -> impl Strategy<Value = Limits> {
    vec(extreme_limit(), 1..=8).prop_map(|all| {
        let mut limits = Limits::default();
        for limit in all.into_iter().flatten() {
            limits.push(limit).unwrap();
        }
        limits
    })
}

/// A part with any numbers and its ring with any bytes, but with the right check.
fn any_part() -> impl Strategy<Value = (Written, Vec<u8>)> {
    let at = || (0..1u64 << 51).prop_map(Moment::from_bits);
    let at = move || {
        prop_oneof![
            Just(Moment::default()),
            Just(moment(START)),
            Just(moment(LATEST)),
            at()
        ]
    };
    let raw = prop_oneof![
        any::<u128>(),
        any::<u64>().prop_map(u128::from),
        Just(u128::MAX),
        Just(0)
    ];
    prop_oneof![
        (at(), raw, 0..=17u32).prop_map(|(at, raw, bits)| {
            let tokens = Tokens {
                raw,
                bits: 3 * bits,
            };
            (
                Written::Bucket(Taken {
                    at,
                    tokens,
                    width: Width::Sixteen,
                }),
                Vec::new(),
            )
        }),
        (at(), prop_oneof![any::<u64>(), Just(u64::MAX), 0..100u64]).prop_map(|(at, count)| (
            Written::Fixed(Counted {
                at,
                count,
                width: Width::Eight
            }),
            Vec::new()
        )),
        (
            at(),
            0..40u32,
            any::<u32>(),
            any::<u32>(),
            vec(any::<u8>(), 40 * 6)
        )
            .prop_map(|(at, slots, head, live, mut ring)| {
                ring.truncate(slots as usize * 6);
                let head = if slots == 0 { 0 } else { head % slots };
                let live = live % (slots + 1);
                (Written::Sliding(at, Span { slots, head, live }), ring)
            }),
        at().prop_map(|until| (Written::Blocked(until), Vec::new())),
    ]
}

fn state_of(parts: &[(Written, Vec<u8>)]) -> Vec<u8> {
    let mut front = Bytes::new();
    for (index, (part, _)) in parts.iter().enumerate() {
        let place = Place::before(parts.len() - 1 - index);
        part.write(place, &mut front);
    }
    let rings = parts.iter().flat_map(|(_, ring)| ring.iter().copied());
    front.iter().copied().chain(rings).collect()
}

/// Does everything to a state, and reads what comes of it.
fn handle(stored: &[u8], limits: &Limits, cost: u64, now: u64) -> Result<(), TestCaseError> {
    let now = moment(now);
    let Some(state) = State::parse(stored) else {
        prop_assert_eq!(take(Some(stored), limits, cost, now), None);
        return Ok(());
    };
    if limits.is_empty() {
        return Ok(());
    }
    let taken = state.take(limits, cost, now);
    prop_assert_eq!(Some(taken.clone()), take(Some(stored), limits, cost, now));
    let refunded = state.refund(limits, cost, now);
    let (_, blocked) = state.block(period(1000), now);
    for change in [taken.1, refunded.1, blocked].into_iter().flatten() {
        let value = applied(stored, &change);
        prop_assert!(State::parse(&value).is_some(), "wrote what it cannot read");
    }
    Ok(())
}

fn applied(stored: &[u8], change: &Change) -> Vec<u8> {
    match &change.value {
        Value::Whole(value) => value.to_vec(),
        Value::Ranges(ranges) => {
            let mut value = stored.to_vec();
            for (place, bytes) in ranges {
                value[*place..place + bytes.len()].copy_from_slice(bytes);
            }
            value
        }
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn no_state_makes_it_panic_or_wrap(
        parts in vec(any_part(), 1..10),
        limits in extreme_limits(),
        cost in extreme(),
        now in extreme_moment(),
    ) {
        handle(&state_of(&parts), &limits, cost, now)?;
    }

    #[test]
    fn no_bytes_make_it_panic(
        bytes in vec(any::<u8>(), 0..100),
        limits in extreme_limits(),
        cost in extreme(),
        now in extreme_moment(),
    ) {
        handle(&bytes, &limits, cost, now)?;
    }

    #[test]
    fn no_numbers_make_it_panic_or_wrap(
        limits in extreme_limits(),
        calls in vec((extreme(), extreme_moment()), 1..6),
    ) {
        let mut stored: Option<Vec<u8>> = None;
        for (cost, now) in calls {
            if limits.is_empty() || limits.check_cost(cost).is_err() {
                continue;
            }
            let (told, change) = take(stored.as_deref(), &limits, cost, moment(now)).unwrap();
            prop_assert!(told.remaining <= told.limit);
            if let Some(change) = change {
                let value = applied(stored.as_deref().unwrap_or_default(), &change);
                handle(&value, &limits, cost, now)?;
                stored = Some(value);
            }
        }
    }
}
