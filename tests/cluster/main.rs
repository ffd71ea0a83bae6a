//! The module in a cluster of real servers: three masters, each with a replica.

mod failover;
mod families;
mod half_moved;
mod handed_over;
mod ledger;
mod moving;
mod tags;
mod waiting;
mod writers;
