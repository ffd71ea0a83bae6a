//! The one harness of all tests and benchmarks that need a server: a guard that owns the process,
//! and a client that speaks RESP.

use std::path::Path;

mod aof;
mod cluster;
mod cluster_client;
mod coordination;
mod document;
mod events;
mod frozen;
mod keyspace;
mod markdown;
mod namespaces;
mod options;
mod programs;
mod random;
mod rate;
mod refusing;
mod resp;
mod rows;
mod same_reply;
mod server;
mod slot_migration;
mod slot_move;
mod steps;
mod survival;
mod users;
mod web;
mod whole_cluster;

pub use aof::{aof_commands, end_of_aof, rewrite_aof};
pub use cluster_client::{ClusterClient, Told};
pub use coordination::micros;
pub use document::{
    Document, Fields, GUIDE, ingest, long_text, parsing, read_in_background, try_ingest,
};
pub use keyspace::{Content, Keyspace, assert_same, keyspace, without_counters};
pub use markdown::{Draft, Edit, draft, edit, for_any, options};
pub use namespaces::{PRESETS, namespaces_json, texts};
pub use options::Options;
pub use programs::{Language, Lines, Page, printed, signal, spawn};
pub use random::Random;
pub use rate::{Ruling, last_counted};
pub use refusing::Refusing;
pub use resp::{Client, Value};
pub use rows::{Holds, Needs, Outcome, ROWS, Row, Used, key_place, rows_of};
pub use same_reply::assert_same_reply;
pub use server::{Server, patience, wait_until};
pub use slot_migration::SlotMigration;
pub use slot_move::SlotMove;
pub use steps::{Node, perform, steps};
pub use survival::server_survives;
pub use web::{WebAnswer, WebProgram};
pub use whole_cluster::Cluster;

/// The folder of the repository, which the module and the pages are in.
pub fn repository() -> &'static Path {
    let testkit = Path::new(env!("CARGO_MANIFEST_DIR"));
    testkit.ancestors().nth(2).expect("crates/testkit is in it")
}
