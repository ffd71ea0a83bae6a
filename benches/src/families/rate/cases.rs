//! Everything that is measured.
//!
//! Limits for calls that are always allowed are so high, and refill so slowly, that a run neither
//! reaches them nor sees a key expire. The exceptions are windows on one key and on a few: they
//! are so short that each call finds old ones to forget, which is how a busy key is in real life.

use super::case::{Case, Keys};
use super::peers::Scripts;

/// The first database of what is measured, behind those of INCR.
pub const OWN: usize = 2;

/// INCR on random keys and on one.
pub fn incrs() -> [Case; 2] {
    [
        Case::new("INCR", Keys::Random, "INCR KEY"),
        Case::new("INCR", Keys::One, "INCR KEY").in_database(1),
    ]
}

pub fn all(scripts: &Scripts, has_peer: bool) -> Vec<Case> {
    let mut cases = Vec::from(allowed_buckets());
    cases.extend(denied_buckets());
    cases.extend(windows());
    cases.extend(other_commands());
    cases.extend(several_keys());
    cases.extend(throttles("KEYNS.THROTTLE"));
    let set = |keys| Case::new("SET PX", keys, "SET KEY 1 PX 3600000");
    cases.extend([set(Keys::Random), set(Keys::One)]);
    if has_peer {
        cases.extend(throttles("CL.THROTTLE"));
    }
    cases.extend(lua(scripts));
    let cases = cases.into_iter();
    cases.map(|case| case.in_database(OWN)).collect()
}

fn bucket(keys: Keys, limit: &str) -> Case {
    let line = format!("KEYNS.RATE KEY BUCKET {limit}");
    Case::new("KEYNS.RATE BUCKET", keys, &line).in_database(OWN)
}

/// On random keys and on one.
pub fn allowed_buckets() -> [Case; 2] {
    [
        bucket(Keys::Random, "1000 1 1h")
            .allowed()
            .at_most(2.2)
            .aim(1.9),
        // So many calls that the key is still there when its turn comes.
        bucket(Keys::One, "10000000 1000 1h")
            .filled(1000)
            .allowed()
            .at_most(1.8)
            .aim(1.5),
    ]
}

fn denied_buckets() -> [Case; 2] {
    let denied = |keys| bucket(keys, "1 1 1d").denied().at_most(1.25).aim(1.1);
    [denied(Keys::One), denied(Keys::Random)]
}

fn windows() -> [Case; 8] {
    let fixed = |keys, limit: &str| {
        let line = format!("KEYNS.RATE KEY FIXED {limit}");
        Case::new("KEYNS.RATE FIXED", keys, &line)
    };
    let sliding = |keys, name: &str, limit: &str| {
        let line = format!("KEYNS.RATE KEY SLIDING {limit}");
        Case::new(&format!("KEYNS.RATE SLIDING, {name}"), keys, &line)
    };
    let random = |name, limit| sliding(Keys::Random, name, limit).allowed().at_most(2.8);
    let passing = |keys, name, limit| sliding(keys, name, limit).allowed().passing().at_most(2.8);
    [
        fixed(Keys::Random, "1000 30d").allowed(),
        fixed(Keys::One, "10000000 30d").allowed(),
        random("max 100", "100 1h"),
        random("max 10,000", "10000 1h"),
        passing(Keys::One, "max 10,000 in 5 ms", "10000 5ms"),
        // A hundred times the calls in the window, for the same work.
        passing(Keys::Few, "max 100 in 1 ms", "100 1ms"),
        passing(Keys::Few, "max 10,000 in 100 ms", "10000 100ms"),
        sliding(Keys::One, "max 10,000", "10000 1h")
            .filled(10_000)
            .denied()
            .at_most(1.25)
            .aim(1.1),
    ]
}

