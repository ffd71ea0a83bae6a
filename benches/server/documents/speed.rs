//! How long an ingest takes, from sending to the last byte of the reply.

use super::python::{Python, PythonCost};
use super::writes::Writes;
use super::{demanded_document, milliseconds, remove_all};
use crate::connection::{Connection, Request, SOCKET};
use crate::measure::{Spread, at_most, main_thread_seconds, version};
use crate::support::{Client, Options, Server};

const ROUNDS: usize = 15;
/// How often a round does each thing, in turn. The fastest counts: whatever else the machine does
/// only adds.
const TIMES: usize = 5;

/// In times of the prebuilt pipeline.
const AT_MOST: f64 = 0.9;
const AIM: f64 = 0.75;
/// How much longer redis-py should take than KEYNS.INGESTMD.
const EXPECTED_OF_PYTHON: f64 = 10.0;

pub fn run() {
    let markdown = demanded_document();
    let ingest = Request::ingest(&markdown);
    let writes = Writes::of_ingest(&markdown);
    let pipeline = writes.of_a_client();
    let replayed = writes.replayed();
    let server = Options::new().set("--unixsocket", &[SOCKET]).start();
    let with_aof = Options::new().set("--appendonly", &["yes"]).start();
    let tcp = Connection::tcp;
    let mut ways = [
        Way::new("TCP", &server, tcp(&server), &pipeline),
        Way::new("Unix socket", &server, Connection::unix(&server), &pipeline),
        Way::new("TCP, with AOF", &with_aof, tcp(&with_aof), &pipeline),
        Way::new(
            "TCP, the ingest's own commands replayed",
            &server,
            tcp(&server),
            &replayed,
        ),
    ];
    let mut python = Python::start(&server, &markdown);
    let mut python_costs: Vec<PythonCost> = Vec::new();

    let mut client = server.client();
    describe(&mut client, &markdown, &pipeline);
    // The first round warms everything up.
    for round in 0..=ROUNDS {
        for way in &mut ways {
            way.measure(&ingest, round > 0);
        }
        let keys = client.run("DBSIZE");
        if let Some(python) = &mut python {
            let costs = (0..TIMES).map(|_| {
                remove_all(&mut client);
                python.ingest()
            });
            let fastest = costs.min_by(|one, other| one.total().total_cmp(&other.total()));
            assert_eq!(client.run("DBSIZE"), keys, "redis-py writes as many keys");
            python_costs.extend(fastest.filter(|_| round > 0));
        }
    }
    print_table(&ways);
    print_python(&ways[0], &python_costs);
}

/// A way to the server, what goes there beside the ingest, and what was measured.
struct Way<'a> {
    name: &'static str,
    connection: Connection,
    control: Client,
    pipeline: &'a Request,
    /// One for each round.
    ingest_costs: Vec<Cost>,
    pipeline_costs: Vec<Cost>,
}

#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    /// The seconds that the server's main thread worked.
    cpu: f64,
}

impl Cost {
    const MAX: Cost = Cost {
        seconds: f64::MAX,
        cpu: f64::MAX,
    };

    fn min(self, other: Cost) -> Cost {
        Cost {
            seconds: self.seconds.min(other.seconds),
            cpu: self.cpu.min(other.cpu),
        }
    }
}

