//! The last step of `make bench`: compares the ratios of this run with those of the last ones, says
//! what got worse, and writes benches/recorded.json, docs/benchmarks.md and its picture.
//!
//! KEEP=1 leaves all of them as they are, and so do quick runs, unless KEYNS_BENCH_WRITE=1 is set.
//! REDRAW=1 takes no notice of measurements and draws what is recorded (`make plots`).

mod bars;
mod overview;
#[path = "../support/page.rs"]
mod page;
#[path = "../support/report/mod.rs"]
mod report;
mod told;

use report::guard::compare;
use report::{Findings, Ratio, Recorded, is_quick, is_set};

fn main() {
    let mut recorded = Recorded::read();
    if !is_set("REDRAW") {
        let found = Findings::all();
        tell(&recorded, &found);
        if is_set("KEEP") || (is_quick() && !is_set("KEYNS_BENCH_WRITE")) {
            println!("\nNothing is written: this run is not recorded.");
            return;
        }
        for findings in &found {
            for (place, markdown) in &findings.blocks {
                page::put(place, markdown);
            }
            recorded.take(findings);
        }
        recorded.write();
    }
    page::put("summary", &overview::table(&recorded));
    let picture = page::docs().join("img/benchmarks.svg");
    let drawn = overview::figure(&recorded).write(&picture);
    drawn.expect("docs/img/benchmarks.svg can be drawn");
    println!("\ndocs/benchmarks.md and docs/img/benchmarks.svg are written.");
}

/// Prints how this run differs from what is recorded of the same parts.
fn tell(recorded: &Recorded, found: &[Findings]) {
    let parts: Vec<&str> = found.iter().map(|found| found.part.as_str()).collect();
    let measured: Vec<&Ratio> = found.iter().flat_map(|found| &found.ratios).collect();
    let comparison = compare(recorded.of_parts(&parts), measured);
    println!("\n{}", told::text(&comparison));
}
