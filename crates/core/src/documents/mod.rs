//! Documents: Markdown as a hierarchy of elements, and what it takes to keep it.

mod error;
pub mod footprint;
pub mod front_matter;
pub mod limits;
pub mod matching;
pub mod outline;
pub mod slugs;
pub mod tree;

pub use error::{Error, Result};
