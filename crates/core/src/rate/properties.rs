//! What holds for any limits and any requests.

mod arrivals;
mod bounds;
mod changes;
mod foreign;
mod hostile;
mod joint;
mod several;
mod stored;

use proptest::prelude::*;
use proptest::test_runner::RngAlgorithm;

use self::arrivals::*;
use super::fake::Key;
use super::model::{Model, Rule};

/// A key beside its model.
#[derive(Default)]
struct Pair {
    key: Key,
    model: Model,
}

impl Pair {
    /// Has both judge a request.
    fn rate(&mut self, rules: &[Rule], cost: u64, now: u64) -> Result<bool, TestCaseError> {
        let expected = self.model.expects(rules, cost, now);
        let peeked = self.key.peek(rules, cost, now);
        let told = self.key.rate(rules, cost, now);
        prop_assert_eq!(peeked, told);
        prop_assert!(
            expected.covers(&told),
            "{:?} instead of {:?}",
            told,
            expected
        );
        if told.allowed {
            self.model.admit(rules, cost, now);
        }
        Ok(told.allowed)
    }

    fn refund(&mut self, rules: &[Rule], cost: u64, now: u64) -> Result<(), TestCaseError> {
        let before = self.key.clone();
        let told = self.key.refund(rules, cost, now);
        let (before, after) = (before.state(), self.key.state());
        let has_changed = |place: usize| before.parts()[place] != after.parts()[place];
        self.model.refund(rules, cost, now, has_changed);
        let expected = self.model.expects_refunded(rules, now);
        prop_assert!(
            expected.covers(&told),
            "{:?} instead of {:?}",
            told,
            expected
        );
        Ok(())
    }

    fn block(&mut self, millis: u64, now: u64) {
        self.key.block(millis, now);
        self.model.block(millis, now);
    }
}

/// Sends requests to one limit and has the model say what to expect.
fn says_what_the_model_says(rule: Rule, arrivals: &[Arrival]) -> Result<(), TestCaseError> {
    let mut pair = Pair::default();
    let (mut now, mut retry_at) = (START, None);
    for Arrival { wait, cost } in arrivals {
        let cost = cost.of(&[rule]);
        now = wait.from(now, &[rule], retry_at);
        // What a server forgets at the expiry, the model does not, and there is no difference.
        pair.key.expire(now);
        if !pair.rate(&[rule], cost, now)? {
            retry_at = pair.model.retry_at(&[rule], cost, now);
        }
    }
    Ok(())
}

/// So many cases, unless PROPTEST_CASES asks for others.
fn cases(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: match std::env::var_os("PROPTEST_CASES") {
            None => cases,
            Some(_) => default.cases,
        },
        failure_persistence: None,
        // The other ones take longer than what is tested.
        rng_algorithm: RngAlgorithm::XorShift,
        ..default
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_bucket_says_what_the_model_says(rule in any_bucket(), arrivals in arrivals(any_wait(), 40)) {
        says_what_the_model_says(rule, &arrivals)?;
    }

    #[test]
    fn a_fixed_window_says_what_the_model_says(rule in any_fixed(), arrivals in arrivals(any_wait(), 40)) {
        says_what_the_model_says(rule, &arrivals)?;
    }

    #[test]
    fn a_sliding_window_says_what_the_model_says(rule in any_sliding(), arrivals in arrivals(any_wait(), 60)) {
        says_what_the_model_says(rule, &arrivals)?;
    }
}
