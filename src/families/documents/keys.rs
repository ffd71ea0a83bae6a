//! May a call use these keys?

use crate::server::store::{Access, Caller, Store};
use crate::server::{Result, ServerString};
use keyns_core::key_type::KeyType;
use keyns_core::naming::key_name::check_name_len;

pub use keyns_core::documents::keys::{document_prefix, prefix_of};

/// An error unless the caller may do this with all of these keys, and all have the right type.
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

/// An error about an argument that is longer than any name, or whose document a cluster keeps in
/// several slots: that of all its keys is the one of its scope.
pub fn check_place(store: &Store, argument: &'static str, name: &ServerString) -> Result<()> {
    check_name_len(argument, name.as_bytes())?;
    if let Some(prefix) = prefix_of(name.as_bytes()) {
        store.check_scope_slot(&prefix)?;
    }
    store.check_together(name)
}
