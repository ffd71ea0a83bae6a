//! The families of commands, a folder each.

pub mod coordination;
pub mod documents;
pub mod namespaces;
pub mod naming;
#[cfg(feature = "panic-command")]
pub mod panic;
pub mod rate;
