//! What finding, building and checking a key cost, and that it does not depend on how many
//! namespaces there are.

use std::hint::black_box;
use std::time::Instant;

use keyns_core::namespaces::{Building, Draft, Namespace, Registry};
use keyns_core::naming::slug::{Abbreviations, SlugMaker, SlugOptions};

use crate::report::{Report, Spread, Wanted, grouped};

const SIZES: [usize; 3] = [10, 1_000, 10_000];
/// How often the sizes take turns, and how many rounds each has then.
const TURNS: usize = 11;
const ROUNDS: usize = 91;
const CALLS: usize = 200;

/// The key of the namespace with this number.
type KeyOf = fn(usize) -> String;

pub fn run(report: &mut Report) {
    report.table(
        "lookup",
        &format!(
            "Nanoseconds per call, {} rounds of {CALLS} calls",
            grouped(TURNS * ROUNDS)
        ),
        &["what", "10 namespaces", "1,000", "10,000", "10,000 over 10"],
    );
    let registries = SIZES.map(registry);
    let finds: [(&str, KeyOf); 5] = [
        ("find user:<id:int>:<attribute>", |n| {
            format!("user{n}:42:name")
        }),
        ("find {<tenant>}:…:<id:int>", |n| {
            format!("{{acme}}:kind{n}:42")
        }),
        ("find …:v<n:int>:<x>", |n| format!("user{n}:v42:name")),
        ("find …:<d:date>", |n| format!("user{n}:2024:05:17:09")),
        ("find nothing", |n| format!("user{n}:x:y:z")),
    ];
    for (name, key) in finds {
        add_row(report, name, &registries, |registry, size| {
            // Another namespace every time, so that their memory is not always at hand.
            let keys: Vec<String> = (0..size / 5).map(key).collect();
            let mut keys = keys.iter().cycle();
            per_call(|| {
                let key = keys.next().map(String::as_bytes).unwrap_or_default();
                black_box(registry.find(black_box(key)).is_some());
            })
        });
    }
    add_row(
        report,
        "build user:<id:int>:<attribute>",
        &registries,
        |registry, size| {
            let names: Vec<String> = (0..size / 5).map(|n| format!("user{n}")).collect();
            let mut names = names.iter().cycle();
            let mut slugs = SlugMaker::new();
            let (options, abbreviations) = (SlugOptions::default(), Abbreviations::default());
            let mut key = Vec::with_capacity(64);
            let mut building = Building {
                slugs: &mut slugs,
                slug_options: &options,
                abbreviations: &abbreviations,
                max_value_bytes: 512,
                max_key_bytes: 1024,
            };
            per_call(|| {
                key.clear();
                let name = names.next().map(String::as_bytes).unwrap_or_default();
                let built =
                    registry.build(name, black_box(&["42", "name"]), &mut building, &mut key);
                black_box(built.is_ok());
            })
        },
    );
}

fn add_row(
    report: &mut Report,
    name: &str,
    registries: &[Registry; 3],
    measure: impl Fn(&Registry, usize) -> Vec<f64>,
) {
    let [mut few, mut many, mut most] = [const { Vec::new() }; 3];
    for _ in 0..TURNS {
        let sizes = [&mut few, &mut many, &mut most].into_iter().enumerate();
        for (at, rounds) in sizes {
            rounds.extend(measure(&registries[at], SIZES[at]));
        }
    }
    let ratio = Spread::of_ratios(&most, &few);
    let middle = |rounds: Vec<f64>| format!("{:.1}", Spread::of(rounds).middle);
    report.row(&[
        format!("`{name}`"),
        middle(few),
        middle(many),
        middle(most),
        format!("{:.2}", ratio.middle),
    ]);
    let over = "itself with 10 namespaces";
    report.ratio(name, "10,000 namespaces", over, Wanted::Less, ratio);
}

/// Five kinds of patterns in turn.
fn registry(size: usize) -> Registry {
    let mut registry = Registry::new();
    for n in 0..size / 5 {
        for (name, pattern) in [
            (format!("user{n}"), format!("user{n}:<id:int>:<attribute>")),
            (format!("kind{n}"), format!("{{<tenant>}}:kind{n}:<id:int>")),
            (format!("version{n}"), format!("user{n}:v<n:int>:<x>")),
            (format!("date{n}"), format!("user{n}:<d:date>")),
            (format!("mixed{n}"), format!("w{n}_<id>:x")),
        ] {
            let draft = Draft {
                name: name.as_bytes(),
                pattern: pattern.as_bytes(),
                ..Draft::default()
            };
            let added = Namespace::new(&draft).and_then(|namespace| registry.add(namespace));
            assert_eq!(added, Ok(()));
        }
    }
    registry
}

/// Nanoseconds, in each of many short rounds.
fn per_call(mut call: impl FnMut()) -> Vec<f64> {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        start.elapsed().as_nanos() as f64 / CALLS as f64
    });
    rounds.collect()
}
