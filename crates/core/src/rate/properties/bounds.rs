//! Never more than a limit says, in any stretch of time, and honest about when there will be more.

use super::*;
use crate::rate::model::{limits, moment};
use crate::rate::{Outcome, State};

/// What was admitted: when, and how much.
type Admitted = Vec<(u64, u64)>;

/// Sends requests to one limit, on a server that deletes the key when it expires.
fn admitted(rule: Rule, arrivals: &[Arrival]) -> Admitted {
    let mut key = Key::default();
    let (mut now, mut retry_at) = (START, None);
    let mut admitted = Admitted::new();
    for Arrival { wait, cost } in arrivals {
        let cost = cost.of(&[rule]);
        now = wait.from(now, &[rule], retry_at);
        key.expire(now);
        let told = key.rate(&[rule], cost, now);
        match told.retry_after_ms {
            None => admitted.push((now, cost)),
            Some(millis) => retry_at = Some(now.saturating_add(millis * 1000)),
        }
    }
    admitted
}

/// Looks at every stretch of time that starts and ends with something admitted, which are the
/// shortest ones with so much in them.
pub fn keeps_the_bound(rule: Rule, admitted: &[(u64, u64)]) -> Result<(), TestCaseError> {
    let period = u128::from(rule.period());
    for (first, &(start, _)) in admitted.iter().enumerate() {
        let mut sum = 0;
        for &(end, cost) in &admitted[first..] {
            let length = u128::from(end - start);
            sum += u128::from(cost);
            let is_kept = match rule {
                // No more than capacity + refill * length / period.
                Rule::Bucket {
                    capacity, refill, ..
                } => sum * period <= u128::from(capacity) * period + u128::from(refill) * length,
                Rule::Fixed { max, .. } => {
                    start / rule.period() != end / rule.period() || sum <= max.into()
                }
                Rule::Sliding { max, .. } => length >= period || sum <= max.into(),
            };
            prop_assert!(is_kept, "{sum} from {start} to {end} with {rule:?}");
        }
    }
    Ok(())
}

/// Whether a request passes at the time that the refusal named, and not a millisecond before.
fn is_honest(
    key: &Key,
    rules: &[Rule],
    cost: u64,
    now: u64,
    told: Outcome,
) -> Result<(), TestCaseError> {
    let Some(millis) = told.retry_after_ms else {
        return Ok(());
    };
    prop_assert!(millis > 0);
    let then = now + millis * 1000;
    if then <= LATEST {
        prop_assert!(key.peek(rules, cost, then).allowed, "not after {millis} ms");
    }
    if then - 1000 <= LATEST {
        let before = key.peek(rules, cost, then - 1000);
        prop_assert!(!before.allowed, "{} ms would have done", millis - 1);
        prop_assert_eq!(before.retry_after_ms, Some(1));
    }
    Ok(())
}

/// Whether the limit is as good as new at the time that was named, and not a millisecond before.
fn resets_when_it_says(
    key: &Key,
    rule: Rule,
    now: u64,
    told: Outcome,
) -> Result<(), TestCaseError> {
    let fresh = |now| {
        let (fresh, _) = State::default().take(&limits(&[rule]), rule.most(), moment(now));
        fresh == key.peek(&[rule], rule.most(), now)
    };
    let then = now + told.reset_after_ms * 1000;
    if then <= LATEST {
        prop_assert!(fresh(then), "not after {} ms", told.reset_after_ms);
    }
    if told.reset_after_ms > 0 && then - 1000 <= LATEST {
        prop_assert!(
            !fresh(then - 1000),
            "{} ms would have done",
            told.reset_after_ms - 1
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_bucket_never_admits_more_than_it_holds_and_gets(
        rule in any_bucket(),
        arrivals in arrivals(any_wait(), 60),
    ) {
        keeps_the_bound(rule, &admitted(rule, &arrivals))?;
    }

    #[test]
    fn a_fixed_window_never_admits_more_than_its_maximum(
        rule in any_fixed(),
        arrivals in arrivals(any_wait(), 60),
    ) {
        keeps_the_bound(rule, &admitted(rule, &arrivals))?;
    }

    #[test]
    fn a_sliding_window_never_admits_more_than_its_maximum(
        rule in any_sliding(),
        arrivals in arrivals(any_wait(), 100),
    ) {
        keeps_the_bound(rule, &admitted(rule, &arrivals))?;
    }

    #[test]
    fn what_is_refused_passes_when_it_was_told_and_not_before(
        rules in prop::collection::vec(any_rule(), 1..4),
        arrivals in arrivals(any_step(), 30),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&rules);
            now = wait.from(now, &rules, retry_at);
            let told = key.rate(&rules, cost, now);
            is_honest(&key, &rules, cost, now, told)?;
            retry_at = told.retry_after_ms.map(|millis| now + millis * 1000).or(retry_at);
        }
    }

    #[test]
    fn a_limit_is_fresh_when_it_was_told_and_not_before(
        rule in any_rule(),
        arrivals in arrivals(any_step(), 30),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&[rule]);
            now = wait.from(now, &[rule], retry_at);
            let told = key.rate(&[rule], cost, now);
            resets_when_it_says(&key, rule, now, told)?;
            retry_at = told.retry_after_ms.map(|millis| now + millis * 1000).or(retry_at);
        }
    }
}
