//! The instructions of a family's commands, and of their peers, beside INCR.
//!
//! Everything is counted on three servers, each with other hash tables, and the lowest count is kept.

use keyns_testkit::Client;

use crate::measure::instructions::{COMMANDS, Counted, Counter, RANDOM_KEYS, Repeated};
use crate::measure::version;
use crate::report::{Count, Report, grouped, rounds, times_incr};

/// What all counts are set against.
pub const INCR: (&str, &str) = ("INCR", "random");

/// What a family has to count.
#[derive(Default)]
pub struct Cases {
    /// Of others that take part.
    pub versions: Vec<String>,
    pub all: Vec<Box<dyn Counted>>,
}

impl Cases {
    pub fn add(&mut self, case: impl Counted + 'static) {
        self.all.push(Box::new(case));
    }
}

/// How many servers count each case.
const SERVERS: usize = 3;

/// Counts what a family has, and puts it into its place of the pages.
pub fn run(report: &mut Report, place: &str, cases: fn(&mut Client) -> Cases) {
    let mut names = Vec::new();
    let mut counts: Vec<Vec<f64>> = Vec::new();
    for server in 0..rounds(SERVERS) {
        let mut counter = Counter::start();
        let mut of_family = cases(&mut counter.client);
        if server == 0 {
            report.version(version(&mut counter.client));
            of_family.versions.iter().for_each(|v| report.version(v));
        }
        let mut all = plain();
        all.append(&mut of_family.all);
        names = all.iter().map(|case| (case.case(), case.keys())).collect();
        counts.resize(all.len(), Vec::new());
        for (case, counts) in all.iter_mut().zip(&mut counts) {
            counts.push(counter.count(&mut **case));
            counter.client.run("FLUSHALL SYNC");
        }
        eprintln!("bench:   counted by {} of {SERVERS} servers", server + 1);
    }
    let counts = names.iter().zip(&counts);
    let counts = counts.map(|((case, keys), counts)| Count::of(case, keys, counts));
    add_table(report, place, counts.collect());
}

/// What every server does.
fn plain() -> Vec<Box<dyn Counted>> {
    let cases = [
        ("PING", "", "PING"),
        (INCR.0, "one", "INCR counter"),
        (INCR.0, INCR.1, "INCR key:__rand_int__"),
    ];
    let cases = cases.map(|(case, keys, line)| {
        let command = line.split(' ').map(str::to_owned).collect();
        Box::new(Repeated::new(case, keys, command)) as Box<dyn Counted>
    });
    cases.into()
}

fn add_table(report: &mut Report, place: &str, counts: Vec<Count>) {
    let is_incr = |count: &&Count| (count.case.as_str(), count.keys.as_str()) == INCR;
    let incr = counts.iter().find(is_incr).expect("INCR is counted");
    let incr = incr.instructions;
    let widest = counts.iter().map(|count| count.differs).fold(0.0, f64::max);
    let note = format!(
        "Loads of {COMMANDS} commands, {} random keys, the lowest of {SERVERS} servers, which differ \
         by {:.1}% at most",
        grouped(RANDOM_KEYS),
        widest * 100.0
    );
    let columns = [
        "command",
        "keys",
        "instructions",
        "x INCR",
        "servers differ by",
    ];
    report.table(place, &note, &columns);
    for count in counts {
        report.row(&[
            count.case.clone(),
            count.keys.clone(),
            grouped(count.instructions.round() as usize),
            times_incr(count.instructions / incr),
            format!("{:.1}%", count.differs * 100.0),
        ]);
        report.count(count);
    }
}
