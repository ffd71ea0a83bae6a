//! Saves and restores the namespaces.
//!
//! Changes reach replicas and the AOF as the commands that made them. Every file that the server writes
//! contains all namespaces: as [module data](ModuleData) where the server can leave that out if there
//! are none (Redis 7.2 and newer, Valkey), so a server without this module can load such a file, and
//! elsewhere as [a string](carrier). The module can also read them from a file of their own when it is
//! loaded; then a start restores nothing else.

mod carrier;
mod loading;
mod sending;
mod warning;

use std::ffi::{CStr, OsStr, c_int};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use keyns_core::namespaces::{self, Existing, Registry};

pub use sending::replicate_load;
pub use warning::warn_once;

use super::node;
use crate::server::config::{Switch, Text};
use crate::server::events::Listener;
use crate::server::{Context, Loading, ModuleData, Result, can_be_left_out};

/// The path of a file of namespaces; empty for none.
pub static FILE: Text<Vec<u8>> = Text::new(c"namespaces", c"", |path| Ok(path.to_vec())).fixed();

pub static IN_RDB: Switch = Switch::switch(c"namespaces-in-rdb", true).fixed();

/// What a primary has sent, until all of its data has arrived.
static ARRIVING: Mutex<Option<Registry>> = Mutex::new(None);

fn arriving() -> MutexGuard<'static, Option<Registry>> {
    ARRIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the file that the settings name, registers the module data, and listens to what the server
/// writes, loads and sends.
pub fn load(loading: &mut Loading) -> Result<()> {
    if has_file() {
        read_file(&FILE.get())?;
        loading.listen(Listener::ReplicaOnline(sending::on_replica));
    }
    if is_module_data() {
        loading.keep::<InSnapshots>()?;
    }
    loading.listen(Listener::Persistence(carrier::on_file));
    loading.listen(Listener::Loading(loading::on_loading));
    loading.listen(Listener::Flush(loading::on_flush));
    loading.listen(Listener::Swap(loading::on_swap));
    loading.listen(Listener::LoadedKey(loading::on_loaded_key));
    loading.finally(loading::begin_with_what_is_there);
    Ok(())
}

pub fn forget() {
    *arriving() = None;
    carrier::forget();
    sending::forget();
    warning::forget();
}

/// Whether snapshots contain the namespaces as module data.
fn is_module_data() -> bool {
    can_be_left_out() && IN_RDB.get()
}

/// The namespaces as module data.
struct InSnapshots;

impl ModuleData for InSnapshots {
    const TYPE: &'static CStr = c"keyns-reg";
    const VERSION: c_int = 0;
    const WHAT: &'static str = "namespaces";

    fn save() -> Option<String> {
        let registry = node::registry();
        (!registry.is_empty()).then(|| registry.to_json())
    }

    fn load(json: &[u8]) -> std::result::Result<(), String> {
        let mut registry = Registry::new();
        let loaded = registry.load(json, Existing::Flush, usize::MAX);
        loaded.map_err(|error| error.to_string())?;
        arrive(registry);
        Ok(())
    }
}

fn read_file(path: &[u8]) -> Result<()> {
    let wrong = |reason: String| namespaces::Error::File {
        path: path.to_vec(),
        reason,
    };
    let json = read_bounded(Path::new(OsStr::from_bytes(path))).map_err(wrong)?;
    let loaded = node::change(|registry| registry.load(&json, Existing::Flush, usize::MAX));
    loaded.map_err(|error| wrong(error.to_string()))?;
    Ok(())
}

/// More than any file of namespaces that a person has reviewed.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The bytes of a file, or why it cannot be read. A pipe or a device might never end.
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

/// Whether the server is loading its data and has a file of namespaces, which then overrides the AOF.
pub fn is_settled_by_file(context: &Context) -> bool {
    loading::before_change(context);
    context.is_loading() && has_file()
}

fn has_file() -> bool {
    !FILE.get().is_empty()
}

/// Takes the registry of a snapshot.
fn arrive(registry: Registry) {
    let mut arriving = arriving();
    if arriving.is_some() {
        *arriving = Some(registry);
    } else if !has_file() {
        node::replace(registry);
    }
}
