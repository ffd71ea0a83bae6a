//! KEYNS.THROTTLE: a bucket with the arguments and the reply of redis-cell.

use super::request::{AMOUNTS, Request};
use super::{count, look, signed, take};
use crate::server::{Args, Call, Result};
use keyns_core::rate;
use keyns_core::rate::{Bucket, Limit, Limits, Outcome, Period};

pub fn throttle(call: &Call) -> Result<()> {
    let mut args = call.args();
    args.required()?;
    let (capacity, request) = request(args)?;
    let outcome = match request.cost {
        0 => look(call, &request)?,
        cost if cost <= capacity => take(call, &request)?,
        // A request that can never pass is limited, without a time to retry.
        _ => {
            let never = Outcome {
                allowed: false,
                retry_after_ms: None,
                ..look(call, &Request { cost: 0, ..request })?
            };
            count(&never);
            never
        }
    };
    reply(call, &outcome);
    Ok(())
}

/// The capacity of the bucket, and the request.
fn request(mut args: Args) -> rate::Result<(u64, Request)> {
    let capacity = args.amount("max_burst", 0..=i64::MAX - 1)? + 1;
    let count = args.amount("count", AMOUNTS)?;
    let seconds = args.amount("period in seconds", 1..=Period::MAX_SECONDS)?;
    let cost = match args.len() {
        0 => 1,
        _ => args.amount("quantity", 0..=i64::MAX)?,
    };
    args.end()?;
    let period = Period::of_seconds(seconds);
    let mut limits = Limits::default();
    limits.push(Limit::Bucket(Bucket::new(capacity, count, period)?))?;
    Ok((capacity, Request { limits, cost }))
}

fn reply(call: &Call, outcome: &Outcome) {
    let reply = call.reply();
    reply.array(5);
    reply.integer((!outcome.allowed).into());
    reply.integer(signed(outcome.limit));
    reply.integer(signed(outcome.remaining));
    reply.integer(outcome.retry_after_ms.map_or(-1, seconds));
    reply.integer(seconds(outcome.reset_after_ms));
}

/// Rounded up, so that no client retries too early.
fn seconds(millis: u64) -> i64 {
    signed(millis.div_ceil(1000))
}
