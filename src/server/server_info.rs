//! What `INFO` and `CONFIG GET` say of the server.

use std::ffi::CStr;

use redis_module::raw::{self, RedisModuleCtx, RedisModuleServerInfoData};

use super::reader::CallReply;

/// Whether the server is Redis 7.0, which lacks what later ones have.
pub fn is_redis_7_0() -> bool {
    // SAFETY: the server sets it once, while the module is loaded.
    let newer = unsafe { raw::RedisModule_GetOpenKeyModesAll };
    newer.is_none()
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
pub struct ServerInfo {
    ctx: *mut RedisModuleCtx,
    data: *mut RedisModuleServerInfoData,
}

impl ServerInfo {
    /// # Safety
    /// `ctx` must be a context of the server and outlive this.
    pub unsafe fn of(ctx: *mut RedisModuleCtx, section: &CStr) -> ServerInfo {
        // SAFETY: the context is the server's; the data is ours until it is freed.
        let data = unsafe { api!(RedisModule_GetServerInfo(ctx, section.as_ptr())) };
        ServerInfo { ctx, data }
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

impl Drop for ServerInfo {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has a part of it any more.
        unsafe { api!(RedisModule_FreeServerInfo(self.ctx, self.data)) }
    }
}
