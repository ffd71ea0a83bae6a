//! KEYNS.SEEN, KEYNS.ADVANCE and KEYNS.CHECKPOINT: what has been processed, and how far.

use std::ops::RangeInclusive;

use keyns_core::coordination::Error;
use keyns_core::text::decimal::{self, MAX_DIGITS};

use super::{FAMILY, MAX_SECONDS, ONE_KEY, expiry, namespace_ttl, reply_moved};
use crate::command;
use crate::server::counters::Counter;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::store::Expiry;
use crate::server::{Call, Opt, Options, Result, ServerString, UnixTime};

/// How often something was a repetition (a hit), and how often it was new (a miss).
pub struct Repeats {
    pub hits: Counter,
    pub misses: Counter,
}

impl Repeats {
    const fn new() -> Repeats {
        Repeats {
            hits: Counter::new(),
            misses: Counter::new(),
        }
    }
}

/// Outcomes of KEYNS.SEEN.
pub static DEDUP: Repeats = Repeats::new();

/// Outcomes of KEYNS.ADVANCE.
pub static REVISIONS: Repeats = Repeats::new();

/// Two days, in seconds.
const SEEN_TTL: u64 = 48 * 3600;

/// A week, in seconds.
const REVISION_TTL: u64 = 7 * 86_400;

/// How long to keep a key: at least `LEAST` seconds.
#[derive(Default)]
struct Seconds<const LEAST: i64>(Option<u64>);

impl<'a, const LEAST: i64> Options<'a> for Seconds<LEAST> {
    const OPTIONS: &'a [Opt<'a, Seconds<LEAST>>] =
        &[
            Opt::seconds("EX", LEAST..=MAX_SECONDS, |kept: &mut Self, seconds| {
                kept.0 = Some(seconds);
            })
            .value_first(),
        ];
}

/// Whether a position may move back.
#[derive(Default)]
struct Force(bool);

impl<'a> Options<'a> for Force {
    const OPTIONS: &'a [Opt<'a, Force>] = &[Opt::flag("FORCE", |force| force.0 = true)];
}

/// Any 64-bit integer.
const INTEGERS: RangeInclusive<i64> = i64::MIN..=i64::MAX;

pub static SEEN: &Command = command!(
    Spec {
        name: c"KEYNS.SEEN",
        family: &FAMILY,
        summary: c"Returns whether a key is new, and remembers it.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -2,
        keys: Some(ONE_KEY),
        arguments: &[
            List::Of(&[Argument::key("key")]),
            List::options::<Seconds<1>>()
        ],
        reply: "integer: 1 the first time, 0 afterwards",
    },
    seen
);

fn seen(call: &Call) -> Result<()> {
    let mut args = call.args();
    args.required()?;
    let Seconds::<1>(given) = args.options()?;
    let key = call.state_key(1)?;
    let store = call.store();
    if store.has_string(&key)? {
        DEDUP.hits.increment();
        call.reply().integer(0);
        return Ok(());
    }
    let seconds = given.or_else(|| namespace_ttl(key.as_bytes()));
    let expiry = expiry(UnixTime::of_command().millis(), seconds.unwrap_or(SEEN_TTL));
    store.set_string(&key, b"1", expiry)?;
    DEDUP.misses.increment();
    call.reply().integer(1);
    Ok(())
}

pub static ADVANCE: &Command = command!(
    Spec {
        name: c"KEYNS.ADVANCE",
        family: &FAMILY,
        summary: c"Stores a revision if it is greater than the stored one.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -3,
        keys: Some(ONE_KEY),
        arguments: &[
            List::Of(&[Argument::key("key"), Argument::number("revision")]),
            List::options::<Seconds<0>>()
        ],
        reply: "array: 1 and the revision if it was stored, else 0 and the stored revision",
    },
    advance
);

fn advance(call: &Call) -> Result<()> {
    let mut args = call.args();
    args.required()?;
    let revision = args.integer("revision", INTEGERS)?;
    let Seconds::<0>(given) = args.options()?;
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_change(&key)?;
    if let Some(stored) = string.integer()?
        && stored >= revision
    {
        REVISIONS.hits.increment();
        reply_moved(&call.reply(), false, stored);
        return Ok(());
    }
    let expiry = match given.or_else(|| namespace_ttl(key.as_bytes())) {
        Some(0) => Expiry::Never,
        seconds => {
            let now = UnixTime::of_command().millis();
            expiry(now, seconds.unwrap_or(REVISION_TTL))
        }
    };
    let digits = &mut [0; MAX_DIGITS];
    string.set(decimal::format_signed(revision, digits), expiry)?;
    REVISIONS.misses.increment();
    reply_moved(&call.reply(), true, revision);
    Ok(())
}

pub static CHECKPOINT: &Command = command!(
    Spec {
        name: c"KEYNS.CHECKPOINT",
        family: &FAMILY,
        summary: c"Stores a reader's position if it is ahead of the stored one.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -3,
        keys: Some(ONE_KEY),
        arguments: &[
            List::Of(&[Argument::key("key"), Argument::number("position")]),
            List::options::<Force>()
        ],
        reply: "array: 1 and the position if it was stored, else 0 and the stored position",
    },
    checkpoint
);

fn checkpoint(call: &Call) -> Result<()> {
    let mut args = call.args();
    args.required()?;
    let position = args.integer("position", INTEGERS)?;
    let Force(force) = args.options()?;
    let key = call.state_key(1)?;
    let store = call.store();
    let [stored, moves] = store.field_values(&key, ["position", "moves"])?;
    let read = |field, value: Option<ServerString>| integer_in(&key, field, value.as_ref(), force);
    let stored = read("position", stored)?;
    let moves = read("moves", moves)?;
    if let (Some(stored), false) = (stored, force)
        && stored >= position
    {
        reply_moved(&call.reply(), false, stored);
        return Ok(());
    }
    let now = UnixTime::of_command().millis();
    let fields = [
        ("position", position),
        ("updated_at", now.cast_signed()),
        ("moves", moves.unwrap_or(0).saturating_add(1)),
    ];
    let seconds = namespace_ttl(key.as_bytes());
    let expiry = seconds.map_or(Expiry::Keep, |seconds| expiry(now, seconds));
    store.set_integer_fields(&key, fields, expiry)?;
    reply_moved(&call.reply(), true, position);
    Ok(())
}

/// The integer in a field. With `force`, a value that is not an integer counts as missing.
fn integer_in(
    key: &ServerString,
    field: &'static str,
    value: Option<&ServerString>,
    force: bool,
) -> Result<Option<i64>> {
    let Some(value) = value else {
        return Ok(None);
    };
    match decimal::parse(value.as_bytes()) {
        None if !force => Err(Error::NotAnIntegerInField {
            key: key.as_bytes().to_vec(),
            field,
        }
        .into()),
        number => Ok(number),
    }
}
