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

use std::ffi::{CStr, CString, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent};

use super::{current, module_data};
use crate::core::Result;
use crate::core::namespace::{Existing, Registry};
use crate::server::reader::CallReply;
use crate::server::server_info::ServerInfo;
use crate::server::store::Key;
use crate::server::{Name, Store, config, events, guard, log};

/// Belongs to the module, in database 0: what somebody else keeps there is left out of snapshots.
const KEY: &[u8] = b"keyns:_registry";

/// Longer than any registry, and bearable: whoever may write the key decides how long it is.
const MAX_BYTES: usize = 256 << 20;

/// Whether the key is there, for as long as a file is written.
static IS_THERE: AtomicBool = AtomicBool::new(false);

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
            | raw::REDISMODULE_SUBEVENT_PERSISTENCE_FAILED
                if IS_THERE.swap(false, Ordering::Relaxed) =>
            {
                key(ctx, |key| key.remove());
            }
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
        let json = {
            let registry = current();
            let is_carried = !registry.is_empty() && is_needed_by(ctx, file);
            is_carried.then(|| registry.to_json())
        };
        key(ctx, |key| match json {
            // A registry that somebody else put there must not be taken for ours.
            None if matches!(read(key), Some(Ok(_))) => _ = key.remove(),
            None => {}
            Some(json) if json.len() <= MAX_BYTES => {
                let is_set = key.set(&Name::new(json.as_bytes()));
                IS_THERE.store(is_set, Ordering::Relaxed);
            }
            Some(json) => log::warning(
                ctx,
                &format!(
                    "{} bytes of namespaces are too many for a file: it has none",
                    json.len()
                ),
            ),
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
    // SAFETY: `c` takes a C string; what is not null is ours to free.
    let reply = unsafe {
        let reply = api!(RedisModule_Call(
            ctx,
            c"CONFIG".as_ptr(),
            c"cc".as_ptr(),
            c"GET".as_ptr(),
            c"aof-use-rdb-preamble".as_ptr()
        ));
        (!reply.is_null()).then(|| CallReply::from_raw(reply))
    };
    let setting = reply.map(|reply| reply.texts());
    matches!(setting.as_deref(), Some([_, value]) if value == "yes")
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

/// Takes the namespaces that a file has brought. What is no registry is somebody else's, or that of a
/// newer version, and stays.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn take(ctx: *mut RedisModuleCtx) -> Option<Registry> {
    // SAFETY: the context is the server's.
    unsafe {
        key(ctx, |key| match read(key)? {
            Ok(registry) => {
                key.remove();
                Some(registry)
            }
            Err(error) => {
                let name = String::from_utf8_lossy(KEY);
                log::warning(ctx, &format!("the namespaces in {name} are wrong: {error}"));
                None
            }
        })
    }
}

/// The registry under the key, `None` if there can be none.
fn read(key: &Key) -> Option<Result<Registry>> {
    let json = key.bytes().filter(|json| json.len() <= MAX_BYTES)?;
    let mut registry = Registry::new();
    let loaded = registry.load(json, Existing::Flush, usize::MAX);
    Some(loaded.map(|_| registry))
}

/// Does something with the key.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn key<T>(ctx: *mut RedisModuleCtx, work: impl FnOnce(&Key) -> T) -> T {
    // SAFETY: the context is the server's, and its database matters to nobody else: it is one for
    // this event, or that of a call that works on no key.
    unsafe {
        let selected = api!(RedisModule_GetSelectedDb(ctx));
        api!(RedisModule_SelectDb(ctx, 0));
        let result = work(&Store::new(ctx, &[]).open(&Name::new(KEY)));
        api!(RedisModule_SelectDb(ctx, selected));
        result
    }
}
