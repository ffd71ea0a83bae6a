//! Finds the namespace of a key, for all families.

use keyns_core::namespaces::{Match, Registry, Work};

use super::MAX_KEY_BYTES;
use crate::server::counters::Counter;

/// Look-ups that stopped because too many patterns start like the key.
pub static LOOK_UPS_CUT: Counter = Counter::new();

/// The namespace of a key. `None` also if the key is longer than a key of a namespace may be, or too
/// many patterns start like it.
pub fn look_up<'r, 'k>(registry: &'r Registry, key: &'k [u8]) -> Option<Match<'r, 'k>> {
    if registry.is_empty() || key.len() > MAX_KEY_BYTES.size() {
        return None;
    }
    let mut work = Work::on(key);
    let found = registry.find_within(key, &mut work);
    if work.is_spent() {
        LOOK_UPS_CUT.increment();
    }
    found
}
