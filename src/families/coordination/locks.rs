//! KEYNS.LOCK, KEYNS.EXTEND and KEYNS.UNLOCK.
//!
//! A lock is what `SET key owner NX PX milliseconds` makes, so that clients which take it that way
//! and those which take it here keep each other out.

use std::sync::atomic::{AtomicU64, Ordering};

use keyns_core::argument;
use keyns_core::coordination::{self, Error, fencing};

use super::{FAMILY, MAX_SECONDS, ONE_KEY};
use crate::command;
use crate::families::naming::check_length;
use crate::server::counters::Counter;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::store::Expiry;
use crate::server::{Args, Call, OpenString, Opt, Options, Result, UnixTime};

/// What became of locks.
pub struct Locks {
    pub taken: Counter,
    pub refused: Counter,
    pub extended: Counter,
    pub released: Counter,
    /// Calls to extend or release one that the caller did not hold.
    pub not_held: Counter,
}

pub static LOCKS: Locks = Locks {
    taken: Counter::new(),
    refused: Counter::new(),
    extended: Counter::new(),
    released: Counter::new(),
    not_held: Counter::new(),
};

pub static LOCK: &Command = command!(
    Spec {
        name: c"KEYNS.LOCK",
        family: &FAMILY,
        summary: c"Takes a lock for a while, and gives its holder a fencing token.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: 5,
        keys: Some(ONE_KEY),
        arguments: &[
            List::Of(&[Argument::key("key"), Argument::text("owner")]),
            List::options::<Milliseconds>()
        ],
        reply: "integer: a fencing token, greater than all before; nil if another owner holds the lock",
    },
    lock
);

fn lock(call: &Call) -> Result<()> {
    let Lease { owner, millis } = Lease::read(call.args())?;
    // Who holds a lock may keep it and give it back, whatever the settings are now.
    check_length("owner", owner)?;
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_change(&key)?;
    let outcome = match string.bytes() {
        None => &LOCKS.taken,
        Some(holder) if holder == owner => &LOCKS.extended,
        Some(_) => {
            LOCKS.refused.increment();
            call.reply().null();
            return Ok(());
        }
    };
    let now = UnixTime::of_machine();
    // Before others are told of the lock, and may take it themselves.
    let token = next_token(now.micros());
    string.set(owner, Expiry::At(now.millis() + millis))?;
    outcome.increment();
    call.reply().integer(token.cast_signed());
    Ok(())
}

pub static EXTEND: &Command = command!(
    Spec {
        name: c"KEYNS.EXTEND",
        family: &FAMILY,
        summary: c"Holds a lock for a while from now on, if it is held.",
        complexity: c"O(1)",
        since: c"0.1.0",
        // It needs no memory, and whoever holds a lock should be able to keep it.
        flags: c"write fast",
        acl_categories: c"write fast keyns",
        arity: 5,
        keys: Some(ONE_KEY),
        arguments: &[
            List::Of(&[Argument::key("key"), Argument::text("owner")]),
            List::options::<Milliseconds>()
        ],
        reply: "integer: 1 if the owner held the lock, else 0",
    },
    extend
);

fn extend(call: &Call) -> Result<()> {
    let Lease { owner, millis } = Lease::read(call.args())?;
    if_held(call, owner, &LOCKS.extended, |lock| {
        lock.set(owner, Expiry::At(UnixTime::of_machine().millis() + millis))
    })
}

pub static UNLOCK: &Command = command!(
    Spec {
        name: c"KEYNS.UNLOCK",
        family: &FAMILY,
        summary: c"Gives a lock back, if it is held.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write fast",
        acl_categories: c"write fast keyns",
        arity: 3,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[Argument::key("key"), Argument::text("owner")])],
        reply: "integer: 1 if the owner held the lock, else 0",
    },
    unlock
);

fn unlock(call: &Call) -> Result<()> {
    let mut args = call.args();
    args.required()?;
    let owner = owner(&mut args)?;
    if_held(call, owner, &LOCKS.released, |lock| lock.remove())
}

/// Does something with the lock if this owner holds it, and counts and replies whether that is so.
fn if_held(
    call: &Call,
    owner: &[u8],
    done: &Counter,
    work: impl FnOnce(OpenString) -> Result<()>,
) -> Result<()> {
    let key = call.state_key(1)?;
    let store = call.store();
    let string = store.string_to_change(&key)?;
    let is_held = string.bytes() == Some(owner);
    if is_held {
        work(string)?;
        done.increment();
    } else {
        drop(string);
        LOCKS.not_held.increment();
    }
    call.reply().integer(is_held.into());
    Ok(())
}

/// Who wants to hold a lock, and for how long.
struct Lease<'a> {
    owner: &'a [u8],
    millis: u64,
}

/// For how long.
#[derive(Default)]
struct Milliseconds(Option<u64>);

impl<'a> Options<'a> for Milliseconds {
    const OPTIONS: &'a [Opt<'a, Milliseconds>] =
        &[
            Opt::amount("PX", 1..=MAX_SECONDS * 1000, |lease: &mut Self, millis| {
                lease.0 = Some(millis);
            })
            .named("milliseconds")
            .required(),
        ];
}

impl Lease<'_> {
    fn read(mut args: Args) -> Result<Lease> {
        args.required()?;
        let owner = owner(&mut args)?;
        let Milliseconds(millis) = args.options()?;
        let millis = millis.ok_or_else(|| argument::Error::missing("PX"))?;
        Ok(Lease { owner, millis })
    }
}

/// The owner in its place. One that is empty would be everybody's.
fn owner<'a>(args: &mut Args<'a>) -> coordination::Result<&'a [u8]> {
    match args.required()? {
        [] => Err(Error::NoOwner),
        owner => Ok(owner),
    }
}

/// The last token of this server.
static LAST_TOKEN: AtomicU64 = AtomicU64::new(0);

/// Only the thread that holds the server's lock comes here.
fn next_token(now: u64) -> u64 {
    let token = fencing::next(LAST_TOKEN.load(Ordering::Relaxed), now);
    LAST_TOKEN.store(token, Ordering::Relaxed);
    token
}
