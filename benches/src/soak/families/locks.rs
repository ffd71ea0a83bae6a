//! Locks that several owners want.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use keyns_testkit::Value;

use super::Worker;
use crate::soak::invariants::Invariant;

const LOCKS: usize = 4;

/// Some owners let their lease run out.
const LEASE: Duration = Duration::from_millis(200);

#[derive(Default)]
pub struct Locks([Mutex<Lock>; LOCKS]);

/// What is known of a lock.
#[derive(Default)]
struct Lock {
    highest_token: i64,
    holder: Option<Holder>,
}

/// Who holds it for sure: from its reply on until its lease could be over, or until it sets out to
/// give it back.
#[derive(Clone, Copy, PartialEq)]
struct Holder {
    owner: u64,
    until: Instant,
}

pub fn step(locks: &Locks, worker: &mut Worker) -> Option<()> {
    let at = worker.random.below(LOCKS as u64) as usize;
    let lock = &locks.0[at];
    let key = format!("lock:{at}");
    let book = lock.lock().expect("nobody panics with it");
    let holder = book.holder;
    let highest_token = book.highest_token;
    drop(book);
    match holder.filter(|holder| holder.owner == worker.number) {
        None => take(lock, &key, holder, highest_token, worker),
        Some(_) if worker.random.once_in(4) => extend(lock, &key, worker),
        Some(_) => give_back(lock, &key, worker),
    }
}

fn take(
    lock: &Mutex<Lock>,
    key: &str,
    holder: Option<Holder>,
    highest_token: i64,
    worker: &mut Worker,
) -> Option<()> {
    let owner = worker.number;
    let sent = Instant::now();
    let reply = worker
        .link
        .run(&format!("KEYNS.LOCK {key} {owner} PX 200"))?;
    let Value::Integer(token) = reply else {
        return Some(());
    };
    let invariants = &worker.link.stage.invariants;
    let mut book = lock.lock().expect("nobody panics with it");
    // Whoever held it when we asked, and still does, held it all the time.
    let is_held = book.holder.is_some() && book.holder == holder;
    let is_held = is_held && holder.is_some_and(|holder| Instant::now() < holder.until);
    invariants.check(Invariant::OneHolder, !is_held, || {
        let other = holder.map(|holder| holder.owner);
        format!("{key} went to {owner}, but {other:?} holds it")
    });
    invariants.check(Invariant::TokensRise, token > highest_token, || {
        format!("{key} had {highest_token} and then {token}")
    });
    book.highest_token = book.highest_token.max(token);
    // Who took it after us may have been told before us.
    if token == book.highest_token {
        let until = sent + LEASE;
        book.holder = Some(Holder { owner, until });
    }
    Some(())
}

fn extend(lock: &Mutex<Lock>, key: &str, worker: &mut Worker) -> Option<()> {
    let owner = worker.number;
    let sent = Instant::now();
    let reply = worker
        .link
        .run(&format!("KEYNS.EXTEND {key} {owner} PX 200"));
    let mut book = lock.lock().expect("nobody panics with it");
    let ours = book.holder.filter(|holder| holder.owner == owner);
    if reply == Some(Value::Integer(1)) && ours.is_some() {
        let until = sent + LEASE;
        book.holder = Some(Holder { owner, until });
    }
    let must_hold = ours.is_some_and(|holder| Instant::now() < holder.until);
    drop(book);
    check_held(key, must_hold, reply?, worker);
    Some(())
}

fn give_back(lock: &Mutex<Lock>, key: &str, worker: &mut Worker) -> Option<()> {
    let owner = worker.number;
    let mut book = lock.lock().expect("nobody panics with it");
    let ours = book.holder.filter(|holder| holder.owner == owner);
    if ours.is_some() {
        book.holder = None;
    }
    drop(book);
    let reply = worker.link.run(&format!("KEYNS.UNLOCK {key} {owner}"))?;
    let must_hold = ours.is_some_and(|holder| Instant::now() < holder.until);
    check_held(key, must_hold, reply, worker);
    Some(())
}

fn check_held(key: &str, must_hold: bool, reply: Value, worker: &Worker) {
    if must_hold {
        let invariants = &worker.link.stage.invariants;
        invariants.check(Invariant::LeasesLast, reply == Value::Integer(1), || {
            format!("{key} was not {}'s any more", worker.number)
        });
    }
}
