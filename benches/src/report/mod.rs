//! What benchmarks find: tables for the page, and ratios that the next run is compared with.
//!
//! A part of the benchmarks prints its tables while it measures and leaves all it found in
//! target/bench. When all parts are through, [`conclude`] compares that with what is recorded, and
//! writes the record, the page and the picture. A part that fails leaves nothing, and what is on the
//! page of it stays.

mod bars;
mod count;
pub mod drawing;
mod guard;
pub mod machine;
mod missed;
mod overview;
pub mod page;
mod ratio;
mod recorded;
mod svg;
#[cfg(test)]
mod tests;
mod watch;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use keyns_testkit::repository;
use serde::{Deserialize, Serialize};

use guard::compare;
use ratio::{ENOUGH, Ratio};
use recorded::Recorded;

pub use count::Count;
pub use ratio::{Spread, Wanted};

/// What most costs are measured over.
pub const INCR_RANDOM: &str = "INCR, random keys";
pub const INCR_ONE: &str = "INCR, one key";

/// All that a part found.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    pub part: String,
    /// Where and with what it was measured.
    pub setting: String,
    /// What stands in each place of the page.
    pub blocks: BTreeMap<String, String>,
    pub ratios: Vec<Ratio>,
    #[serde(default)]
    pub counts: Vec<Count>,
}

impl Findings {
    pub fn folder() -> PathBuf {
        repository().join("target/bench")
    }

    /// Removes what an earlier run has left.
    pub fn forget() {
        let folder = Findings::folder();
        if folder.exists() {
            fs::remove_dir_all(folder).expect("target/bench can be removed");
        }
    }

    /// Those of all parts that were measured in this run.
    pub fn all() -> Vec<Findings> {
        let files = fs::read_dir(Findings::folder());
        let files = files
            .into_iter()
            .flatten()
            .flatten()
            .map(|file| file.path());
        let mut files: Vec<PathBuf> = files.collect();
        files.sort();
        let read = |path: &PathBuf| {
            let json = fs::read_to_string(path).expect("what a part found");
            serde_json::from_str(&json).expect("JSON of this version")
        };
        files.iter().map(read).collect()
    }
}

/// Takes down what a part finds, and prints it.
pub struct Report {
    findings: Findings,
    versions: Vec<String>,
    /// How idle the machine was at the start.
    idle: Option<f64>,
    /// The place on the page that comes next.
    place: String,
}

impl Report {
    pub fn new(part: &str) -> Report {
        Report {
            findings: Findings {
                part: part.into(),
                ..Findings::default()
            },
            versions: Vec::new(),
            idle: machine::idle(),
            place: String::new(),
        }
    }

    /// Says a version of what is measured. Has to come before the first table.
    pub fn version(&mut self, version: impl Into<String>) {
        self.versions.push(version.into());
    }

    /// Starts a table in a place of the page, with a note on how it was measured. The first one
    /// also says where.
    pub fn table(&mut self, place: &str, note: &str, columns: &[&str]) {
        self.begin(place, note);
        let rule = vec!["---"; columns.len()].join("|");
        self.line(&format!("| {} |", columns.join(" | ")));
        self.line(&format!("|{rule}|"));
    }

