//! The namespaces in files that have no room for module data.
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
//! What the child has in memory is gone with it, so clients never see the key, and nothing has to be
//! sent to replicas, which a paused server must not do. A server without the module loads such a
//! file and shows the string.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent};

use super::{module_data, snapshot};
use crate::core::Result;
use crate::core::namespace::{Existing, Registry};
use crate::server::server_info::{ServerInfo, setting};
use crate::server::store::Key;
use crate::server::{Name, Store, config, events, guard, log};

/// Belongs to the module, in database 0: a string that somebody else keeps there is left out of files
/// that have namespaces.
pub const KEY: &[u8] = b"keyns:_registry";
pub const DATABASE: c_int = 0;

/// Longer than any sensible registry, and bearable: whoever may write the key decides how long it is.
const MAX_BYTES: usize = 64 << 20;

/// Whether a file has brought what this version cannot read. Files keep it, as long as there are no
/// namespaces.
static IS_UNREADABLE: AtomicBool = AtomicBool::new(false);

/// What is to become of the key when the file is written: nothing, unless we have changed it. What
/// somebody else had there comes back, with its expiry.
static AFTERWARDS: Mutex<Option<Afterwards>> = Mutex::new(None);

enum Afterwards {
    Removed,
    Restored {
        value: Name,
        expires_at: Option<u64>,
    },
}

fn afterwards() -> MutexGuard<'static, Option<Afterwards>> {
    AFTERWARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives back what is kept.
pub fn forget() {
    *afterwards() = None;
    IS_UNREADABLE.store(false, Ordering::Relaxed);
}

/// Has the key be in every file that needs it.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn subscribe(ctx: *mut RedisModuleCtx) -> Result<()> {
    // SAFETY: `ctx` is the module's.
    unsafe { events::subscribe(ctx, raw::REDISMODULE_EVENT_PERSISTENCE, on_file) }
}

/// A file that the server begins to write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    Snapshot,
    Aof,
}

/// Comes in the process that writes, after the fork and before the first byte.
unsafe extern "C" fn on_file(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    // SAFETY: the context is the server's, for the time of the callback.
    guard::callback("an event", (), || unsafe {
        match subevent {
            raw::REDISMODULE_SUBEVENT_PERSISTENCE_RDB_START
            | raw::REDISMODULE_SUBEVENT_PERSISTENCE_SYNC_RDB_START => put(ctx, File::Snapshot),
            raw::REDISMODULE_SUBEVENT_PERSISTENCE_AOF_START
            | raw::REDISMODULE_SUBEVENT_PERSISTENCE_SYNC_AOF_START => put(ctx, File::Aof),
            raw::REDISMODULE_SUBEVENT_PERSISTENCE_ENDED
            | raw::REDISMODULE_SUBEVENT_PERSISTENCE_FAILED => clean_up(ctx),
            _ => {}
        }
    });
}

/// Puts the namespaces under the key if this file needs them there, and sees to it that nobody else
/// has put something under it.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn put(ctx: *mut RedisModuleCtx, file: File) {
    // SAFETY: the context is the server's.
    unsafe {
        let registry = snapshot();
        let is_carried = !registry.is_empty() && is_needed_by(ctx, file);
        let json = is_carried.then(|| registry.to_json());
        let len = json.as_ref().map_or(0, String::len);
        if len > MAX_BYTES {
            let reason = "bytes of namespaces are too many for a file: it has none";
            log::warning(ctx, &format!("{len} {reason}"));
            return;
        }
        key(ctx, |key| {
            // A registry that somebody else put there must not be taken for ours.
            if json.is_none() && !could_be_forged(key) {
                return;
            }
            *afterwards() = Some(match key.bytes() {
                Some(value) => Afterwards::Restored {
                    value: Name::new(value),
                    expires_at: key.expires_at(),
                },
                None if key.kind() as isize == raw::REDISMODULE_KEYTYPE_EMPTY || is_child(ctx) => {
                    Afterwards::Removed
                }
                // What is no string could not be put back.
                None => {
                    let name = String::from_utf8_lossy(KEY);
                    log::warning(
                        ctx,
                        &format!("{name} is no string: the file has no namespaces"),
                    );
                    return;
                }
            });
            match json {
                Some(json) => key.set(&Name::new(json.as_bytes())),
                None => key.remove(),
            };
        });
    }
}

