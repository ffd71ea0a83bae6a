//! Coordination: locks, deduplication of events, revisions, checkpoints and calendar counters.

mod counts;
mod locks;
mod once;

use keyns_core::namespaces::MAX_TTL;

use self::counts::{COUNT, RANGE};
use self::locks::{EXTEND, LOCK, LOCKS, UNLOCK};
use self::once::{ADVANCE, CHECKPOINT, DEDUP, REVISIONS, SEEN};
use crate::families::namespaces::{look_up, node};
use crate::server::spec::{KeyAccess, Keys, Which};
use crate::server::store::Expiry;
use crate::server::{Family, Reply};

pub static FAMILY: Family = Family {
    commands: &[
        LOCK, EXTEND, UNLOCK, SEEN, ADVANCE, CHECKPOINT, COUNT, RANGE,
    ],
    counters: &[
        (c"coordination_dedup_hits", &DEDUP.hits),
        (c"coordination_dedup_misses", &DEDUP.misses),
        (c"coordination_revision_hits", &REVISIONS.hits),
        (c"coordination_revision_misses", &REVISIONS.misses),
        (c"coordination_locks_taken", &LOCKS.taken),
        (c"coordination_locks_refused", &LOCKS.refused),
        (c"coordination_locks_extended", &LOCKS.extended),
        (c"coordination_locks_released", &LOCKS.released),
        (c"coordination_locks_not_held", &LOCKS.not_held),
    ],
    ..Family::named("coordination")
};

/// The key spec of all commands that write.
const ONE_KEY: Keys = Keys {
    first: 1,
    which: Which::One,
    access: KeyAccess::ReadAndUpdate,
};

/// The longest life of a key, in seconds.
const MAX_SECONDS: i64 = MAX_TTL;

/// The TTL in seconds that the key's namespace sets, if any.
fn namespace_ttl(key: &[u8]) -> Option<u64> {
    let registry = node::registry();
    look_up(&registry, key)?.namespace.ttl()
}

/// The expiry of a key that lives for `seconds` from a moment in milliseconds.
fn expiry(from: u64, seconds: u64) -> Expiry {
    Expiry::At(from + seconds * 1000)
}

/// Replies whether a revision or position moved, and the one that is stored now.
fn reply_moved(reply: &Reply, moved: bool, position: i64) {
    reply.array(2);
    reply.integer(moved.into());
    reply.integer(position);
}
