//! What `INFO` says of the server.

use std::ffi::CStr;

use redis_module::raw::{RedisModuleCtx, RedisModuleServerInfoData};

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
