//! The benchmarks of KEYNS, one program with parts.
//!
//! - `all` measures every part, compares with what is recorded and records (`make bench`). FAMILY
//!   picks a family, PART one of its parts, and KEEP=1 records nothing.
//! - `count` measures only the parts that count instructions, for which no machine is too busy
//!   (`make count`).
//! - `growth` makes the work larger, step by step (`make growth`). AXIS picks what grows.
//! - `soak MINUTES` is no comparison: all families at once, and what must hold (`make soak`).
//! - `plots` draws what is recorded anew (`make plots`).

mod families;
mod growth;
mod measure;
mod report;
mod soak;

use std::env;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Instant;

use families::{COUNTING, PARTS};
use report::{Findings, Report, is_wanted};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["all"] => measure(|_| true),
        ["count"] => measure(|part| part.ends_with(COUNTING)),
        ["growth"] => growth::run(),
        ["soak", minutes] => soak::run(minutes),
        ["plots"] => {
            report::redraw();
            Ok(())
        }
        _ => Err("usage: keyns-bench all | count | growth | soak MINUTES | plots".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Measures all parts that are wanted, whichever of them fail, and reports what they found.
fn measure(is_meant: fn(&str) -> bool) -> Result<(), String> {
    check_picks()?;
    Findings::forget();
    let start = Instant::now();
    let mut failed = Vec::new();
    let mut attempt = |name: &'static str, run: &dyn Fn() -> Result<(), String>| {
        eprintln!("bench: {name} ({} s so far)", start.elapsed().as_secs());
        // A panic has already said what is wrong.
        let outcome = catch_unwind(std::panic::AssertUnwindSafe(run));
        if let Ok(Err(reason)) = &outcome {
            eprintln!("bench: {reason}");
        }
        if !matches!(outcome, Ok(Ok(()))) {
            eprintln!("bench: {name} FAILED");
            failed.push(name);
        }
    };
    let is_picked = |family, part| is_meant(part) && is_wanted(family, part);
    for part in PARTS.iter().filter(|p| is_picked(p.family, p.name)) {
        attempt(part.name, &|| {
            let mut report = Report::new(part.name);
            (part.run)(&mut report);
            report.keep();
            Ok(())
        });
    }
    // It is about all families, and writes its own tables.
    if is_picked(GROWTH, GROWTH) {
        attempt(GROWTH, &growth::run);
    }
    // A report that tells of something worse is none that failed.
    let verdict = report::conclude();
    match failed[..] {
        [] => verdict,
        _ => Err(format!(
            "not everything could be measured: {}",
            failed.join(", ")
        )),
    }
}

const GROWTH: &str = "growth";

/// Fails if FAMILY or PART picks what is not there.
fn check_picks() -> Result<(), String> {
    let mut families: Vec<&str> = PARTS.iter().map(|part| part.family).collect();
    families.push(GROWTH);
    families.sort_unstable();
    families.dedup();
    let mut parts: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    parts.push(GROWTH);
    for (variable, what, names) in [("FAMILY", "family", families), ("PART", "part", parts)] {
        let picked = env::var(variable).unwrap_or_default();
        if !picked.is_empty() && !names.contains(&picked.as_str()) {
            let names = names.join(", ");
            return Err(format!("there is no {what} '{picked}', but {names}"));
        }
    }
    Ok(())
}
