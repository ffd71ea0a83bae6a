//! What `INFO` and `CONFIG GET` say about the server.

use std::ffi::{CStr, c_int};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleServerInfoData};

use super::store::CallReply;

/// Whether the server is Redis 7.0, which lacks functions of newer servers.
pub fn is_redis_7_0() -> bool {
    // SAFETY: the server sets it once, while the module is loaded.
    let newer = unsafe { raw::RedisModule_GetOpenKeyModesAll };
    newer.is_none()
}

/// Whether the server is Valkey, of whatever version.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn is_valkey(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: the context is the server's, for longer than the info.
    let server = unsafe { ServerInfo::of(ctx, c"server") };
    server.field(c"valkey_version").is_some()
}

static IN_CLUSTER: AtomicBool = AtomicBool::new(false);

/// Whether the server is a node of a cluster, which never changes while it runs.
pub fn in_cluster() -> bool {
    IN_CLUSTER.load(Ordering::Relaxed)
}

/// Records whether the server is a node of a cluster.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn note_cluster(ctx: *mut RedisModuleCtx) {
    // SAFETY: the context is the server's.
    let flags = unsafe { api!(RedisModule_GetContextFlags(ctx)) };
    let in_cluster = flags & raw::REDISMODULE_CTX_FLAGS_CLUSTER as c_int != 0;
    IN_CLUSTER.store(in_cluster, Ordering::Relaxed);
}

static OTHER_MODULES: AtomicBool = AtomicBool::new(true);

/// Whether other modules are or were loaded, apart from Valkey's own for Lua.
pub fn has_other_modules() -> bool {
    OTHER_MODULES.load(Ordering::Relaxed)
}

/// Valkey's own module for Lua, which it loads after all others.
const LUA: &str = "lua";

static IS_VALKEY: AtomicBool = AtomicBool::new(true);

/// Whether the server can be asked about a client that may be another module's: Valkey 9.1 crashes
/// if it has no connection, and Redis does not know it.
pub fn can_ask_about_modules() -> bool {
    !IS_VALKEY.load(Ordering::Relaxed) || !has_other_modules()
}

/// Records whether the server has other modules, while it loads this one; yes if it does not reveal
/// them.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn note_modules(ctx: *mut RedisModuleCtx) {
    // SAFETY: `c` takes a C string; what is not null is ours to free.
    let list = unsafe {
        let (module, list) = (c"MODULE".as_ptr(), c"LIST".as_ptr());
        let list = api!(RedisModule_Call(ctx, module, c"c".as_ptr(), list));
        (!list.is_null()).then(|| CallReply::from_raw(list))
    };
    let is_alone = list.is_some_and(|list| {
        let mut modules = list.lists().into_iter();
        !list.is_error() && modules.all(|module| module.get(1).is_some_and(|name| name == LUA))
    });
    OTHER_MODULES.store(!is_alone, Ordering::Relaxed);
    // SAFETY: the context is the server's.
    IS_VALKEY.store(unsafe { is_valkey(ctx) }, Ordering::Relaxed);
}

/// Records that the server has loaded another module, of this name.
pub fn note_module(name: &[u8]) {
    if name != LUA.as_bytes() {
        OTHER_MODULES.store(true, Ordering::Relaxed);
    }
}

/// The value of one of the server's settings, `None` if it does not reveal it.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn setting(ctx: *mut RedisModuleCtx, name: &CStr) -> Option<String> {
    // SAFETY: `c` takes a C string; what is not null is ours to free.
    let reply = unsafe {
        let reply = api!(RedisModule_Call(
            ctx,
            c"CONFIG".as_ptr(),
            c"cc".as_ptr(),
            c"GET".as_ptr(),
            name.as_ptr()
        ));
        (!reply.is_null()).then(|| CallReply::from_raw(reply))
    };
    reply?.texts().into_iter().nth(1)
}

/// A section of `INFO` at one moment.
pub struct ServerInfo<'a> {
    ctx: *mut RedisModuleCtx,
    data: *mut RedisModuleServerInfoData,
    context: PhantomData<&'a ()>,
}

impl ServerInfo<'_> {
    /// # Safety
    /// `ctx` must be a context of the server and live for `'a`.
    pub unsafe fn of(ctx: *mut RedisModuleCtx, section: &CStr) -> Self {
        // SAFETY: the context is the server's; the data is ours until it is freed.
        let data = unsafe { api!(RedisModule_GetServerInfo(ctx, section.as_ptr())) };
        ServerInfo {
            ctx,
            data,
            context: PhantomData,
        }
    }

    /// The value of a field, `None` if the section has no such field.
    pub fn field(&self, name: &CStr) -> Option<&CStr> {
        // SAFETY: the data is ours, and the text lives as long.
        unsafe {
            let value = api!(RedisModule_ServerInfoGetFieldC(self.data, name.as_ptr()));
            (!value.is_null()).then(|| CStr::from_ptr(value))
        }
    }
}

impl Drop for ServerInfo<'_> {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has a part of it any more.
        unsafe { api!(RedisModule_FreeServerInfo(self.ctx, self.data)) }
    }
}
