//! Events of the server that the module listens to.

use std::ffi::c_void;

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent};

use crate::core::{Error, Result};

/// What the server calls: a context for the time of the call, the event, which of its cases it is,
/// and data that depends on the event.
pub type Callback =
    unsafe extern "C" fn(*mut RedisModuleCtx, RedisModuleEvent, subevent: u64, *mut c_void);

/// Has the server call us at every event of this kind.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn subscribe(ctx: *mut RedisModuleCtx, id: u64, callback: Callback) -> Result<()> {
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
