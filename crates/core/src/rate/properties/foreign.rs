//! Values that no limit wrote, or not quite so.

use super::*;
use crate::rate::State;
use crate::rate::part::Written;

/// States of one and of several limits, with and without a ring and a block.
fn states() -> Vec<Vec<u8>> {
    let bucket = bucket(10, 1, 1000);
    let fixed = Rule::Fixed {
        max: 1 << 40,
        period: 60_000,
    };
    let sliding = Rule::Sliding {
        max: 100,
        period: 1000,
    };
    let calls: [(&[Rule], u64); 7] = [
        (&[bucket], 1),
        (&[fixed], 1),
        (&[fixed], 1 << 35),
        (&[sliding], 2),
        (&[bucket, fixed], 1),
        (&[bucket, fixed, sliding, bucket], 1),
        (&[sliding, sliding, fixed], 3),
    ];
    let mut states = Vec::new();
    for (rules, cost) in calls {
        let mut key = Key::default();
        for request in 0..3 {
            key.rate(rules, cost, START + 1000 * request);
        }
        states.extend(key.value.clone());
        key.block(5000, START);
        states.extend(key.value);
    }
    states
}

/// How long the parts of a state are, without the rings behind them.
fn front(state: &[u8]) -> usize {
    let (mut at, mut rings) = (0, 0);
    while at + rings < state.len() {
        let (part, len, _) = Written::read(&state[at..]).unwrap();
        at += len;
        if let Written::Sliding(_, span) = part {
            rings += span.slots as usize * 6;
        }
    }
    at
}

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// How many of 100,000 values of the given bytes are taken for a state.
fn taken_for_states(from: u8, to: u8) -> usize {
    let mut numbers = Numbers(1);
    let mut taken = 0;
    for _ in 0..100_000 {
        // The lengths that states of one or two limits have, and all others.
        let len = match numbers.below(2) {
            0 => [12, 16, 24, 28][numbers.below(4) as usize],
            _ => numbers.below(80),
        };
        let range = u64::from(to - from) + 1;
        let value: Vec<u8> = (0..len)
            .map(|_| from + numbers.below(range) as u8)
            .collect();
        taken += usize::from(State::parse(&value).is_some());
    }
    taken
}

#[test]
fn a_state_that_was_cut_off_is_none() {
    for state in states() {
        for len in 0..state.len() {
            assert!(
                State::parse(&state[..len]).is_none(),
                "{len} of {state:02x?}"
            );
        }
    }
}

#[test]
fn a_state_with_more_behind_it_is_none() {
    for state in states() {
        for more in [&[0][..], &[0; 6], &[0; 12], &[255; 8], &state] {
            let longer = [&state, more].concat();
            assert!(
                State::parse(&longer).is_none(),
                "{more:02x?} behind {state:02x?}"
            );
        }
    }
}

/// The times in a ring are only numbers, and any would do.
#[test]
fn a_state_with_another_byte_in_its_front_is_nearly_always_none() {
    let (mut changed, mut refused) = (0, 0);
    for state in states() {
        for at in 0..front(&state) {
            for difference in 1..=255 {
                let mut other = state.clone();
                other[at] ^= difference;
                changed += 1;
                refused += usize::from(State::parse(&other).is_none());
            }
        }
    }
    let rate = refused as f64 / changed as f64;
    assert!(rate > 0.95, "only {rate} of {changed} were refused");
}

#[test]
fn random_bytes_are_nearly_never_taken_for_a_state() {
    let taken = taken_for_states(0, 255);
    assert!(taken < 250, "{taken} of 100,000");
}

#[test]
fn no_text_is_taken_for_a_state() {
    for (from, to) in [(b'a', b'z'), (b'0', b'9'), (b' ', b'~'), (0, 127)] {
        assert_eq!(taken_for_states(from, to), 0, "{from} to {to}");
    }
}

/// A full window of which somebody has written over the time of one unit: it seems to be over for
/// long, though older ones are not.
fn window_with_a_wrong_time(max: u64, unit: usize) -> ([Rule; 1], Key) {
    let rules = [Rule::Sliding { max, period: 1000 }];
    let mut key = Key::default();
    key.rate(&rules, max, START);
    let value = key.value.as_mut().unwrap();
    let ring = front(value);
    value[ring + 6 * unit..][..6].copy_from_slice(&[1, 0, 0, 0, 0, 0]);
    (rules, key)
}

#[test]
fn a_window_that_somebody_wrote_into_never_says_come_again_at_once() {
    let (rules, mut key) = window_with_a_wrong_time(2, 1);
    let told = key.rate(&rules, 2, START + 400_000);
    assert_eq!((told.allowed, told.retry_after_ms), (false, Some(600)));
    assert!(key.rate(&rules, 2, START + 1_000_000).allowed);
}

#[test]
fn a_refund_to_a_window_that_somebody_wrote_into_does_not_forget_the_rest() {
    let (rules, mut key) = window_with_a_wrong_time(3, 1);
    assert_eq!(key.refund(&rules, 1, START + 400_000).remaining, 1);
    assert_eq!(key.peek(&rules, 1, START + 400_000).remaining, 0);
    assert!(!key.rate(&rules, 2, START + 400_000).allowed);
}
