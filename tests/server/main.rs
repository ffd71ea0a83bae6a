//! The module in a real server: `redis-server`, or the one that KEYNS_SERVER names.

#[path = "../support/mod.rs"]
mod support;

mod acl;
mod check;
mod cluster;
mod command_docs;
mod config;
mod doc_examples;
mod hostile;
mod info;
mod loading;
mod manners;
mod meddling;
mod names;
mod panics;
mod persistence;
mod races;
mod slugs;
