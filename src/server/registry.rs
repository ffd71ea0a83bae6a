//! The namespaces of this node, and how they last.
//!
//! Changes reach replicas and the AOF as the commands that made them. A snapshot has the namespaces
//! in it where the server can leave them out when there are none (Redis 7.2 and up, Valkey), so that
//! a server without this module can load it then. Before that they follow a snapshot to each replica
//! that has received one. They are written into every AOF that is begun, which need not begin with a
//! snapshot. And they can be read from a file when the module is loaded, which then is all that a
//! start brings back.

use std::ffi::{CStr, OsStr, c_int, c_longlong, c_void};
use std::fs;
use std::mem;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent, RedisModuleIO};

use super::{config, guard, log, store};
use crate::core::namespace::{Existing, Registry};
use crate::core::{Error, Result};

static REGISTRY: RwLock<Shared> = RwLock::new(Shared(None));

/// The namespaces, or none: nothing is left in memory then, where nobody would find it any more
/// once the module is unloaded.
#[derive(Clone)]
pub struct Shared(Option<Arc<Registry>>);

impl Deref for Shared {
    type Target = Registry;

    fn deref(&self) -> &Registry {
        static NONE: Registry = Registry::new();
        self.0.as_deref().unwrap_or(&NONE)
    }
}

/// What a primary has sent, until all of its data is there.
static ARRIVING: Mutex<Option<Registry>> = Mutex::new(None);

/// The namespaces, for as long as the guard is held: never while the server runs a command.
pub fn current() -> RwLockReadGuard<'static, Shared> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

/// The namespaces of this moment, which others may change meanwhile.
pub fn snapshot() -> Shared {
    current().clone()
}

/// How many there are, unless somebody is changing them just now: a report about a crash must not
/// wait for anybody.
pub fn count() -> Option<usize> {
    let registry = REGISTRY.try_read().ok()?;
    Some(registry.len())
}

pub fn change<T>(change: impl FnOnce(&mut Registry) -> T) -> T {
    let mut shared = changing();
    change(Arc::make_mut(shared.0.get_or_insert_default()))
}

fn changing() -> RwLockWriteGuard<'static, Shared> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

fn arriving() -> MutexGuard<'static, Option<Registry>> {
    ARRIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the file that the settings name, if they name one, and has the server keep the namespaces.
///
/// # Safety
/// `ctx` must be the context the module is loaded with, and the settings must be there.
pub unsafe fn register(ctx: *mut RedisModuleCtx) -> Result<()> {
    let (path, in_rdb) = {
        let settings = config::current();
        (settings.namespaces.clone(), settings.namespaces_in_rdb)
    };
    if !path.is_empty() {
        read_file(&path)?;
    }
    // SAFETY: `ctx` is the module's.
    unsafe {
        let in_snapshots = in_rdb && snapshots_can_leave_us_out();
        if in_snapshots {
            save_in_snapshots(ctx)?;
        }
        // With a file, also a replica that needs no snapshot after our restart may have others.
        if !in_snapshots || !path.is_empty() {
            subscribe(ctx, raw::REDISMODULE_EVENT_REPLICA_CHANGE, on_replica)?;
        }
        subscribe(ctx, raw::REDISMODULE_EVENT_FORK_CHILD, on_fork)?;
        subscribe(ctx, raw::REDISMODULE_EVENT_LOADING, on_loading)
    }
}

/// Gives the memory of the namespaces back.
pub fn forget() {
    changing().0 = None;
    *arriving() = None;
    TO_BE_SENT.store(false, Ordering::Relaxed);
}

fn read_file(path: &[u8]) -> Result<()> {
    let wrong = |reason: String| Error::NamespacesFile {
        path: path.to_vec(),
        reason,
    };
    let json = fs::read(OsStr::from_bytes(path)).map_err(|error| wrong(error.to_string()))?;
    let loaded = change(|registry| registry.load(&json, Existing::Flush, usize::MAX));
    loaded.map(drop).map_err(|error| wrong(error.to_string()))
}

/// Whether the server reads its data at the start, and there is a file: that brings back what is in
/// it, and not what the AOF says.
pub(super) fn is_settled_by_file(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: the context is the server's.
    let flags = unsafe { api!(RedisModule_GetContextFlags(ctx)) } as u32;
    flags & raw::REDISMODULE_CTX_FLAGS_LOADING != 0 && has_file()
}

fn has_file() -> bool {
    !config::current().namespaces.is_empty()
}

const TYPE_NAME: &CStr = c"keyns-reg";
const TYPE_VERSION: c_int = 0;
/// The first version of a type's methods with `aux_save2`.
const LEAVES_OUT: c_int = 5;

