//! The namespaces of this node, and how they last.
//!
//! Changes reach replicas and the AOF as the commands that made them. Every file that the server
//! writes has all of them: as [module data](module_data) where the server can leave that out when
//! there are none (Redis 7.2 and up, Valkey), so that a server without this module can load it then,
//! and elsewhere as [a string](carrier). And they can be read from a file of their own when the
//! module is loaded, which then is all that a start brings back.

mod carrier;
mod loading;
mod module_data;
mod sending;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use redis_module::raw::{self, RedisModuleCtx};

use super::config;
use crate::core::namespace::{Existing, Registry};
use crate::core::{Error, Result};

pub(super) use sending::replicate_load;

static REGISTRY: RwLock<Shared> = RwLock::new(Shared(None));

/// The namespaces, or none: nothing is left in memory then, where nobody would find it any more
/// once the module is unloaded.
#[derive(Clone)]
pub struct Shared(Option<Arc<Registry>>);

impl Deref for Shared {
    type Target = Registry;

    fn deref(&self) -> &Registry {
        static NONE: Registry = Registry::new();
        self.0.as_deref().unwrap_or(&NONE)
    }
}

/// What a primary has sent, until all of its data is there.
static ARRIVING: Mutex<Option<Registry>> = Mutex::new(None);

/// The namespaces, for as long as the guard is held: never while the server runs a command.
pub fn current() -> RwLockReadGuard<'static, Shared> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

/// The namespaces of this moment, which others may change meanwhile.
pub fn snapshot() -> Shared {
    current().clone()
}

/// How many there are, unless somebody is changing them just now: a report about a crash must not
/// wait for anybody.
pub fn count() -> Option<usize> {
    let registry = REGISTRY.try_read().ok()?;
    Some(registry.len())
}

pub fn change<T>(change: impl FnOnce(&mut Registry) -> T) -> T {
    let mut shared = changing();
    change(Arc::make_mut(shared.0.get_or_insert_default()))
}

fn changing() -> RwLockWriteGuard<'static, Shared> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

fn arriving() -> MutexGuard<'static, Option<Registry>> {
    ARRIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the file that the settings name, if they name one, and has snapshots keep the namespaces.
///
/// # Safety
/// `ctx` must be the context the module is loaded with, and the settings must be there.
pub unsafe fn register(ctx: *mut RedisModuleCtx) -> Result<()> {
    let path = config::current().namespaces.clone();
    if !path.is_empty() {
        read_file(&path)?;
    }
    match module_data::is_kept() {
        // SAFETY: `ctx` is the module's.
        true => unsafe { module_data::register(ctx) },
        false => Ok(()),
    }
}

/// Has the server tell of what is written, loaded and sent.
///
/// # Safety
/// As for [`register`].
pub unsafe fn subscribe(ctx: *mut RedisModuleCtx) -> Result<()> {
    // SAFETY: `ctx` is the module's.
    unsafe {
        if has_file() {
            sending::subscribe(ctx)?;
        }
        carrier::subscribe(ctx)?;
        loading::subscribe(ctx)
    }
}

/// Gives the memory of the namespaces back.
pub fn forget() {
    changing().0 = None;
    *arriving() = None;
    carrier::forget();
    sending::forget();
}

fn read_file(path: &[u8]) -> Result<()> {
    let wrong = |reason: String| Error::NamespacesFile {
        path: path.to_vec(),
        reason,
    };
    let json = read_bounded(Path::new(OsStr::from_bytes(path))).map_err(wrong)?;
    let loaded = change(|registry| registry.load(&json, Existing::Flush, usize::MAX));
    loaded.map(drop).map_err(|error| wrong(error.to_string()))
}

/// More than any file of namespaces that somebody has reviewed.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The bytes of a file, or why there are none. A pipe or a device might never end.
fn read_bounded(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let text = |error: io::Error| error.to_string();
    let kind = fs::metadata(path).map_err(text)?;
    if !kind.is_file() {
        return Err("it is not a regular file".into());
    }
    let mut json = Vec::new();
    let file = File::open(path).map_err(text)?;
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut json)
        .map_err(text)?;
    match json.len() as u64 > MAX_FILE_BYTES {
        true => Err(format!("it has more than {MAX_FILE_BYTES} bytes")),
        false => Ok(json),
    }
}

/// Whether the server reads its data at the start, and there is a file: that brings back what is in
/// it, and not what the AOF says.
pub(super) fn is_settled_by_file(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: the context is the server's.
    let flags = unsafe { api!(RedisModule_GetContextFlags(ctx)) } as u32;
    // SAFETY: the context is the server's.
    unsafe { loading::before_change(ctx) };
    flags & raw::REDISMODULE_CTX_FLAGS_LOADING != 0 && has_file()
}

fn has_file() -> bool {
    !config::current().namespaces.is_empty()
}

/// Takes what a snapshot had in it.
fn arrive(registry: Registry) {
    let mut arriving = arriving();
    if arriving.is_some() {
        *arriving = Some(registry);
    } else if !has_file() {
        change(|current| *current = registry);
    }
}
