//! Coordination: locks, events that are processed once, revisions, checkpoints and time counters.

mod counts;
mod locks;
mod once;

pub use counts::{COUNT, RANGE};
pub use locks::{EXTEND, LOCK, UNLOCK};
pub use once::{ADVANCE, CHECKPOINT, SEEN};

use crate::commands::namespaces::look_up;
use crate::core::namespace::MAX_TTL;
use crate::server::spec::{KeyAccess, Keys, Which};
use crate::server::{Reply, registry};

/// The key spec of all commands that write.
const ONE_KEY: Keys = Keys {
    first: 1,
    which: Which::One,
    access: KeyAccess::ReadAndUpdate,
};

/// The longest life of a key, in seconds.
const MAX_SECONDS: i64 = MAX_TTL;

/// The seconds that the namespace of a key gives it, if one has the key and sets them.
fn namespace_ttl(key: &[u8]) -> Option<u64> {
    let registry = registry::current();
    look_up(&registry, key)?.namespace.ttl()
}

/// When a key expires that lives so many seconds from a moment on, both in milliseconds.
fn expiry(from: u64, seconds: u64) -> u64 {
    from + seconds * 1000
}

/// Whether something moved, and to where or from where.
fn reply_moved(reply: &Reply, moved: bool, position: i64) {
    reply.array(2);
    reply.integer(moved.into());
    reply.integer(position);
}
