//! When the namespaces are taken from what a server loads.
//!
//! An AOF is a base and the commands since then. The [string](carrier) belongs to the base. What a
//! later command does to its key is nobody's business but that command's:
//!
//! ```text
//! base: … keyns:_registry …   since then: SET keyns:_registry forged, FLUSHALL, KEYNS.NS.SET …
//!         ^ taken when it is loaded, if the base is a snapshot
//!                                                              ^ and at the latest before these,
//!                                                                if the base is commands as well
//! ```
//!
//! A snapshot that has no such string had no namespaces, and nothing is taken later.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use redis_module::raw::{
    self, RedisModuleCtx, RedisModuleEvent, RedisModuleFlushInfo, RedisModuleString,
    RedisModuleSwapDbInfo,
};

use super::carrier::{self, DATABASE, KEY};
use super::{arrive, arriving, change, changing, has_file};
use crate::core::namespace::Registry;
use crate::core::{Error, Result};
use crate::server::{events, guard, name};

/// Whether an AOF is being loaded.
static IS_AOF: AtomicBool = AtomicBool::new(false);
/// Whether a key has come out of a snapshot.
static HAS_SNAPSHOT: AtomicBool = AtomicBool::new(false);
/// Whether the string has been looked for.
static IS_TAKEN: AtomicBool = AtomicBool::new(true);
/// Whether it was taken while the snapshot was read, and is still there.
static IS_LEFT: AtomicBool = AtomicBool::new(false);

/// Has the server tell of what it loads.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn subscribe(ctx: *mut RedisModuleCtx) -> Result<()> {
    // SAFETY: `ctx` is the module's, and the callbacks live as long as the module.
    unsafe {
        events::subscribe(ctx, raw::REDISMODULE_EVENT_LOADING, on_loading)?;
        events::subscribe(ctx, raw::REDISMODULE_EVENT_FLUSHDB, on_flush)?;
        events::subscribe(ctx, raw::REDISMODULE_EVENT_SWAPDB, on_swap)?;
        let status = api!(RedisModule_SubscribeToKeyspaceEvents(
            ctx,
            raw::REDISMODULE_NOTIFY_LOADED,
            Some(on_loaded)
        ));
        if status as isize != raw::REDISMODULE_OK {
            return Err(Error::Server { call: "an event" });
        }
        // A server that has loaded its data without the module has them still as a string.
        begin(false);
        take(ctx, DATABASE);
    }
    Ok(())
}

/// A replica has the namespaces of its primary, and none if that has none. It keeps its own until
/// all data of the primary is there. An AOF has all changes from the first one on.
unsafe extern "C" fn on_loading(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    guard::callback("an event", (), || match subevent {
        raw::REDISMODULE_SUBEVENT_LOADING_RDB_START => begin(false),
        raw::REDISMODULE_SUBEVENT_LOADING_AOF_START => {
            begin(true);
            if !has_file() {
                changing().0 = None;
            }
        }
        raw::REDISMODULE_SUBEVENT_LOADING_REPL_START => {
            begin(false);
            *arriving() = Some(Registry::new());
        }
        raw::REDISMODULE_SUBEVENT_LOADING_ENDED => {
            // SAFETY: the context is the server's, for the time of the callback.
            unsafe { take(ctx, DATABASE) };
            IS_AOF.store(false, Ordering::Relaxed);
            if let Some(registry) = arriving().take() {
                change(|current| *current = registry);
            }
        }
        raw::REDISMODULE_SUBEVENT_LOADING_FAILED => {
            IS_AOF.store(false, Ordering::Relaxed);
            *arriving() = None;
        }
        _ => {}
    });
}

fn begin(is_aof: bool) {
    IS_AOF.store(is_aof, Ordering::Relaxed);
    HAS_SNAPSHOT.store(false, Ordering::Relaxed);
    IS_TAKEN.store(false, Ordering::Relaxed);
    IS_LEFT.store(false, Ordering::Relaxed);
}

/// Takes the namespaces that what is being loaded began with, once, from the database where they are
/// now.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn take(ctx: *mut RedisModuleCtx, database: c_int) {
    // SAFETY: the context is the server's.
    unsafe {
        if IS_LEFT.swap(false, Ordering::Relaxed) {
            carrier::remove(ctx, database);
        }
        if IS_TAKEN.swap(true, Ordering::Relaxed) {
            return;
        }
        // What came after a snapshot without them is somebody else's.
        let came_later = IS_AOF.load(Ordering::Relaxed) && HAS_SNAPSHOT.load(Ordering::Relaxed);
        if !came_later && let Some(registry) = carrier::read(ctx, database) {
            carrier::remove(ctx, database);
            arrive(registry);
        }
    }
}

/// Takes them before a change of namespaces in the AOF, which is one of what the AOF began with.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn before_change(ctx: *mut RedisModuleCtx) {
    if IS_AOF.load(Ordering::Relaxed) {
        // SAFETY: the context is the server's.
        unsafe { take(ctx, DATABASE) };
    }
}

/// Comes for every key of a snapshot. Nothing may be written here.
unsafe extern "C" fn on_loaded(
    ctx: *mut RedisModuleCtx,
    _class: c_int,
    _event: *const c_char,
    key: *mut RedisModuleString,
) -> c_int {
    HAS_SNAPSHOT.store(true, Ordering::Relaxed);
    // Nothing follows on other snapshots. And a replica may load them where nobody can look yet.
    // SAFETY: the key lives until this returns.
    if IS_AOF.load(Ordering::Relaxed) && unsafe { name::bytes(key) } == KEY {
        // SAFETY: the context is the server's, for the time of the callback.
        guard::callback("an event", (), || unsafe { take_from_snapshot(ctx) });
    }
    raw::REDISMODULE_OK as c_int
}

/// # Safety
/// `ctx` must be a context of the server, in the database of the key that was loaded.
unsafe fn take_from_snapshot(ctx: *mut RedisModuleCtx) {
    // SAFETY: the context is the server's.
    unsafe {
        let is_ours = api!(RedisModule_GetSelectedDb(ctx)) == DATABASE;
        if is_ours && !IS_TAKEN.swap(true, Ordering::Relaxed) {
            IS_LEFT.store(true, Ordering::Relaxed);
            if let Some(registry) = carrier::read(ctx, DATABASE) {
                arrive(registry);
            }
        }
    }
}

unsafe extern "C" fn on_flush(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    data: *mut c_void,
) {
    guard::callback("an event", (), || {
        if subevent != raw::REDISMODULE_SUBEVENT_FLUSHDB_START {
            return;
        }
        // SAFETY: the server hands this structure over; the context is its own. -1 is every database.
        unsafe {
            if matches!((*data.cast::<RedisModuleFlushInfo>()).dbnum, -1 | DATABASE) {
                before_change(ctx);
            }
        }
    });
}

/// Comes when they have been swapped.
unsafe extern "C" fn on_swap(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    _subevent: u64,
    data: *mut c_void,
) {
    guard::callback("an event", (), || {
        if !IS_AOF.load(Ordering::Relaxed) {
            return;
        }
        // SAFETY: the server hands this structure over; the context is its own.
        unsafe {
            let swapped = &*data.cast::<RedisModuleSwapDbInfo>();
            match (swapped.dbnum_first, swapped.dbnum_second) {
                (DATABASE, other) | (other, DATABASE) => take(ctx, other),
                _ => {}
            }
        }
    });
}
