//! Pure logic: no Redis type, no clock, no I/O. Everything here is tested without a server.
#![forbid(unsafe_code)]

pub mod buckets;
pub mod calendar;
pub mod check;
pub mod decimal;
mod error;
pub mod fencing;
pub mod footprint;
pub mod front_matter;
pub mod glob;
pub mod key_name;
pub mod kinds;
pub mod matching;
pub mod namespace;
pub mod number_words;
pub mod outline;
pub mod rate;
pub mod slug;
pub mod tree;

pub use error::{Error, Result};
