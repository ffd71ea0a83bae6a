//! Governance: what the keyspace is compared with what the registry says, and how to mend it.

pub mod audit;
mod error;
pub mod shapes;

pub use error::{Error, Result};
