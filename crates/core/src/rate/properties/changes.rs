//! What holds when limits, clocks and counts change under a key.

use super::bounds::keeps_the_bound;
use super::*;
use proptest::collection::vec;
use proptest::sample::Index;

/// A request with one of several lists of limits.
#[derive(Clone, Copy, Debug)]
struct Call {
    list: Index,
    wait: Wait,
    cost: Cost,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Rate,
    Refund,
    /// For so many eighths of the period.
    Block(u64),
}

fn calls(
    wait: impl Strategy<Value = Wait>,
    what: impl Strategy<Value = What>,
) -> impl Strategy<Value = Vec<Call>> {
    let call = (any::<Index>(), wait, any_cost(), what);
    let call = call.prop_map(|(list, wait, cost, what)| Call {
        list,
        wait,
        cost,
        what,
    });
    vec(call, 1..40)
}

/// Runs calls against the model.
fn run(lists: &[Vec<Rule>], calls: &[Call]) -> Result<(), TestCaseError> {
    let mut pair = Pair::default();
    let (mut now, mut retry_at) = (START, None);
    for call in calls {
        let rules = call.list.get(lists);
        let cost = call.cost.of(rules);
        now = call.wait.from(now, rules, retry_at);
        match call.what {
            What::Rate => {
                if !pair.rate(rules, cost, now)? {
                    retry_at = pair.model.retry_at(rules, cost, now);
                }
            }
            What::Refund => pair.refund(rules, cost, now)?,
            What::Block(eighths) => {
                let millis = (rules[0].period() / 8000 * eighths).clamp(1, 1500 * 86_400_000);
                // There is no time behind the last one.
                if now + millis * 1000 <= LATEST {
                    pair.block(millis, now);
                }
            }
        }
    }
    Ok(())
}

/// One limit, with several sets of numbers.
fn versions<R: Strategy<Value = Rule>>(rule: fn() -> R) -> impl Strategy<Value = Vec<Vec<Rule>>> {
    vec(rule().prop_map(|rule| vec![rule]), 2..4)
}

/// Versions of one bucket of which only one number differs.
fn similar_buckets() -> impl Strategy<Value = Vec<Vec<Rule>>> {
    let change = prop_oneof![
        (0..3usize, 1..=64u64).prop_map(|(which, factor)| (which, factor, 1)),
        (0..3usize, 1..=64u64).prop_map(|(which, factor)| (which, 1, factor)),
    ];
    (any_bucket(), vec(change, 1..3)).prop_map(|(rule, changes)| {
        let Rule::Bucket {
            capacity,
            refill,
            period,
        } = rule
        else {
            unreachable!()
        };
        let mut lists = vec![vec![rule]];
        for (which, factor, divisor) in changes {
            let mut numbers = [capacity, refill, period];
            let most = [1 << 62, 1 << 62, 1500 * 86_400_000][which];
            numbers[which] = numbers[which].saturating_mul(factor).min(most) / divisor;
            let [capacity, refill, period] = numbers.map(|number| number.max(1));
            lists.push(vec![bucket(capacity, refill, period)]);
        }
        lists
    })
}

/// Lists of any limits in any order, some of them in several lists.
fn lists() -> impl Strategy<Value = Vec<Vec<Rule>>> {
    vec(any_rule(), 2..6).prop_flat_map(|rules| vec(vec(prop::sample::select(rules), 1..5), 2..5))
}

fn only_rate() -> impl Strategy<Value = What> {
    Just(What::Rate)
}

