//! Several limits in one call, and blocks above them.

use super::*;
use proptest::collection::vec;

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn several_limits_say_what_the_model_says(
        rules in vec(any_rule(), 1..9),
        arrivals in arrivals(any_wait(), 30),
    ) {
        let mut pair = Pair::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&rules);
            now = wait.from(now, &rules, retry_at);
            pair.key.expire(now);
            if !pair.rate(&rules, cost, now)? {
                retry_at = pair.model.retry_at(&rules, cost, now);
            }
        }
    }

    /// Each limit alone on a key of its own, which is charged when all would admit.
    #[test]
    fn a_request_passes_all_limits_or_consumes_from_none(
        rules in vec(any_rule(), 1..9),
        arrivals in arrivals(any_step(), 30),
    ) {
        let mut key = Key::default();
        let mut alone = vec![Key::default(); rules.len()];
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&rules);
            now = wait.from(now, &rules, retry_at);
            let each = alone.iter().zip(&rules);
            let each: Vec<_> = each.map(|(key, &rule)| key.peek(&[rule], cost, now)).collect();
            let told = key.rate(&rules, cost, now);
            prop_assert_eq!(told.allowed, each.iter().all(|told| told.allowed));
            let index = told.binding.unwrap();
            let binding = each[index];
            prop_assert_eq!(
                (told.limit, told.remaining, told.retry_after_ms, told.reset_after_ms, told.algorithm),
                (binding.limit, binding.remaining, binding.retry_after_ms, binding.reset_after_ms, binding.algorithm)
            );
            prop_assert_eq!(told.retry_after_ms, each.iter().map(|told| told.retry_after_ms).max().unwrap());
            if told.allowed {
                prop_assert_eq!(told.remaining, each.iter().map(|told| told.remaining).min().unwrap());
                let first = each.iter().position(|each| each.remaining == told.remaining);
                prop_assert_eq!(Some(index), first);
                for (key, &rule) in alone.iter_mut().zip(&rules) {
                    key.rate(&[rule], cost, now);
                }
            } else {
                retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
            }
        }
    }

    #[test]
    fn a_look_says_what_the_request_is_told_then_and_a_refusal_changes_nothing(
        rules in vec(any_rule(), 1..5),
        arrivals in arrivals(any_step(), 30),
        block in (0..30usize, amount(30)),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for (at, Arrival { wait, cost }) in arrivals.into_iter().enumerate() {
            let cost = cost.of(&rules);
            now = wait.from(now, &rules, retry_at);
            if at == block.0 {
                key.block(block.1, now);
            }
            let (value, expires_at) = (key.value.clone(), key.expires_at);
            let looked = key.peek(&rules, cost, now);
            let told = key.rate(&rules, cost, now);
            prop_assert_eq!(looked, told);
            if !told.allowed {
                prop_assert_eq!((value, expires_at), (key.value.clone(), key.expires_at));
                retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
            }
        }
    }

    #[test]
    fn a_block_refuses_until_it_is_over_and_keeps_what_is_beneath(
        rules in vec(any_rule(), 1..4),
        arrivals in arrivals(any_wait(), 20),
        (first, second) in (amount(33), amount(33)),
        between in any_wait(),
        cost in any_cost(),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            now = wait.from(now, &rules, retry_at);
            let told = key.rate(&rules, cost.of(&rules), now);
            retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
        }
        let cost = cost.of(&rules);
        let free = key.clone();
        let mut until = now + first * 1000;
        prop_assert_eq!(key.block(first, now), until);
        now = between.from(now, &rules, retry_at);
        until = until.max(now + second * 1000);
        prop_assume!(until <= LATEST);
        prop_assert_eq!(key.block(second, now), until);
        prop_assert!(key.expires_at * 1000 >= until && key.expires_at >= free.expires_at);

        for now in [now, now + 1, until - 1] {
            let told = key.rate(&rules, cost, now);
            let beneath = free.peek(&rules, cost, now);
            prop_assert!(!told.allowed && told.binding.is_none() && told.remaining == 0);
            let left = (until - now).div_ceil(1000);
            prop_assert_eq!(told.retry_after_ms, beneath.retry_after_ms.max(Some(left)));
            let untouched = free.peek(&rules, 0, now);
            prop_assert_eq!(told.reset_after_ms, left.max(untouched.reset_after_ms));
        }
        prop_assert_eq!(key.peek(&rules, cost, until), free.peek(&rules, cost, until));
        prop_assert_eq!(key.rate(&rules, cost, until + 1), free.peek(&rules, cost, until + 1));
    }

    #[test]
    fn a_block_on_a_key_without_limits_expires_with_it(millis in amount(33), odd in 0..1000u64) {
        let mut key = Key::default();
        let now = START + odd;
        let until = key.block(millis, now);
        prop_assert_eq!(key.expires_at, until.div_ceil(1000));
        let rules = [bucket(10, 1, 1000)];
        let told = key.peek(&rules, 1, until - 1);
        prop_assert!(!told.allowed && told.retry_after_ms == Some(1));
        prop_assert_eq!(key.peek(&rules, 1, until), Key::default().peek(&rules, 1, until));
    }
}
