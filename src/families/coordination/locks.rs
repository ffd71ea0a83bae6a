//! KEYNS.LOCK, KEYNS.EXTEND and KEYNS.UNLOCK.
//!
//! A lock is what `SET key owner NX PX milliseconds` writes, so clients that use `SET` and clients
//! that use these commands exclude each other.

use std::sync::atomic::{AtomicU64, Ordering};

use keyns_core::coordination::{self, Error, fencing};

use super::{FAMILY, MAX_SECONDS, ONE_KEY};
use crate::command;
use crate::families::naming::check_length;
use crate::server::counters::Counter;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::store::Expiry;
use crate::server::{Args, Call, OpenString, Opt, Options, Result, UnixTime};

/// Outcomes of the lock commands.
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
        summary: c"Takes a lock for a limited time and returns a fencing token.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -5,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[
            Argument::key("key"),
            Argument::text("owner"),
            LEASE
        ])],
        reply: "integer: a fencing token, greater than all before; nil if another owner holds the lock",
    },
    lock
);

fn lock(call: &Call) -> Result<()> {
    let Lease { owner, millis } = Lease::read(call.args())?;
    // Only here: a holder may extend and release its lock, whatever the settings are now.
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
    let now = UnixTime::latest();
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
        summary: c"Extends a lock that the owner holds.",
        complexity: c"O(1)",
        since: c"0.1.0",
        // Without `deny-oom`: it needs no memory, and a holder should be able to keep its lock.
        flags: c"write fast",
        acl_categories: c"write fast keyns",
        arity: -5,
        keys: Some(ONE_KEY),
        arguments: &[List::Of(&[
            Argument::key("key"),
            Argument::text("owner"),
            LEASE
        ])],
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
        summary: c"Releases a lock that the owner holds.",
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

/// Runs `work` on the lock if this owner holds it, counts the outcome, and replies it.
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

/// The owner, and the lease that it asks for.
struct Lease<'a> {
    owner: &'a [u8],
    millis: u64,
}

/// The length of a lease.
#[derive(Default)]
struct Milliseconds(u64);

impl<'a> Options<'a> for Milliseconds {
    const OPTIONS: &'a [Opt<'a, Milliseconds>] = &[
        Opt::millis("EX", MAX_SECONDS, |lease: &mut Self, millis| {
            lease.0 = millis;
        })
        .required(),
        Opt::amount("PX", 1..=MAX_SECONDS * 1000, |lease: &mut Self, millis| {
            lease.0 = millis;
        })
        .named("milliseconds")
        .labelled("PX, in milliseconds (EX takes periods such as 30s),")
        .required(),
    ];
}

/// `<EX period | PX milliseconds>`
const LEASE: Argument = Argument::alternatives("lease", List::options::<Milliseconds>());

impl Lease<'_> {
    fn read(mut args: Args) -> Result<Lease> {
        args.required()?;
        let owner = owner(&mut args)?;
        let Milliseconds(millis) = args.one_option()?;
        Ok(Lease { owner, millis })
    }
}

/// The owner argument. An empty owner is an error: it would be shared by all who forgot theirs.
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
