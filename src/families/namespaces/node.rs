//! The namespaces of this node.

use std::ops::Deref;
use std::sync::Arc;

use keyns_core::namespaces::Registry;

use crate::server::snapshot::Snapshot;

static REGISTRY: Snapshot<Registry> = Snapshot::empty();

/// A snapshot of the namespaces, which others may replace meanwhile.
pub struct Namespaces(Option<Arc<Registry>>);

impl Deref for Namespaces {
    type Target = Registry;

    fn deref(&self) -> &Registry {
        static NONE: Registry = Registry::new();
        self.0.as_deref().unwrap_or(&NONE)
    }
}

pub fn registry() -> Namespaces {
    Namespaces(REGISTRY.get())
}

/// How many namespaces the node has; 0 if somebody is changing them at this moment.
pub fn count() -> usize {
    REGISTRY.try_get().map_or(0, |registry| registry.len())
}

pub fn change<T>(change: impl FnOnce(&mut Registry) -> T) -> T {
    REGISTRY.change(change)
}

pub fn replace(registry: Registry) {
    REGISTRY.set(registry);
}

pub fn forget() {
    REGISTRY.forget();
}
