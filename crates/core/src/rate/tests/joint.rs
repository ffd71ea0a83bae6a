//! One request on several keys.

use super::*;
use crate::rate::fake::rate_all;
use crate::rate::{Joint, take_all};

/// What a request on all keys with one list each is told: the key that speaks, and what it says.
fn ask(keys: &mut [Key], lists: &[Vec<Rule>], cost: u64) -> (usize, (bool, u64, i64, u64)) {
    let (key, outcome) = rate_all(keys, lists, cost, START);
    (key, told(&outcome))
}

#[test]
fn the_key_with_least_left_speaks_and_of_equals_the_first() {
    let mut keys = vec![Key::default(); 3];
    let lists = [4, 3, 3].map(|max| vec![fixed(max, 60_000)]);
    assert_eq!(ask(&mut keys, &lists, 1), (1, (true, 2, -1, 60_000)));
    keys[2].rate(&lists[2], 1, START);
    assert_eq!(ask(&mut keys, &lists, 1), (2, (true, 0, -1, 60_000)));
}

#[test]
fn the_longest_wait_speaks_and_nothing_is_taken() {
    let mut keys = vec![Key::default(); 4];
    let lists = [60_000, 1000, 3_600_000, 3_600_000].map(|period| vec![fixed(2, period)]);
    for (key, rules) in keys.iter_mut().zip(&lists).skip(1) {
        key.rate(rules, 2, START);
    }
    let before: Vec<_> = keys.iter().map(|key| key.value.clone()).collect();
    assert_eq!(
        ask(&mut keys, &lists, 1),
        (2, (false, 0, 3_600_000, 3_600_000))
    );
    let after: Vec<_> = keys.iter().map(|key| key.value.clone()).collect();
    assert_eq!(before, after);
    assert_eq!(keys[0].value, None);
}

#[test]
fn a_block_speaks_where_it_takes_longest() {
    let mut keys = vec![Key::default(); 2];
    let lists = [vec![fixed(1, 60_000)], vec![fixed(1, 60_000)]];
    keys[0].rate(&lists[0], 1, START);
    keys[1].block(1000, START);
    let (key, outcome) = rate_all(&mut keys, &lists, 1, START);
    assert_eq!((key, outcome.binding), (0, Some(0)));
    keys[1].block(90_000, START);
    let (key, outcome) = rate_all(&mut keys, &lists, 1, START);
    assert_eq!((key, outcome.binding), (1, None));
    assert_eq!(outcome.retry_after_ms, Some(90_000));
}

#[test]
fn a_key_that_holds_no_state_is_named_whatever_the_others_say() {
    let list = limits(&[fixed(1, 60_000)]);
    let mut full = Key::default();
    full.rate(&[fixed(1, 60_000)], 1, START);
    let full = full.value.as_deref();
    for (stored, wrong) in [
        ([None, Some(&b"5"[..]), None], 1),
        ([full, None, Some(b"text")], 2),
        ([Some(b""), Some(b"5"), full], 0),
    ] {
        let keys = stored.into_iter().map(|stored| (stored, &list));
        assert_eq!(take_all(keys, 1, moment(START)), Err(wrong));
    }
}

#[test]
fn without_a_key_nothing_is_asked() {
    assert_eq!(take_all([], 1, moment(START)), Ok(Joint::default()));
}
