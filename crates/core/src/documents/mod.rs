//! Documents: Markdown as a hierarchy of elements, what it looks like in keys, and what it takes to keep
//! it.
//!
//! ```text
//! Markdown ──> outline ──> slugs, about ──> layout ──> HSET, SADD, ZADD, MSET
//!                 │              │             ^
//!                 │          footprint         │ names
//!                 v                            │
//! stored ──> replacement: what stays ──────────┘
//! ```

pub mod about;
pub mod difference;
mod error;
pub mod fields;
pub mod file_name;
pub mod footprint;
pub mod front_matter;
pub mod items;
pub mod keys;
pub mod layout;
pub mod limits;
pub mod matching;
pub mod outline;
pub mod replacement;
pub mod shared_sets;
pub mod size;
pub mod slugs;
pub mod stored;
pub mod text;
pub mod tree;

pub use error::{Error, Result};
