//! How many calls a second the server takes, over those of INCR.

use keyns_testkit::{Client, Server};

use super::case::{Case, PIPELINE};
use super::cases;
use crate::measure::Cost;
use crate::report::{Report, Spread, Wanted, at_least};

const AT_LEAST: f64 = 0.7;

/// With pipelines, where the server has nothing else to do than the command itself, and without,
/// where most of the time goes into each request.
pub fn run(report: &mut Report, server: &Server, client: &mut Client, rounds: usize) {
    report.table(
        "rate-throughput",
        &format!("{rounds} rounds"),
        &[
            "keys",
            "pipeline",
            "INCR per second",
            "KEYNS.RATE BUCKET, allowed",
            "ratio",
            "spread",
            "at least",
        ],
    );
    for (incr, bucket) in cases::incrs().iter().zip(cases::allowed_buckets()) {
        bucket.fill(client);
        for pipeline in [PIPELINE, 1] {
            let (mut incrs, mut buckets) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                incrs.push(incr.measure(server, client, pipeline));
                buckets.push(bucket.measure(server, client, pipeline));
            }
            add_row(report, &bucket, pipeline, &incrs, &buckets);
        }
        bucket.empty(client);
    }
}

fn add_row(report: &mut Report, bucket: &Case, pipeline: usize, incrs: &[Cost], buckets: &[Cost]) {
    let throughput = |costs: &[Cost]| -> Vec<f64> {
        let costs = costs.iter();
        costs.map(|cost| cost.throughput).collect()
    };
    let (incrs, buckets) = (throughput(incrs), throughput(buckets));
    let ratio = Spread::of_ratios(&buckets, &incrs);
    let median = |values: Vec<f64>| format!("{:.0}", Spread::of(values).middle);
    let keys = bucket.keys.name();
    report.row(&[
        keys.into(),
        pipeline.to_string(),
        median(incrs),
        median(buckets),
        format!("{:.2}", ratio.middle),
        ratio.range(),
        at_least(AT_LEAST, ratio.middle),
    ]);
    let case = format!("calls per second, pipelines of {pipeline}");
    report.ratio(&case, keys, "INCR", Wanted::More, ratio);
}
