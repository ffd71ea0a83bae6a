//! KEYNS.RATE, KEYNS.RATE.PEEK, KEYNS.RATE.REFUND, KEYNS.RATE.BLOCK and KEYNS.THROTTLE.

mod request;
mod throttle;

use self::request::{Cost, LIMITS, Request, Returned};
use crate::command;
use crate::server::config::Number;
use crate::server::counters::Counter;
use crate::server::spec::{Argument, Command, KeyAccess, Keys, List, Spec, Which};
use crate::server::store::Expiry;
use crate::server::{Call, Family, OpenString, Result, ServerString, UnixTime};
use keyns_core::rate::{self, Algorithm, Change, Error, Moment, Outcome, State, Value};

pub static FAMILY: Family = Family {
    commands: &[RATE, PEEK, REFUND, BLOCK, THROTTLE],
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

/// What requests were told by limits of one algorithm.
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

/// Requests that were denied because their key is blocked.
static BLOCKED: Counter = Counter::new();

const OUTCOME: &str = "array: allowed (1 or 0), limit, remaining, retry_after_ms (-1 if allowed), reset_after_ms and binding, the index of the limit that this is about (-1 if the key is blocked)";

pub static RATE: &Command = command!(
    Spec {
        name: c"KEYNS.RATE",
        family: &FAMILY,
        summary: c"Admits a request if it passes all limits, and counts it then.",
        complexity: c"O(1); with SLIDING, O(log(N)+C) with N being the number of units that have left the window and C the cost",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -5,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("key"), LIMITS]), List::options::<Cost<1>>()],
        reply: OUTCOME,
    },
    rate_limit
);

fn rate_limit(call: &Call) -> Result<()> {
    let outcome = take(call, &request::read(call.args())?)?;
    reply(call, &outcome);
    Ok(())
}

pub static PEEK: &Command = command!(
    Spec {
        name: c"KEYNS.RATE.PEEK",
        family: &FAMILY,
        summary: c"Tells what KEYNS.RATE would, and changes nothing.",
        complexity: c"O(1); with SLIDING, O(log(N)) with N being the number of units that have left the window",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: -5,
        keys: Some(Keys {
            access: KeyAccess::Read,
            ..ONE_KEY
        }),
        arguments: &[List::Of(&[Argument::key("key"), LIMITS]), List::options::<Cost<0>>()],
        reply: OUTCOME,
    },
    peek
);

fn peek(call: &Call) -> Result<()> {
    let outcome = look(call, &request::read_look(call.args())?)?;
    reply(call, &outcome);
    Ok(())
}

pub static REFUND: &Command = command!(
    Spec {
        name: c"KEYNS.RATE.REFUND",
        family: &FAMILY,
        summary: c"Gives back what a request was counted for.",
        complexity: c"O(1); with SLIDING, O(log(N)) with N being the number of units that have left the window",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        // Without a COST there is a better error than the server's.
        arity: -5,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("key"), LIMITS]), List::options::<Returned>()],
        reply: "array: as KEYNS.RATE, for the limit with least left",
    },
    refund
);

fn refund(call: &Call) -> Result<()> {
    let Request { limits, cost } = request::read_refund(call.args())?;
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_change(&key)?;
    let (outcome, change) = state(&string, &key)?.refund(&limits, cost, now()?);
    if let Some(change) = change {
        write(string, &change)?;
    }
    reply(call, &outcome);
    Ok(())
}

pub static BLOCK: &Command = command!(
    Spec {
        name: c"KEYNS.RATE.BLOCK",
        family: &FAMILY,
        summary: c"Refuses everything on a key until a period is over.",
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

/// Has a request pass the limits, or not, and counts it.
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

/// What a request would be told.
fn look(call: &Call, request: &Request) -> Result<Outcome> {
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_read(&key)?;
    let (outcome, _) = judge(&string, &key, request, now()?)?;
    Ok(outcome)
}

/// What the key's limits say of a request, and what to write if it passes.
fn judge(
    string: &OpenString,
    key: &ServerString,
    request: &Request,
    now: Moment,
) -> Result<(Outcome, Option<Change>)> {
    let judged = rate::take(string.bytes(), &request.limits, request.cost, now);
    Ok(judged.ok_or_else(|| not_ours(key))?)
}

fn now() -> Result<Moment> {
    Ok(Moment::from_unix_micros(UnixTime::of_command().micros())?)
}

/// What is known of a key.
fn state<'s>(string: &'s OpenString, key: &ServerString) -> Result<State<'s>> {
    Ok(State::read(string.bytes()).ok_or_else(|| not_ours(key))?)
}

fn not_ours(key: &ServerString) -> Error {
    Error::NotARateLimit {
        key: key.as_bytes().to_vec(),
    }
}

fn write(string: OpenString, change: &Change) -> Result<()> {
    let expiry = match change.expiry {
        rate::Lasting::At(millis) => Expiry::At(millis),
        rate::Lasting::NotBefore(millis) => match string.expires_at() {
            Some(before) => Expiry::At(before.max(millis)),
            // What somebody has made to stay, stays.
            None => Expiry::Never,
        },
    };
    match &change.value {
        Value::Whole(value) => string.set(value, expiry),
        Value::Ranges(ranges) => {
            let ranges: Vec<(usize, &[u8])> = ranges
                .iter()
                .map(|(place, bytes)| (*place, bytes.as_slice()))
                .collect();
            string.set_ranges(&ranges, expiry)
        }
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

fn reply(call: &Call, outcome: &Outcome) {
    let reply = call.reply();
    reply.array(6);
    reply.integer(outcome.allowed.into());
    reply.integer(signed(outcome.limit));
    reply.integer(signed(outcome.remaining));
    reply.integer(outcome.retry_after_ms.map_or(-1, signed));
    reply.integer(signed(outcome.reset_after_ms));
    reply.integer(outcome.binding.map_or(-1, |index| index as i64));
}

/// A number that Redis can reply, as all of ours are.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
