//! How a change in place replicates.
//!
//! Every change in place follows the same order: check, replicate, change, announce, reply.
//! Replication comes before the change because it can fail, if an operator has renamed the command,
//! and a change in memory cannot be undone. Nobody can see the order: the server sends effects when
//! the command is done.

use std::ffi::{CStr, c_longlong};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use keyns_core::text::decimal::{self, MAX_DIGITS};
use redis_module::raw::RedisModuleString;

use super::expiry::Expiry;
use super::{Store, replicated};
use crate::server::{Result, ServerString};

// In all of these the context is the call's, strings are the server's, and buffers have their lengths.
impl Store<'_> {
    /// `SET name value`, with `PXAT millis` or `KEEPTTL`.
    pub(super) fn replicate_set(
        &self,
        name: &ServerString,
        value: &[u8],
        expiry: Expiry,
    ) -> Result<()> {
        let (ctx, command, name) = (self.ctx, c"SET".as_ptr(), name.as_raw());
        let (start, len) = (value.as_ptr(), value.len());
        // SAFETY: see above.
        replicated(unsafe {
            match expiry {
                Expiry::Never => api!(RedisModule_Replicate(
                    ctx,
                    command,
                    c"sb".as_ptr(),
                    name,
                    start,
                    len
                )),
                Expiry::Keep => api!(RedisModule_Replicate(
                    ctx,
                    command,
                    c"sbc".as_ptr(),
                    name,
                    start,
                    len,
                    c"KEEPTTL".as_ptr()
                )),
                Expiry::At(millis) => {
                    let mut digits = [0; MAX_DIGITS];
                    let millis = decimal::format(millis, &mut digits);
                    api!(RedisModule_Replicate(
                        ctx,
                        command,
                        c"sbsb".as_ptr(),
                        name,
                        start,
                        len,
                        pxat(),
                        millis.as_ptr(),
                        millis.len()
                    ))
                }
            }
        })
    }

    /// `SETRANGE name place bytes`
    pub(super) fn replicate_range(
        &self,
        name: &ServerString,
        place: usize,
        bytes: &[u8],
    ) -> Result<()> {
        // SAFETY: see above.
        replicated(unsafe {
            api!(RedisModule_Replicate(
                self.ctx,
                c"SETRANGE".as_ptr(),
                c"slb".as_ptr(),
                name.as_raw(),
                place as c_longlong,
                bytes.as_ptr(),
                bytes.len()
            ))
        })
    }

    /// A command with a key and an integer: `INCRBY name by`, `PEXPIREAT name millis`.
    pub(super) fn replicate_integer(
        &self,
        command: &'static CStr,
        name: &ServerString,
        integer: i64,
    ) -> Result<()> {
        // SAFETY: see above.
        replicated(unsafe {
            api!(RedisModule_Replicate(
                self.ctx,
                command.as_ptr(),
                c"sl".as_ptr(),
                name.as_raw(),
                integer
            ))
        })
    }

    /// A command with only a key: `DEL name`.
    pub(super) fn replicate_key(&self, command: &'static CStr, name: &ServerString) -> Result<()> {
        // SAFETY: see above.
        replicated(unsafe {
            api!(RedisModule_Replicate(
                self.ctx,
                command.as_ptr(),
                c"s".as_ptr(),
                name.as_raw()
            ))
        })
    }
}

/// The word `PXAT` as a string of the server, created once.
static PXAT: AtomicPtr<RedisModuleString> = AtomicPtr::new(ptr::null_mut());

pub(super) fn pxat() -> *mut RedisModuleString {
    let word = PXAT.load(Ordering::Relaxed);
    if !word.is_null() {
        return word;
    }
    let word = ServerString::new(b"PXAT").into_raw();
    PXAT.store(word, Ordering::Relaxed);
    word
}

/// Frees what is kept between calls.
pub(in crate::server) fn forget() {
    let word = PXAT.swap(ptr::null_mut(), Ordering::Relaxed);
    if !word.is_null() {
        // SAFETY: it is ours, and nobody else has it.
        drop(unsafe { ServerString::from_raw(word) });
    }
}
