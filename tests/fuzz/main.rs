//! Random calls of every command, with hostile arguments and in every way a client can send them,
//! to live servers. `make fuzz` runs it for two minutes, `make fuzz SEED=n` from a given batch on.

mod batch;
mod call;
mod fuzzer;
mod grammar;
mod hostile;
mod json;
mod markdown;
mod outcomes;
mod plain;
mod pool;
mod rules;
mod sending;
mod settling;
mod shrinking;
mod step;
mod stream;
mod tally;
mod values;
mod world;

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

use batch::Failure;
use tally::Tally;
use world::World;

/// How long it goes on as one test among others.
const SHORT_RUN: u64 = 10;
/// How long it takes to get every command accepted.
const FULL_RUN: u64 = 120;

#[test]
fn whatever_clients_send_the_server_lives_and_keeps_its_word() {
    let seconds = setting("KEYNS_FUZZ_SECONDS").unwrap_or(SHORT_RUN);
    let first = setting("KEYNS_FUZZ_SEED").unwrap_or_else(seed_of_today);
    println!("fuzz: SEED={first}, {seconds} seconds");
    let start = Instant::now();
    let mut worlds = HashMap::new();
    let mut tally = Tally::default();
    let mut seed = first;
    // Each batch has a seed of its own, with which a failure is found again at once.
    while seed < first + 2 || start.elapsed() < Duration::from_secs(seconds) {
        let build = batch::build_of(seed);
        let world = worlds.entry(build).or_insert_with(|| World::start(build));
        if let Err(failure) = batch::run(seed, world, &mut tally) {
            let log = world.primary.log();
            drop(worlds);
            give_up(seed, &failure, &log);
        }
        seed += 1;
    }
    println!("{tally}\nfuzz: {} batches, from SEED={first}", seed - first);
    let missing = tally.never_accepted();
    assert!(
        seconds < FULL_RUN || missing.is_empty(),
        "never accepted, so give their arguments values in tests/fuzz/values.rs: {missing:?}"
    );
}

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok().filter(|value| !value.is_empty())?;
    let number = value.parse().ok().filter(|&number| number > 0);
    Some(number.unwrap_or_else(|| panic!("{name} must be a number from 1 on, got {value}")))
}

fn seed_of_today() -> u64 {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    // Far enough apart that two runs have no batch in common.
    time.expect("a clock after 1970").as_secs() * 1000
}

fn give_up(seed: u64, failure: &Failure, log: &str) -> ! {
    let build = batch::build_of(seed);
    let lines = log.lines().rev().take(60).collect::<Vec<_>>();
    let end_of_log = lines.into_iter().rev().collect::<Vec<_>>().join("\n");
    println!("the end of the server's log:\n{end_of_log}\n");
    let last = failure.steps.last().map(ToString::to_string);
    println!(
        "fuzz: SEED={seed} failed, with the module {build:?}, at step {}: {}\n  {}\n",
        failure.steps.len(),
        failure.reason,
        last.unwrap_or_default()
    );
    match shrinking::shrink(&failure.steps, build, batch::reads_aof(seed)) {
        None => println!("fuzz: the same steps did not fail again"),
        Some(fewer) => {
            println!("fuzz: these steps are enough for: {}", fewer.reason);
            for step in &fewer.steps {
                println!("  {step}");
            }
        }
    }
    panic!("replay it with: make fuzz SEED={seed}");
}
