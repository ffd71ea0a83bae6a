//! Endurance: servers are killed under load, the module is unloaded under load, and memory is measured
//! after very many calls.

mod crash;
mod leaks;
mod unloading;
