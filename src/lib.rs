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

/// The version of Cargo.toml as one number that grows with it, which is what the server wants:
/// 1.2.3 is 10203.
const VERSION: c_int = {
    let major = part(env!("CARGO_PKG_VERSION_MAJOR"));
    let minor = part(env!("CARGO_PKG_VERSION_MINOR"));
    let patch = part(env!("CARGO_PKG_VERSION_PATCH"));
    assert!(minor < 100 && patch < 100);
    major * 10_000 + minor * 100 + patch
};

const fn part(digits: &str) -> c_int {
    match c_int::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("a part of a version is a number"),
    }
}

static MODULE: Module = Module {
    name: c"keyns",
    version: VERSION,
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
