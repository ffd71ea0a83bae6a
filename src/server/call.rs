//! One call of a command.

use std::ffi::c_int;
use std::ptr;

use keyns_core::argument;
use keyns_core::naming::key_name::is_bookkeeping;
use redis_module::raw::{self, RedisModuleCtx, RedisModuleString};

use super::context::Context;
use super::counters::Hold;
use super::string::KeyArgument;
use super::waiting::{self, Work};
use super::{Args, Error, Family, Reply, Result, ServerString, Store, caller, store};

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
        // SAFETY: the context and the arguments live as long as the call.
        unsafe { Store::new(self.ctx, self.argv) }
    }

    /// Whether the client may wait for work in the background. A transaction, a script, the
    /// primary's link and the AOF may not.
    pub fn may_wait(&self) -> bool {
        // SAFETY: the context is that of the call.
        unsafe { caller::is_plain_client(self.ctx) }
    }

    /// Leaves a call that [may wait](Call::may_wait) to the background, with the argument of this
    /// index, counted from the command's name. How long it then holds up all others is noted in
    /// `hold`. Nothing must be replied after this.
    pub fn go_on_in_background(
        &self,
        family: &'static Family,
        hold: &'static Hold,
        input: usize,
        work: Work,
    ) -> Result<()> {
        let input = *self.argv.get(input).ok_or_else(argument::Error::too_few)?;
        // SAFETY: the string is an argument of the call, and without a context what we get is ours
        // to free; the context is that of a call that may wait.
        unsafe {
            let input =
                ServerString::from_raw(api!(RedisModule_HoldString(ptr::null_mut(), input)));
            waiting::start(self.ctx, family, hold, input, work);
        }
        Ok(())
    }

    /// An error if the server has stopped taking writes since the call came in.
    pub fn check_still_writable(&self) -> Result<()> {
        // SAFETY: the context is that of the call.
        let flags = unsafe { api!(RedisModule_GetContextFlags(self.ctx)) } as u32;
        let has = |flag: u32| flags & flag != 0;
        if has(raw::REDISMODULE_CTX_FLAGS_SLAVE) && has(raw::REDISMODULE_CTX_FLAGS_READONLY) {
            return Err(Error::ReadOnly);
        }
        // Where the server may evict, it does so before its next command.
        if has(raw::REDISMODULE_CTX_FLAGS_OOM) && self.store().never_evicts() {
            return Err(Error::OutOfMemory);
        }
        // A write during CLIENT PAUSE or a failover would end the server.
        // SAFETY: takes no arguments.
        if unsafe { api!(RedisModule_AvoidReplicaTraffic()) } != 0 {
            return Err(Error::Paused);
        }
        Ok(())
    }

    /// The argument of this index, counted from the command's name, as the name of a key.
    pub fn key(&self, index: usize) -> Result<KeyArgument<'_>> {
        let argument = self.argv.get(index).ok_or_else(argument::Error::too_few)?;
        // SAFETY: the server keeps the arguments alive while the command runs.
        Ok(unsafe { KeyArgument::of(*argument) })
    }

    /// As [`key`](Call::key), for what a caller decides about: not where the module keeps its own
    /// state.
    pub fn state_key(&self, index: usize) -> Result<KeyArgument<'_>> {
        let key = self.key(index)?;
        match is_bookkeeping(key.as_bytes()) {
            true => Err(Error::Reserved {
                key: key.as_bytes().to_vec(),
            }),
            false => Ok(key),
        }
    }

    /// Whether the call comes from a primary or from the AOF: what was accepted there is not up to
    /// our limits.
    pub fn is_replicated(&self) -> bool {
        // SAFETY: the context is that of the call.
        let flags = unsafe { api!(RedisModule_GetContextFlags(self.ctx)) } as u32;
        let settled = raw::REDISMODULE_CTX_FLAGS_REPLICATED | raw::REDISMODULE_CTX_FLAGS_LOADING;
        flags & settled != 0
    }

    /// Hands the command to replicas and the AOF as it was called.
    pub fn replicate_as_called(&self) -> Result<()> {
        // SAFETY: the context is that of the call.
        store::replicated(unsafe { api!(RedisModule_ReplicateVerbatim(self.ctx)) })
    }

    /// The server, as callbacks without a client have it.
    pub fn context(&self) -> Context<'_> {
        // SAFETY: the context lives as long as the call.
        unsafe { Context::new(self.ctx) }
    }
}
