//! Namespaces.