impl<'a> Way<'a> {
    fn new(
        name: &'static str,
        server: &Server,
        connection: Connection,
        pipeline: &'a Request,
    ) -> Way<'a> {
        Way {
            name,
            connection,
            control: server.client(),
            pipeline,
            ingest_costs: Vec::new(),
            pipeline_costs: Vec::new(),
        }
    }

    /// One round, which ends with all keys in place.
    fn measure(&mut self, ingest: &Request, counts: bool) {
        let (mut of_ingest, mut of_pipeline) = (Cost::MAX, Cost::MAX);
        for _ in 0..TIMES {
            let (cost, ingested) = self.cost_and_digest(ingest);
            of_ingest = of_ingest.min(cost);
            let (cost, piped) = self.cost_and_digest(self.pipeline);
            of_pipeline = of_pipeline.min(cost);
            assert_eq!(ingested, piped, "both write the same");
        }
        if counts {
            self.ingest_costs.push(of_ingest);
            self.pipeline_costs.push(of_pipeline);
        }
    }

    fn cost_and_digest(&mut self, request: &Request) -> (Cost, String) {
        remove_all(&mut self.control);
        let before = main_thread_seconds(&mut self.control);
        let seconds = self.connection.exchange(request);
        let cpu = main_thread_seconds(&mut self.control) - before;
        let digest = self.control.run("DEBUG DIGEST").text();
        (Cost { seconds, cpu }, digest)
    }
}

fn describe(client: &mut Client, markdown: &str, pipeline: &Request) {
    let reply = client.call(&["KEYNS.INGESTMD", "doc", markdown]).fields();
    let of = |field: &str| reply[field].integer();
    println!(
        "\n{}: {} bytes of Markdown to {} keys ({} chapters, {} paragraphs, {} subparagraphs, \
         {} chunks), {} bytes as a pipeline; {ROUNDS} rounds of {TIMES}\n",
        version(client),
        of("bytes"),
        of("keys"),
        of("chapters"),
        of("paragraphs"),
        of("subparagraphs"),
        of("chunks"),
        pipeline.bytes(),
    );
}

fn print_table(ways: &[Way]) {
    println!("| way | measure | pipeline ms | ingest ms | ratio | spread | at most | aim |");
    println!("|---|---|---|---|---|---|---|---|");
    for way in ways {
        let demanded = |ratio| (at_most(AT_MOST, ratio), AIM.to_string());
        print_row(way, "time", |cost| cost.seconds, demanded);
        print_row(way, "server CPU", |cost| cost.cpu, |_| Default::default());
    }
}

fn print_row(
    way: &Way,
    measure: &str,
    of: fn(&Cost) -> f64,
    demanded: impl Fn(f64) -> (String, String),
) {
    let ingest: Vec<f64> = way.ingest_costs.iter().map(of).collect();
    let pipeline: Vec<f64> = way.pipeline_costs.iter().map(of).collect();
    let Spread { low, middle, high } = Spread::of_ratios(&ingest, &pipeline);
    let (at_most, aim) = demanded(middle);
    println!(
        "| {} | {measure} | {} | {} | {middle:.2} | {low:.2} to {high:.2} | {at_most} | {aim} |",
        way.name,
        milliseconds(Spread::of(pipeline).middle),
        milliseconds(Spread::of(ingest).middle),
    );
}

fn print_python(tcp: &Way, costs: &[PythonCost]) {
    if costs.is_empty() {
        println!(
            "\nredis-py is not measured: `pip install redis markdown-it-py` for python3, or for \
             the one that KEYNS_PYTHON names."
        );
        return;
    }
    let totals: Vec<f64> = costs.iter().map(PythonCost::total).collect();
    let ingest: Vec<f64> = tcp.ingest_costs.iter().map(|cost| cost.seconds).collect();
    let ratio = Spread::of_ratios(&totals, &ingest);
    let verdict = match ratio.middle > EXPECTED_OF_PYTHON {
        true => "more than",
        false => "NOT more than",
    };
    println!(
        "\nredis-py, from the Markdown: {} ms of parsing and {} ms for the writes in one MULTI, \
         {:.1} times as long as KEYNS.INGESTMD ({:.1} to {:.1}), {verdict} {EXPECTED_OF_PYTHON:.0}.",
        milliseconds(Spread::of(costs.iter().map(|cost| cost.parse)).middle),
        milliseconds(Spread::of(costs.iter().map(|cost| cost.write)).middle),
        ratio.middle,
        ratio.low,
        ratio.high,
    );
}
