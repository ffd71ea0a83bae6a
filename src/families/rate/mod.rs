//! KEYNS.RATE, KEYNS.RATE.ALL, KEYNS.RATE.PEEK, KEYNS.RATE.REFUND, KEYNS.RATE.BLOCK and KEYNS.THROTTLE.

mod all;
mod request;
mod throttle;

use std::borrow::Cow;

use self::all::Lists;
use self::request::{Asked, LIMITS, Request, Returned, Shape};
use crate::command;
use crate::server::config::Number;
use crate::server::counters::Counter;
use crate::server::spec::{Argument, Command, KeyAccess, Keys, List, Spec, Which};
use crate::server::store::{Expiry, Started};
use crate::server::{Call, Family, KeyArgument, OpenString, Result, UnixTime};
use keyns_core::rate::{self, Algorithm, Change, Error, Moment, Outcome, State, Value};

pub static FAMILY: Family = Family {
    commands: &[RATE, ALL, PEEK, REFUND, BLOCK, THROTTLE],
    configs: &[&MAX_SLIDING],
    counters: &[
        (c"rate_limits_bucket_allowed", &BUCKET.allowed),
        (c"rate_limits_bucket_denied", &BUCKET.denied),
        (c"rate_limits_fixed_allowed", &FIXED.allowed),
        (c"rate_limits_fixed_denied", &FIXED.denied),
        (c"rate_limits_sliding_allowed", &SLIDING.allowed),
        (c"rate_limits_sliding_denied", &SLIDING.denied),
        (c"rate_limits_blocked", &BLOCKED),
    ],
    ..Family::named("rate_limits")
};

pub static MAX_SLIDING: Number = Number::new(c"max-sliding", 10_000, 1..=rate::MAX_SLIDING as i64);

/// How many requests the limits of one algorithm admitted and refused.
struct Rulings {
    allowed: Counter,
    denied: Counter,
}

impl Rulings {
    const fn new() -> Rulings {
        Rulings {
            allowed: Counter::new(),
            denied: Counter::new(),
        }
    }

    fn of(algorithm: Algorithm) -> &'static Rulings {
        match algorithm {
            Algorithm::Bucket => &BUCKET,
            Algorithm::Fixed => &FIXED,
            Algorithm::Sliding => &SLIDING,
        }
    }
}

static BUCKET: Rulings = Rulings::new();
static FIXED: Rulings = Rulings::new();
static SLIDING: Rulings = Rulings::new();

/// Requests that were refused because a key is blocked.
static BLOCKED: Counter = Counter::new();

const OUTCOME: &str = "array: allowed (1 or 0), limit, remaining, retry_after_ms (-1 if allowed), reset_after_ms, and binding: the index of the limit that the reply describes (-1 if the key is blocked); with MAP, a map with these names";

pub static RATE: &Command = command!(
    Spec {
        name: c"KEYNS.RATE",
        family: &FAMILY,
        summary: c"Admits and counts a request if it passes all limits.",
        complexity: c"O(1); with SLIDING, O(log(N)+C) with N being the number of units that have left the window and C the cost",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -5,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("key"), LIMITS]), List::options::<Asked<1>>()],
        reply: OUTCOME,
    },
    rate_limit
);

fn rate_limit(call: &Call) -> Result<()> {
    let (request, shape) = request::read(call.args())?;
    let outcome = take(call, &request)?;
    reply(call, None, &outcome, shape);
    Ok(())
}

pub static ALL: &Command = command!(
    Spec {
        name: c"KEYNS.RATE.ALL",
        family: &FAMILY,
        summary: c"Admits and counts a request on several keys if it passes the limits of all of them.",
        complexity: c"O(K) with K being the number of keys; with SLIDING, O(log(N)+C) for each, with N being the number of units that have left the window and C the cost",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -6,
        keys: Some(Keys {
            first: all::FIRST_KEY as i32,
            which: Which::Counted,
            ..ONE_KEY
        }),
        arguments: &[
            List::Of(&[Argument::number("numkeys"), Argument::keys("key"), LIMITS]),
            List::options::<Lists>(),
            List::options::<Asked<1>>(),
        ],
        reply: "array: the index of the key that the reply describes, and the reply of KEYNS.RATE for that key; with MAP, a map with names",
    },
    all::rate_all
);

pub static PEEK: &Command = command!(
    Spec {
        name: c"KEYNS.RATE.PEEK",
        family: &FAMILY,
        summary: c"Returns what KEYNS.RATE would return, and changes nothing.",
        complexity: c"O(1); with SLIDING, O(log(N)) with N being the number of units that have left the window",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: -5,
        keys: Some(Keys {
            access: KeyAccess::Read,
            ..ONE_KEY
        }),
        arguments: &[List::Of(&[Argument::key("key"), LIMITS]), List::options::<Asked<0>>()],
        reply: OUTCOME,
    },
    peek
);

fn peek(call: &Call) -> Result<()> {
    let (request, shape) = request::read_look(call.args())?;
    let outcome = look(call, &request)?;
    reply(call, None, &outcome, shape);
    Ok(())
}

pub static REFUND: &Command = command!(
    Spec {
        name: c"KEYNS.RATE.REFUND",
        family: &FAMILY,
        summary: c"Gives back what a request took.",
        complexity: c"O(1); with SLIDING, O(log(N)) with N being the number of units that have left the window",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        // Without COST the command has a better error than the server.
        arity: -5,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("key"), LIMITS]), List::options::<Returned>()],
        reply: "array: as KEYNS.RATE, for the limit with the least left",
    },
    refund
);

