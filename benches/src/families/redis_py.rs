//! What an application in Python waits for one operation, with the module and without it: the
//! program `benches/clients.py`, with redis-py on the machine of the server.

use keyns_testkit::Options;

use super::rate::TOKEN_BUCKET;
use crate::measure::{Python, version};
use crate::report::{Report, Spread, Wanted, rounds};

const ROUNDS: usize = 11;
const TIMES: usize = 500;

struct Task {
    name: &'static str,
    /// What the program calls it; without the module it has another ending.
    case: &'static str,
    with: &'static str,
    without: &'static str,
}

const TASKS: [Task; 5] = [
    Task {
        name: "a new name",
        case: "make",
        with: "KEYNS.MAKE",
        without: "a slug, INCR, EXISTS",
    },
    Task {
        name: "a token bucket",
        case: "bucket",
        with: "KEYNS.RATE BUCKET",
        without: "EVALSHA of a Lua script",
    },
    Task {
        name: "a sliding window",
        case: "window",
        with: "KEYNS.RATE SLIDING",
        without: "MULTI with ZREMRANGEBYSCORE, ZADD, ZCARD, PEXPIRE",
    },
    Task {
        name: "a lock, taken and released",
        case: "lock",
        with: "KEYNS.LOCK, KEYNS.UNLOCK",
        without: "the Lock of redis-py",
    },
    Task {
        name: "counters of year, month and day",
        case: "count",
        with: "KEYNS.COUNT",
        without: "MULTI with three INCR and EXPIRE",
    },
];

pub fn run(report: &mut Report) {
    let server = Options::new().start();
    let arguments = [server.port.to_string(), TOKEN_BUCKET.into()];
    let Some(mut python) = Python::start("clients.py", &arguments) else {
        panic!("it takes python3 with redis-py");
    };
    let rounds = rounds(ROUNDS);
    report.version(version(&mut server.client()));
    report.version(&python.version);
    report.table(
        "clients",
        &format!("{rounds} rounds of {TIMES} operations"),
        &[
            "operation",
            "with the module",
            "µs",
            "without it",
            "µs",
            "without over with",
            "spread",
        ],
    );
    for task in &TASKS {
        let mut seconds = |case: &str| python.ask(&format!("{case} {TIMES}"))[0];
        let (mut with, mut without) = (Vec::new(), Vec::new());
        // The first round warms everything up.
        for round in 0..=rounds {
            let own = seconds(task.case);
            let alone = seconds(&format!("{}_alone", task.case));
            if round > 0 {
                with.push(own * 1e6);
                without.push(alone * 1e6);
            }
        }
        add_row(report, task, &with, &without);
    }
}

fn add_row(report: &mut Report, task: &Task, with: &[f64], without: &[f64]) {
    let ratio = Spread::of_ratios(without, with);
    let middle = |micros: &[f64]| format!("{:.0}", Spread::of(micros.iter().copied()).middle);
    report.row(&[
        task.name,
        task.with,
        &middle(with),
        task.without,
        &middle(without),
        &format!("{:.2}", ratio.middle),
        &ratio.range(),
    ]);
    report.ratio(task.without, task.name, task.with, Wanted::More, ratio);
}
