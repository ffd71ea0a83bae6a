//! Events of the server that families listen to.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{PoisonError, RwLock};

use redis_module::raw::{
    self, RedisModuleCtx, RedisModuleEvent, RedisModuleEventCallback, RedisModuleFlushInfo,
    RedisModuleModuleChange, RedisModuleString, RedisModuleSwapDbInfo,
};
use smallvec::SmallVec;

use super::context::Context;
use super::{Error, Result, entry, string};

/// A kind of event, with the function to call.
#[derive(Clone, Copy)]
pub enum Listener {
    /// The process writes a file.
    Persistence(fn(&Context, Persistence)),
    /// The server loads data.
    Loading(fn(&Context, Loading)),
    /// The server has loaded a key from a snapshot. The listener must not write.
    LoadedKey(fn(&Context, &[u8])),
    /// A database is about to be flushed; `None` if all are.
    Flush(fn(&Context, Option<c_int>)),
    /// Two databases have been swapped.
    Swap(fn(&Context, c_int, c_int)),
    /// A replica is online.
    ReplicaOnline(fn(&Context)),
    /// The server has loaded another module, of this name.
    ModuleLoaded(fn(&Context, &[u8])),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// Before the first byte, and after the fork, if there is one.
    SnapshotStarts,
    AofStarts,
    /// Whether it succeeded or not.
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    SnapshotStarts,
    AofStarts,
    /// The data of a primary.
    SyncStarts,
    Ended,
    Failed,
}

/// The listeners of one kind of event.
struct Listeners<F>(RwLock<SmallVec<[F; 2]>>);

impl<F: Copy> Listeners<F> {
    const fn none() -> Listeners<F> {
        Listeners(RwLock::new(SmallVec::new_const()))
    }

    /// Returns whether it is the first.
    fn add(&self, listener: F) -> bool {
        let mut listeners = self.0.write().unwrap_or_else(PoisonError::into_inner);
        listeners.push(listener);
        listeners.len() == 1
    }

    fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = SmallVec::new_const();
    }

    /// Calls all of them, without holding a lock.
    fn tell(&self, ctx: *mut RedisModuleCtx, tell: impl Fn(F, &Context)) {
        entry::work("an event", (), || {
            // One statement, so that it releases the lock at its end.
            let listeners = self
                .0
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            // SAFETY: the context is the server's, for the time of the callback.
            let context = unsafe { Context::new(ctx) };
            for listener in listeners {
                tell(listener, &context);
            }
        });
    }
}

static PERSISTENCE: Listeners<fn(&Context, Persistence)> = Listeners::none();
static LOADING: Listeners<fn(&Context, Loading)> = Listeners::none();
static LOADED_KEY: Listeners<fn(&Context, &[u8])> = Listeners::none();
static FLUSH: Listeners<fn(&Context, Option<c_int>)> = Listeners::none();
static SWAP: Listeners<fn(&Context, c_int, c_int)> = Listeners::none();
static REPLICA_ONLINE: Listeners<fn(&Context)> = Listeners::none();
static MODULE_LOADED: Listeners<fn(&Context, &[u8])> = Listeners::none();

/// Subscribes a listener to events of the server.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub(super) unsafe fn subscribe(ctx: *mut RedisModuleCtx, listener: Listener) -> Result<()> {
    let (event, callback): (u64, RedisModuleEventCallback) = match listener {
        Listener::Persistence(listener) => {
            PERSISTENCE.add(listener);
            (raw::REDISMODULE_EVENT_PERSISTENCE, Some(on_persistence))
        }
        Listener::Loading(listener) => {
            LOADING.add(listener);
            (raw::REDISMODULE_EVENT_LOADING, Some(on_loading))
        }
        Listener::Flush(listener) => {
            FLUSH.add(listener);
            (raw::REDISMODULE_EVENT_FLUSHDB, Some(on_flush))
        }
        Listener::Swap(listener) => {
            SWAP.add(listener);
            (raw::REDISMODULE_EVENT_SWAPDB, Some(on_swap))
        }
        Listener::ReplicaOnline(listener) => {
            REPLICA_ONLINE.add(listener);
            (raw::REDISMODULE_EVENT_REPLICA_CHANGE, Some(on_replica))
        }
        Listener::ModuleLoaded(listener) => {
            MODULE_LOADED.add(listener);
            (raw::REDISMODULE_EVENT_MODULE_CHANGE, Some(on_module))
        }
        Listener::LoadedKey(listener) => {
            // The server would call back once for each subscription.
            if !LOADED_KEY.add(listener) {
                return Ok(());
            }
            // SAFETY: `ctx` is the module's, and the callback lives as long as the module.
            return subscribed(unsafe {
                api!(RedisModule_SubscribeToKeyspaceEvents(
                    ctx,
                    raw::REDISMODULE_NOTIFY_LOADED,
                    Some(on_loaded_key)
                ))
            });
        }
    };
    let event = RedisModuleEvent {
        id: event,
        dataver: 1,
    };
    // SAFETY: `ctx` is the module's, and the callback lives as long as the module.
    subscribed(unsafe { api!(RedisModule_SubscribeToServerEvent(ctx, event, callback)) })
}

