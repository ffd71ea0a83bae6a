//! The limits and the cost that a call names.

use std::ops::RangeInclusive;

use super::MAX_SLIDING;
use crate::server::Args;
use crate::server::spec::Argument;
use keyns_core::argument;
use keyns_core::rate::{Bucket, Fixed, Limit, Limits, Period, Sliding};
use keyns_core::rate::{Error, Result};

/// What a request has to pass.
pub struct Request {
    pub limits: Limits,
    pub cost: u64,
}

/// As many as Redis can count.
pub const AMOUNTS: RangeInclusive<i64> = 1..=i64::MAX;

/// How `COMMAND DOCS` describes the limits.
pub const LIMITS: Argument = Argument::some_of(
    c"limit",
    &[
        Argument::block(
            c"bucket",
            c"BUCKET",
            &[
                Argument::number(c"capacity"),
                Argument::number(c"refill"),
                Argument::text(c"period"),
            ],
        ),
        Argument::block(
            c"fixed",
            c"FIXED",
            &[Argument::number(c"max"), Argument::text(c"period")],
        ),
        Argument::block(
            c"sliding",
            c"SLIDING",
            &[Argument::number(c"max"), Argument::text(c"period")],
        ),
    ],
);

/// How `COMMAND DOCS` describes the cost.
pub const COST: Argument = Argument::integer(c"cost", c"COST");

/// Reads limits and a cost that they can admit, 1 unless it is given.
pub fn read(args: Args) -> Result<Request> {
    read_with(args, AMOUNTS)
}

/// The same for who only looks, at what is left with a cost of 0.
pub fn read_look(args: Args) -> Result<Request> {
    read_with(args, 0..=i64::MAX)
}

fn read_with(mut args: Args, costs: RangeInclusive<i64>) -> Result<Request> {
    let (limits, cost) = clauses(&mut args, costs)?;
    let cost = cost.unwrap_or(1);
    limits.check_cost(cost)?;
    Ok(Request { limits, cost })
}

/// Reads limits and what to give back to them, which has to be given.
pub fn read_refund(mut args: Args) -> Result<Request> {
    let (limits, cost) = clauses(&mut args, AMOUNTS)?;
    let cost = cost.ok_or(argument::Error::Missing { option: "COST" })?;
    Ok(Request { limits, cost })
}

/// What stands behind the key.
fn clauses(args: &mut Args, costs: RangeInclusive<i64>) -> Result<(Limits, Option<u64>)> {
    args.required()?;
    let mut limits = Limits::default();
    let mut cost = None;
    while let Some(word) = args.next() {
        if word.eq_ignore_ascii_case(b"BUCKET") {
            limits.push(bucket(args)?)?;
        } else if word.eq_ignore_ascii_case(b"FIXED") {
            let max = args.amount_of("FIXED max", AMOUNTS)?;
            let period = period(args, "FIXED period")?;
            limits.push(Limit::Fixed(Fixed::new(max, period)))?;
        } else if word.eq_ignore_ascii_case(b"SLIDING") {
            limits.push(sliding(args)?)?;
        } else if word.eq_ignore_ascii_case(b"COST") && args.len() > 0 {
            let amount = args.amount_of("COST", costs.clone())?;
            if cost.replace(amount).is_some() {
                return Err(argument::Error::Repeated { option: "COST" }.into());
            }
        } else {
            return Err(argument::Error::syntax(word).into());
        }
    }
    if limits.is_empty() {
        let missing = argument::Error::Missing {
            option: "BUCKET, FIXED or SLIDING",
        };
        return Err(missing.into());
    }
    Ok((limits, cost))
}

fn bucket(args: &mut Args) -> Result<Limit> {
    let capacity = args.amount_of("BUCKET capacity", AMOUNTS)?;
    let refill = args.amount_of("BUCKET refill", AMOUNTS)?;
    let period = period(args, "BUCKET period")?;
    Ok(Limit::Bucket(Bucket::new(capacity, refill, period)?))
}

fn sliding(args: &mut Args) -> Result<Limit> {
    let max = args.amount_of("SLIDING max", AMOUNTS)?;
    let limit = MAX_SLIDING.get();
    if max > limit {
        return Err(Error::SlidingTooLarge { limit, got: max });
    }
    Ok(Limit::Sliding(Sliding::new(
        max,
        period(args, "SLIDING period")?,
    )))
}

pub fn period(args: &mut Args, option: &'static str) -> Result<Period> {
    Period::parse(option, args.given(option)?)
}
