//! Loads and unloads the module.

use std::ffi::{CStr, c_int};
use std::sync::RwLock;

use redis_module::raw::{self, RedisModuleCtx, RedisModuleString};

use super::context::Context;
use super::events::{self, Listener};
use super::module_data::{self, ModuleData};
use super::{
    Error, Family, Result, api, config, entry, info, leaving, log, register, server_info, store,
    string, waiting,
};

/// What the server loads.
pub struct Module {
    pub name: &'static CStr,
    /// As `MODULE LIST` shows it.
    pub version: c_int,
    /// The first fields of our section of `INFO`.
    pub about: &'static [(&'static CStr, &'static str)],
    pub families: &'static [&'static Family],
}

/// A version as the one number that the server asks for, which grows with it: 1.2.3 is 10203.
pub const fn version(text: &str) -> c_int {
    let (mut number, mut part) = (0, 0);
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        match byte {
            b'.' => (number, part) = ((number + part) * 100, 0),
            b'0'..=b'9' => part = part * 10 + (*byte - b'0') as c_int,
            _ => panic!("a part of a version is a number"),
        }
        assert!(part < 100, "and has two digits at most");
        rest = behind;
    }
    number + part
}

/// The module, from the moment the server begins to load it.
static MODULE: RwLock<Option<&'static Module>> = RwLock::new(None);

pub(super) fn loaded() -> Option<&'static Module> {
    MODULE.try_read().ok().and_then(|module| *module)
}

const OK: c_int = raw::REDISMODULE_OK as c_int;
const ERR: c_int = raw::REDISMODULE_ERR as c_int;

/// Registers the module with the server, as a whole or not at all.
///
/// # Safety
/// The pointers must be those of the server's call of `RedisModule_OnLoad`.
pub unsafe fn load(
    module: &'static Module,
    ctx: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> c_int {
    // Nothing may be allocated before this call, which connects us to the server's allocator.
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
    entry::log_panics();
    if let Ok(mut loading) = MODULE.write() {
        *loading = Some(module);
    }
    // SAFETY: the pointers are the server's.
    let loaded = entry::callback(
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
    module: &'static Module,
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
            .map(|index| string::bytes(*argv.add(index)))
            .collect();
        api!(RedisModule_SetModuleOptions(ctx, options(ctx)));
        leaving::arrive(ctx);
        server_info::note_cluster(ctx);
        register::acl_category(ctx, module.name);
        let families = module.families.iter();
        for command in families.flat_map(|family| family.commands) {
            register::command(ctx, command)?;
        }
        config::register(ctx, module.families, &arguments)?;
        let mut loading = Loading::new(ctx);
        server_info::note_modules(ctx);
        loading.listen(Listener::ModuleLoaded(|_, name| {
            server_info::note_module(name)
        }));
        for family in module.families {
            (family.load)(&mut loading)?;
        }
        if !info::register(ctx) {
            return Err(Error::Server {
                call: "a section of INFO",
            });
        }
        // Subscribe last: Redis 7.0 goes on calling a module whose load has failed.
        loading.finish()
    }
}

/// Valkey's `HANDLE_ATOMIC_SLOT_MIGRATION`. Redis gives the same bit another meaning.
const HANDLE_ATOMIC_SLOT_MIGRATION: c_int = 1 << 5;

/// What the module tells the server about itself.
///
/// # Safety
/// `ctx` must be a context of the server.
unsafe fn options(ctx: *mut RedisModuleCtx) -> c_int {
    // Opening a key for writing does not change it: our writes announce themselves. Our part of a
    // snapshot may be cut off, or be loaded in the background.
    let everywhere = raw::REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED
        | raw::REDISMODULE_OPTIONS_HANDLE_IO_ERRORS
        | raw::REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD;
    // SAFETY: the context is the server's; the other function takes no arguments.
    let (is_valkey, known) = unsafe {
        let known = raw::RedisModule_GetModuleOptionsAll.map_or(0, |known| known());
        (server_info::is_valkey(ctx), known)
    };
    // While slots migrate, their keys arrive before the node owns them. That is harmless: no command
    // of ours scans the keyspace, and none keeps state about keys outside of them.
    let migration = match is_valkey {
        true => HANDLE_ATOMIC_SLOT_MIGRATION & known,
        false => 0,
    };
    everywhere as c_int | migration
}

/// What a family can ask for while the module loads.
pub struct Loading {
    ctx: *mut RedisModuleCtx,
    listeners: Vec<Listener>,
    steps: Vec<fn(&Context)>,
}

impl Loading {
    fn new(ctx: *mut RedisModuleCtx) -> Loading {
        Loading {
            ctx,
            listeners: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Puts the family's data into every snapshot.
    pub fn keep<D: ModuleData>(&mut self) -> Result<()> {
        // SAFETY: the context is the one the module is loaded with.
        unsafe { module_data::register::<D>(self.ctx) }
    }

    /// Subscribes the family to events of the server, once the module is loaded.
    pub fn listen(&mut self, listener: Listener) {
        self.listeners.push(listener);
    }

    /// Runs a step when nothing can fail any more.
    pub fn finally(&mut self, step: fn(&Context)) {
        self.steps.push(step);
    }

    fn finish(self) -> Result<()> {
        for listener in self.listeners {
            // SAFETY: the context is the one the module is loaded with.
            unsafe { events::subscribe(self.ctx, listener)? };
        }
        // SAFETY: the context outlives the steps.
        let context = unsafe { Context::new(self.ctx) };
        for step in self.steps {
            step(&context);
        }
        Ok(())
    }
}

/// Gives everything back. Refuses while one of our commands runs, since another module may answer a
/// change with `MODULE UNLOAD`, and while the server still needs one of them.
///
/// # Safety
/// The pointer must be that of the server's call of `RedisModule_OnUnload`.
pub unsafe fn unload(ctx: *mut RedisModuleCtx) -> c_int {
    if entry::is_running() {
        return ERR;
    }
    let unknown = Some("nobody could look who needs it".into());
    // SAFETY: the pointer is the server's.
    let obstacle = entry::callback("a request to unload", unknown, || unsafe {
        leaving::obstacle(ctx)
    });
    if let Some(obstacle) = obstacle {
        log::warning(ctx, &format!("keyns cannot be unloaded: {obstacle}"));
        return ERR;
    }
    entry::callback("unloading", (), forget);
    OK
}

fn forget() {
    waiting::forget();
    store::forget();
    events::forget();
    let Some(module) = loaded() else {
        return;
    };
    for family in module.families {
        (family.unload)();
    }
    config::forget(module.families);
    entry::forget_panics();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_one_number() {
        assert_eq!(version("1.2.3"), 10_203);
        assert_eq!(version("0.1.0"), 100);
        assert_eq!(version("12.34.56"), 123_456);
    }
}
