//! What other clients notice while one client ingests documents of 1 MB and drops them again: how
//! long their GET takes, beside the step of the main thread in which a document is written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use keyns_testkit::{Client, Options, Server};

use super::{megabyte_document, milliseconds, remove_all};
use crate::measure::{info, version};
use crate::report::{Report, Spread, Wanted, at_most, grouped, is_quick, rounds};

const ROUNDS: usize = 11;
/// How long GET is measured in a round, first alone and then beside the ingests.
const ALONE: Duration = Duration::from_secs(1);
const BESIDE: Duration = Duration::from_secs(3);
/// Clients that send a GET, wait for its reply and then rest a while.
const GETTERS: usize = 8;
const REST: Duration = Duration::from_millis(1);

/// p99.9 of GET, in longest write steps.
const AT_MOST: f64 = 1.0;

pub fn run(report: &mut Report) {
    let markdown = megabyte_document();
    let rounds = rounds(ROUNDS);
    let plain = Options::new().start();
    let with_aof = Options::new().set("--appendonly", &["yes"]).start();
    report.version(version(&mut plain.client()));
    let mut loops = Vec::new();
    for (name, server) in [("no persistence", &plain), ("AOF, everysec", &with_aof)] {
        for writing in [Writing::Ingest, Writing::IngestAndDrop] {
            let measure = |_| Round::measure(server, &markdown, writing);
            loops.push(Loop {
                server: name,
                writing,
                rounds: (0..rounds).map(measure).collect(),
            });
        }
    }
    add_waits(report, &loops, &markdown);
    add_verdicts(report, &loops);
}

/// What was seen of one loop on one server.
struct Loop {
    server: &'static str,
    writing: Writing,
    rounds: Vec<Round>,
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

impl Writing {
    fn name(self) -> &'static str {
        match self {
            Writing::Ingest => "ingest",
            Writing::IngestAndDrop => "ingest and drop",
        }
    }
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
        let length = if is_quick() { BESIDE / 4 } else { BESIDE };
        while start.elapsed() < length {
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

fn add_waits(report: &mut Report, loops: &[Loop], markdown: &str) {
    let note = format!(
        "{} rounds of {} s, documents of {} bytes, medians of the rounds in ms",
        loops[0].rounds.len(),
        BESIDE.as_secs(),
        grouped(markdown.len())
    );
    let columns = [
        "server",
        "loop",
        "documents",
        "GET alone, p99.9",
        "GET, p50",
        "p99",
        "p99.9",
        "max",
        "write step, median",
        "longest, of a round",
        "drop step, median",
        "longest, of a round",
    ];
    report.table("documents-latency", &note, &columns);
    for Loop {
        server,
        writing,
        rounds,
    } in loops
    {
        let documents: usize = rounds.iter().map(|round| round.steps.write.len()).sum();
        let wait = |of: fn(&Round) -> &Waits, quantile: f64| {
            let waits = rounds.iter().map(|round| of(round).at(quantile));
            format!("{:.2}", Spread::of(waits).middle * 1e3)
        };
        let mut cells = vec![
            (*server).into(),
            writing.name().into(),
            documents.to_string(),
            wait(|round| &round.alone, 0.999),
        ];
        cells.extend([0.5, 0.99, 0.999, 1.0].map(|at| wait(|round| &round.beside, at)));
        cells.extend(steps(rounds, |round| &round.steps.write));
        cells.extend(steps(rounds, |round| &round.steps.drop));
        report.row(&cells);
    }
}

/// The median step, and the longest of a round.
fn steps(rounds: &[Round], of: fn(&Round) -> &Vec<f64>) -> [String; 2] {
    if of(&rounds[0]).is_empty() {
        return Default::default();
    }
    let all = rounds.iter().flat_map(|round| of(round).iter().copied());
    let longest = rounds.iter().map(|round| longest(of(round)));
    [
        milliseconds(Spread::of(all).middle),
        milliseconds(Spread::of(longest).middle),
    ]
}

fn add_verdicts(report: &mut Report, loops: &[Loop]) {
    report.table(
        "documents-latency-verdicts",
        "p99.9 of `GET` over the longest step, and where documents are also dropped over the longest \
         of both steps together",
        &[
            "server",
            "loop",
            "all rounds",
            "at most",
            "round by round",
            "spread",
        ],
    );
    for Loop {
        server,
        writing,
        rounds,
    } in loops
    {
        let p999 = Waits::of_all(rounds.iter().map(|round| &round.beside)).at(0.999);
        let of_all = p999 / rounds.iter().map(Round::longest_step).fold(0.0, f64::max);
        let of_round = |round: &Round| round.beside.at(0.999) / round.longest_step();
        let of_rounds = Spread::of(rounds.iter().map(of_round));
        report.row(&[
            (*server).into(),
            writing.name().into(),
            format!("{of_all:.2}"),
            at_most(AT_MOST, of_all),
            format!("{:.2}", of_rounds.middle),
            of_rounds.range(),
        ]);
        let case = format!("p99.9 of GET, {server}, {}", writing.name());
        report.ratio(&case, "", "the longest step", Wanted::Less, of_rounds);
    }
}

fn longest(seconds: &[f64]) -> f64 {
    seconds.iter().copied().fold(0.0, f64::max)
}
