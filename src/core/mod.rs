//! Pure logic: no Redis type, no clock, no I/O. Everything here is tested without a server.
#![forbid(unsafe_code)]

pub mod calendar;
pub mod check;
pub mod decimal;
mod error;
pub mod key_name;
pub mod kinds;
pub mod number_words;
pub mod slug;

pub use error::{Error, Result};