/// Whether the key could be taken for a registry, and is not one of a newer version.
fn could_be_forged(key: &Key) -> bool {
    let is_newer = || IS_UNREADABLE.load(Ordering::Relaxed) && matches!(parse(key), Some(Err(_)));
    key.bytes().is_some_and(is_object) && !is_newer()
}

/// Whether this process ends with the file, and what it changes is nobody's.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn is_child(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: the context is the server's.
    let flags = unsafe { api!(RedisModule_GetContextFlags(ctx)) } as u32;
    flags & raw::REDISMODULE_CTX_FLAGS_IS_CHILD != 0
}

/// Makes the key what it was before the file was written.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn clean_up(ctx: *mut RedisModuleCtx) {
    let Some(afterwards) = afterwards().take() else {
        return;
    };
    // SAFETY: the context is the server's.
    unsafe {
        key(ctx, |key| match afterwards {
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
}

/// # Safety
/// `ctx` must be a context of the server.
unsafe fn is_needed_by(ctx: *mut RedisModuleCtx, file: File) -> bool {
    let has_module_data = module_data::is_kept();
    // SAFETY: the context is the server's.
    unsafe {
        match file {
            File::Aof => !(has_module_data && begins_with_snapshot(ctx)),
            // A replica needs them whatever we keep on disk.
            File::Snapshot => {
                !has_module_data && (config::current().namespaces_in_rdb || is_for_replica(ctx))
            }
        }
    }
}

/// Whether an AOF begins with a snapshot, which has the module data in it.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn begins_with_snapshot(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: the context is the server's.
    unsafe { setting(ctx, c"aof-use-rdb-preamble") }.as_deref() == Some("yes")
}

/// Whether a replica waits for the snapshot. One that comes later gets the next.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn is_for_replica(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: the context is the server's, for longer than the info.
    let info = unsafe { ServerInfo::of(ctx, c"replication") };
    let count = info.field(c"connected_slaves").map(CStr::to_string_lossy);
    let count: u32 = count.and_then(|count| count.parse().ok()).unwrap_or(0);
    (0..count).any(|index| {
        let name = CString::new(format!("slave{index}")).unwrap_or_default();
        let replica = info.field(&name).map(CStr::to_string_lossy);
        replica.is_some_and(|replica| !replica.split(',').any(|field| field == "state=online"))
    })
}

/// Reads the namespaces that a file has brought. What is no registry is somebody else's, or that of
/// a newer version.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn read(ctx: *mut RedisModuleCtx, database: c_int) -> Option<Registry> {
    // SAFETY: the context is the server's.
    match unsafe { key_in(ctx, database, parse) }? {
        Ok(registry) => Some(registry),
        Err(error) => {
            IS_UNREADABLE.store(true, Ordering::Relaxed);
            let name = String::from_utf8_lossy(KEY);
            log::warning(ctx, &format!("the namespaces in {name} are wrong: {error}"));
            None
        }
    }
}

/// Removes the namespaces that a file has brought. What is no registry stays.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn remove(ctx: *mut RedisModuleCtx, database: c_int) {
    // SAFETY: the context is the server's.
    unsafe {
        key_in(ctx, database, |key| {
            if matches!(parse(key), Some(Ok(_))) {
                key.remove();
            }
        });
    }
}

/// The registry under the key, `None` if there can be none.
fn parse(key: &Key) -> Option<Result<Registry>> {
    let json = key.bytes().filter(|json| json.len() <= MAX_BYTES)?;
    let mut registry = Registry::new();
    let loaded = registry.load(json, Existing::Flush, usize::MAX);
    Some(loaded.map(|_| registry))
}

/// Whether a string could be taken for a registry: every one is an object.
fn is_object(json: &[u8]) -> bool {
    json.trim_ascii_start().starts_with(b"{")
}

/// Does something with the key, where it belongs.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn key<T>(ctx: *mut RedisModuleCtx, work: impl FnOnce(&Key) -> T) -> T {
    // SAFETY: the context is the server's.
    unsafe { key_in(ctx, DATABASE, work) }
}

/// Does something with the key in a database.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn key_in<T>(ctx: *mut RedisModuleCtx, database: c_int, work: impl FnOnce(&Key) -> T) -> T {
    // SAFETY: the context is the server's, and its database matters to nobody else: it is one for
    // this event, or that of a call that works on no key.
    unsafe {
        let selected = api!(RedisModule_GetSelectedDb(ctx));
        api!(RedisModule_SelectDb(ctx, database));
        let result = work(&Store::new(ctx, &[]).open(&Name::new(KEY)));
        api!(RedisModule_SelectDb(ctx, selected));
        result
    }
}
