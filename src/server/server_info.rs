//! What `INFO` and `CONFIG GET` say of the server.

use std::ffi::{CStr, c_int};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleServerInfoData};

use super::store::CallReply;

/// Whether the server is Redis 7.0, which lacks what later ones have.
pub fn is_redis_7_0() -> bool {
    // SAFETY: the server sets it once, while the module is loaded.
    let newer = unsafe { raw::RedisModule_GetOpenKeyModesAll };
    newer.is_none()
}

static IN_CLUSTER: AtomicBool = AtomicBool::new(false);

/// Whether the server is a node of a cluster, which it is for as long as it lives or not at all.
pub fn in_cluster() -> bool {
    IN_CLUSTER.load(Ordering::Relaxed)
}

/// Notes whether the server is a node of a cluster.
///
/// # Safety
/// `ctx` must be a context of the server.
pub unsafe fn note_cluster(ctx: *mut RedisModuleCtx) {
    // SAFETY: the context is the server's.
    let flags = unsafe { api!(RedisModule_GetContextFlags(ctx)) };
    let in_cluster = flags & raw::REDISMODULE_CTX_FLAGS_CLUSTER as c_int != 0;
    IN_CLUSTER.store(in_cluster, Ordering::Relaxed);
}

/// The value of one of the server's settings, `None` if it does not tell.
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

/// A section of `INFO`, as it was when it was read.
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
