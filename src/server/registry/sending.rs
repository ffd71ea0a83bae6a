//! Namespaces for replicas that go on without a snapshot.
//!
//! A snapshot has the namespaces in it, whatever it is for. A replica that goes on from where it was
//! gets none. If its primary has started again meanwhile with another file of namespaces, nothing
//! that it gets would tell it: so these follow, as soon as the server may send something of its own.

use std::ffi::{c_longlong, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent};

use super::current;
use crate::core::Result;
use crate::core::namespace::Existing;
use crate::server::{events, guard, log, store};

/// When the server is done with what it is doing.
const SOON: c_longlong = 0;
/// How long to wait, in milliseconds, until a pause may be over.
const PAUSE: c_longlong = 100;

/// Whether a timer for it is set.
static TO_BE_SENT: AtomicBool = AtomicBool::new(false);

/// Has every replica that comes online get the namespaces.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn subscribe(ctx: *mut RedisModuleCtx) -> Result<()> {
    // SAFETY: `ctx` is the module's.
    unsafe { events::subscribe(ctx, raw::REDISMODULE_EVENT_REPLICA_CHANGE, on_replica) }
}

pub fn forget() {
    TO_BE_SENT.store(false, Ordering::Relaxed);
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

/// Has replicas and the AOF get all namespaces once more, after so many milliseconds. Not at once:
/// an event may come from within a command like PSYNC, which the server would then hand on as well.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn send_all_after(ctx: *mut RedisModuleCtx, millis: c_longlong) {
    if !TO_BE_SENT.swap(true, Ordering::Relaxed) {
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
    let json = current().to_json();
    // SAFETY: `ctx` is the server's, and it copies the buffer.
    if unsafe { replicate_load(ctx, json.as_bytes(), Existing::Flush) }.is_err() {
        log::warning(ctx, "namespaces could not be sent to replicas");
    }
}

/// Hands `KEYNS.NS.LOAD` with this text to replicas and the AOF.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn replicate_load(
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
