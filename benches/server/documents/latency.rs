//! What other clients notice while one client ingests documents of 1 MB and drops them again: how
//! long their GET takes, beside the step of the main thread in which a document is written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{megabyte_document, milliseconds, remove_all};
use crate::measure::{Spread, at_most, info, version};
use crate::support::{Client, Options, Server};

const ROUNDS: usize = 5;
/// How long GET is measured in a round, first alone and then beside the ingests.
const ALONE: Duration = Duration::from_secs(3);
const BESIDE: Duration = Duration::from_secs(8);
/// Clients that send a GET, wait for its reply and then rest a while.
const GETTERS: usize = 8;
const REST: Duration = Duration::from_millis(1);

/// p99.9 of GET, in longest write steps.
const AT_MOST: f64 = 1.0;

pub fn run() {
    let markdown = megabyte_document();
    let options = Options::new();
    for (name, options) in [
        ("no persistence", options.clone()),
        (
            "AOF, everysec",
            options.set("--appendonly", &["yes"]).set("--save", &[""]),
        ),
    ] {
        let server = options.start();
        for writing in [Writing::Ingest, Writing::IngestAndDrop] {
            let rounds: Vec<Round> = (0..ROUNDS)
                .map(|_| Round::measure(&server, &markdown, writing))
                .collect();
            print(&server, name, &markdown, writing, &rounds);
        }
    }
}

/// What the one client does in its loop.
#[derive(Clone, Copy, PartialEq)]
enum Writing {
    /// What the demand is about. The documents are removed after the round.
    Ingest,
    /// Here two steps follow each other, and a GET may wait for both: the server writes its replies
    /// when all requests are dealt with that have come in.
    IngestAndDrop,
}

/// What one round saw.
struct Round {
    alone: Waits,
    beside: Waits,
    steps: Steps,
}

impl Round {
    fn measure(server: &Server, markdown: &str, writing: Writing) -> Round {
        remove_all(&mut server.client());
        let alone = Waits::of_getters(server, || thread::sleep(ALONE));
        let mut steps = Steps::default();
        let beside = Waits::of_getters(server, || {
            steps = Steps::of_documents(&mut server.client(), markdown, writing);
        });
        Round {
            alone,
            beside,
            steps,
        }
    }

    /// The longest time that the main thread is at one document.
    fn longest_step(&self) -> f64 {
        longest(&self.steps.write) + longest(&self.steps.drop)
    }
}

/// How long the main thread was at each document, as `INFO keyns` tells it, in seconds.
#[derive(Default)]
struct Steps {
    write: Vec<f64>,
    drop: Vec<f64>,
}

impl Steps {
    /// Writes a document again and again.
    fn of_documents(client: &mut Client, markdown: &str, writing: Writing) -> Steps {
        let mut steps = Steps::default();
        let start = Instant::now();
        while start.elapsed() < BESIDE {
            let reply = client.call(&["KEYNS.INGESTMD", "doc", markdown]).fields();
            if writing == Writing::IngestAndDrop {
                client.call(&["KEYNS.DROP", &reply["doc"].text()]);
            }
            let fields = info(client, "keyns");
            let of = |name: &str| {
                let field = fields.iter().find(|(field, _)| field == name);
                let micros = field.map(|(_, micros)| micros.parse::<f64>());
                micros.expect("the field is there").expect("a time") / 1e6
            };
            steps.write.push(of("keyns_documents_write_last_usec"));
            if writing == Writing::IngestAndDrop {
                steps.drop.push(of("keyns_documents_drop_last_usec"));
            }
        }
        steps
    }
}

/// How long each GET took, in seconds, the longest last.
struct Waits(Vec<f64>);

impl Waits {
    /// Those of all clients while something goes on.
    fn of_getters(server: &Server, meanwhile: impl FnOnce()) -> Waits {
        let is_over = AtomicBool::new(false);
        let mut all: Vec<f64> = thread::scope(|scope| {
            let getters: Vec<_> = (0..GETTERS)
                .map(|at| {
                    let is_over = &is_over;
                    let key = format!("page:{at}");
                    let mut client = server.client();
                    client.call(&["SET", &key, "what a visitor wants to see"]);
                    scope.spawn(move || get_and_rest(&mut client, &key, is_over))
                })
                .collect();
            meanwhile();
            is_over.store(true, Ordering::Relaxed);
            let waits = getters.into_iter().map(|getter| getter.join());
            waits.flat_map(|waits| waits.expect("it ends")).collect()
        });
        all.sort_by(f64::total_cmp);
        Waits(all)
    }

