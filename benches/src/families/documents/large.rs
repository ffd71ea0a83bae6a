//! A document that is read in the background: what others notice of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use keyns_testkit::{Client, Options, Server};

use super::writes::Writes;
use super::{large_document, milliseconds, remove_all};
use crate::measure::{Connection, Request, version};
use crate::report::{Report, Spread, Wanted, grouped, rounds};

const ROUNDS: usize = 11;

pub fn run(report: &mut Report) {
    let markdown = large_document();
    let server = Options::new().start();
    let requests = [
        (
            "prebuilt pipeline",
            Writes::of_ingest(&markdown).of_a_client(),
        ),
        ("KEYNS.INGESTMD", Request::ingest(&markdown)),
    ];
    let rounds = rounds(ROUNDS);
    let mut totals = [Vec::new(), Vec::new()];
    let mut waits = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (at, (_, request)) in requests.iter().enumerate() {
            let (total, wait) = measure(&server, request);
            totals[at].push(total);
            waits[at].push(wait);
        }
    }
    report.version(version(&mut server.client()));
    report.table(
        "documents-large",
        &format!(
            "{} bytes of Markdown, {rounds} rounds",
            grouped(markdown.len())
        ),
        &["what", "ms", "PING of another client waits at most, ms"],
    );
    let middle = |seconds: &[f64]| milliseconds(Spread::of(seconds.iter().copied()).middle);
    for (at, (name, _)) in requests.iter().enumerate() {
        report.row(&[*name, &middle(&totals[at]), &middle(&waits[at])]);
    }
    for (case, [pipeline, ingest]) in [("time", &totals), ("wait of others", &waits)] {
        let ratio = Spread::of_ratios(ingest, pipeline);
        let case = format!("KEYNS.INGESTMD of 2 MB, {case}");
        report.ratio(&case, "", "pipeline", Wanted::Less, ratio);
    }
}

/// The seconds of a request, and the longest that another client waits meanwhile.
fn measure(server: &Server, request: &Request) -> (f64, f64) {
    let mut other = server.client();
    remove_all(&mut other);
    let mut connection = Connection::tcp(server);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let waits = scope.spawn(|| longest_wait(&mut other, &is_over));
        let total = connection.exchange(request);
        is_over.store(true, Ordering::Relaxed);
        (total, waits.join().expect("it ends"))
    })
}

fn longest_wait(client: &mut Client, is_over: &AtomicBool) -> f64 {
    let mut longest = 0.0_f64;
    while !is_over.load(Ordering::Relaxed) {
        let start = Instant::now();
        client.run("PING");
        longest = longest.max(start.elapsed().as_secs_f64());
    }
    longest
}
