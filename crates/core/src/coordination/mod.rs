//! Locks and counters by calendar.

pub mod calendar_counts;
mod error;
pub mod fencing;

pub use error::{Error, Result};
