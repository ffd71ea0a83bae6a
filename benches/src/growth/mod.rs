//! How the cost of commands grows with the size of their work, beside that of plain commands.
//!
//! `make growth` runs it, and `make bench` with everything else. AXIS picks one of the axes, and
//! KEYNS_BENCH_QUICK=1 takes a look at all of them within seconds: neither writes into the
//! documentation.

mod axis;
mod buckets;
mod calls;
mod curve;
mod documents;
mod keys;
mod namespaces;
mod plot;
mod shape;
mod tables;

use crate::report::page;
use axis::{Effort, Growth};

type Run = fn(&Effort) -> Growth;

/// Each has its tables on the page, and a panel of the picture.
const AXES: [(&str, Run); 6] = [
    ("namespaces", namespaces::run),
    ("documents", documents::run),
    ("keys", keys::run),
    ("limits", calls::limits),
    ("grains", calls::grains),
    ("buckets", buckets::run),
];

pub fn run() -> Result<(), String> {
    let axis = std::env::var("AXIS").unwrap_or_default();
    let names = AXES.map(|(name, _)| name);
    if !axis.is_empty() && !names.contains(&axis.as_str()) {
        return Err(format!(
            "there is no axis '{axis}', but {}",
            names.join(", ")
        ));
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
    plot::write(&plot, &tables::panels(&growths)).expect("the plot can be written");
    if !is_for_the_page {
        println!(
            "The documentation stays as it is; {} is new.",
            plot.display()
        );
        return Ok(());
    }
    for (name, _, tables) in &all {
        page::put(&format!("growth-{name}"), tables);
    }
    Ok(())
}
