//! KEYNS.PANIC, which only builds for tests have: proves that a panic does not end the server.

use std::sync::Mutex;

use crate::command;
use crate::families::naming::FAMILY;
use crate::server::spec::{Argument, Command, Spec};
use crate::server::{Call, Result};

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
        arguments: &[&[Argument {
            optional: true,
            ..Argument::text(c"callback")
        }]],
        reply: "an error, or OK",
    },
    panic
);

/// The name of the callback that is to panic.
static CALLBACK: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn panic(call: &Call) -> Result<()> {
    let Some(callback) = call.args().next() else {
        panic!("KEYNS.PANIC was called");
    };
    if let Ok(mut name) = CALLBACK.lock() {
        *name = callback.to_vec();
    }
    call.reply().bulk(b"OK");
    Ok(())
}

/// Panics in the next callback that `KEYNS.PANIC` named.
pub fn in_callback(name: &str) {
    let named = |callback: &mut Vec<u8>| {
        let named = *callback == name.as_bytes();
        if named {
            callback.clear();
        }
        named
    };
    if CALLBACK
        .lock()
        .is_ok_and(|mut callback| named(&mut callback))
    {
        panic!("KEYNS.PANIC was called for {name}");
    }
}
