//! KEYNS.PANIC, which only builds for tests have: proves that a panic does not end the server.

use crate::command;
use crate::families::naming::FAMILY;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::{Call, Result, panic_in};

pub static PANIC: &Command = command!(
    Spec {
        name: c"KEYNS.PANIC",
        family: &FAMILY,
        summary: c"Panics, now or in the next callback.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"fast",
        acl_categories: c"keyns",
        arity: -1,
        keys: None,
        arguments: &[List::Of(&[Argument::text("callback").optional()])],
        reply: "an error, or OK",
    },
    panic
);

fn panic(call: &Call) -> Result<()> {
    let Some(callback) = call.args().next() else {
        panic!("KEYNS.PANIC was called");
    };
    panic_in(callback);
    call.reply().bulk(b"OK");
    Ok(())
}
