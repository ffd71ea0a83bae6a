//! What takes its time: crashes, leaks, unloading under load.

#[path = "../support/mod.rs"]
mod support;

mod leaks;
