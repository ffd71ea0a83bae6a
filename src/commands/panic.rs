//! KEYNS.PANIC, which only builds for tests have: proves that a panic does not end the server.

use crate::command;
use crate::core::Result;
use crate::server::Call;
use crate::server::metrics::Family;
use crate::server::spec::{Command, Spec};

pub static PANIC: &Command = command!(
    Spec {
        name: c"KEYNS.PANIC",
        family: Family::Naming,
        summary: c"Panics.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"fast",
        acl_categories: c"keyns",
        arity: 1,
        keys: None,
        arguments: &[],
        reply: "an error",
    },
    panic
);

fn panic(_call: &Call) -> Result<()> {
    panic!("KEYNS.PANIC was called")
}
