//! Checks whether a call may use its keys.

use crate::server::store::{Access, Caller, Store};
use crate::server::{Result, ServerString};
use keyns_core::key_type::KeyType;
use keyns_core::naming::key_name::check_name_len;

pub use keyns_core::documents::keys::{document_prefix, prefix_of};

/// An error unless the caller has this access to all keys, and all have the right type.
pub fn check<'k>(
    store: &Store,
    caller: &Caller,
    keys: impl IntoIterator<Item = (&'k ServerString, KeyType)>,
    access: Access,
) -> Result<()> {
    for (key, wanted) in keys {
        caller.check(key, access)?;
        store.exists_as(key, wanted)?;
    }
    Ok(())
}

/// An error if the argument is longer than any name, or if a cluster would spread the document over
/// several slots, because its scope has no hash tag.
pub fn check_place(store: &Store, argument: &'static str, name: &ServerString) -> Result<()> {
    check_name_len(argument, name.as_bytes())?;
    if let Some(prefix) = prefix_of(name.as_bytes()) {
        store.check_scope_slot(&prefix)?;
    }
    store.check_together(name)
}
