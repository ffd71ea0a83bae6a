//! What reading and writing a document needs.

use super::layout::Words;
use crate::server::store::{Caller, Store};

/// The keys, the caller who must be allowed to use them, and the names of fields.
pub struct Keyspace<'a> {
    pub store: &'a Store<'a>,
    pub caller: Caller<'a>,
    pub words: Words,
}

impl<'a> Keyspace<'a> {
    pub fn of(store: &'a Store<'a>) -> Keyspace<'a> {
        Keyspace {
            store,
            caller: store.caller(),
            words: Words::new(),
        }
    }
}