    fn of_all<'a>(waits: impl Iterator<Item = &'a Waits>) -> Waits {
        let mut all: Vec<f64> = waits.flat_map(|waits| &waits.0).copied().collect();
        all.sort_by(f64::total_cmp);
        Waits(all)
    }

    fn at(&self, quantile: f64) -> f64 {
        let at = (self.0.len() as f64 * quantile) as usize;
        self.0[at.min(self.0.len() - 1)]
    }
}

/// The waits of one client, each from sending to the reply.
fn get_and_rest(client: &mut Client, key: &str, is_over: &AtomicBool) -> Vec<f64> {
    let mut waits = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let sent = Instant::now();
        client.call(&["GET", key]);
        waits.push(sent.elapsed().as_secs_f64());
        thread::sleep(REST);
    }
    waits
}

fn print(server: &Server, name: &str, markdown: &str, writing: Writing, rounds: &[Round]) {
    let documents: usize = rounds.iter().map(|round| round.steps.write.len()).sum();
    let (does, steps) = match writing {
        Writing::Ingest => ("ingests documents", "write step is"),
        Writing::IngestAndDrop => ("ingests and drops documents", "write and drop steps are"),
    };
    println!(
        "\n{}, {name}: one client {does} of {} bytes, {documents} in all, \
         while {GETTERS} others send GET and rest {} ms; {ROUNDS} rounds\n",
        version(&mut server.client()),
        markdown.len(),
        REST.as_millis(),
    );
    println!("| ms | p50 | p99 | p99.9 | max |\n|---|---|---|---|---|");
    print_waits("GET, nothing else", rounds, |round| &round.alone);
    print_waits("GET, beside the ingests", rounds, |round| &round.beside);

    println!("\n| step, ms | median | longest of a round | spread |\n|---|---|---|---|");
    print_steps("KEYNS.INGESTMD writes", rounds, |round| &round.steps.write);
    if writing == Writing::IngestAndDrop {
        print_steps("KEYNS.DROP removes", rounds, |round| &round.steps.drop);
    }

    let p999 = Waits::of_all(rounds.iter().map(|round| &round.beside)).at(0.999);
    let longest = rounds.iter().map(Round::longest_step).fold(0.0, f64::max);
    let ratios = rounds
        .iter()
        .map(|round| round.beside.at(0.999) / round.longest_step());
    let Spread { low, middle, high } = Spread::of(ratios);
    println!(
        "\np99.9 of GET over all rounds is {} ms, the longest {steps} {} ms: {:.2}, at most {}. Round \
         by round: {middle:.2} ({low:.2} to {high:.2})",
        milliseconds(p999),
        milliseconds(longest),
        p999 / longest,
        at_most(AT_MOST, p999 / longest),
    );
}

fn print_waits(name: &str, rounds: &[Round], of: fn(&Round) -> &Waits) {
    let middle = |quantile: f64| {
        let waits = rounds.iter().map(|round| of(round).at(quantile));
        let seconds = Spread::of(waits).middle;
        format!("{:.2}", seconds * 1e3)
    };
    let [half, p99, p999, max] = [0.5, 0.99, 0.999, 1.0].map(middle);
    println!("| {name} | {half} | {p99} | {p999} | {max} |");
}

fn print_steps(name: &str, rounds: &[Round], of: fn(&Round) -> &Vec<f64>) {
    let all = rounds.iter().flat_map(|round| of(round).iter().copied());
    let longest = Spread::of(rounds.iter().map(|round| longest(of(round))));
    println!(
        "| {name} | {} | {} | {} to {} |",
        milliseconds(Spread::of(all).middle),
        milliseconds(longest.middle),
        milliseconds(longest.low),
        milliseconds(longest.high),
    );
}

fn longest(seconds: &[f64]) -> f64 {
    seconds.iter().copied().fold(0.0, f64::max)
}
