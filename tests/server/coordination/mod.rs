//! Locks, events, versions, checkpoints and counts.

mod access;
mod counts;
mod effects;
mod errors;
mod failover;
mod fight;
mod hostile;
mod info;
mod locks;
mod meddling;
mod once;
mod periods;
mod programs;
mod ranges;
mod replay;
