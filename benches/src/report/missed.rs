//! Which demands were missed, for the first page: as many as the tables say, and the worst of them.

use std::fs;

use super::page;

const DEMANDS: [&str; 2] = ["at most", "at least"];
/// Columns that are no measurement.
const ASIDE: [&str; 4] = ["spread", "aim", "at most", "at least"];

/// A row for each page with demands.
pub fn table() -> String {
    let mut table =
        String::from("| page | demands | missed | furthest from its demand |\n|---|---|---|---|");
    for path in page::pages().into_iter().skip(1) {
        let text = fs::read_to_string(&path).expect("a page can be read");
        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        let demands = demands(&text);
        let missed = demands.iter().filter(|demand| demand.is_missed);
        let worst = missed.clone().max_by(|a, b| a.off().total_cmp(&b.off()));
        if !demands.is_empty() {
            table += &format!(
                "\n| [{}](benchmarks/{name}.md) | {} | {} | {} |",
                name.replace('-', " "),
                demands.len(),
                missed.count(),
                worst.map(Demand::text).unwrap_or_default()
            );
        }
    }
    table
}

/// What a table demands of a row.
#[derive(Debug, PartialEq)]
pub struct Demand<'a> {
    /// The first two cells of the row.
    what: [&'a str; 2],
    /// What was measured, and the column it is in.
    measured: &'a str,
    column: &'a str,
    /// At most or at least.
    kind: &'a str,
    limit: &'a str,
    pub is_missed: bool,
}

impl Demand<'_> {
    /// How many times as much, or as little, as demanded.
    fn off(&self) -> f64 {
        let number = |text: &str| text.parse().unwrap_or(1.0);
        let times: f64 = number(self.measured) / number(self.limit);
        if self.kind == "at least" {
            1.0 / times
        } else {
            times
        }
    }

    pub fn text(&self) -> String {
        let [first, second] = self.what;
        let comma = if second.is_empty() { "" } else { ", " };
        let Demand {
            measured,
            column,
            kind,
            limit,
            ..
        } = self;
        format!("{first}{comma}{second}: {column} {measured}, {kind} {limit} demanded")
    }
}

/// All demands in the tables of a page.
pub fn demands(text: &str) -> Vec<Demand<'_>> {
    let mut demands = Vec::new();
    let mut columns: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("|---")) {
        let Some(cells) = cells(line) else {
            columns.clear();
            continue;
        };
        if columns.is_empty() {
            columns = cells;
            continue;
        }
        for (at, &cell) in cells.iter().enumerate().skip(2) {
            if cell.is_empty() || !DEMANDS.contains(&columns[at]) {
                continue;
            }
            let limit = cell.strip_suffix(", missed");
            // What was measured stands left of its demand.
            let left = (0..at).rev().find(|&at| !ASIDE.contains(&columns[at]));
            let left = left.unwrap_or_default();
            demands.push(Demand {
                what: [cells[0], cells[1]],
                measured: cells[left],
                column: columns[left],
                kind: columns[at],
                limit: limit.unwrap_or(cell),
                is_missed: limit.is_some(),
            });
        }
    }
    demands
}

/// The cells of a line of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix("| ")?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}
