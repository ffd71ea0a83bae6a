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
    let attempt = |steps: &[Step]| {
        // What failed before may have left anything behind.
        let mut world = World::start(build);
        let reason = run_again(steps, &mut world, reads_aof).err()?;
        let steps = steps.to_vec();
        Some(Failure { steps, reason })
    };
    let mut best = attempt(steps)?;
    let mut length = best.steps.len() / 2;
    while length > 0 {
        let mut from = 0;
        while from < best.steps.len() && start.elapsed() < PATIENCE {
            let to = (from + length).min(best.steps.len());
            let fewer = [&best.steps[..from], &best.steps[to..]].concat();
            match attempt(&fewer) {
                Some(found) => best = found,
                None => from = to,
            }
        }
        length /= 2;
    }
    Some(best)
}