fn snapshots_can_leave_us_out() -> bool {
    // SAFETY: takes no arguments.
    let version = unsafe { raw::RedisModule_GetTypeMethodVersion.map(|version| version()) };
    version.is_some_and(|version| version >= LEAVES_OUT)
}

/// # Safety
/// `ctx` must be the context the module is loaded with.
unsafe fn save_in_snapshots(ctx: *mut RedisModuleCtx) -> Result<()> {
    // SAFETY: all zeros are a valid value: numbers and functions that are not there. The server
    // copies it.
    unsafe {
        let mut methods: raw::RedisModuleTypeMethods = mem::zeroed();
        methods.version = LEAVES_OUT as u64;
        methods.aux_load = Some(load_snapshot);
        methods.aux_save2 = Some(save_snapshot);
        methods.aux_save_triggers = raw::REDISMODULE_AUX_BEFORE_RDB as c_int;
        let made = api!(RedisModule_CreateDataType(
            ctx,
            TYPE_NAME.as_ptr(),
            TYPE_VERSION,
            &mut methods
        ));
        match made.is_null() {
            true => Err(Error::Server {
                call: "to keep namespaces in snapshots",
            }),
            false => Ok(()),
        }
    }
}

unsafe extern "C" fn save_snapshot(rdb: *mut RedisModuleIO, _when: c_int) {
    guard::callback("saving", (), || {
        let registry = current();
        if registry.is_empty() {
            return;
        }
        let json = registry.to_json();
        // SAFETY: the server copies the bytes.
        unsafe {
            api!(RedisModule_SaveStringBuffer(
                rdb,
                json.as_ptr().cast(),
                json.len()
            ));
        }
    });
}

unsafe extern "C" fn load_snapshot(rdb: *mut RedisModuleIO, version: c_int, _when: c_int) -> c_int {
    const ERR: c_int = raw::REDISMODULE_ERR as c_int;
    guard::callback("loading a snapshot", ERR, || {
        if version != TYPE_VERSION {
            log::warning_anywhere("the snapshot's namespaces are of another version of keyns");
            return ERR;
        }
        let mut len = 0;
        // SAFETY: the buffer is ours until it is freed, and null if the snapshot ends too early.
        let loaded = unsafe {
            let buffer = api!(RedisModule_LoadStringBuffer(rdb, &mut len));
            if buffer.is_null() {
                return ERR;
            }
            let json = std::slice::from_raw_parts(buffer.cast::<u8>(), len);
            let mut registry = Registry::new();
            let loaded = registry.load(json, Existing::Flush, usize::MAX);
            api!(RedisModule_Free(buffer.cast::<c_void>()));
            loaded.map(|_| registry)
        };
        match loaded {
            Ok(registry) => {
                arrive(registry);
                raw::REDISMODULE_OK as c_int
            }
            Err(error) => {
                log::warning_anywhere(&format!("the snapshot's namespaces are wrong: {error}"));
                ERR
            }
        }
    })
}

/// Takes what a snapshot had in it.
fn arrive(registry: Registry) {
    let mut arriving = arriving();
    if arriving.is_some() {
        *arriving = Some(registry);
    } else if !has_file() {
        change(|current| *current = registry);
    }
}

type Callback =
    unsafe extern "C" fn(*mut RedisModuleCtx, RedisModuleEvent, subevent: u64, *mut c_void);

/// # Safety
/// `ctx` must be the context the module is loaded with.
unsafe fn subscribe(ctx: *mut RedisModuleCtx, id: u64, callback: Callback) -> Result<()> {
    let event = RedisModuleEvent { id, dataver: 1 };
    // SAFETY: `ctx` is the module's, and the callback lives as long as the module.
    let status = unsafe {
        api!(RedisModule_SubscribeToServerEvent(
            ctx,
            event,
            Some(callback)
        ))
    };
    match status as isize {
        raw::REDISMODULE_OK => Ok(()),
        _ => Err(Error::Server { call: "an event" }),
    }
}

/// A replica has the namespaces of its primary, and none if that has none. It keeps its own until
/// all data of the primary is there. An AOF has all changes from the first one on.
unsafe extern "C" fn on_loading(
    _ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    guard::callback("an event", (), || match subevent {
        raw::REDISMODULE_SUBEVENT_LOADING_AOF_START if !has_file() => changing().0 = None,
        raw::REDISMODULE_SUBEVENT_LOADING_REPL_START => *arriving() = Some(Registry::new()),
        raw::REDISMODULE_SUBEVENT_LOADING_ENDED => {
            if let Some(registry) = arriving().take() {
                change(|current| *current = registry);
            }
        }
        raw::REDISMODULE_SUBEVENT_LOADING_FAILED => *arriving() = None,
        _ => {}
    });
}

