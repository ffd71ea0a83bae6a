//! The one harness of all tests and benchmarks that need a server: a guard that owns the process,
//! and a client that speaks RESP.

#![allow(dead_code, unused_imports)] // Each user of the harness needs its own part of it.

mod aof;
mod cluster;
mod coordination;
mod document;
mod events;
mod keyspace;
mod markdown;
mod namespaces;
mod programs;
mod random;
mod rate;
mod refusing;
mod resp;
mod server;
mod users;

pub use aof::aof_commands;
pub use coordination::micros;
pub use document::{
    Document, Fields, GUIDE, ingest, long_text, parsing, read_in_background, try_ingest,
};
pub use keyspace::{Content, Keyspace, assert_same, keyspace, without_counters};
pub use markdown::{Draft, Edit, draft, edit, for_any, options};
pub use namespaces::{PRESETS, namespaces_json, texts};
pub use programs::{Language, Lines, PATIENCE, Page, printed, signal, spawn};
pub use random::Random;
pub use rate::{Ruling, last_counted};
pub use refusing::Refusing;
pub use resp::{Client, Value};
pub use server::{Options, Server, patience, wait_until};
