//! `core::slug` beside the crate `slug`, in one run on one machine: what counts is the ratio.
//!
//! The two texts are the ones the target speaks of: a heading in ASCII and one with umlauts.

use std::hint::black_box;
use std::time::Instant;

use keyns::core::slug::{Abbreviations, SlugMaker, SlugOptions};

const ROUNDS: usize = 25;
const CALLS: usize = 40_000;

struct Case {
    name: &'static str,
    text: &'static str,
    /// How much faster than the peer it has to be.
    demanded: f64,
}

const CASES: [Case; 2] = [
    Case {
        name: "ASCII heading",
        text: "Portfolio Management & Risk Assessment",
        demanded: 2.0,
    },
    Case {
        name: "mixed heading",
        text: "Diversifikation: Der Schlüssel zum Erfolg",
        demanded: 1.5,
    },
];

fn main() {
    // FAMILY picks one of the families, and slugs are of this one.
    let family = std::env::var("FAMILY").unwrap_or_default();
    if !matches!(family.as_str(), "" | "naming") {
        return;
    }
    let mut maker = SlugMaker::default();
    let dictionary = Abbreviations::default();
    let options = SlugOptions {
        max_len: 64,
        ..SlugOptions::default()
    };
    println!("core::slug, nanoseconds per call, median of {ROUNDS} rounds of {CALLS} calls\n");
    println!("| text | keyns | slug 0.1.6 | ratio | demanded |");
    println!("|---|---|---|---|---|");
    for case in CASES {
        let mut ours = Vec::new();
        let mut peer = Vec::new();
        // Rounds alternate, so that a noisy moment of the machine meets both.
        for _ in 0..ROUNDS {
            ours.push(nanoseconds(|| {
                black_box(maker.slug(black_box(case.text.as_bytes()), &options, &dictionary));
            }));
            peer.push(nanoseconds(|| {
                black_box(slug::slugify(black_box(case.text)));
            }));
        }
        let (ours, peer) = (median(&mut ours), median(&mut peer));
        println!(
            "| {} | {ours:.0} | {peer:.0} | {:.2}x | {:.1}x |",
            case.name,
            peer / ours,
            case.demanded
        );
    }
}

fn nanoseconds(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_nanos() as f64 / CALLS as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
