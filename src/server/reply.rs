//! Replies. Under RESP2 the server itself turns maps into flat arrays and booleans into integers.

use std::ffi::{CString, c_long};
use std::marker::PhantomData;

use redis_module::raw::RedisModuleCtx;

use super::{Error, ServerString};

/// Writes the reply of one call.
pub struct Reply<'a> {
    ctx: *mut RedisModuleCtx,
    call: PhantomData<&'a ()>,
}

// In all of these the server copies what it is given, and `ctx` lives as long as the reply: that is
// the promise of `Reply::new`.
impl Reply<'_> {
    /// # Safety
    /// The context must outlive the reply.
    pub(super) unsafe fn new(ctx: *mut RedisModuleCtx) -> Self {
        Reply {
            ctx,
            call: PhantomData,
        }
    }

    pub fn ok(&self) {
        // SAFETY: see above.
        unsafe { api!(RedisModule_ReplyWithSimpleString(self.ctx, c"OK".as_ptr())) };
    }

    pub fn integer(&self, value: i64) {
        // SAFETY: see above.
        unsafe { api!(RedisModule_ReplyWithLongLong(self.ctx, value)) };
    }

    pub fn boolean(&self, value: bool) {
        // SAFETY: see above.
        unsafe { api!(RedisModule_ReplyWithBool(self.ctx, value.into())) };
    }

    pub fn null(&self) {
        // SAFETY: see above.
        unsafe { api!(RedisModule_ReplyWithNull(self.ctx)) };
    }

    pub fn bulk(&self, value: &[u8]) {
        // SAFETY: see above.
        unsafe {
            api!(RedisModule_ReplyWithStringBuffer(
                self.ctx,
                value.as_ptr().cast(),
                value.len()
            ))
        };
    }

    pub fn string(&self, value: &ServerString) {
        self.bulk(value.as_bytes());
    }

    pub fn bulk_or_null(&self, value: Option<&[u8]>) {
        match value {
            Some(value) => self.bulk(value),
            None => self.null(),
        }
    }

    /// Announces an array: the next `len` replies are its elements.
    pub fn array(&self, len: usize) {
        // SAFETY: see above.
        unsafe { api!(RedisModule_ReplyWithArray(self.ctx, len as c_long)) };
    }

    /// Announces a map: the next `len` pairs of replies are its fields and values.
    pub fn map(&self, len: usize) {
        // SAFETY: see above.
        unsafe { api!(RedisModule_ReplyWithMap(self.ctx, len as c_long)) };
    }

    pub fn error(&self, error: &Error) {
        self.raw_error(&format!("{} {error}", error.code()));
    }

    pub fn internal_error(&self) {
        self.raw_error("ERR internal error, see the server's log");
    }

    fn raw_error(&self, text: &str) {
        // Errors are ASCII without control characters, so there is no NUL to fail at.
        let text = CString::new(text).unwrap_or_default();
        // SAFETY: see above.
        unsafe { api!(RedisModule_ReplyWithError(self.ctx, text.as_ptr())) };
    }
}
