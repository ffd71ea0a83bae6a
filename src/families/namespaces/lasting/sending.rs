//! Sends the namespaces to replicas that continue without a snapshot.
//!
//! Every snapshot contains the namespaces. A replica that continues from where it was gets no snapshot.
//! If its primary restarted meanwhile with another file of namespaces, nothing would tell the replica.
//! So the primary sends them, as soon as it may send something of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use keyns_core::namespaces::Existing;

use crate::families::namespaces::node;
use crate::server::{Context, Result};

/// As soon as the server is done with the current event.
const SOON: u32 = 0;
/// How long to wait for the end of a pause, in milliseconds.
const PAUSE: u32 = 100;

/// Whether a timer is set.
static TO_BE_SENT: AtomicBool = AtomicBool::new(false);

pub fn forget() {
    TO_BE_SENT.store(false, Ordering::Relaxed);
}

/// Sends the namespaces to every replica that comes online. Not at once: the event may fire inside a
/// command such as PSYNC, which the server would then propagate as well.
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

/// Propagates `KEYNS.NS.LOAD` with this text to replicas and the AOF.
pub fn replicate_load(context: &Context, json: &[u8], existing: Existing) -> Result<()> {
    let word = match existing {
        Existing::Flush => c"FLUSH",
        Existing::Replace | Existing::Refuse => c"REPLACE",
    };
    context.replicate(c"KEYNS.NS.LOAD", json, word)
}