fn other_commands() -> [Case; 6] {
    let four = |name: &str, keys, limits: &str| {
        let line = format!("KEYNS.RATE KEY {limits}");
        Case::new(&format!("KEYNS.RATE, four limits, {name}"), keys, &line)
            .allowed()
            .at_most(3.2)
    };
    let peek = |keys| {
        Case::new(
            "KEYNS.RATE.PEEK BUCKET",
            keys,
            "KEYNS.RATE.PEEK KEY BUCKET 1000 1 1h",
        )
        .filled_by("KEYNS.RATE KEY BUCKET 1000 1 1h")
        .allowed()
    };
    [
        four(
            "a bucket and windows of a day, a month and a quarter",
            Keys::Random,
            "BUCKET 1000 1 1h FIXED 1000 1d FIXED 10000 30d FIXED 100000 90d",
        ),
        four(
            "a bucket and windows of a day, a month and a quarter",
            Keys::One,
            "BUCKET 10000000 1000 1h FIXED 10000000 1d FIXED 10000000 30d FIXED 100000000 90d",
        ),
        four(
            "one of them SLIDING",
            Keys::Random,
            "BUCKET 1000 1 1h SLIDING 100 1h FIXED 1000 30d FIXED 10000 90d",
        ),
        four(
            "one of them SLIDING",
            Keys::One,
            "BUCKET 10000000 1000 1h SLIDING 10000 5ms FIXED 10000000 30d FIXED 100000000 90d",
        ),
        peek(Keys::Random),
        peek(Keys::One),
    ]
}

/// A request that counts on two keys: at most 1.7 of what it may cost on one.
fn several_keys() -> [Case; 6] {
    let two = |name: &str, keys, limits: &str| {
        let line = format!("KEYNS.RATE.ALL 2 KEY OTHER {limits}");
        Case::new(&format!("KEYNS.RATE.ALL BUCKET {name}"), keys, &line)
    };
    let shared = |keys, limits| two("on two keys", keys, limits);
    let each = |keys, limit: &str| {
        let limits = format!("{limit} AND {limit}");
        two("on two keys, a list for each", keys, &limits)
    };
    let denied = |keys| shared(keys, "BUCKET 1 1 1d").denied();
    let (random, one) = ("BUCKET 1000 1 1h", "BUCKET 10000000 1000 1h");
    [
        shared(Keys::Random, random).allowed().at_most(3.7),
        shared(Keys::One, one).filled(1000).allowed().at_most(3.0),
        each(Keys::Random, random).allowed().at_most(3.7),
        each(Keys::One, one).filled(1000).allowed().at_most(3.0),
        denied(Keys::Random),
        denied(Keys::One),
    ]
}

/// Ours and the peer's, which take the same arguments: a burst, and so many in so many seconds.
fn throttles(command: &str) -> [Case; 4] {
    let throttle = |keys, limit: &str| Case::new(command, keys, &format!("{command} KEY {limit}"));
    [
        throttle(Keys::Random, "999 24 86400").allowed(),
        throttle(Keys::One, "9999999 8640 86400")
            .filled(100)
            .allowed(),
        throttle(Keys::Random, "0 1 86400").denied(),
        throttle(Keys::One, "0 1 86400").denied(),
    ]
}

fn lua(scripts: &Scripts) -> [Case; 9] {
    let script = |name: &str, script: &str, keys, limit: &str| {
        let line = format!("EVALSHA {script} 1 KEY {limit}");
        Case::new(&format!("Lua, {name}"), keys, &line).slow()
    };
    let bucket = |keys, limit| script("token bucket", &scripts.token_bucket, keys, limit);
    let fixed = |keys, limit| script("fixed window", &scripts.fixed_window, keys, limit);
    let log = |keys, limit| script("sliding log", &scripts.sliding_log, keys, limit);
    [
        bucket(Keys::Random, "1000 1 3600000").allowed(),
        bucket(Keys::One, "10000000 1000 3600000")
            .filled(1000)
            .allowed(),
        bucket(Keys::One, "1 1 86400000").denied(),
        fixed(Keys::Random, "1000 86400000").allowed(),
        fixed(Keys::One, "10000000 86400000").allowed(),
        fixed(Keys::One, "1 86400000").denied(),
        log(Keys::Random, "100 3600000").allowed(),
        log(Keys::One, "10000 5").allowed().passing(),
        log(Keys::One, "1 86400000").denied(),
    ]
}
