//! Whose a key is, for every command that wants to know.

use crate::core::namespace::{Match, Registry, Work};
use crate::server::config::{self, MIN_KEY_BYTES};
use crate::server::metrics::LOOK_UPS_CUT;

/// The namespace of a key. None has a key that is [too long](is_too_long), or like which too many
/// patterns start.
pub fn look_up<'r, 'k>(registry: &'r Registry, key: &'k [u8]) -> Option<Match<'r, 'k>> {
    if registry.is_empty() || is_too_long(key) {
        return None;
    }
    let mut work = Work::on(key);
    let found = registry.find_within(key, &mut work);
    if work.is_spent() {
        LOOK_UPS_CUT.increment();
    }
    found
}

/// Whether a key is longer than those of namespaces may be. Not while the settings are held.
fn is_too_long(key: &[u8]) -> bool {
    key.len() > MIN_KEY_BYTES && key.len() > config::current().max_key_bytes
}
