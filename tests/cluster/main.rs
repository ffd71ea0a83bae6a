//! The module in a cluster of real servers: three masters, each with a replica.

#[path = "../support/mod.rs"]
mod support;

mod families;
mod half_moved;
mod rows;
mod tags;
