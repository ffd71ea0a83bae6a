//! redis-cell, where its published crate builds and the server takes it.

use std::fs;
use std::process::Command;

use keyns_testkit::Client;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/redis-cell");

/// Loads redis-cell beside KEYNS and answers its version, or says why the benchmark goes on
/// without it.
pub fn load(client: &mut Client) -> Option<String> {
    match try_load(client) {
        Ok(()) => Some(version()),
        Err(reason) => {
            eprintln!("bench: without redis-cell: {reason}");
            None
        }
    }
}

fn try_load(client: &mut Client) -> Result<(), String> {
    let output = Command::new(SCRIPT)
        .output()
        .map_err(|error| format!("{SCRIPT}: {error}"))?;
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

/// The script says which one it builds.
fn version() -> String {
    let script = fs::read_to_string(SCRIPT).unwrap_or_default();
    let dependency = script.lines().find(|line| line.starts_with("redis-cell ="));
    let number = dependency.and_then(|line| line.split('"').nth(1));
    format!(
        "redis-cell {}",
        number.unwrap_or_default().trim_matches('=')
    )
}
