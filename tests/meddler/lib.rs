//! A module that answers each change of a counter with a command, as other modules may do while one of
//! our commands runs.
//!
//! `MEDDLER.ANSWER command [argument ...]` sets the command, in which `KEY` stands for the counter.
//! Counters are keys that end in `:_seq`, `:_slugs` or `:seq`, and the buckets of such keys. Keys that
//! end in `:lock` are watched too, also when they are removed or get an expiry.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::Mutex;

use redis_module::raw::*;

static ANSWER: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

#[unsafe(no_mangle)]
#[allow(non_snake_case)]
unsafe extern "C" fn RedisModule_OnLoad(
    ctx: *mut RedisModuleCtx,
    _argv: *mut *mut RedisModuleString,
    _argc: c_int,
) -> c_int {
    const EVENTS: c_int = REDISMODULE_NOTIFY_NEW
        | REDISMODULE_NOTIFY_STRING
        | REDISMODULE_NOTIFY_HASH
        | REDISMODULE_NOTIFY_GENERIC
        | REDISMODULE_NOTIFY_EXPIRED;
    // SAFETY: the pointers are the server's, and the strings static.
    unsafe {
        if Export_RedisModule_Init(ctx, c"meddler".as_ptr(), 1, 1) != 0 {
            return 1;
        }
        RedisModule_CreateCommand.unwrap()(
            ctx,
            c"meddler.answer".as_ptr(),
            Some(set_answer),
            c"".as_ptr(),
            0,
            0,
            0,
        );
        RedisModule_SubscribeToKeyspaceEvents.unwrap()(ctx, EVENTS, Some(on_change))
    }
}

unsafe fn bytes<'a>(string: *const RedisModuleString) -> &'a [u8] {
    let mut len = 0;
    // SAFETY: the string is alive while the server calls us.
    unsafe {
        let start = RedisModule_StringPtrLen.unwrap()(string, &mut len);
        std::slice::from_raw_parts(start.cast(), len)
    }
}

unsafe extern "C" fn set_answer(
    ctx: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: the server passes `argc` strings.
    unsafe {
        let words = (1..argc as usize).map(|at| bytes(*argv.add(at)).to_vec());
        *ANSWER.lock().unwrap() = words.collect();
        RedisModule_ReplyWithLongLong.unwrap()(ctx, 1)
    }
}

fn is_watched(name: &[u8], class: c_int) -> bool {
    let is_bucket = name.windows(5).any(|part| part == b":seq:");
    let ends = [b":_seq".as_slice(), b":_slugs", b":seq"];
    let is_counter = is_bucket || ends.iter().any(|end| name.ends_with(end));
    name.ends_with(b":lock") || is_counter && class != REDISMODULE_NOTIFY_GENERIC
}

unsafe extern "C" fn on_change(
    ctx: *mut RedisModuleCtx,
    class: c_int,
    _event: *const c_char,
    key: *mut RedisModuleString,
) -> c_int {
    // SAFETY: the pointers are the server's; `v` takes an array of strings and its length.
    unsafe {
        let name = bytes(key);
        // The answer's own changes come here, too.
        let Ok(answer) = ANSWER.try_lock() else {
            return 0;
        };
        if answer.is_empty() || !is_watched(name, class) {
            return 0;
        }
        let strings: Vec<_> = answer
            .iter()
            .skip(1)
            .map(|word| if word == b"KEY" { name } else { word })
            .map(|word| {
                RedisModule_CreateString.unwrap()(ptr::null_mut(), word.as_ptr().cast(), word.len())
            })
            .collect();
        let command = [&answer[0][..], b"\0"].concat();
        let command = CStr::from_bytes_with_nul(&command).unwrap();
        let reply = RedisModule_Call.unwrap()(
            ctx,
            command.as_ptr(),
            c"!v".as_ptr(),
            strings.as_ptr(),
            strings.len(),
        );
        if !reply.is_null() {
            RedisModule_FreeCallReply.unwrap()(reply);
        }
        for string in strings {
            RedisModule_FreeString.unwrap()(ptr::null_mut(), string);
        }
    }
    0
}
