//! The commands, one file per family: spec, arguments, core, store, reply.

pub mod coordination;
pub mod documents;
pub mod namespaces;
pub mod naming;
mod numbering;
#[cfg(feature = "panic-command")]
pub mod panic;
pub mod rate;
mod slug_options;

use crate::core::{Error, Result};
use crate::server::config::Settings;
use crate::server::spec::Command;

#[cfg(not(feature = "panic-command"))]
const COUNT: usize = 31;
#[cfg(feature = "panic-command")]
const COUNT: usize = 32;

/// Every command of the module.
pub static ALL: [&Command; COUNT] = [
    naming::SLUG,
    naming::NEXTID,
    naming::MAKE,
    naming::CHECK,
    naming::PARSE,
    documents::INGESTMD,
    documents::TREE,
    documents::NAV,
    documents::EXPORTMD,
    documents::DROP,
    rate::RATE,
    rate::PEEK,
    rate::REFUND,
    rate::BLOCK,
    rate::THROTTLE,
    namespaces::SET,
    namespaces::GET,
    namespaces::LIST,
    namespaces::DEL,
    namespaces::LOAD,
    namespaces::DUMP,
    namespaces::PRESET,
    namespaces::KEY,
    coordination::LOCK,
    coordination::EXTEND,
    coordination::UNLOCK,
    coordination::SEEN,
    coordination::ADVANCE,
    coordination::CHECKPOINT,
    coordination::COUNT,
    coordination::RANGE,
    #[cfg(feature = "panic-command")]
    panic::PANIC,
];

/// Gives back what commands keep from one call to the next.
pub(crate) fn forget() {
    naming::forget();
}

/// An error about a text that is longer than the settings allow.
fn check_length(what: &'static str, text: &[u8], settings: &Settings) -> Result<()> {
    let limit = settings.max_text_bytes;
    if text.len() <= limit {
        return Ok(());
    }
    Err(Error::TooLong {
        what,
        config: "keyns.max-text-bytes",
        limit,
        got: text.len(),
    })
}