unsafe extern "C" fn on_replica(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    guard::callback("an event", (), || {
        if subevent == raw::REDISMODULE_SUBEVENT_REPLICA_CHANGE_ONLINE {
            // SAFETY: the context is the server's, for the time of the callback.
            unsafe { send_all_after(ctx, SOON) };
        }
    });
}

unsafe extern "C" fn on_fork(
    ctx: *mut RedisModuleCtx,
    _event: RedisModuleEvent,
    subevent: u64,
    _data: *mut c_void,
) {
    guard::callback("an event", (), || {
        // SAFETY: the context is the server's, for the time of the callback.
        unsafe {
            if subevent == raw::REDISMODULE_SUBEVENT_FORK_CHILD_BORN && begins_aof(ctx) {
                send_all_after(ctx, SOON);
            }
        }
    });
}

/// Whether the server writes its data into a new AOF.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn begins_aof(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: the context is the server's. The info is ours until it is freed, and the text in it
    // lives as long.
    unsafe {
        let flags = api!(RedisModule_GetContextFlags(ctx)) as u32;
        let info = api!(RedisModule_GetServerInfo(ctx, c"persistence".as_ptr()));
        let field = c"aof_rewrite_in_progress".as_ptr();
        let field = api!(RedisModule_ServerInfoGetFieldC(info, field));
        let rewrites = !field.is_null() && CStr::from_ptr(field) == c"1";
        api!(RedisModule_FreeServerInfo(ctx, info));
        rewrites && flags & raw::REDISMODULE_CTX_FLAGS_AOF != 0
    }
}

/// When the server is done with what it is doing.
const SOON: c_longlong = 0;
/// How long to wait, in milliseconds, until a pause may be over.
const PAUSE: c_longlong = 100;

/// Whether a timer for it is set.
static TO_BE_SENT: AtomicBool = AtomicBool::new(false);

/// Has replicas and the AOF get all namespaces once more, after so many milliseconds. Not at once:
/// an event may come from within a command like PSYNC, which the server would then hand on as well.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn send_all_after(ctx: *mut RedisModuleCtx, millis: c_longlong) {
    if !current().is_empty() && !TO_BE_SENT.swap(true, Ordering::Relaxed) {
        // SAFETY: `ctx` is the server's, and it does not let the module go before the timer.
        unsafe {
            api!(RedisModule_CreateTimer(
                ctx,
                millis,
                Some(on_timer),
                ptr::null_mut()
            ));
        }
    }
}

unsafe extern "C" fn on_timer(ctx: *mut RedisModuleCtx, _data: *mut c_void) {
    guard::callback("a timer", (), || {
        TO_BE_SENT.store(false, Ordering::Relaxed);
        // SAFETY: the context is the server's, for the time of the callback.
        unsafe {
            // What is sent while clients are paused, or for a failover, would end the server.
            match api!(RedisModule_AvoidReplicaTraffic()) {
                0 => send_all(ctx),
                _ => send_all_after(ctx, PAUSE),
            }
        }
    });
}

/// # Safety
/// `ctx` must be a context of the server, outside of any command.
unsafe fn send_all(ctx: *mut RedisModuleCtx) {
    let json = {
        let registry = current();
        if registry.is_empty() {
            return;
        }
        registry.to_json()
    };
    // SAFETY: `ctx` is the server's, and it copies the buffer.
    if unsafe { replicate_load(ctx, json.as_bytes(), Existing::Flush) }.is_err() {
        log::warning(ctx, "namespaces could not be sent to replicas");
    }
}

/// Hands `KEYNS.NS.LOAD` with this text to replicas and the AOF.
///
/// # Safety
/// `ctx` must be a context of the server.
pub(super) unsafe fn replicate_load(
    ctx: *mut RedisModuleCtx,
    json: &[u8],
    existing: Existing,
) -> Result<()> {
    let word = match existing {
        Existing::Flush => c"FLUSH",
        Existing::Replace | Existing::Refuse => c"REPLACE",
    };
    // SAFETY: a buffer with its length, and a string that ends with NUL.
    store::queued(unsafe {
        api!(RedisModule_Replicate(
            ctx,
            c"KEYNS.NS.LOAD".as_ptr(),
            c"bc".as_ptr(),
            json.as_ptr(),
            json.len(),
            word.as_ptr()
        ))
    })
}
