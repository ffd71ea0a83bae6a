//! All families at once for some minutes, on a server with an AOF, two replicas, background saves
//! and a restart in the middle: what must hold is looked at all the time, and what it costs is
//! printed and drawn.
//!
//! `make soak` runs it, for ten minutes unless MINUTES says otherwise.

mod conductor;
mod families;
mod invariants;
mod link;
mod memory;
mod plot;
mod pulse;
mod report;
mod stage;

use std::thread;
use std::time::Duration;

use conductor::Conductor;
use families::Families;
use stage::Stage;

pub fn run(minutes: &str) -> Result<(), String> {
    let length = length(minutes).ok_or_else(|| {
        format!("MINUTES must be a number of minutes from 0.5 to 1440, got '{minutes}'")
    })?;
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
        return Err("not everything holds".into());
    }
    println!("\nEverything holds.");
    Ok(())
}

fn length(minutes: &str) -> Option<Duration> {
    let minutes: f64 = minutes.parse().ok()?;
    (0.5..=1440.0)
        .contains(&minutes)
        .then(|| Duration::from_secs_f64(minutes * 60.0))
}
