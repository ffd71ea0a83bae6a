//! How the cost of commands grows with the size of their work, beside that of plain commands.
//!
//! `make growth` runs it, and `make bench` with everything else. AXIS picks one of the axes, and
//! KEYNS_BENCH_QUICK=1 takes a look at all of them within seconds: neither writes into the
//! documentation.

mod axis;
mod buckets;
mod calls;
#[path = "../server/clients.rs"]
#[allow(dead_code)]
mod clients;
#[path = "../server/connection.rs"]
#[allow(dead_code)]
mod connection;
mod curve;
#[path = "../server/dice.rs"]
mod dice;
mod documents;
mod effort;
mod grains;
#[path = "../support/growth_plot.rs"]
mod growth_plot;
mod keys;
mod limits;
#[path = "../server/documents/markdown.rs"]
#[allow(dead_code)]
mod markdown;
mod measure;
mod namespaces;
#[path = "../support/page.rs"]
mod page;
#[path = "../server/namespaces/plan.rs"]
mod plan;
#[path = "../support/report/mod.rs"]
mod report;
mod shape;
mod tables;
#[path = "../server/documents/writes.rs"]
#[allow(dead_code)]
mod writes;

use axis::Growth;
use effort::Effort;

type Run = fn(&Effort) -> Growth;

/// Each has its tables on the page, and a panel of the picture.
const AXES: [(&str, Run); 6] = [
    ("namespaces", namespaces::run),
    ("documents", documents::run),
    ("keys", keys::run),
    ("limits", limits::run),
    ("grains", grains::run),
    ("buckets", buckets::run),
];

fn main() {
    // FAMILY and PART pick some of all benchmarks, and this one is about all families.
    let [family, part, axis] =
        ["FAMILY", "PART", "AXIS"].map(|name| std::env::var(name).unwrap_or_default());
    let is_wanted = family == "growth" || family.is_empty() && part.is_empty();
    if !is_wanted {
        return;
    }
    let names = AXES.map(|(name, _)| name);
    if !axis.is_empty() && !names.contains(&axis.as_str()) {
        eprintln!("there is no axis {axis:?}, but {}", names.join(", "));
        std::process::exit(1);
    }
    let effort = Effort::wanted();
    let mut all = Vec::new();
    for (name, run) in AXES {
        if !axis.is_empty() && name != axis {
            continue;
        }
        let growth = run(&effort);
        let tables = tables::all(&growth);
        println!("\n{tables}");
        all.push((name, growth, tables));
    }
    let growths: Vec<&Growth> = all.iter().map(|(_, growth, _)| growth).collect();
    match tables::superlinear(&growths)[..] {
        [] => println!("\nNothing is superlinear."),
        ref names => println!("\nSUPERLINEAR: {}.", names.join("; ")),
    }
    let is_for_the_page = axis.is_empty() && !effort.is_quick();
    let plot = match is_for_the_page {
        true => page::docs().join("img/growth.svg"),
        false => std::env::temp_dir().join("keyns-growth.svg"),
    };
    growth_plot::write(&plot, &tables::panels(&growths)).expect("the plot can be written");
    if !is_for_the_page {
        println!(
            "The documentation stays as it is; {} is new.",
            plot.display()
        );
        return;
    }
    for (name, _, tables) in &all {
        page::put(&format!("growth-{name}"), tables);
    }
}
