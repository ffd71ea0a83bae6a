//! Namespaces for replicas that go on without a snapshot.
//!
//! A snapshot has the namespaces in it, whatever it is for. A replica that goes on from where it was
//! gets none. If its primary has started again meanwhile with another file of namespaces, nothing
//! that it gets would tell it: so these follow, as soon as the server may send something of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use keyns_core::namespaces::Existing;

use crate::families::namespaces::node;
use crate::server::{Context, Result};

/// When the server is done with what it is doing.
const SOON: u32 = 0;
/// How long to wait, in milliseconds, until a pause may be over.
const PAUSE: u32 = 100;

/// Whether a timer for it is set.
static TO_BE_SENT: AtomicBool = AtomicBool::new(false);

pub fn forget() {
    TO_BE_SENT.store(false, Ordering::Relaxed);
}

/// Has every replica that comes online get the namespaces. Not at once: an event may come from within
/// a command like PSYNC, which the server would then hand on as well.
pub fn on_replica(context: &Context) {
    send_after(context, SOON);
}

fn send_after(context: &Context, millis: u32) {
    if !TO_BE_SENT.swap(true, Ordering::Relaxed) {
        context.after(millis, send_or_wait);
    }
}

fn send_or_wait(context: &Context) {
    TO_BE_SENT.store(false, Ordering::Relaxed);
    if !context.may_replicate() {
        return send_after(context, PAUSE);
    }
    let json = node::registry().to_json();
    if replicate_load(context, json.as_bytes(), Existing::Flush).is_err() {
        context.log_warning("namespaces could not be sent to replicas");
    }
}

/// Hands `KEYNS.NS.LOAD` with this text to replicas and the AOF.
pub fn replicate_load(context: &Context, json: &[u8], existing: Existing) -> Result<()> {
    let word = match existing {
        Existing::Flush => c"FLUSH",
        Existing::Replace | Existing::Refuse => c"REPLACE",
    };
    context.replicate(c"KEYNS.NS.LOAD", json, word)
}
