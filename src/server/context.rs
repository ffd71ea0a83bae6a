//! What the server offers even without a client: in an event, in a timer, or while it loads the
//! module.

use std::ffi::{CStr, c_int, c_longlong, c_void};
use std::marker::PhantomData;

use redis_module::raw::{self, RedisModuleCtx};

use super::server_info::{self, ServerInfo};
use super::store::replicated;
use super::{Result, Store, entry, log};

/// The server, during a callback.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    ctx: *mut RedisModuleCtx,
    callback: PhantomData<&'a ()>,
}

// In all of these the context is live: that is the promise of `Context::new`.
impl Context<'_> {
    /// # Safety
    /// The context must be the server's, and live for `'a`.
    pub(super) unsafe fn new(ctx: *mut RedisModuleCtx) -> Self {
        Context {
            ctx,
            callback: PhantomData,
        }
    }

    pub fn log_warning(&self, line: &str) {
        log::warning(self.ctx, line);
    }

    /// The value of one of the server's settings, `None` if it does not reveal it.
    pub fn setting(&self, name: &CStr) -> Option<String> {
        // SAFETY: see above.
        unsafe { server_info::setting(self.ctx, name) }
    }

    /// A section of `INFO`.
    pub fn info(&self, section: &CStr) -> ServerInfo<'_> {
        // SAFETY: see above.
        unsafe { ServerInfo::of(self.ctx, section) }
    }

    /// Whether the server is loading its data at the start.
    pub fn is_loading(&self) -> bool {
        self.has(raw::REDISMODULE_CTX_FLAGS_LOADING)
    }

    /// Whether the server follows a primary.
    pub fn is_replica(&self) -> bool {
        self.has(raw::REDISMODULE_CTX_FLAGS_SLAVE)
    }

    /// Whether this is a child process that only writes a file, so that its changes affect nobody.
    pub fn is_child(&self) -> bool {
        self.has(raw::REDISMODULE_CTX_FLAGS_IS_CHILD)
    }

    fn has(&self, flag: u32) -> bool {
        // SAFETY: see above.
        let flags = unsafe { api!(RedisModule_GetContextFlags(self.ctx)) } as u32;
        flags & flag != 0
    }

    pub fn database(&self) -> c_int {
        // SAFETY: see above.
        unsafe { api!(RedisModule_GetSelectedDb(self.ctx)) }
    }

    /// Works on the keys of a database.
    pub fn in_database<T>(&self, database: c_int, work: impl FnOnce(&Store) -> T) -> T {
        let selected = self.database();
        // SAFETY: see above. Selecting a database affects nobody else: the context belongs to this
        // callback, or to a call that works on no key.
        unsafe {
            api!(RedisModule_SelectDb(self.ctx, database));
            let result = work(&Store::new(self.ctx, &[]));
            api!(RedisModule_SelectDb(self.ctx, selected));
            result
        }
    }

    /// Whether the server may send something to replicas. While clients are paused, or during a
    /// failover, that would crash the server.
    pub fn may_replicate(&self) -> bool {
        // SAFETY: takes no arguments.
        unsafe { api!(RedisModule_AvoidReplicaTraffic()) == 0 }
    }

    /// Replicates a command with a text and a word as arguments.
    pub fn replicate(&self, command: &CStr, text: &[u8], word: &CStr) -> Result<()> {
        // SAFETY: see above; a buffer with its length, and a string that ends with NUL.
        replicated(unsafe {
            api!(RedisModule_Replicate(
                self.ctx,
                command.as_ptr(),
                c"bc".as_ptr(),
                text.as_ptr(),
                text.len(),
                word.as_ptr()
            ))
        })
    }

    /// Calls back after this many milliseconds, outside any command. The server keeps the module
    /// loaded until then.
    pub fn after(&self, millis: u32, then: fn(&Context)) {
        // SAFETY: see above; the callback gets the function back.
        unsafe {
            api!(RedisModule_CreateTimer(
                self.ctx,
                c_longlong::from(millis),
                Some(on_timer),
                then as *mut c_void
            ));
        }
    }
}

unsafe extern "C" fn on_timer(ctx: *mut RedisModuleCtx, then: *mut c_void) {
    // SAFETY: the server passes back the function that `after` gave it.
    let then = unsafe { std::mem::transmute::<*mut c_void, fn(&Context)>(then) };
    // SAFETY: the context is the server's, for the time of the callback.
    let context = unsafe { Context::new(ctx) };
    entry::work("a timer", (), || then(&context));
}
