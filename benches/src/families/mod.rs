//! What commands cost a server, beside plain commands in the same run.
//!
//! Every round measures everything once, so that a noisy moment of the machine spoils one ratio and
//! not the comparison; the tables have the median and the spread of the ratios of all rounds.

mod coordination;
pub mod documents;
pub mod namespaces;
mod naming;
mod rate;
mod redis_py;

use crate::report::Report;

pub struct Part {
    pub family: &'static str,
    pub name: &'static str,
    pub run: fn(&mut Report),
}

const fn part(family: &'static str, name: &'static str, run: fn(&mut Report)) -> Part {
    Part { family, name, run }
}

pub const PARTS: &[Part] = &[
    part("naming", "slug", naming::slug::run),
    part("naming", "naming", naming::run),
    part("documents", "documents-speed", documents::speed::run),
    part("documents", "documents-large", documents::large::run),
    part("documents", "documents-latency", documents::latency::run),
    part("documents", "documents-memory", documents::memory::run),
    part("rate", "rate", rate::run),
    part("namespaces", "lookup", namespaces::lookup::run),
    part("namespaces", "namespaces", namespaces::run),
    part("coordination", "coordination", coordination::run),
    part("clients", "clients", redis_py::run),
];

/// Says how far a part is that takes minutes.
fn progress(done: usize, all: usize) {
    if done.is_multiple_of(5) || done == all {
        eprintln!("bench:   {done} of {all} cases");
    }
}
