//! The one harness of all tests and benchmarks that need a server: a guard that owns the process,
//! and a client that speaks RESP.

#![allow(dead_code, unused_imports)] // Each user of the harness needs its own part of it.

mod resp;
mod server;

pub use resp::{Client, Value};
pub use server::{Options, Server, wait_until};
