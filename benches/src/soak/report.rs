//! What a soak prints and draws.

use std::fs;

use keyns_testkit::repository;

use super::conductor::Conductor;
use super::families::{Families, NAMES};
use super::memory::{Sample, Trend};
use super::plot::{Line, Panel, Plot, Scale};
use super::pulse::Times;
use super::stage::Stage;

/// How many points a line has.
const POINTS: usize = 120;

const MB: f64 = 1e6;

pub fn print_head(stage: &Stage, version: &str) {
    println!(
        "{version}, AOF everysec, two replicas: all families for {:.0} seconds\n",
        stage.length.as_secs_f64()
    );
    println!("| seconds | family | calls per second | p50 ms | p99 ms | p99.9 ms | max ms |");
    println!("|---|---|---|---|---|---|---|");
}

/// The numbers of some seconds.
pub fn print_range(families: &Families, from: f64, to: f64, samples: &[Sample]) {
    if to - from < 1.0 {
        return;
    }
    let range = format!("{from:.0} to {to:.0}");
    print_rows(families, &range, from as usize, to as usize);
    if let Some(sample) = samples.last() {
        println!(
            "| {range} | at {:.0}: used_memory {:.1} MB, RSS {:.1} MB | | | | | |",
            sample.second,
            sample.used / MB,
            sample.resident / MB
        );
    }
}

fn print_rows(families: &Families, range: &str, from: usize, to: usize) {
    let mut all = Times::default();
    let print = |name: &str, times: &Times| {
        let quantile = |quantile: f64| match times.quantile(quantile) {
            Some(millis) => format!("{millis:.2}"),
            None => String::new(),
        };
        println!(
            "| {range} | {name} | {:.0} | {} | {} | {} | {:.1} |",
            times.calls as f64 / (to - from) as f64,
            quantile(0.5),
            quantile(0.99),
            quantile(0.999),
            times.longest()
        );
    };
    for (name, pulse) in NAMES.iter().zip(&families.pulses) {
        let times = pulse.times(from, to);
        print(name, &times);
        all.merge(&times);
    }
    print("all", &all);
}

pub fn print_total(stage: &Stage, families: &Families, conductor: &Conductor) {
    let length = stage.length.as_secs_f64();
    print_rows(families, "all", 0, length as usize);
    let samples = &conductor.samples;
    if let Some(away) = conductor.away {
        println!("\nThe restart took {away:.1} s, with the loading of the AOF.");
    }
    if let Some(trend) = Trend::of(samples, length) {
        println!(
            "used_memory in the second half: {:.1} MB on average, {:+.2} MB per minute by a linear \
             fit ({:+.1}% over {:.0} s).",
            trend.mean / MB,
            trend.slope * 60.0 / MB,
            trend.rise() * 100.0,
            trend.seconds
        );
    }
    let highest = |of: fn(&Sample) -> f64| samples.iter().map(of).fold(0.0, f64::max) / MB;
    println!(
        "At most: used_memory {:.1} MB, RSS {:.1} MB.",
        highest(|sample| sample.used),
        highest(|sample| sample.resident)
    );
}

/// Writes target/soak/soak.svg.
pub fn draw(stage: &Stage, families: &Families, conductor: &Conductor) {
    let folder = repository().join("target/soak");
    let path = folder.join("soak.svg");
    let title = format!(
        "{}, AOF everysec, two replicas: all families at once",
        conductor.version
    );
    let plot = Plot {
        title: &title,
        seconds: stage.length.as_secs_f64(),
        marks: &conductor.marks,
    };
    let panels = [
        throughput(stage, families),
        latency(stage, families),
        memory(conductor),
    ];
    let written = fs::create_dir_all(&folder).map_err(Into::into);
    match written.and_then(|()| plot.write(&path, &panels)) {
        Ok(()) => println!("\nDrawn in target/soak/soak.svg."),
        Err(error) => println!("\nNot drawn: {error}"),
    }
}

/// The stretches of time that are drawn as one point: where they start, and how long they are.
fn stretches(stage: &Stage) -> impl Iterator<Item = (usize, usize)> {
    let seconds = stage.length.as_secs() as usize;
    let step = seconds.div_ceil(POINTS).max(1);
    (0..seconds / step).map(move |at| (at * step, step))
}

fn middle(from: usize, step: usize) -> f64 {
    from as f64 + step as f64 / 2.0
}

fn throughput(stage: &Stage, families: &Families) -> Panel {
    let lines = NAMES.iter().zip(&families.pulses).map(|(name, pulse)| {
        let points = stretches(stage).map(|(from, step)| {
            let calls = pulse.times(from, from + step).calls;
            let per_second = calls as f64 / step as f64;
            // The axis has no place for nothing.
            (middle(from, step), (calls > 0).then_some(per_second))
        });
        Line {
            name: (*name).into(),
            points: points.collect(),
        }
    });
    Panel {
        axis: "calls per second",
        scale: Scale::Logarithmic,
        lines: lines.collect(),
    }
}

fn latency(stage: &Stage, families: &Families) -> Panel {
    let quantiles = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)];
    let lines = quantiles.map(|(name, quantile)| {
        let points = stretches(stage).map(|(from, step)| {
            let mut all = Times::default();
            for pulse in &families.pulses {
                all.merge(&pulse.times(from, from + step));
            }
            (middle(from, step), all.quantile(quantile))
        });
        Line {
            name: format!("{name}, all calls"),
            points: points.collect(),
        }
    });
    Panel {
        axis: "latency, ms",
        scale: Scale::Logarithmic,
        lines: lines.into(),
    }
}

fn memory(conductor: &Conductor) -> Panel {
    let line = |name: &str, of: fn(&Sample) -> f64| Line {
        name: name.into(),
        points: conductor
            .samples
            .iter()
            .map(|sample| (sample.second, Some(of(sample) / MB)))
            .collect(),
    };
    Panel {
        axis: "memory, MB",
        scale: Scale::Linear,
        lines: vec![
            line("used_memory", |sample| sample.used),
            line("RSS", |sample| sample.resident),
        ],
    }
}
