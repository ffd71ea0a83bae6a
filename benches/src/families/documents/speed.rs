//! How long an ingest takes, from sending to the last byte of the reply.

use std::fs;

use keyns_testkit::{Client, Options, Server};

use super::writes::Writes;
use super::{demanded_document, milliseconds, remove_all};
use crate::measure::{Connection, Python, Request, SOCKET, main_thread_seconds, version};
use crate::report::{Report, Spread, Wanted, at_least, at_most, grouped, rounds};

const ROUNDS: usize = 11;
/// How often a round does each thing, in turn. The fastest counts: whatever else the machine does
/// only adds.
const TIMES: usize = 5;

/// In times of the prebuilt pipeline.
const AT_MOST: f64 = 0.9;
const AIM: f64 = 0.75;
/// How much longer redis-py should take than KEYNS.INGESTMD.
const EXPECTED_OF_PYTHON: f64 = 10.0;

pub fn run(report: &mut Report) {
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
    let mut python = start_python(&server, &markdown);
    let mut python_costs: Vec<PythonCost> = Vec::new();

    let mut client = server.client();
    report.version(version(&mut client));
    if let Some(python) = &python {
        report.version(&python.version);
    }
    let rounds = rounds(ROUNDS);
    let document = describe(&mut client, &markdown, &pipeline);
    // The first round warms everything up.
    for round in 0..=rounds {
        for way in &mut ways {
            way.measure(&ingest, round > 0);
        }
        let keys = client.run("DBSIZE");
        if let Some(python) = &mut python {
            let costs = (0..TIMES).map(|_| {
                remove_all(&mut client);
                PythonCost::of(python)
            });
            let fastest = costs.min_by(|one, other| one.total().total_cmp(&other.total()));
            assert_eq!(client.run("DBSIZE"), keys, "redis-py writes as many keys");
            python_costs.extend(fastest.filter(|_| round > 0));
        }
    }
    add_table(report, &ways, rounds);
    report.say("documents-measured", &document);
    add_python(report, &ways[0], &python_costs);
}

/// The client that does all the work itself.
fn start_python(server: &Server, markdown: &str) -> Option<Python> {
    let file = server.dir.join("document.md");
    fs::write(&file, markdown).expect("the document is written");
    let arguments = [server.port.to_string(), file.display().to_string()];
    Python::start("ingest.py", &arguments)
}

/// The seconds that an ingest took.
struct PythonCost {
    parse: f64,
    write: f64,
}

impl PythonCost {
    fn of(python: &mut Python) -> PythonCost {
        let seconds = python.ask("go");
        PythonCost {
            parse: seconds[0],
            write: seconds[1],
        }
    }

    fn total(&self) -> f64 {
        self.parse + self.write
    }
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

fn describe(client: &mut Client, markdown: &str, pipeline: &Request) -> String {
    let reply = client.call(&["KEYNS.INGESTMD", "doc", markdown]).fields();
    let of = |field: &str| reply[field].integer();
    let sections = of("chapters") + of("paragraphs") + of("subparagraphs");
    format!(
        "It has {:.0} KB, with {sections} sections of the upper three levels and {} other blocks, \
         and becomes {} keys. As a pipeline it is {:.1} MB.",
        of("bytes") as f64 / 1e3,
        of("chunks"),
        grouped(of("keys") as usize),
        pipeline.bytes() as f64 / 1e6,
    )
}

fn add_table(report: &mut Report, ways: &[Way], rounds: usize) {
    report.table(
        "documents",
        &format!("{rounds} rounds, the fastest of {TIMES} in each"),
        &[
            "way",
            "measure",
            "pipeline ms",
            "ingest ms",
            "ratio",
            "spread",
            "at most",
            "aim",
        ],
    );
    for way in ways {
        add_row(report, way, "time", |cost| cost.seconds);
        add_row(report, way, "server CPU", |cost| cost.cpu);
    }
}

fn add_row(report: &mut Report, way: &Way, measure: &str, of: fn(&Cost) -> f64) {
    let ingest: Vec<f64> = way.ingest_costs.iter().map(of).collect();
    let pipeline: Vec<f64> = way.pipeline_costs.iter().map(of).collect();
    let ratio = Spread::of_ratios(&ingest, &pipeline);
    // The demand is about the time.
    let (limit, aim) = match measure {
        "time" => (at_most(AT_MOST, ratio.middle), AIM.to_string()),
        _ => Default::default(),
    };
    report.row(&[
        way.name.into(),
        measure.into(),
        milliseconds(Spread::of(pipeline).middle),
        milliseconds(Spread::of(ingest).middle),
        format!("{:.2}", ratio.middle),
        ratio.range(),
        limit,
        aim,
    ]);
    let case = format!("KEYNS.INGESTMD, {}, {measure}", way.name);
    report.ratio(&case, "", "pipeline", Wanted::Less, ratio);
}

fn add_python(report: &mut Report, tcp: &Way, costs: &[PythonCost]) {
    if costs.is_empty() {
        let text =
            "A redis-py client that does the whole work itself was not measured in this run.";
        report.say("documents-redis-py", text);
        return;
    }
    let totals: Vec<f64> = costs.iter().map(PythonCost::total).collect();
    let seconds = |costs: &[Cost]| costs.iter().map(|cost| cost.seconds).collect::<Vec<f64>>();
    let ratio = Spread::of_ratios(&totals, &seconds(&tcp.ingest_costs));
    report.table(
        "documents-redis-py",
        "A redis-py client that does the whole work itself, beside `KEYNS.INGESTMD` over TCP",
        &[
            "redis-py, parsing ms",
            "writes in one MULTI, ms",
            "over KEYNS.INGESTMD",
            "spread",
            "at least",
        ],
    );
    report.row(&[
        milliseconds(Spread::of(costs.iter().map(|cost| cost.parse)).middle),
        milliseconds(Spread::of(costs.iter().map(|cost| cost.write)).middle),
        format!("{:.1}", ratio.middle),
        format!("{:.1} to {:.1}", ratio.low, ratio.high),
        at_least(EXPECTED_OF_PYTHON, ratio.middle),
    ]);
    report.ratio("redis-py", "", "KEYNS.INGESTMD, TCP", Wanted::More, ratio);
    let over_pipeline = Spread::of_ratios(&totals, &seconds(&tcp.pipeline_costs));
    report.ratio("redis-py", "", "pipeline", Wanted::Either, over_pipeline);
}
