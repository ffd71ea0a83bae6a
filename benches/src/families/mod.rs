//! What commands cost a server, beside plain commands in the same run.
//!
//! A family has one list of cases. Each case is timed: every round measures everything that is
//! compared once, in turn, so that a noisy moment of the machine spoils one ratio and not the
//! comparison; the tables have the median and the spread of the ratios of all rounds. And each case is
//! [counted](counting): how many instructions it takes.

mod coordination;
mod counting;
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

/// Those whose names end so count instructions, and do not mind what else the machine does.
pub const COUNTING: &str = "-instructions";

pub const PARTS: &[Part] = &[
    part("naming", "naming-instructions", |report| {
        counting::run(report, "naming-instructions", naming::counted)
    }),
    part("documents", "documents-instructions", |report| {
        counting::run(report, "documents-instructions", documents::counted)
    }),
    part("rate", "rate-instructions", |report| {
        counting::run(report, "rate-instructions", rate::counted)
    }),
    part("namespaces", "namespaces-instructions", |report| {
        counting::run(report, "namespaces-instructions", namespaces::counted)
    }),
    part("coordination", "coordination-instructions", |report| {
        counting::run(report, "coordination-instructions", coordination::counted)
    }),
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
