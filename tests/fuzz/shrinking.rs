//! Fewer steps that fail as well, for whoever has to find out why.

use std::time::{Duration, Instant};

use crate::batch::{Failure, run_again};
use crate::step::Step;
use crate::world::{Build, World};

const PATIENCE: Duration = Duration::from_secs(60);

/// The fewest steps that were found to fail within a minute, or none if what failed does not
/// fail again.
pub fn shrink(steps: &[Step], build: Build, reads_aof: bool) -> Option<Failure> {
    let start = Instant::now();
    let attempt = |steps: Vec<Step>| {
        // What failed before may have left anything behind.
        let mut world = World::start(build);
        let reason = run_again(&steps, &mut world, reads_aof).err()?;
        Some(Failure { steps, reason })
    };
    let mut best = attempt(steps.to_vec())?;
    let mut length = best.steps.len() / 2;
    while length > 0 {
        let mut from = 0;
        while from < best.steps.len() && start.elapsed() < PATIENCE {
            let to = (from + length).min(best.steps.len());
            match attempt([&best.steps[..from], &best.steps[to..]].concat()) {
                Some(found) => best = found,
                None => from = to,
            }
        }
        length /= 2;
    }
    let mut from = (0, 0);
    while let Some(fewer) = without_call(&best.steps, &mut from)
        && start.elapsed() < PATIENCE
    {
        match attempt(fewer) {
            Some(found) => best = found,
            None => from.1 += 1,
        }
    }
    Some(best)
}

/// The steps without the call at a place, or at the next one where a step has another call.
fn without_call(steps: &[Step], (step, call): &mut (usize, usize)) -> Option<Vec<Step>> {
    loop {
        let calls = steps.get(*step)?.calls.len();
        if calls > 1 && *call < calls {
            let mut fewer = steps.to_vec();
            fewer[*step].calls.remove(*call);
            return Some(fewer);
        }
        (*step, *call) = (*step + 1, 0);
    }
}
