//! Warns about namespaces that nothing saves.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{IN_RDB, has_file};
use crate::server::{Call, Context};

const WARNING: &str = "the namespaces are in memory only, and a restart will forget them. \
Set 'appendonly yes', or save points ('save 3600 1') with keyns.namespaces-in-rdb yes, \
or load the module with 'namespaces /path/to/namespaces.json'";

/// Whether a client has changed the namespaces before.
static IS_CHECKED: AtomicBool = AtomicBool::new(false);

pub fn forget() {
    IS_CHECKED.store(false, Ordering::Relaxed);
}

/// Logs a warning after the first change by a client if a restart would forget it. A replica needs none:
/// its primary sends the namespaces again.
pub fn warn_once(call: &Call) {
    if call.is_replicated() || IS_CHECKED.load(Ordering::Relaxed) {
        return;
    }
    let context = call.context();
    if context.is_replica() {
        return;
    }
    IS_CHECKED.store(true, Ordering::Relaxed);
    if !is_saved(&context) {
        context.log_warning(WARNING);
    }
}

/// Whether a start restores the namespaces. A setting that the server does not reveal counts as safe.
fn is_saved(context: &Context) -> bool {
    let is_off = |value: Option<String>, off: &str| value.is_some_and(|value| value == off);
    has_file()
        || !is_off(context.setting(c"appendonly"), "no")
        || (IN_RDB.get() && !is_off(context.setting(c"save"), ""))
}
