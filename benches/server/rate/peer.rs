//! redis-cell, where its published crate builds and the server takes it.

use std::process::Command;

use crate::support::Client;

/// Loads redis-cell beside KEYNS, or says why the benchmark goes on without it.
pub fn load(client: &mut Client) -> bool {
    match try_load(client) {
        Ok(()) => true,
        Err(reason) => {
            println!("\nWithout redis-cell: {reason}");
            false
        }
    }
}

fn try_load(client: &mut Client) -> Result<(), String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/redis-cell");
    let output = Command::new(script)
        .output()
        .map_err(|error| format!("{script}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if !output.status.success() {
        return Err(text(&output.stderr));
    }
    let reply = client.call(&["MODULE", "LOAD", &text(&output.stdout)]);
    if reply.is_error() {
        return Err(reply.text());
    }
    Ok(())
}
