//! The module in a real server: `redis-server`, or the one that KEYNS_SERVER names.

#[path = "../support/mod.rs"]
mod support;

mod acl;
mod check;
mod cluster;
mod command_docs;
mod config;
mod doc_examples;
mod documents;
mod documents_access;
mod documents_background;
mod documents_cluster;
mod documents_damage;
mod documents_effects;
mod documents_errors;
mod documents_meddling;
mod documents_names;
mod documents_options;
mod documents_reading;
mod documents_replace;
mod documents_source;
mod hostile;
mod info;
mod loading;
mod manners;
mod meddling;
mod names;
mod namespaces;
mod namespaces_errors;
mod namespaces_lasting;
mod namespaces_programs;
mod panics;
mod persistence;
mod races;
mod rate;
mod rate_clients;
mod rate_effects;
mod rate_errors;
mod rate_exact;
mod rate_examples;
mod rate_failover;
mod rate_info;
mod rate_meddling;
mod rate_races;
mod slugs;
