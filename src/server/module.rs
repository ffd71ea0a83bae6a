//! Loading and unloading.

use std::ffi::{CStr, c_int};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleString};

use super::spec::Command;
use super::{
    api, background, config, guard, info, leaving, log, name, register, registry, strings,
};
use crate::core::{Error, Result};

/// What the server loads.
pub struct Module {
    pub name: &'static CStr,
    /// As `MODULE LIST` shows it.
    pub version: c_int,
    pub commands: &'static [&'static Command],
}

const OK: c_int = raw::REDISMODULE_OK as c_int;
const ERR: c_int = raw::REDISMODULE_ERR as c_int;

/// Makes the module known to the server. If anything of it fails, nothing stays.
///
/// # Safety
/// The pointers must be those of the server's call of `RedisModule_OnLoad`.
pub unsafe fn load(
    module: &Module,
    ctx: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> c_int {
    // Nothing may be allocated before this: it is what makes the server's allocator ours.
    // SAFETY: `ctx` is the server's, and the name is static.
    let status = unsafe {
        raw::Export_RedisModule_Init(
            ctx,
            module.name.as_ptr(),
            module.version,
            raw::REDISMODULE_APIVER_1 as c_int,
        )
    };
    if status != OK {
        return ERR;
    }
    guard::log_panics();
    // SAFETY: the pointers are the server's.
    let loaded = guard::callback(
        "loading",
        Err(Error::Server { call: "loading" }),
        || unsafe { set_up(module, ctx, argv, argc) },
    );
    if let Err(error) = loaded {
        log::warning(ctx, &format!("keyns cannot be loaded: {error}"));
        forget();
        return ERR;
    }
    OK
}

/// # Safety
/// As for [`load`].
unsafe fn set_up(
    module: &Module,
    ctx: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> Result<()> {
    if let Some(function) = api::first_missing() {
        log::warning(ctx, &format!("the server lacks {function}"));
        return Err(Error::Server {
            call: "a function that Redis 7.0 and up have",
        });
    }
    // SAFETY: the server passes `argc` arguments, which live for the call; `ctx` is its own.
    unsafe {
        let arguments: Vec<&[u8]> = (0..usize::try_from(argc).unwrap_or(0))
            .map(|index| name::bytes(*argv.add(index)))
            .collect();
        // Opening a key for writing shall not count as a change of it; writes announce themselves.
        // And our part of a snapshot may break off, or be loaded in the background.
        let options = raw::REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED
            | raw::REDISMODULE_OPTIONS_HANDLE_IO_ERRORS
            | raw::REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD;
        api!(RedisModule_SetModuleOptions(ctx, options as c_int));
        leaving::arrive(ctx);
        register::acl_category(ctx, module.name);
        for command in module.commands {
            register::command(ctx, command)?;
        }
        config::register(ctx, &arguments)?;
        registry::register(ctx)?;
        if !info::register(ctx) {
            return Err(Error::Server {
                call: "a section of INFO",
            });
        }
        // Last: Redis 7.0 goes on calling a module whose load has failed.
        registry::subscribe(ctx)
    }
}

/// Gives everything back; refuses to while one of our commands is running, which is possible where
/// another module answers a change with `MODULE UNLOAD`, and while the server needs one of them.
///
/// # Safety
/// The pointer must be that of the server's call of `RedisModule_OnUnload`.
pub unsafe fn unload(ctx: *mut RedisModuleCtx) -> c_int {
    if guard::is_running() {
        return ERR;
    }
    let unknown = Some("nobody could look who needs it".into());
    // SAFETY: the pointer is the server's.
    let obstacle = guard::callback("a request to unload", unknown, || unsafe {
        leaving::obstacle(ctx)
    });
    if let Some(obstacle) = obstacle {
        log::warning(ctx, &format!("keyns cannot be unloaded: {obstacle}"));
        return ERR;
    }
    guard::callback("unloading", (), forget);
    OK
}

fn forget() {
    background::forget();
    strings::forget();
    registry::forget();
    config::forget();
    crate::commands::forget();
    guard::forget_panics();
}
