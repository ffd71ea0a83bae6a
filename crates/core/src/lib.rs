//! The rules of KEYNS: what a slug is, how a document becomes keys, what a rate limit admits.
//!
//! No Redis type, no clock, no I/O: the time and what is stored are arguments. So everything here is
//! tested without a server, and serves the module and other programs alike. A folder is a family, with
//! an error type of its own.
#![forbid(unsafe_code)]
// Nothing that a caller sends may end the program. Tests may give up, so this is not in Cargo.toml.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod argument;
pub mod coordination;
pub mod documents;
pub mod governance;
pub mod key_type;
pub mod namespaces;
pub mod naming;
pub mod rate;
pub mod text;

/// A mistake of a caller. Its [`Display`](std::fmt::Display) is the sentence that they read: ASCII only,
/// with every byte that they sent escaped.
pub trait Mistake: std::error::Error + Send + Sync + 'static {}
