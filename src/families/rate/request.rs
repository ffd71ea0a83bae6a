//! The limits and the cost that a call names.

use std::ops::RangeInclusive;

use super::MAX_SLIDING;
use crate::server::spec::{Argument, List};
use crate::server::{Args, Opt, Options, Result};
use keyns_core::argument;
use keyns_core::rate::{self, Algorithm, Bucket, Error, Fixed, Limit, Limits, Period, Sliding};

/// What a request has to pass.
pub struct Request {
    pub limits: Limits,
    pub cost: u64,
}

/// As many as Redis can count.
pub const AMOUNTS: RangeInclusive<i64> = 1..=i64::MAX;

/// The limits, of which there may be several alike.
pub const LIMITS: Argument = Argument::some_of("limit", List::options::<Limits>());

const BUCKET: &[Argument] = &[
    Argument::number("capacity"),
    Argument::number("refill"),
    Argument::text("period"),
];

const WINDOW: &[Argument] = &[Argument::number("max"), Argument::text("period")];

impl<'a> Options<'a> for Limits {
    const OPTIONS: &'a [Opt<'a, Limits>] = &[
        Opt::other(
            Argument::block(Algorithm::Bucket.keyword(), BUCKET),
            |limits, args| Ok(limits.push(bucket(args)?)?),
        ),
        Opt::other(
            Argument::block(Algorithm::Fixed.keyword(), WINDOW),
            |limits, args| Ok(limits.push(fixed(args)?)?),
        ),
        Opt::other(
            Argument::block(Algorithm::Sliding.keyword(), WINDOW),
            |limits, args| Ok(limits.push(sliding(args)?)?),
        ),
    ];
}

/// What a request takes, at least so much.
#[derive(Default)]
pub struct Cost<const LEAST: i64>(Option<u64>);

impl<'a, const LEAST: i64> Options<'a> for Cost<LEAST> {
    const OPTIONS: &'a [Opt<'a, Cost<LEAST>>] =
        &[cost(LEAST..=i64::MAX, |cost, amount| cost.0 = Some(amount))];
}

/// What was taken and is given back.
#[derive(Default)]
pub struct Returned(Option<u64>);

impl<'a> Options<'a> for Returned {
    const OPTIONS: &'a [Opt<'a, Returned>] =
        &[cost(AMOUNTS, |cost: &mut Self, amount| cost.0 = Some(amount)).required()];
}

const fn cost<'a, R>(range: RangeInclusive<i64>, set: fn(&mut R, u64)) -> Opt<'a, R> {
    Opt::amount("COST", range, set).value_first()
}

/// Reads limits and a cost that they can admit, 1 unless it is given.
pub fn read(args: Args) -> Result<Request> {
    read_with::<1>(args)
}

/// The same for who only looks, at what is left with a cost of 0.
pub fn read_look(args: Args) -> Result<Request> {
    read_with::<0>(args)
}

fn read_with<const LEAST: i64>(args: Args) -> Result<Request> {
    let mut cost = Cost::<LEAST>::default();
    let limits = limits(args, &mut cost)?;
    let cost = cost.0.unwrap_or(1);
    limits.check_cost(cost)?;
    Ok(Request { limits, cost })
}

/// Reads limits and what to give back to them, which has to be given.
pub fn read_refund(args: Args) -> Result<Request> {
    let mut cost = Returned::default();
    let limits = limits(args, &mut cost)?;
    let cost = cost.0.ok_or_else(|| argument::Error::missing("COST"))?;
    Ok(Request { limits, cost })
}

/// Reads what stands behind the key.
fn limits<'a>(mut args: Args<'a>, cost: &mut impl Options<'a>) -> Result<Limits> {
    args.required()?;
    let mut limits = Limits::default();
    args.each_option(|word| Ok(word.is_for(&mut limits)? || word.is_for(cost)?))?;
    if limits.is_empty() {
        let algorithms = Algorithm::ALL.map(Algorithm::keyword);
        return Err(argument::Error::missing(argument::list(&algorithms)).into());
    }
    Ok(limits)
}

fn bucket(args: &mut Args) -> rate::Result<Limit> {
    let capacity = args.amount("BUCKET capacity", AMOUNTS)?;
    let refill = args.amount("BUCKET refill", AMOUNTS)?;
    let period = period(args, "BUCKET period")?;
    Ok(Limit::Bucket(Bucket::new(capacity, refill, period)?))
}

fn fixed(args: &mut Args) -> rate::Result<Limit> {
    let max = args.amount("FIXED max", AMOUNTS)?;
    Ok(Limit::Fixed(Fixed::new(max, period(args, "FIXED period")?)))
}

fn sliding(args: &mut Args) -> rate::Result<Limit> {
    let max = args.amount("SLIDING max", AMOUNTS)?;
    let limit = MAX_SLIDING.get();
    if max > limit {
        return Err(Error::SlidingTooLarge { limit, got: max });
    }
    Ok(Limit::Sliding(Sliding::new(
        max,
        period(args, "SLIDING period")?,
    )))
}

pub fn period(args: &mut Args, option: &'static str) -> rate::Result<Period> {
    Period::parse(option, args.given(option)?)
}
