//! Reads the limits and options of a call.

use std::ops::RangeInclusive;

use super::MAX_SLIDING;
use crate::server::spec::{Argument, List};
use crate::server::{Args, Opt, Options, Result};
use keyns_core::argument;
use keyns_core::rate::{self, Algorithm, Bucket, Error, Fixed, Limit, Limits, Period, Sliding};

/// The limits that a request has to pass, and its cost.
pub struct Request {
    pub limits: Limits,
    pub cost: u64,
}

/// The amounts that fit into an integer of Redis.
pub const AMOUNTS: RangeInclusive<i64> = 1..=i64::MAX;

/// The limits; a call may have several of one algorithm.
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

/// The form of the reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Numbers, each in its place.
    #[default]
    List,
    /// Each number with its name.
    Map,
}

/// The cost of a request, at least `LEAST`, and the form of the reply.
#[derive(Default)]
pub struct Asked<const LEAST: i64> {
    cost: Option<u64>,
    pub shape: Shape,
}

impl<'a, const LEAST: i64> Options<'a> for Asked<LEAST> {
    const OPTIONS: &'a [Opt<'a, Asked<LEAST>>] = &[
        cost(LEAST..=i64::MAX, |asked, amount| asked.cost = Some(amount)),
        Opt::flag(MAP, |asked| asked.shape = Shape::Map),
    ];
}

impl<const LEAST: i64> Asked<LEAST> {
    /// The cost, 1 by default.
    pub fn cost(&self) -> u64 {
        self.cost.unwrap_or(1)
    }
}

/// How much to give back, and the form of the reply.
#[derive(Default)]
pub struct Returned {
    cost: Option<u64>,
    shape: Shape,
}

impl<'a> Options<'a> for Returned {
    const OPTIONS: &'a [Opt<'a, Returned>] = &[
        cost(AMOUNTS, |returned: &mut Self, amount| {
            returned.cost = Some(amount);
        })
        .required(),
        Opt::flag(MAP, |returned| returned.shape = Shape::Map),
    ];
}

const MAP: &str = "MAP";

const fn cost<'a, R>(range: RangeInclusive<i64>, set: fn(&mut R, u64)) -> Opt<'a, R> {
    Opt::amount("COST", range, set).value_first()
}

/// Reads limits and a cost that they can admit, 1 by default.
pub fn read(args: Args) -> Result<(Request, Shape)> {
    read_with::<1>(args)
}

/// The same for PEEK, where a cost of 0 is allowed.
pub fn read_look(args: Args) -> Result<(Request, Shape)> {
    read_with::<0>(args)
}

fn read_with<const LEAST: i64>(args: Args) -> Result<(Request, Shape)> {
    let mut asked = Asked::<LEAST>::default();
    let limits = limits(args, &mut asked)?;
    let cost = asked.cost();
    limits.check_cost(cost)?;
    Ok((Request { limits, cost }, asked.shape))
}

/// Reads limits and how much to give back to them.
pub fn read_refund(args: Args) -> Result<(Request, Shape)> {
    let mut returned = Returned::default();
    let limits = limits(args, &mut returned)?;
    let cost = returned.cost;
    let cost = cost.ok_or_else(|| argument::Error::missing("COST"))?;
    Ok((Request { limits, cost }, returned.shape))
}

/// Reads what follows the key.
fn limits<'a>(mut args: Args<'a>, other: &mut impl Options<'a>) -> Result<Limits> {
    args.required()?;
    let mut limits = Limits::default();
    args.each_option(|word| Ok(word.is_for(&mut limits)? || word.is_for(other)?))?;
    some(limits)
}

/// An error if the list is empty.
pub fn some(limits: Limits) -> Result<Limits> {
    match limits.is_empty() {
        true => {
            let algorithms = Algorithm::ALL.map(Algorithm::keyword);
            Err(argument::Error::missing(argument::list(&algorithms)).into())
        }
        false => Ok(limits),
    }
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
