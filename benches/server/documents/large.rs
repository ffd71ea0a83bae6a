//! A document that is read in the background: what others notice of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use super::writes::Writes;
use super::{large_document, milliseconds, remove_all};
use crate::connection::{Connection, Request};
use crate::measure::Spread;
use crate::support::{Client, Options, Server};

const ROUNDS: usize = 7;

pub fn run() {
    let markdown = large_document();
    let server = Options::new().start();
    let requests = [
        (
            "prebuilt pipeline",
            Writes::of_ingest(&markdown).of_a_client(),
        ),
        ("KEYNS.INGESTMD", Request::ingest(&markdown)),
    ];
    let mut costs = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for ((_, request), costs) in requests.iter().zip(&mut costs) {
            costs.push(measure(&server, request));
        }
    }
    println!(
        "\n{} bytes of Markdown, {ROUNDS} rounds\n\n| what | ms | PING of another client waits at most, ms |\n|---|---|---|",
        markdown.len()
    );
    for ((name, _), costs) in requests.iter().zip(&costs) {
        let total = Spread::of(costs.iter().map(|(total, _)| *total));
        let wait = Spread::of(costs.iter().map(|(_, wait)| *wait));
        println!(
            "| {name} | {} | {} |",
            milliseconds(total.middle),
            milliseconds(wait.middle)
        );
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
