//! Names of keys: slugs, numbers, prefixes, and what is wrong with a name.

pub mod check;
mod error;
pub mod key_name;
pub mod kinds;
pub mod number_words;
pub mod slug;

pub use error::{Error, Result};
