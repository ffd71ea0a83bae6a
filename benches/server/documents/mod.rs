//! KEYNS.INGESTMD beside its own writes as a client would send them.

mod large;
mod latency;
mod markdown;
mod memory;
mod python;
mod speed;
mod writes;

use crate::measure::memory;
use crate::support::{Client, wait_until};

/// PART picks one of the parts.
pub fn run() {
    let part = std::env::var("PART").unwrap_or_default();
    let parts: [(&str, fn()); 4] = [
        ("speed", speed::run),
        ("large", large::run),
        ("latency", latency::run),
        ("memory", memory::run),
    ];
    if !part.is_empty() && parts.iter().all(|(name, _)| *name != part) {
        eprintln!("there is no part {part:?}: speed, large, latency and memory are there");
        std::process::exit(1);
    }
    for (name, run) in parts {
        if part.is_empty() || part == name {
            run();
        }
    }
}

/// The demand is about a document of about 200 KB with 200 headings and 850 other blocks.
fn demanded_document() -> String {
    markdown::handbook(8)
}

/// One past the limit from which on Markdown is read in the background.
fn large_document() -> String {
    markdown::handbook(75)
}

/// One of about 1 MB.
fn megabyte_document() -> String {
    markdown::handbook(38)
}

/// Removes all keys. FLUSHALL SYNC would also hand free memory back to the system, which then has
/// to be fetched again: no server in use starts from there.
fn remove_all(client: &mut Client) {
    client.run("FLUSHALL ASYNC");
    wait_until("all keys are freed", || {
        memory(client, "lazyfree_pending_objects") == 0.0
    });
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1}", seconds * 1e3)
}
