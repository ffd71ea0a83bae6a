//! One call of a command.

use std::ffi::c_int;
use std::ptr;

use keyns_core::argument;
use keyns_core::naming::key_name::is_bookkeeping;
use keyns_core::text::decimal;
use redis_module::raw::{self, RedisModuleCtx, RedisModuleString};

use super::context::Context;
use super::counters::Hold;
use super::spec::Keys;
use super::string::KeyArgument;
use super::waiting::{self, Work};
use super::{Args, Error, Family, Reply, Result, ServerString, Store, caller, register, store};

/// What a command has to work with while it runs.
pub struct Call<'a> {
    ctx: *mut RedisModuleCtx,
    /// Includes the command's own name.
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

    /// The arguments after the command's name.
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

    /// Moves a call that [may wait](Call::may_wait) to the background, with the argument of this
    /// index, counted from the command's name. `hold` records how long it then blocks all other
    /// clients. Do not reply after this.
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

    /// Returns an error if the server has stopped accepting writes since the call began.
    pub fn check_still_writable(&self) -> Result<()> {
        // SAFETY: the context is that of the call.
        let flags = unsafe { api!(RedisModule_GetContextFlags(self.ctx)) } as u32;
        let has = |flag: u32| flags & flag != 0;
        if has(raw::REDISMODULE_CTX_FLAGS_SLAVE) && has(raw::REDISMODULE_CTX_FLAGS_READONLY) {
            return Err(Error::ReadOnly);
        }
        // If the server may evict, it does so before its next command.
        if has(raw::REDISMODULE_CTX_FLAGS_OOM) && self.store().never_evicts() {
            return Err(Error::OutOfMemory);
        }
        // A write during CLIENT PAUSE or a failover would crash the server.
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

    /// As [`key`](Call::key), but refuses keys in which the module keeps its own state.
    pub fn state_key(&self, index: usize) -> Result<KeyArgument<'_>> {
        let key = self.key(index)?;
        match is_bookkeeping(key.as_bytes()) {
            true => Err(Error::Reserved {
                key: key.as_bytes().to_vec(),
            }),
            false => Ok(key),
        }
    }

    /// Whether the server only asks which arguments are keys, instead of running the command.
    pub(super) fn is_about_keys(&self) -> bool {
        // SAFETY: the context is that of the call.
        unsafe { api!(RedisModule_IsKeysPositionRequest(self.ctx)) != 0 }
    }

    /// Reports the keys that follow their number to the server; none if the number is invalid, which
    /// is an error when the command runs.
    pub(super) fn name_counted_keys(&self, keys: &Keys) {
        let first = usize::try_from(keys.first).unwrap_or_default();
        let mut args = self.args().without(first.saturating_sub(2));
        let count = args.next().and_then(decimal::parse);
        let count = count.and_then(|count| usize::try_from(count).ok());
        let Some(count) = count.filter(|&count| count <= args.len()) else {
            return;
        };
        let flags = register::key_flags(keys.access);
        for place in first..first + count {
            // SAFETY: the context is that of the call, and the place that of an argument.
            unsafe {
                api!(RedisModule_KeyAtPosWithFlags(
                    self.ctx,
                    place as c_int,
                    flags
                ));
            }
        }
    }

    /// Whether the call comes from a primary or from the AOF. Limits do not apply to what was
    /// accepted there.
    pub fn is_replicated(&self) -> bool {
        // SAFETY: the context is that of the call.
        let flags = unsafe { api!(RedisModule_GetContextFlags(self.ctx)) } as u32;
        let settled = raw::REDISMODULE_CTX_FLAGS_REPLICATED | raw::REDISMODULE_CTX_FLAGS_LOADING;
        flags & settled != 0
    }

    /// Replicates the command as it was called.
    pub fn replicate_as_called(&self) -> Result<()> {
        // SAFETY: the context is that of the call.
        store::replicated(unsafe { api!(RedisModule_ReplicateVerbatim(self.ctx)) })
    }

    /// The server, as callbacks without a client see it.
    pub fn context(&self) -> Context<'_> {
        // SAFETY: the context lives as long as the call.
        unsafe { Context::new(self.ctx) }
    }
}
