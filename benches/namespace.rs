//! What finding, building and checking a key cost, and that it does not depend on how many
//! namespaces there are: `cargo bench --bench namespace`.

use std::hint::black_box;
use std::time::Instant;

use keyns::core::namespace::{Building, Draft, Namespace, Registry};
use keyns::core::slug::{Abbreviations, SlugMaker, SlugOptions};

const SIZES: [usize; 3] = [10, 1_000, 10_000];
const ROUNDS: usize = 1001;
const CALLS: usize = 200;

/// The key of the namespace with this number.
type KeyOf = fn(usize) -> String;

fn main() {
    // FAMILY picks one of the families, and namespaces are one.
    let family = std::env::var("FAMILY").unwrap_or_default();
    if !matches!(family.as_str(), "" | "namespaces") {
        return;
    }
    println!(
        "{:<34} {:>10} {:>10} {:>10}",
        "ns per call with namespaces:", 10, 1_000, 10_000
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
        row(name, &registries, |registry, size| {
            // Another namespace every time, so that their memory is not always at hand.
            let keys: Vec<String> = (0..size / 5).map(key).collect();
            let mut keys = keys.iter().cycle();
            per_call(|| {
                let key = keys.next().map(String::as_bytes).unwrap_or_default();
                black_box(registry.find(black_box(key)).is_some());
            })
        });
    }
    row(
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

fn row(name: &str, registries: &[Registry; 3], measure: impl Fn(&Registry, usize) -> f64) {
    print!("{name:<34}");
    for (registry, size) in registries.iter().zip(SIZES) {
        print!(" {:>10.1}", measure(registry, size));
    }
    println!();
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

/// Nanoseconds, as the median of many short rounds has them.
fn per_call(mut call: impl FnMut()) -> f64 {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..CALLS {
                call();
            }
            start.elapsed().as_nanos() as f64 / CALLS as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}
