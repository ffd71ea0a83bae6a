//! KEYNS: key-naming conventions as atomic commands of the Redis server.
//!
//! Data flows `commands` -> [`core`] -> `server`: a command reads its arguments, asks the core, and
//! has the server write and reply.

// Nothing that a client sends may end the server. Tests may give up, so this is not in Cargo.toml.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::ffi::c_int;

use server::{Module, RedisModuleCtx, RedisModuleString};

pub mod commands;
pub mod core;
pub mod server;

static MODULE: Module = Module {
    name: c"keyns",
    version: 1,
    commands: &commands::ALL,
};

/// Called by the server to load the module.
///
/// # Safety
/// Only the server may call it.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "C" fn RedisModule_OnLoad(
    ctx: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: these are the server's own.
    unsafe { server::load(&MODULE, ctx, argv, argc) }
}

/// Called by the server to unload the module.
///
/// # Safety
/// Only the server may call it.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "C" fn RedisModule_OnUnload(ctx: *mut RedisModuleCtx) -> c_int {
    // SAFETY: this is the server's own.
    unsafe { server::unload(ctx) }
}