fn any_what() -> impl Strategy<Value = What> {
    prop_oneof![
        6 => Just(What::Rate),
        2 => Just(What::Refund),
        1 => (0..12u64).prop_map(What::Block),
    ]
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_bucket_owes_the_same_with_other_numbers(
        lists in prop_oneof![similar_buckets(), versions(any_bucket)],
        calls in calls(any_wait(), only_rate()),
    ) {
        run(&lists, &calls)?;
    }

    #[test]
    fn a_fixed_window_has_counted_the_same_with_other_numbers(
        lists in versions(any_fixed),
        calls in calls(any_wait(), only_rate()),
    ) {
        run(&lists, &calls)?;
    }

    #[test]
    fn a_sliding_window_keeps_its_units_with_other_numbers(
        lists in versions(any_sliding),
        calls in calls(any_wait(), only_rate()),
    ) {
        run(&lists, &calls)?;
    }

    #[test]
    fn limits_that_a_call_does_not_name_stay_as_they_are(
        lists in lists(),
        calls in calls(any_wait(), only_rate()),
    ) {
        run(&lists, &calls)?;
    }

    #[test]
    fn a_key_says_what_the_model_says_whatever_happens_to_it(
        lists in lists(),
        calls in calls(any_step(), any_what()),
    ) {
        run(&lists, &calls)?;
    }

    #[test]
    fn a_clock_that_is_set_is_taken_as_the_model_takes_it(
        rule in any_rule(),
        arrivals in arrivals(any_step(), 40),
    ) {
        let mut pair = Pair::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&[rule]);
            now = wait.from(now, &[rule], retry_at);
            if !pair.rate(&[rule], cost, now)? {
                retry_at = pair.model.retry_at(&[rule], cost, now);
            }
        }
    }

    /// By the clock's latest time at which something passed.
    #[test]
    fn a_clock_that_is_set_back_admits_no_more(
        rule in any_rule(),
        arrivals in arrivals(any_step(), 60),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at, mut latest) = (START, None, 0);
        let mut admitted = Vec::new();
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&[rule]);
            now = wait.from(now, &[rule], retry_at);
            let told = key.rate(&[rule], cost, now);
            match told.retry_after_ms {
                None => {
                    latest = now.max(latest);
                    admitted.push((latest, cost));
                }
                Some(millis) => retry_at = Some(now.saturating_add(millis * 1000)),
            }
        }
        keeps_the_bound(rule, &admitted)?;
    }

    /// By the time that the clock has gone forward, on a server that deletes what has expired.
    #[test]
    fn a_clock_that_is_set_back_and_a_key_that_expires_admit_no_more(
        rule in prop_oneof![any_bucket(), any_sliding()],
        arrivals in arrivals(any_step(), 60),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at, mut passed) = (START, None, 0);
        let mut admitted = Vec::new();
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&[rule]);
            let then = wait.from(now, &[rule], retry_at);
            passed += then.saturating_sub(now);
            now = then;
            key.expire(now);
            let told = key.rate(&[rule], cost, now);
            match told.retry_after_ms {
                None => admitted.push((passed, cost)),
                Some(millis) => retry_at = Some(now.saturating_add(millis * 1000)),
            }
        }
        keeps_the_bound(rule, &admitted)?;
    }

    #[test]
    fn a_clock_that_is_set_back_denies_no_longer_than_the_step(
        rule in any_rule(),
        arrivals in arrivals(any_wait(), 20),
        step in amount(47),
        cost in any_cost(),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            now = wait.from(now, &[rule], retry_at);
            let told = key.rate(&[rule], cost.of(&[rule]), now);
            retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
        }
        let cost = cost.of(&[rule]);
        let back = Wait::Back(step).from(now, &[rule], None);
        let (at_once, later) = (key.peek(&[rule], cost, now), key.peek(&[rule], cost, back));
        if at_once.allowed {
            let millis = later.retry_after_ms.unwrap_or(0);
            prop_assert!(millis <= (now - back).div_ceil(1000), "{} ms", millis);
        }
        if let (Some(at_once), Some(later)) = (at_once.retry_after_ms, later.retry_after_ms) {
            prop_assert!(later <= at_once + (now - back).div_ceil(1000));
        }
    }

    #[test]
    fn a_refund_never_makes_more_than_full(
        rules in vec(any_rule(), 1..4),
        arrivals in arrivals(any_wait(), 20),
        refunds in vec(amount(63), 1..4),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            now = wait.from(now, &rules, retry_at);
            let told = key.rate(&rules, cost.of(&rules), now);
            retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
            for &refund in &refunds {
                let mut key = key.clone();
                let told = key.refund(&rules, refund, now);
                prop_assert!(told.remaining <= told.limit);
                prop_assert!(told.allowed && told.retry_after_ms.is_none());
                if rules.iter().all(|rule| rule.most() <= refund) {
                    prop_assert_eq!(told.reset_after_ms, 0);
                    let fresh = Key::default().peek(&rules, 1, now);
                    prop_assert_eq!(key.peek(&rules, 1, now).remaining, fresh.remaining);
                }
            }
        }
    }

    #[test]
    fn a_refund_undoes_what_was_taken(
        rules in vec(any_rule(), 1..4),
        arrivals in arrivals(any_wait(), 30),
        probe in any_cost(),
        later in any_wait(),
    ) {
        let mut key = Key::default();
        let (mut now, mut retry_at) = (START, None);
        for Arrival { wait, cost } in arrivals {
            let cost = cost.of(&rules);
            now = wait.from(now, &rules, retry_at);
            let mut given_back = key.clone();
            let told = key.rate(&rules, cost, now);
            retry_at = told.retry_after_ms.map(|millis| now.saturating_add(millis * 1000));
            if told.allowed {
                let before = given_back.clone();
                given_back.rate(&rules, cost, now);
                given_back.refund(&rules, cost, now);
                let probe = probe.of(&rules);
                for now in [now, later.from(now, &rules, retry_at)] {
                    let (then, now) = (before.peek(&rules, probe, now), given_back.peek(&rules, probe, now));
                    prop_assert_eq!(then, now);
                }
            }
        }
    }
}
