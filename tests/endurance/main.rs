//! What holds out: servers that are killed under load, and modules that come and go under it.

#[path = "../support/mod.rs"]
mod support;

mod crash;
mod unloading;
