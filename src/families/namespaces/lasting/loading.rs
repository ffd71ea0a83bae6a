//! Takes the namespaces from the data that a server loads.
//!
//! An AOF is a base and the commands since then. The [string](carrier) belongs to the base. A later
//! command on its key must not change the namespaces:
//!
//! ```text
//! base: … keyns:_registry …   since then: SET keyns:_registry forged, FLUSHALL, KEYNS.NS.SET …
//!         ^ taken when it is loaded, if the base is a snapshot
//!                                                              ^ and at the latest before these,
//!                                                                if the base is commands as well
//! ```
//!
//! A snapshot without such a string had no namespaces, and nothing later counts.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use keyns_core::namespaces::Registry;

use super::carrier::{self, DATABASE, KEY};
use super::{arrive, arriving, has_file};
use crate::families::namespaces::node;
use crate::server::Context;
use crate::server::events::Loading;

/// Whether an AOF is being loaded.
static IS_AOF: AtomicBool = AtomicBool::new(false);
/// Whether a key came from a snapshot.
static HAS_SNAPSHOT: AtomicBool = AtomicBool::new(false);
/// Whether the module has looked for the string.
static IS_TAKEN: AtomicBool = AtomicBool::new(true);
/// Whether it was taken while the snapshot was read, and still has to be removed.
static IS_LEFT: AtomicBool = AtomicBool::new(false);

/// A server that loaded its data without the module still has them as a string.
pub fn begin_with_what_is_there(context: &Context) {
    begin(false);
    take(context, DATABASE);
}

/// A replica takes the namespaces of its primary, even none. It keeps its own until all data of the
/// primary has arrived. An AOF contains all changes from the first one on.
pub fn on_loading(context: &Context, event: Loading) {
    match event {
        Loading::SnapshotStarts => begin(false),
        Loading::AofStarts => {
            begin(true);
            if !has_file() {
                node::forget();
            }
        }
        Loading::SyncStarts => {
            begin(false);
            *arriving() = Some(Registry::new());
        }
        Loading::Ended => {
            take(context, DATABASE);
            IS_AOF.store(false, Ordering::Relaxed);
            let arrived = arriving().take();
            if let Some(arrived) = arrived {
                node::replace(arrived);
            }
        }
        Loading::Failed => {
            IS_AOF.store(false, Ordering::Relaxed);
            *arriving() = None;
        }
    }
}

fn begin(is_aof: bool) {
    IS_AOF.store(is_aof, Ordering::Relaxed);
    HAS_SNAPSHOT.store(false, Ordering::Relaxed);
    IS_TAKEN.store(false, Ordering::Relaxed);
    IS_LEFT.store(false, Ordering::Relaxed);
}

/// Takes the namespaces of the base, once, from the database that holds them now.
fn take(context: &Context, database: c_int) {
    if IS_LEFT.swap(false, Ordering::Relaxed) {
        carrier::remove(context, database);
    }
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        return;
    }
    // After a snapshot without them, the string is somebody else's.
    let came_later = IS_AOF.load(Ordering::Relaxed) && HAS_SNAPSHOT.load(Ordering::Relaxed);
    if !came_later && let Some(registry) = carrier::read(context, database) {
        carrier::remove(context, database);
        arrive(registry);
    }
}

/// Takes them before the AOF changes namespaces: the change applies to those of the base.
pub fn before_change(context: &Context) {
    if IS_AOF.load(Ordering::Relaxed) {
        take(context, DATABASE);
    }
}

/// Runs for every key of a snapshot. It must not write.
pub fn on_loaded_key(context: &Context, key: &[u8]) {
    HAS_SNAPSHOT.store(true, Ordering::Relaxed);
    // Only an AOF has commands behind its snapshot, and a replica may load where nobody can read yet.
    if !IS_AOF.load(Ordering::Relaxed) || key != KEY {
        return;
    }
    if context.database() == DATABASE && !IS_TAKEN.swap(true, Ordering::Relaxed) {
        IS_LEFT.store(true, Ordering::Relaxed);
        if let Some(registry) = carrier::read(context, DATABASE) {
            arrive(registry);
        }
    }
}

pub fn on_flush(context: &Context, database: Option<c_int>) {
    if database.is_none_or(|database| database == DATABASE) {
        before_change(context);
    }
}

/// Runs after the swap.
pub fn on_swap(context: &Context, one: c_int, other: c_int) {
    if !IS_AOF.load(Ordering::Relaxed) {
        return;
    }
    match (one, other) {
        (DATABASE, other) | (other, DATABASE) => take(context, other),
        _ => {}
    }
}
