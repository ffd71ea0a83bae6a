//! The commands, one file per family: spec, arguments, core, store, reply.

pub mod naming;
#[cfg(feature = "panic-command")]
pub mod panic;
mod slug_options;

use crate::server::spec::Command;

#[cfg(not(feature = "panic-command"))]
const COUNT: usize = 5;
#[cfg(feature = "panic-command")]
const COUNT: usize = 6;

/// Every command of the module.
pub static ALL: [&Command; COUNT] = [
    naming::SLUG,
    naming::NEXTID,
    naming::MAKE,
    naming::CHECK,
    naming::PARSE,
    #[cfg(feature = "panic-command")]
    panic::PANIC,
];

/// Gives back what commands keep from one call to the next.
pub(crate) fn forget() {
    naming::forget();
}