    /// A row of the table that was started last.
    pub fn row<C: AsRef<str>>(&mut self, cells: &[C]) {
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    /// Sentences in a place of their own.
    pub fn say(&mut self, place: &str, text: &str) {
        self.place = place.into();
        println!();
        self.line(text);
    }

    pub fn ratio(&mut self, case: &str, keys: &str, over: &str, wanted: Wanted, spread: Spread) {
        self.findings.ratios.push(Ratio {
            part: self.findings.part.clone(),
            case: case.into(),
            keys: keys.into(),
            over: over.into(),
            wanted,
            spread,
        });
    }

    pub fn count(&mut self, count: Count) {
        let part = self.findings.part.clone();
        self.findings.counts.push(Count { part, ..count });
    }

    /// Leaves all that was found for [`conclude`].
    pub fn keep(self) {
        let folder = Findings::folder();
        let path = folder.join(&self.findings.part).with_extension("json");
        let json = serde_json::to_string_pretty(&self.findings).expect("JSON");
        fs::create_dir_all(&folder).expect("target/bench");
        fs::write(path, json).expect("target/bench can be written to");
    }

    fn begin(&mut self, place: &str, note: &str) {
        self.place = place.into();
        println!();
        let is_first = self.findings.setting.is_empty();
        if is_first {
            self.findings.setting = machine::setting(&self.versions, self.idle);
            self.line(&format!("{}. {note}:", self.findings.setting));
        } else {
            self.line(&format!("{note}:"));
        }
        self.line("");
    }

    fn line(&mut self, line: &str) {
        println!("{line}");
        let block = self.findings.blocks.entry(self.place.clone());
        let block = block.or_default();
        block.push_str(line);
        block.push('\n');
    }
}

/// The last step: compares this run with what is recorded, says what got worse, and writes
/// benches/recorded.json, the pages and the picture. Fails if a command takes more instructions than
/// before.
///
/// KEEP=1 leaves all of them as they are, and so do quick runs, unless KEYNS_BENCH_WRITE=1 is set.
pub fn conclude() -> Result<(), String> {
    let mut recorded = Recorded::read();
    let found = Findings::all();
    let verdict = tell(&recorded, &found);
    if is_set("KEEP") || (is_quick() && !is_set("KEYNS_BENCH_WRITE")) {
        println!("\nNothing is written: this run is not recorded.");
        return verdict;
    }
    for findings in &found {
        for (place, markdown) in &findings.blocks {
            page::put(place, markdown);
        }
        recorded.take(findings);
    }
    recorded.write();
    draw(&recorded);
    verdict
}

/// Draws what is recorded.
pub fn redraw() {
    draw(&Recorded::read());
}

fn draw(recorded: &Recorded) {
    page::put("summary", &overview::table(recorded));
    page::put("missed", &missed::table());
    let picture = page::docs().join("img/benchmarks.svg");
    let drawn = overview::figure(recorded).svg();
    fs::write(picture, drawn).expect("docs/img/benchmarks.svg can be written");
    println!("\nThe pages and docs/img/benchmarks.svg are written.");
}

/// Prints how this run differs from what is recorded of the same parts. Only counts are held against
/// it: times also say what else the machine did.
fn tell(recorded: &Recorded, found: &[Findings]) -> Result<(), String> {
    let parts: Vec<&str> = found.iter().map(|found| found.part.as_str()).collect();
    let measured: Vec<&Ratio> = found.iter().flat_map(|found| &found.ratios).collect();
    if !measured.is_empty() {
        let comparison = compare(recorded.of_parts(&parts), measured);
        println!("\n{}", guard::text(&comparison));
    }
    let (same, others): (Vec<_>, Vec<_>) = found
        .iter()
        .filter(|found| !found.counts.is_empty())
        .partition(|found| recorded.is_of_server(found));
    for found in others {
        println!("\n{}: nothing is recorded for this server.", found.part);
    }
    let before = same.iter().flat_map(|found| recorded.counts(&found.part));
    let now = same.iter().flat_map(|found| &found.counts);
    let changes = watch::compare(before, now);
    if !same.is_empty() {
        println!("\n{}", watch::text(&changes));
    }
    match changes.worse.len() {
        0 => Ok(()),
        worse => Err(format!(
            "{worse} commands take more instructions than recorded"
        )),
    }
}

/// Whether a part is to be measured: FAMILY picks one of the families, PART one of the parts.
pub fn is_wanted(family: &str, part: &str) -> bool {
    let is_picked = |variable: &str, name: &str| {
        let picked = std::env::var(variable).unwrap_or_default();
        picked.is_empty() || picked == name
    };
    is_picked("FAMILY", family) && is_picked("PART", part)
}

/// How many rounds to measure. Fewer where it is only tried whether everything runs.
pub fn rounds(count: usize) -> usize {
    match is_quick() {
        true => 2,
        false => count,
    }
}

pub fn is_quick() -> bool {
    is_set("KEYNS_BENCH_QUICK")
}

/// A number with commas, as people read it.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let parts: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8_lossy(&parts.join(&b',')).into_owned()
}

/// How many times as much as INCR, with as many digits as say something.
pub fn times_incr(times: f64) -> String {
    match times < 100.0 {
        true => format!("{times:.2}"),
        false => grouped(times.round() as usize),
    }
}

/// Whether a switch is on in the environment.
pub fn is_set(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| !matches!(value.as_str(), "" | "0"))
}

/// A limit, and whether a value keeps it.
pub fn at_most(limit: f64, value: f64) -> String {
    verdict(limit, value <= limit)
}

/// The same for a limit from below.
pub fn at_least(limit: f64, value: f64) -> String {
    verdict(limit, value >= limit)
}

fn verdict(limit: f64, is_kept: bool) -> String {
    match is_kept {
        true => limit.to_string(),
        false => format!("{limit}, missed"),
    }
}
