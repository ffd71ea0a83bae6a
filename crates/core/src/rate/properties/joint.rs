//! One request on several keys, beside keys that are each asked alone and charged when all admit.

use super::*;
use crate::rate::fake;
use proptest::collection::vec;

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_request_passes_all_keys_or_takes_from_none(
        lists in vec(vec(any_rule(), 1..4), 1..9),
        arrivals in arrivals(any_step(), 30),
        block in (0..30usize, 0..8usize, amount(30)),
    ) {
        let all: Vec<Rule> = lists.concat();
        let mut keys = vec![Key::default(); lists.len()];
        let mut alone = keys.clone();
        let (mut now, mut retry_at) = (START, None);
        for (at, Arrival { wait, cost }) in arrivals.into_iter().enumerate() {
            let cost = cost.of(&all);
            now = wait.from(now, &all, retry_at);
            if at == block.0 {
                let blocked = block.1 % keys.len();
                keys[blocked].block(block.2, now);
                alone[blocked].block(block.2, now);
            }
            let each = alone.iter().zip(&lists);
            let each: Vec<_> = each.map(|(key, rules)| key.peek(rules, cost, now)).collect();
            let (key, told) = fake::rate_all(&mut keys, &lists, cost, now);

            prop_assert_eq!(told, each[key]);
            prop_assert_eq!(told.allowed, each.iter().all(|told| told.allowed));
            let longest = each.iter().map(|told| told.retry_after_ms).max().unwrap();
            prop_assert_eq!(told.retry_after_ms, longest);
            let mut equals = each.iter().filter(|each| each.retry_after_ms == longest);
            prop_assert!(equals.all(|each| each.remaining >= told.remaining));
            let first = each
                .iter()
                .position(|each| each.retry_after_ms == longest && each.remaining == told.remaining);
            prop_assert_eq!(Some(key), first);

            if told.allowed {
                for (key, rules) in alone.iter_mut().zip(&lists) {
                    key.rate(rules, cost, now);
                }
            } else {
                retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
            }
            for (key, alone) in keys.iter().zip(&alone) {
                prop_assert_eq!(&key.value, &alone.value);
                prop_assert_eq!(key.expires_at, alone.expires_at);
            }
        }
    }

    /// One key and one list say what KEYNS.RATE does.
    #[test]
    fn one_key_is_told_what_it_is_told_alone(
        rules in vec(any_rule(), 1..9),
        arrivals in arrivals(any_step(), 20),
    ) {
        let mut keys = [Key::default()];
        let mut alone = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&rules);
            now = wait.from(now, &rules, retry_at);
            let expected = alone.rate(&rules, cost, now);
            let lists = std::slice::from_ref(&rules);
            prop_assert_eq!(fake::rate_all(&mut keys, lists, cost, now), (0, expected));
            prop_assert_eq!(&keys[0].value, &alone.value);
            retry_at = expected.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
        }
    }
}
