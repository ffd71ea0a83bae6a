//! KEYNS: key-naming conventions as atomic commands of the Redis server.
//!
//! The server calls [`families`]; these call the rules in `keyns_core` and the safe API in [`server`],
//! which knows of no family; the rules call nobody.

// Nothing that a client sends may end the server. Tests may give up, so this is not in Cargo.toml.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::ffi::c_int;

use keyns_core::naming::slug::TABLE_VERSION;
use server::{Family, Module, RedisModuleCtx, RedisModuleString, version};

pub mod families;
pub mod server;

/// Every family, in the order of `INFO keyns`.
pub static FAMILIES: &[&Family] = &[
    &families::naming::FAMILY,
    &families::documents::FAMILY,
    &families::rate::FAMILY,
    &families::namespaces::FAMILY,
    &families::coordination::FAMILY,
];

static MODULE: Module = Module {
    name: c"keyns",
    version: version(env!("CARGO_PKG_VERSION")),
    about: &[
        (c"version", env!("CARGO_PKG_VERSION")),
        (c"slug_table", TABLE_VERSION),
    ],
    families: FAMILIES,
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
