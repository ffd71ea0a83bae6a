//! `core::slug` beside the crate `slug`, in one run on one machine: what counts is the ratio.
//!
//! The two texts are the ones the target speaks of: a heading in ASCII and one with umlauts.

use std::hint::black_box;
use std::time::Instant;

use keyns_core::naming::slug::{Abbreviations, SlugMaker, SlugOptions};

use crate::report::{Report, Spread, Wanted, at_least, grouped, rounds};

const ROUNDS: usize = 25;
const CALLS: usize = 40_000;

struct Case {
    text: &'static str,
    /// How much faster than the peer it has to be.
    demanded: f64,
}

const CASES: [Case; 2] = [
    Case {
        text: "Portfolio Management & Risk Assessment",
        demanded: 2.0,
    },
    Case {
        text: "Diversifikation: Der Schlüssel zum Erfolg",
        demanded: 1.5,
    },
];

pub fn run(report: &mut Report) {
    let mut maker = SlugMaker::default();
    let dictionary = Abbreviations::default();
    let options = SlugOptions {
        max_len: 64,
        ..SlugOptions::default()
    };
    let rounds = rounds(ROUNDS);
    report.version("slug 0.1.6");
    report.table(
        "slug",
        &format!(
            "Nanoseconds per call, {rounds} rounds of {} calls",
            grouped(CALLS)
        ),
        &["text", "keyns", "slug 0.1.6", "ratio", "spread", "at least"],
    );
    for case in CASES {
        let mut ours = Vec::new();
        let mut peer = Vec::new();
        // Rounds alternate, so that a noisy moment of the machine meets both.
        for _ in 0..rounds {
            ours.push(nanoseconds(|| {
                black_box(maker.slug(black_box(case.text.as_bytes()), &options, &dictionary));
            }));
            peer.push(nanoseconds(|| {
                black_box(slug::slugify(black_box(case.text)));
            }));
        }
        let ratio = Spread::of_ratios(&peer, &ours);
        report.row(&[
            format!("`{}`", case.text),
            format!("{:.0}", Spread::of(ours).middle),
            format!("{:.0}", Spread::of(peer).middle),
            format!("{:.2}", ratio.middle),
            ratio.range(),
            at_least(case.demanded, ratio.middle),
        ]);
        report.ratio("slug 0.1.6", case.text, "core::slug", Wanted::More, ratio);
    }
}

fn nanoseconds(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_nanos() as f64 / CALLS as f64
}
