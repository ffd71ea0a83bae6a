//! All families at once for some minutes, on a server with an AOF, two replicas, background saves
//! and a restart in the middle: what must hold is looked at all the time, and what it costs is
//! printed and drawn.
//!
//! `make soak` runs it. KEYNS_SOAK_MINUTES says for how long; without it nothing is run, so that
//! `cargo bench` is not about this.

mod conductor;
mod families;
mod invariants;
mod link;
#[path = "../server/documents/markdown.rs"]
#[allow(dead_code)]
mod markdown;
mod memory;
#[path = "../support/plot.rs"]
mod plot;
mod pulse;
mod report;
mod stage;
use std::process::exit;
use std::thread;
use std::time::Duration;

use conductor::Conductor;
use families::Families;
use stage::Stage;

fn main() {
    let Ok(minutes) = std::env::var("KEYNS_SOAK_MINUTES") else {
        println!("The soak takes minutes: `make soak` runs it.");
        return;
    };
    let Some(length) = length(&minutes) else {
        eprintln!(
            "KEYNS_SOAK_MINUTES must be a number of minutes from 0.5 to 1440, got {minutes:?}"
        );
        exit(2);
    };
    let mut conductor = Conductor::start();
    let stage = Stage::new(conductor.port(), length);
    let families = Families::default();
    thread::scope(|scope| {
        families.start(scope, &stage);
        conductor.conduct(&stage, &families);
        stage.end();
    });
    conductor.check_all(&stage, &families);
    report::print_total(&stage, &families, &conductor);
    let all_hold = stage.invariants.print();
    report::draw(&stage, &families, &conductor);
    if !all_hold {
        println!("\nNot everything holds.");
        exit(1);
    }
    println!("\nEverything holds.");
}

fn length(minutes: &str) -> Option<Duration> {
    let minutes: f64 = minutes.parse().ok()?;
    (0.5..=1440.0)
        .contains(&minutes)
        .then(|| Duration::from_secs_f64(minutes * 60.0))
}
