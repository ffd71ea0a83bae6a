//! What holds out: servers that are killed under load, modules that come and go under it, and
//! memory after very many calls.

mod crash;
mod leaks;
mod unloading;
