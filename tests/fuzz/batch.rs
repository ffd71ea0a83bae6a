//! A batch: some hundred steps that follow from one number, on a server that is as good as new.

use std::panic::{AssertUnwindSafe, catch_unwind};

use keyns_testkit::Random;

use crate::call::Call;
use crate::grammar;
use crate::outcomes;
use crate::pool::Pool;
use crate::rules::{Sight, check_reply, check_silent, check_unchanged, must_change_nothing};
use crate::sending::send;
use crate::settling;
use crate::step::{self, Mood, Step, Way};
use crate::stream::Stream;
use crate::tally::Tally;
use crate::world::{Build, World};

const STEPS: usize = 250;
/// How many steps go by between two looks at which keys there are.
const STEPS_PER_LOOK: usize = 15;

/// The build that a batch is for.
pub fn build_of(seed: u64) -> Build {
    if seed.is_multiple_of(2) {
        Build::Checked
    } else {
        Build::Shipped
    }
}

/// Whether the AOF is read after a batch.
pub fn reads_aof(seed: u64) -> bool {
    (seed / 2).is_multiple_of(4)
}

/// Steps that ended in something that must not be.
pub struct Failure {
    pub steps: Vec<Step>,
    pub reason: String,
}

/// Takes steps as chance has them.
pub fn run(seed: u64, world: &mut World, tally: &mut Tally) -> Result<(), Failure> {
    let mut random = Random::seeded(seed);
    let tokens = grammar::tokens();
    let mood = Mood::any(&mut random);
    let mut pool = Pool::new(*random.pick(&[2, 8, 30]));
    let mut steps = Vec::new();
    let outcome = guarded(|| {
        world.reset();
        for number in 0..STEPS {
            if number % STEPS_PER_LOOK == 0 {
                pool.refresh(&mut world.admin);
                settling::check_panics(world)?;
            }
            steps.push(step::any(&mut random, mood, &pool, &tokens));
            for call in take(world, &steps[number], tally)? {
                pool.adopt(call, &mut random);
            }
        }
        finish(world, reads_aof(seed))
    });
    outcome.map_err(|reason| Failure { steps, reason })
}

/// Takes these steps again, and tells what goes wrong.
pub fn run_again(steps: &[Step], world: &mut World, reads_aof: bool) -> Result<(), String> {
    let mut tally = Tally::default();
    guarded(|| {
        world.reset();
        for step in steps {
            take(world, step, &mut tally)?;
        }
        finish(world, reads_aof)
    })
}

/// A server that is gone, or does not speak RESP, is a finding too.
fn guarded(run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or(panic.downcast_ref::<&str>().map(|&text| text.into()));
        Err(message.unwrap_or_else(|| "the fuzzer panicked".into()))
    })
}

/// Sends a step, sees that all is as it must be, and answers which of our calls were accepted.
fn take<'s>(world: &mut World, step: &'s Step, tally: &mut Tally) -> Result<Vec<&'s Call>, String> {
    let text = |error: std::io::Error| error.to_string();
    let sight = match step.watched {
        true => Some(Sight::of(world)?),
        false => None,
    };
    let stream = Stream::of(&mut world.admin).map_err(text)?;
    let replies = send(world, step).map_err(text)?;
    for (call, reply) in step.calls.iter().zip(&replies) {
        if let Some(reply) = reply {
            check_reply(call, reply)?;
            // In Lua a number is a double, and the server makes of the largest the smallest.
            if !matches!(step.way, Way::InScript(_)) {
                outcomes::check(call, reply)?;
            }
            tally.count(call, reply);
        }
    }
    if must_change_nothing(step, &replies) {
        check_silent(&stream, &Stream::of(&mut world.admin).map_err(text)?)?;
        if let Some(before) = sight {
            let after = Sight::of(world)?;
            check_unchanged(world, &before, &after)?;
        }
    }
    let answered = step.calls.iter().zip(&replies);
    let accepted = answered.filter(|(call, reply)| {
        call.spec().is_some() && reply.as_ref().is_some_and(|reply| !reply.is_error())
    });
    Ok(accepted.map(|(call, _)| call).collect())
}

fn finish(world: &mut World, reads_aof: bool) -> Result<(), String> {
    world.ease();
    settling::check_panics(world)?;
    settling::check_replica(world)?;
    if reads_aof {
        settling::check_aof(world)?;
    }
    settling::check_logs(world)
}