fn subscribed(status: c_int) -> Result<()> {
    match status as isize {
        raw::REDISMODULE_OK => Ok(()),
        _ => Err(Error::Server { call: "an event" }),
    }
}

/// Removes all listeners.
pub(super) fn forget() {
    PERSISTENCE.forget();
    LOADING.forget();
    LOADED_KEY.forget();
    FLUSH.forget();
    SWAP.forget();
    REPLICA_ONLINE.forget();
    MODULE_LOADED.forget();
}

unsafe extern "C" fn on_persistence(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    let what = match subevent {
        raw::REDISMODULE_SUBEVENT_PERSISTENCE_RDB_START
        | raw::REDISMODULE_SUBEVENT_PERSISTENCE_SYNC_RDB_START => Persistence::SnapshotStarts,
        raw::REDISMODULE_SUBEVENT_PERSISTENCE_AOF_START
        | raw::REDISMODULE_SUBEVENT_PERSISTENCE_SYNC_AOF_START => Persistence::AofStarts,
        raw::REDISMODULE_SUBEVENT_PERSISTENCE_ENDED
        | raw::REDISMODULE_SUBEVENT_PERSISTENCE_FAILED => Persistence::Ended,
        _ => return,
    };
    PERSISTENCE.tell(ctx, |listener, context| listener(context, what));
}

unsafe extern "C" fn on_loading(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    let what = match subevent {
        raw::REDISMODULE_SUBEVENT_LOADING_RDB_START => Loading::SnapshotStarts,
        raw::REDISMODULE_SUBEVENT_LOADING_AOF_START => Loading::AofStarts,
        raw::REDISMODULE_SUBEVENT_LOADING_REPL_START => Loading::SyncStarts,
        raw::REDISMODULE_SUBEVENT_LOADING_ENDED => Loading::Ended,
        raw::REDISMODULE_SUBEVENT_LOADING_FAILED => Loading::Failed,
        _ => return,
    };
    LOADING.tell(ctx, |listener, context| listener(context, what));
}

unsafe extern "C" fn on_loaded_key(
    ctx: *mut RedisModuleCtx,
    _class: c_int,
    _event: *const c_char,
    key: *mut RedisModuleString,
) -> c_int {
    // SAFETY: the key lives until this returns.
    let key = unsafe { string::bytes(key) };
    LOADED_KEY.tell(ctx, |listener, context| listener(context, key));
    raw::REDISMODULE_OK as c_int
}

unsafe extern "C" fn on_flush(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    data: *mut c_void,
) {
    if subevent == raw::REDISMODULE_SUBEVENT_FLUSHDB_START {
        // SAFETY: the server hands this structure over.
        let database = unsafe { (*data.cast::<RedisModuleFlushInfo>()).dbnum };
        let database = (database >= 0).then_some(database);
        FLUSH.tell(ctx, |listener, context| listener(context, database));
    }
}

unsafe extern "C" fn on_swap(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    _subevent: u64,
    data: *mut c_void,
) {
    // SAFETY: the server hands this structure over.
    let swapped = unsafe { &*data.cast::<RedisModuleSwapDbInfo>() };
    let (one, other) = (swapped.dbnum_first, swapped.dbnum_second);
    SWAP.tell(ctx, |listener, context| listener(context, one, other));
}

unsafe extern "C" fn on_replica(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    if subevent == raw::REDISMODULE_SUBEVENT_REPLICA_CHANGE_ONLINE {
        REPLICA_ONLINE.tell(ctx, |listener, context| listener(context));
    }
}

unsafe extern "C" fn on_module(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    data: *mut c_void,
) {
    if subevent == raw::REDISMODULE_SUBEVENT_MODULE_LOADED {
        // SAFETY: the server hands this structure over, and the name lives until this returns.
        let name = unsafe { CStr::from_ptr((*data.cast::<RedisModuleModuleChange>()).module_name) };
        MODULE_LOADED.tell(ctx, |listener, context| listener(context, name.to_bytes()));
    }
}
