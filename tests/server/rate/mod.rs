//! Rate limits.

mod all;
mod clients;
mod commands;
mod effects;
mod errors;
mod exact;
mod examples;
mod failover;
mod info;
mod meddling;
mod races;
