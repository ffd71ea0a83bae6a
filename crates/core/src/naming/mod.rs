//! Names of keys: slugs, numbers, prefixes, and checks of names.

pub mod check;
mod error;
pub mod key_name;
pub mod kinds;
pub mod number_words;
pub mod slug;

pub use error::{Error, Result};
