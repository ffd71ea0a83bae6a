//! How many calls a second the server takes, over those of INCR.

use super::case::{Case, PIPELINE};
use super::{ROUNDS, cases};
use crate::measure::{Cost, Spread, at_least};
use crate::support::{Client, Server};

const AT_LEAST: f64 = 0.7;

/// With pipelines, where the server has nothing else to do than the command itself, and without,
/// where most of the time goes into each request.
pub fn run(server: &Server, client: &mut Client) {
    println!(
        "\n| keys | pipeline | INCR per second | KEYNS.RATE BUCKET, allowed | ratio | spread | at least |\n\
         |---|---|---|---|---|---|---|"
    );
    for (incr, bucket) in cases::incrs().iter().zip(cases::allowed_buckets()) {
        bucket.fill(client);
        for pipeline in [PIPELINE, 1] {
            let mut rounds = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                rounds.0.push(incr.measure(server, client, pipeline));
                rounds.1.push(bucket.measure(server, client, pipeline));
            }
            print_row(&bucket, pipeline, &rounds.0, &rounds.1);
        }
        bucket.empty(client);
    }
}

fn print_row(bucket: &Case, pipeline: usize, incrs: &[Cost], buckets: &[Cost]) {
    let keys = bucket.keys.name();
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
