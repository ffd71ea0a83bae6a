//! Everything that is measured.
//!
//! Limits for calls that are always allowed are so high, and refill so slowly, that a run neither
//! reaches them nor sees a key expire. The exceptions are windows on one key and on a few: they
//! are so short that each call finds old ones to forget, which is how a busy key is in real life.

use super::case::{Case, Keys};
use super::scripts::Scripts;

/// Where the two kinds of INCR stand among the cases, and the bucket that is compared with them.
pub const INCR_RANDOM: usize = 0;
pub const INCR_ONE: usize = 1;
pub const BUCKET_RANDOM: usize = 2;
pub const BUCKET_ONE: usize = 3;

const ALLOWED: i64 = 1;
const DENIED: i64 = 0;
/// In the replies of CL.THROTTLE and KEYNS.THROTTLE.
const PASSED: i64 = 0;
const LIMITED: i64 = 1;

pub fn all(scripts: &Scripts, has_peer: bool) -> Vec<Case> {
    let mut cases = vec![
        Case::new("INCR", Keys::Random, "INCR KEY"),
        Case::new("INCR", Keys::One, "INCR KEY"),
    ];
    cases.extend(buckets());
    cases.extend(windows());
    cases.extend(other_commands());
    cases.extend(throttles("KEYNS.THROTTLE"));
    cases.extend([
        Case::new("SET PX", Keys::Random, "SET KEY 1 PX 3600000"),
        Case::new("SET PX", Keys::One, "SET KEY 1 PX 3600000"),
    ]);
    if has_peer {
        cases.extend(throttles("CL.THROTTLE"));
    }
    cases.extend(lua(scripts));
    let cases = cases.into_iter().enumerate();
    cases.map(|(index, case)| case.in_database(index)).collect()
}

fn buckets() -> [Case; 4] {
    let rate = |name: &str, keys, limit: &str| {
        let name = format!("KEYNS.RATE BUCKET, {name}");
        Case::new(&name, keys, &format!("KEYNS.RATE KEY BUCKET {limit}"))
    };
    [
        rate("allowed", Keys::Random, "1000 1 1h")
            .replying(ALLOWED)
            .at_most(2.2)
            .aim(1.9),
        rate("allowed", Keys::One, "100000000 10 1h")
            .replying(ALLOWED)
            .at_most(1.8)
            .aim(1.5),
        rate("denied", Keys::Random, "1 1 1d")
            .replying(DENIED)
            .at_most(1.25)
            .aim(1.1),
        rate("denied", Keys::One, "1 1 1d")
            .replying(DENIED)
            .at_most(1.25)
            .aim(1.1),
    ]
}

fn windows() -> [Case; 8] {
    let rate = |name: &str, keys, limit: &str| {
        let name = format!("KEYNS.RATE {name}");
        Case::new(&name, keys, &format!("KEYNS.RATE KEY {limit}"))
    };
    [
        rate("SLIDING, max 100, allowed", Keys::Random, "SLIDING 100 1h")
            .replying(ALLOWED)
            .at_most(2.8),
        rate(
            "SLIDING, max 10,000, allowed",
            Keys::Random,
            "SLIDING 10000 1h",
        )
        .replying(ALLOWED)
        .at_most(2.8),
        rate(
            "SLIDING, max 10,000 in 5 ms, allowed",
            Keys::One,
            "SLIDING 10000 5ms",
        )
        .replying(ALLOWED)
        .passing()
        .at_most(2.8),
        rate(
            "SLIDING, max 100 in 1 ms, allowed",
            Keys::Few,
            "SLIDING 100 1ms",
        )
        .replying(ALLOWED)
        .passing()
        .at_most(2.8),
        rate(
            "SLIDING, max 10,000 in 100 ms, allowed",
            Keys::Few,
            "SLIDING 10000 100ms",
        )
        .replying(ALLOWED)
        .passing()
        .at_most(2.8),
        rate(
            "SLIDING, 10,000 of 10,000, denied",
            Keys::One,
            "SLIDING 10000 1h",
        )
        .filled(10_000)
        .replying(DENIED)
        .at_most(1.25)
        .aim(1.1),
        rate("FIXED, allowed", Keys::Random, "FIXED 1000 1d").replying(ALLOWED),
        rate("FIXED, allowed", Keys::One, "FIXED 100000000 1d").replying(ALLOWED),
    ]
}

fn other_commands() -> [Case; 4] {
    let four = "KEYNS.RATE, four limits, allowed";
    let peek = "KEYNS.RATE.PEEK BUCKET";
    [
        Case::new(
            four,
            Keys::Random,
            "KEYNS.RATE KEY BUCKET 1000 1 1h SLIDING 100 1h FIXED 1000 1d FIXED 10000 30d",
        )
        .replying(ALLOWED)
        .at_most(3.2),
        Case::new(
            four,
            Keys::One,
            "KEYNS.RATE KEY BUCKET 100000000 10 1h SLIDING 10000 5ms FIXED 100000000 1d \
             FIXED 1000000000 30d",
        )
        .replying(ALLOWED)
        .at_most(3.2),
        Case::new(peek, Keys::Random, "KEYNS.RATE.PEEK KEY BUCKET 1000 1 1h")
            .filled_by("KEYNS.RATE KEY BUCKET 1000 1 1h")
            .replying(ALLOWED),
        Case::new(peek, Keys::One, "KEYNS.RATE.PEEK KEY BUCKET 1000 1 1h")
            .filled_by("KEYNS.RATE KEY BUCKET 1000 1 1h")
            .replying(ALLOWED),
    ]
}

/// Ours and the peer's, which take the same arguments: a burst, and so many in so many seconds.
fn throttles(command: &str) -> [Case; 4] {
    let throttle = |name: &str, keys, limit: &str| {
        let line = format!("{command} KEY {limit}");
        Case::new(&format!("{command}, {name}"), keys, &line)
    };
    [
        throttle("allowed", Keys::Random, "999 24 86400").replying(PASSED),
        // One key is called so often that its first calls are there to outlive the other cases.
        throttle("allowed", Keys::One, "9999999 8640 86400")
            .filled(100)
            .replying(PASSED),
        throttle("denied", Keys::Random, "0 1 86400").replying(LIMITED),
        throttle("denied", Keys::One, "0 1 86400").replying(LIMITED),
    ]
}

fn lua(scripts: &Scripts) -> Vec<Case> {
    let kinds = [
        (
            "token bucket",
            &scripts.token_bucket,
            ["1000 1 3600000", "100000000 10 3600000", "1 1 86400000"],
        ),
        (
            "fixed window",
            &scripts.fixed_window,
            ["1000 86400000", "100000000 86400000", "1 86400000"],
        ),
        (
            "sliding log",
            &scripts.sliding_log,
            ["100 3600000", "10000 5", "1 86400000"],
        ),
    ];
    let cases = kinds.into_iter().flat_map(|(kind, script, limits)| {
        let case = |name, keys, limit| {
            let name = format!("Lua, {kind}, {name}");
            Case::new(&name, keys, &format!("EVALSHA {script} 1 KEY {limit}")).slow()
        };
        let [random, one, denied] = limits;
        let one = case("allowed", Keys::One, one).replying(ALLOWED);
        let is_short = kind == "sliding log";
        [
            case("allowed", Keys::Random, random).replying(ALLOWED),
            if is_short { one.passing() } else { one },
            case("denied", Keys::One, denied).replying(DENIED),
        ]
    });
    cases.collect()
}
