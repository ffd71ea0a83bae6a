//! How many calls a second the server takes, over those of INCR.

use super::case::{Case, PIPELINE};
use super::{ROUNDS, cases};
use crate::measure::{Cost, Spread, at_least};
use crate::support::{Client, Server};

const AT_LEAST: f64 = 0.7;

/// Measured once more without pipelines, where most of the time goes into each request.
pub fn run(server: &Server, client: &mut Client, cases: &[Case], costs: &[Vec<Cost>]) {
    println!(
        "\n| keys | pipeline | INCR per second | KEYNS.RATE BUCKET, allowed | ratio | spread | at least |\n\
         |---|---|---|---|---|---|---|"
    );
    let pairs = [
        (cases::INCR_RANDOM, cases::BUCKET_RANDOM),
        (cases::INCR_ONE, cases::BUCKET_ONE),
    ];
    for (incr, bucket) in pairs {
        let keys = cases[bucket].keys.name();
        let (mut incrs, mut buckets) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            incrs.push(cases[incr].measure(server, client, 1));
            buckets.push(cases[bucket].measure(server, client, 1));
        }
        print_row(keys, PIPELINE, &costs[incr], &costs[bucket]);
        print_row(keys, 1, &incrs, &buckets);
    }
}

fn print_row(keys: &str, pipeline: usize, incrs: &[Cost], buckets: &[Cost]) {
    let throughput = |costs: &[Cost]| -> Vec<f64> {
        let costs = costs.iter();
        costs.map(|cost| cost.throughput).collect()
    };
    let (incrs, buckets) = (throughput(incrs), throughput(buckets));
    let Spread { low, middle, high } = Spread::of_ratios(&buckets, &incrs);
    let median = |values: Vec<f64>| Spread::of(values).middle;
    println!(
        "| {keys} | {pipeline} | {:.0} | {:.0} | {middle:.2} | {low:.2} to {high:.2} | {} |",
        median(incrs),
        median(buckets),
        at_least(AT_LEAST, middle)
    );
}
