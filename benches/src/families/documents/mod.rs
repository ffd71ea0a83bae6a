//! KEYNS.INGESTMD beside its own writes as a client would send them.

mod counted;
pub mod large;
pub mod latency;
pub mod markdown;
pub mod memory;
pub mod speed;
pub mod writes;

use keyns_testkit::{Client, wait_until};

use crate::measure::memory;
pub use counted::counted;

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
