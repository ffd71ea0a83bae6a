//! Whose a key is, for every command that wants to know.

use keyns_core::namespaces::{Match, Registry, Work};

use super::MAX_KEY_BYTES;
use crate::server::counters::Counter;

/// Look-ups that were given up, because too many patterns start like the key.
pub static LOOK_UPS_CUT: Counter = Counter::new();

/// The namespace of a key. None has a key that is longer than those of namespaces may be, or like which
/// too many patterns start.
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
