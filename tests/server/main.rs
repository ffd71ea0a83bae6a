//! The module in a real server: `redis-server`, or the one that KEYNS_SERVER names.

mod coordination;
mod docs;
mod documents;
mod lifecycle;
mod module;
mod namespaces;
mod naming;
mod rate;