fn refund(call: &Call) -> Result<()> {
    let (Request { limits, cost }, shape) = request::read_refund(call.args())?;
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_change(&key)?;
    let (outcome, change) = state(&string, &key)?.refund(&limits, cost, now()?);
    if let Some(change) = change {
        write(string, &change)?;
    }
    reply(call, None, &outcome, shape);
    Ok(())
}

pub static BLOCK: &Command = command!(
    Spec {
        name: c"KEYNS.RATE.BLOCK",
        family: &FAMILY,
        summary: c"Refuses every request on a key until a period is over.",
        complexity: c"O(N) with N being the length of the key's value",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: 3,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("key"), Argument::text("period")])],
        reply: "integer: the milliseconds until the block is over",
    },
    block
);

fn block(call: &Call) -> Result<()> {
    let mut args = call.args();
    args.required()?;
    let period = request::period(&mut args, "period")?;
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_change(&key)?;
    let now = now()?;
    let (until, change) = state(&string, &key)?.block(period, now);
    if let Some(change) = change {
        write(string, &change)?;
    }
    call.reply().integer(signed(until.millis_since(now)));
    Ok(())
}

pub static THROTTLE: &Command = command!(
    Spec {
        name: c"KEYNS.THROTTLE",
        family: &FAMILY,
        summary: c"Does what CL.THROTTLE of redis-cell does, with the same arguments and reply.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -5,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[
            Argument::key("key"),
            Argument::number("max_burst"),
            Argument::number("count"),
            Argument::number("period"),
            Argument::number("quantity").optional(),
        ])],
        reply: "array: limited (0 or 1), limit, remaining, retry_after_s (-1 if not limited) and reset_after_s",
    },
    throttle::throttle
);

const ONE_KEY: Keys = Keys {
    first: 1,
    which: Which::One,
    access: KeyAccess::ReadAndUpdate,
};

/// Judges a request, and takes what it costs if it passes all limits.
fn take(call: &Call, request: &Request) -> Result<Outcome> {
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_change(&key)?;
    let (outcome, change) = judge(&string, &key, request, now()?)?;
    if let Some(change) = change {
        write(string, &change)?;
    }
    count(&outcome);
    Ok(outcome)
}

/// Judges a request, and changes nothing.
fn look(call: &Call, request: &Request) -> Result<Outcome> {
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_read(&key)?;
    let (outcome, _) = judge(&string, &key, request, now()?)?;
    Ok(outcome)
}

/// The outcome of a request, and what to write if it passes.
fn judge(
    string: &OpenString,
    key: &KeyArgument,
    request: &Request,
    now: Moment,
) -> Result<(Outcome, Option<Change>)> {
    let judged = rate::take(string.bytes(), &request.limits, request.cost, now);
    Ok(judged.ok_or_else(|| not_ours(Some(key)))?)
}

fn now() -> Result<Moment> {
    Ok(Moment::from_unix_micros(UnixTime::of_command().micros())?)
}

/// The state of a key.
fn state<'s>(string: &'s OpenString, key: &KeyArgument) -> Result<State<'s>> {
    Ok(State::read(string.bytes()).ok_or_else(|| not_ours(Some(key)))?)
}

fn not_ours(key: Option<&KeyArgument>) -> Error {
    Error::NotARateLimit {
        key: key.map_or_else(Vec::new, |key| key.as_bytes().to_vec()),
    }
}

fn write(string: OpenString, change: &Change) -> Result<()> {
    start(string, change)?.finish()
}

/// Starts to write a change. Finish it when no key is open.
#[inline]
fn start<'s, 'v>(string: OpenString<'s>, change: &'v Change) -> Result<Started<'s, 'v>> {
    let expiry = match change.expiry {
        rate::Lasting::At(millis) => Expiry::At(millis),
        rate::Lasting::NotBefore(millis) => match string.expires_at() {
            Some(before) => Expiry::At(before.max(millis)),
            // Somebody has removed the expiry, so the key stays without one.
            None => Expiry::Never,
        },
    };
    match &change.value {
        Value::Whole(value) => string.start_set(Cow::Borrowed(value), expiry),
        Value::Ranges(ranges) => string.start_set_ranges(ranges, expiry),
    }
}

fn count(outcome: &Outcome) {
    let rulings = Rulings::of(outcome.algorithm);
    match (outcome.allowed, outcome.binding) {
        (true, _) => rulings.allowed.increment(),
        (false, Some(_)) => rulings.denied.increment(),
        (false, None) => BLOCKED.increment(),
    }
}

/// Replies with an outcome, after the index of its key if the call may have several.
fn reply(call: &Call, key: Option<usize>, outcome: &Outcome, shape: Shape) {
    let numbers = [
        ("limit", signed(outcome.limit)),
        ("remaining", signed(outcome.remaining)),
        ("retry_after_ms", outcome.retry_after_ms.map_or(-1, signed)),
        ("reset_after_ms", signed(outcome.reset_after_ms)),
        ("binding", outcome.binding.map_or(-1, |index| index as i64)),
    ];
    let reply = call.reply();
    let len = usize::from(key.is_some()) + 1 + numbers.len();
    match shape {
        Shape::List => {
            reply.array(len);
            if let Some(key) = key {
                reply.integer(key as i64);
            }
            reply.integer(outcome.allowed.into());
            numbers
                .iter()
                .for_each(|(_, number)| reply.integer(*number));
        }
        Shape::Map => {
            reply.map(len);
            if let Some(key) = key {
                reply.bulk(b"key");
                reply.integer(key as i64);
            }
            reply.bulk(b"allowed");
            reply.boolean(outcome.allowed);
            for (name, number) in numbers {
                reply.bulk(name.as_bytes());
                reply.integer(number);
            }
        }
    }
}

/// A number that fits into a reply, as all of ours do.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
