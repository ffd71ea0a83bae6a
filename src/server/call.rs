//! One call of a command.

use std::ffi::c_int;

use redis_module::raw::{RedisModuleCtx, RedisModuleString};

use super::{Args, Reply, Store};

/// What a command has to work with while it runs.
pub struct Call<'a> {
    ctx: *mut RedisModuleCtx,
    /// With the command's own name in front.
    argv: &'a [*mut RedisModuleString],
}

impl<'a> Call<'a> {
    /// # Safety
    /// The pointers must be those the server called the command with, and live for `'a`.
    pub(super) unsafe fn new(
        ctx: *mut RedisModuleCtx,
        argv: *mut *mut RedisModuleString,
        argc: c_int,
    ) -> Call<'a> {
        // SAFETY: the server passes `argc` pointers, the command's name at least.
        let argv = unsafe { std::slice::from_raw_parts(argv, usize::try_from(argc).unwrap_or(0)) };
        Call { ctx, argv }
    }

    /// The arguments behind the command's name.
    pub fn args(&self) -> Args<'_> {
        Args::new(self.argv.get(1..).unwrap_or_default())
    }

    pub fn reply(&self) -> Reply<'_> {
        // SAFETY: the context lives as long as the call.
        unsafe { Reply::new(self.ctx) }
    }

    pub fn store(&self) -> Store<'_> {
        // SAFETY: the context lives as long as the call.
        unsafe { Store::new(self.ctx) }
    }

    /// The server's clock, in seconds since 1970.
    pub fn unix_time(&self) -> i64 {
        // SAFETY: takes no arguments.
        unsafe { api!(RedisModule_Milliseconds()) }.div_euclid(1000)
    }
}
