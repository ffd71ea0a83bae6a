//! What must hold of the fuzzer itself, so that its silence means something.

use std::collections::BTreeSet;

use keyns_testkit::{Random, Value};

use crate::batch::run_again;
use crate::call::Call;
use crate::grammar;
use crate::pool::Pool;
use crate::rules::check_reply;
use crate::settling::check_replica;
use crate::shrinking::shrink;
use crate::step::{self, Mood, Sender, Step, Way};
use crate::world::{Build, World};

fn steps(seed: u64) -> Vec<Step> {
    let mut random = Random::seeded(seed);
    let (pool, tokens) = (Pool::new(8), grammar::tokens());
    let mood = Mood::fair();
    let steps = (0..2000).map(|_| step::any(&mut random, mood, &pool, &tokens));
    steps.collect()
}

#[test]
fn the_same_seed_makes_the_same_steps() {
    let told = |seed| steps(seed).iter().map(Step::to_string).collect::<Vec<_>>();
    assert_eq!(told(7), told(7));
    assert_ne!(told(7), told(8));
}

#[test]
fn every_command_and_every_keyword_is_sent() {
    let steps = steps(7);
    let calls = steps.iter().flat_map(|step| &step.calls);
    let words: BTreeSet<&Vec<u8>> = calls.flat_map(|call| &call.words).collect();
    let names = grammar::commands().into_iter();
    let mut wanted: Vec<Vec<u8>> = names.map(|spec| spec.name.to_bytes().to_vec()).collect();
    wanted.extend(grammar::tokens());
    wanted.retain(|word| !words.contains(word));
    let missing: Vec<_> = wanted.iter().map(|word| word.escape_ascii()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_panic_is_found_and_everything_else_is_left_out() {
    let step = |line: &str| Step {
        sender: Sender {
            user: None,
            resp3: true,
            database: 0,
        },
        way: Way::Pipelined,
        calls: vec![Call::line(line)],
        watched: true,
    };
    let lines = ["KEYNS.NEXTID doc", "KEYNS.PANIC", "SET a b", "KEYNS.NEXTID"];
    let steps: Vec<Step> = lines.iter().map(|line| step(line)).collect();
    let mut world = World::start(Build::Checked);
    let reason = run_again(&steps, &mut world, true).expect_err("a panic");
    assert!(reason.contains("internal error"), "{reason}");
    let found = shrink(&steps, Build::Checked, true).expect("it fails again");
    let [only] = &found.steps[..] else {
        panic!("{} steps are left", found.steps.len());
    };
    assert_eq!(only.calls[0].to_string(), "\"KEYNS.PANIC\"");
}

#[test]
fn a_replica_that_is_not_the_same_is_found() {
    let mut world = World::start(Build::Shipped);
    world.admin.run("SET a b EX 1000");
    assert_eq!(check_replica(&mut world), Ok(()));
    world.replica_admin.run("CONFIG SET replica-read-only no");
    world.replica_admin.run("EXPIRE a 2000");
    let expiry = check_replica(&mut world).expect_err("another expiry");
    assert!(expiry.starts_with("a expires at"), "{expiry}");
    world.replica_admin.run("SET c d");
    let data = check_replica(&mut world).expect_err("another key");
    assert!(data.ends_with("keys of database 0: [\"c\"]"), "{data}");
}

#[test]
fn errors_that_clients_cannot_read_are_found() {
    let call = Call::line("KEYNS.NEXTID doc");
    let check = |error: &str| check_reply(&call, &Value::Error(error.into()));
    assert_eq!(check("ERR COUNT is given twice"), Ok(()));
    for error in [
        "ERR internal error, see the server's log",
        "COUNT is given twice",
        "ERR got '\u{e4}'",
        "ERR got '\t'",
        &format!("ERR got '{}'", "x".repeat(1024)),
    ] {
        assert!(check(error).is_err(), "{error}");
    }
    let hidden = Value::Array(vec![Value::Integer(1), Value::Error("ERR x".into())]);
    assert!(check_reply(&call, &hidden).is_err());
}
