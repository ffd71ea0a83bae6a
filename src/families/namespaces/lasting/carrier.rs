//! Carries the namespaces in files that cannot hold module data.
//!
//! Redis 7.0 cannot leave module data out of a snapshot, an AOF need not begin with a snapshot, and
//! `keyns.namespaces-in-rdb no` keeps module data out of all of them. There the namespaces travel as
//! one string among the keys. It exists in the file only:
//!
//! ```text
//! server              its child, which writes        dump.rdb, base.aof,         server that reads
//!                     (with SAVE, itself)            replication stream
//! keys     -- fork -> keys, keyns:_registry ------>  keys, keyns:_registry ----> keys
//! registry            registry                                     '-----------> registry
//! ```
//!
//! The child's memory ends with it, so clients never see the key, and nothing has to be sent to
//! replicas, which a paused server must not do. A server without the module loads such a file and shows
//! the string.

use std::ffi::{CStr, CString, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use keyns_core::namespaces::{Existing, Registry, Result};

use super::{IN_RDB, is_module_data};
use crate::families::namespaces::node;
use crate::server::events::Persistence;
use crate::server::store::Key;
use crate::server::{Context, ServerString};

/// Belongs to the module, in database 0: a string that somebody else keeps there is left out of files
/// that have namespaces.
pub const KEY: &[u8] = b"keyns:_registry";
pub const DATABASE: c_int = 0;

/// More than any sensible registry takes. Any client that may write the key decides its length.
const MAX_BYTES: usize = 64 << 20;

/// Whether a file contained a registry that this version cannot read. New files keep it as long as the
/// node has no namespaces.
static IS_UNREADABLE: AtomicBool = AtomicBool::new(false);

/// How to restore the key once the file is written, if we changed it. Somebody else's value comes back
/// with its expiry.
static AFTERWARDS: Mutex<Option<Afterwards>> = Mutex::new(None);

enum Afterwards {
    Removed,
    Restored {
        value: ServerString,
        expires_at: Option<u64>,
    },
}

fn afterwards() -> MutexGuard<'static, Option<Afterwards>> {
    AFTERWARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Frees what is kept.
pub fn forget() {
    *afterwards() = None;
    IS_UNREADABLE.store(false, Ordering::Relaxed);
}

/// A file that the server begins to write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    Snapshot,
    Aof,
}

/// Runs in the process that writes, after the fork and before the first byte.
pub fn on_file(context: &Context, event: Persistence) {
    match event {
        Persistence::SnapshotStarts => put(context, File::Snapshot),
        Persistence::AofStarts => put(context, File::Aof),
        Persistence::Ended => clean_up(context),
    }
}

/// Stores the namespaces under the key if this file needs them there, and removes what somebody else
/// may have forged.
fn put(context: &Context, file: File) {
    let registry = node::registry();
    let is_carried = !registry.is_empty() && is_needed_by(context, file);
    let json = is_carried.then(|| registry.to_json());
    let len = json.as_ref().map_or(0, String::len);
    if len > MAX_BYTES {
        let reason = "bytes of namespaces are too many for a file: it has none";
        context.log_warning(&format!("{len} {reason}"));
        return;
    }
    with_key(context, DATABASE, |key| {
        // A registry that somebody else stored there must not pass for ours.
        if json.is_none() && !could_be_forged(key) {
            return;
        }
        *afterwards() = Some(match key.bytes() {
            Some(value) => Afterwards::Restored {
                value: ServerString::new(value),
                expires_at: key.expires_at(),
            },
            None if key.is_missing() || context.is_child() => Afterwards::Removed,
            // Only a string can be restored.
            None => {
                let name = String::from_utf8_lossy(KEY);
                context.log_warning(&format!("{name} is no string: the file has no namespaces"));
                return;
            }
        });
        match json {
            Some(json) => key.set(&ServerString::new(json.as_bytes())),
            None => key.remove(),
        };
    });
}

/// Whether the key could pass for a registry, and is not one of a newer version.
fn could_be_forged(key: &Key) -> bool {
    let is_newer = || IS_UNREADABLE.load(Ordering::Relaxed) && matches!(parse(key), Some(Err(_)));
    key.bytes().is_some_and(is_object) && !is_newer()
}

/// Restores the key after the file is written.
fn clean_up(context: &Context) {
    let Some(afterwards) = afterwards().take() else {
        return;
    };
    with_key(context, DATABASE, |key| match afterwards {
        Afterwards::Removed => {
            key.remove();
        }
        Afterwards::Restored { value, expires_at } => {
            key.set(&value);
            if let Some(millis) = expires_at {
                key.expire_at(millis);
            }
        }
    });
}

fn is_needed_by(context: &Context, file: File) -> bool {
    match file {
        // An AOF that begins with a snapshot contains the module data.
        File::Aof => {
            let preamble = || context.setting(c"aof-use-rdb-preamble");
            !(is_module_data() && preamble().as_deref() == Some("yes"))
        }
        // A replica needs them, whatever this server keeps on disk.
        File::Snapshot => !is_module_data() && (IN_RDB.get() || is_for_replica(context)),
    }
}

/// Whether a replica waits for the snapshot. A later one gets the next snapshot.
fn is_for_replica(context: &Context) -> bool {
    let info = context.info(c"replication");
    let count = info.field(c"connected_slaves").map(CStr::to_string_lossy);
    let count: u32 = count.and_then(|count| count.parse().ok()).unwrap_or(0);
    (0..count).any(|index| {
        let name = CString::new(format!("slave{index}")).unwrap_or_default();
        let replica = info.field(&name).map(CStr::to_string_lossy);
        replica.is_some_and(|replica| !replica.split(',').any(|field| field == "state=online"))
    })
}

/// Reads the namespaces that a file contained. Anything else under the key belongs to somebody else or
/// to a newer version.
pub fn read(context: &Context, database: c_int) -> Option<Registry> {
    match with_key(context, database, |key| parse(key))? {
        Ok(registry) => Some(registry),
        Err(error) => {
            IS_UNREADABLE.store(true, Ordering::Relaxed);
            let name = String::from_utf8_lossy(KEY);
            context.log_warning(&format!("the namespaces in {name} are wrong: {error}"));
            None
        }
    }
}

/// Removes the namespaces that a file contained. Anything else stays.
pub fn remove(context: &Context, database: c_int) {
    with_key(context, database, |key| {
        if matches!(parse(key), Some(Ok(_))) {
            key.remove();
        }
    });
}

/// The registry under the key, `None` if the key cannot hold one.
fn parse(key: &Key) -> Option<Result<Registry>> {
    let json = key.bytes().filter(|json| json.len() <= MAX_BYTES)?;
    let mut registry = Registry::new();
    let loaded = registry.load(json, Existing::Flush, usize::MAX);
    Some(loaded.map(|_| registry))
}

/// Whether a string could pass for a registry, which is always an object.
fn is_object(json: &[u8]) -> bool {
    json.trim_ascii_start().starts_with(b"{")
}

/// Does something with the key in a database.
fn with_key<T>(context: &Context, database: c_int, work: impl FnOnce(&mut Key) -> T) -> T {
    context.in_database(database, |store| {
        work(&mut store.open_silently(&ServerString::new(KEY)))
    })
}
