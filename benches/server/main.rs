//! What commands cost a server, beside plain commands in the same run.
//!
//! Every round measures everything once, so that a noisy moment of the machine spoils one ratio and
//! not the comparison; the tables have the median and the spread of the ratios of all rounds.

mod clients;
mod connection;
mod coordination;
mod dice;
mod documents;
mod measure;
mod namespaces;
mod naming;
mod python;
mod rate;
mod redis_py;
#[path = "../support/report/mod.rs"]
mod report;

use std::panic::catch_unwind;
use std::process::exit;
use std::time::Instant;

use report::{Report, is_wanted};

struct Part {
    family: &'static str,
    name: &'static str,
    run: fn(&mut Report),
}

const fn part(family: &'static str, name: &'static str, run: fn(&mut Report)) -> Part {
    Part { family, name, run }
}

const PARTS: [Part; 9] = [
    part("naming", "naming", naming::run),
    part("documents", "documents-speed", documents::speed::run),
    part("documents", "documents-large", documents::large::run),
    part("documents", "documents-latency", documents::latency::run),
    part("documents", "documents-memory", documents::memory::run),
    part("rate", "rate", rate::run),
    part("namespaces", "namespaces", namespaces::run),
    part("coordination", "coordination", coordination::run),
    part("clients", "clients", redis_py::run),
];

fn main() {
    let parts = PARTS.iter();
    let parts: Vec<&Part> = parts
        .filter(|part| is_wanted(part.family, part.name))
        .collect();
    let start = Instant::now();
    let mut failed = Vec::new();
    for part in parts {
        eprintln!(
            "bench: {} ({} s so far)",
            part.name,
            start.elapsed().as_secs()
        );
        let run = || {
            let mut report = Report::new(part.name);
            (part.run)(&mut report);
            report.keep();
        };
        // The others are measured all the same.
        if catch_unwind(run).is_err() {
            eprintln!("bench: {} FAILED", part.name);
            failed.push(part.name);
        }
    }
    if !failed.is_empty() {
        eprintln!("bench: these parts failed: {}", failed.join(", "));
        exit(1);
    }
}

/// Says how far a part is that takes minutes.
fn progress(done: usize, all: usize) {
    if done.is_multiple_of(5) || done == all {
        eprintln!("bench:   {done} of {all} cases");
    }
}
