//! What `make bench` does with its measurements: the comparison with what is recorded, the record
//! itself, the places on the page, and the picture.

use std::fs;

use super::guard::{self, Comparison, compare};
use super::{Findings, Ratio, Recorded, Spread, Wanted, overview, page};

/// A ratio whose rounds lie evenly around its median.
fn ratio(case: &str, wanted: Wanted, median: f64, width: f64) -> Ratio {
    let rounds = [-2.0, -2.0, -1.0, -1.0, 0.0, 1.0, 1.0, 2.0, 2.0];
    let rounds = rounds.map(|at| median + at * width / 2.0);
    Ratio {
        part: "rate".into(),
        case: case.into(),
        keys: "one".into(),
        over: "INCR".into(),
        wanted,
        spread: Spread::of(rounds),
    }
}

/// How many got worse and better between two runs of one case.
fn changes(wanted: Wanted, [before, now]: [(f64, f64); 2]) -> (usize, usize) {
    let before = ratio("a case", wanted, before.0, before.1);
    let now = ratio("a case", wanted, now.0, now.1);
    let comparison = compare([&before], [&now]);
    (comparison.worse.len(), comparison.better.len())
}

#[test]
fn a_cost_that_rose_beyond_the_middle_half_and_by_more_than_15_percent_is_worse() {
    assert_eq!(changes(Wanted::Less, [(2.0, 0.1), (2.6, 0.1)]), (1, 0));
    assert_eq!(changes(Wanted::Less, [(2.6, 0.1), (2.0, 0.1)]), (0, 1));
}

#[test]
fn an_advantage_that_shrank_is_worse() {
    assert_eq!(changes(Wanted::More, [(3.0, 0.1), (2.0, 0.1)]), (1, 0));
    assert_eq!(changes(Wanted::More, [(2.0, 0.1), (3.0, 0.1)]), (0, 1));
}

#[test]
fn a_change_within_what_rounds_differ_by_is_none() {
    assert_eq!(changes(Wanted::Less, [(2.0, 0.8), (2.6, 0.8)]), (0, 0));
    assert_eq!(changes(Wanted::Less, [(2.6, 0.8), (2.0, 0.8)]), (0, 0));
}

#[test]
fn a_small_change_is_none_however_alike_the_rounds_are() {
    assert_eq!(changes(Wanted::Less, [(2.0, 0.01), (2.2, 0.01)]), (0, 0));
    assert_eq!(changes(Wanted::Less, [(2.2, 0.01), (2.0, 0.01)]), (0, 0));
}

#[test]
fn too_few_rounds_are_not_compared() {
    let mut before = ratio("a case", Wanted::Less, 2.0, 0.1);
    let now = ratio("a case", Wanted::Less, 4.0, 0.1);
    before.spread.rounds = 2;
    assert_eq!(compare([&before], [&now]), Comparison::default());
}

#[test]
fn what_a_peer_costs_is_not_our_doing() {
    assert_eq!(changes(Wanted::Either, [(2.0, 0.1), (4.0, 0.1)]), (0, 0));
}

#[test]
fn what_is_gone_and_what_is_new_is_told() {
    let [old, kept, new] = ["old", "kept", "new"].map(|case| ratio(case, Wanted::Less, 2.0, 0.1));
    let comparison = compare([&old, &kept], [&kept, &new]);
    let expected = Comparison {
        gone: vec![&old],
        new: vec![&new],
        compared: 1,
        ..Comparison::default()
    };
    assert_eq!(comparison, expected);
    let text = guard::text(&comparison);
    assert!(text.contains("Not measured any more:\n\n- rate: old, one, over INCR"));
    assert!(text.contains("Measured for the first time:\n\n- rate: new, one, over INCR"));
}

#[test]
fn what_got_worse_is_told_with_both_medians() {
    let before = ratio("a case", Wanted::Less, 2.0, 0.1);
    let now = ratio("a case", Wanted::Less, 3.0, 0.1);
    let text = guard::text(&compare([&before], [&now]));
    assert!(
        text.starts_with("Beside the last recorded run: of 1 ratios 1 got worse, 0 got better")
    );
    let row = "| rate | a case | one | INCR | 2.00 | 1.95 to 2.05 | 3.00 | 2.95 to 3.05 | 1.50 |";
    assert!(text.contains(row), "{text}");
}

fn findings(part: &str, case: &str) -> Findings {
    let mut ratio = ratio(case, Wanted::Less, 2.0, 0.1);
    ratio.part = part.into();
    Findings {
        part: part.into(),
        setting: format!("where {case} was measured"),
        ratios: vec![ratio],
        ..Findings::default()
    }
}

#[test]
fn a_run_of_one_part_leaves_what_is_recorded_of_others() {
    let mut recorded = Recorded::default();
    recorded.take(&findings("rate", "first"));
    recorded.take(&findings("naming", "other"));
    recorded.take(&findings("rate", "second"));
    let cases = recorded.ratios.iter().map(|ratio| ratio.case.as_str());
    assert_eq!(cases.collect::<Vec<_>>(), ["other", "second"]);
    assert_eq!(recorded.measured["naming"], "where other was measured");
    assert_eq!(recorded.measured["rate"], "where second was measured");
}

#[test]
fn a_record_has_a_line_for_each_ratio_and_is_read_as_it_was_written() {
    let mut recorded = Recorded::default();
    recorded.take(&findings("rate", "one"));
    recorded.take(&findings("naming", "two"));
    let json = recorded.to_json();
    let lines = json.lines().filter(|line| line.contains("\"case\""));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("naming"), "sorted: {json}");
    assert_eq!(Recorded::from_json(&json).to_json(), json);
}

#[test]
fn a_block_of_the_page_is_replaced_and_nothing_else() {
    let page = "before\n<!-- bench: a -->\nold\n<!-- end: a -->\nbetween\n<!-- bench: b -->\nb\n<!-- end: b -->\nafter\n";
    let new = page::replaced(page, "a", "| new |\n");
    assert_eq!(
        new,
        "before\n<!-- bench: a -->\n\n| new |\n\n<!-- end: a -->\nbetween\n<!-- bench: b -->\nb\n<!-- end: b -->\nafter\n"
    );
    assert_eq!(page::replaced(&new, "a", "| new |"), new);
}

#[test]
#[should_panic(expected = "docs/benchmarks.md has no line <!-- bench: nowhere -->")]
fn a_table_without_a_place_on_the_page_is_an_error() {
    page::replaced("a page", "nowhere", "a table");
}

fn docs(name: &str) -> String {
    fs::read_to_string(page::docs().join(name)).expect("it is there")
}

/// `make plots` mends it.
#[test]
fn the_picture_is_drawn_from_what_is_recorded() {
    let file = format!("bench_report-{}.svg", std::process::id());
    let path = std::env::temp_dir().join(file);
    let drawn = overview::figure(&Recorded::read()).write(&path);
    drawn.expect("it can be drawn");
    let picture = fs::read_to_string(&path).expect("a picture");
    fs::remove_file(&path).expect("it is removed");
    assert!(
        picture == docs("img/benchmarks.svg"),
        "not the picture that is there"
    );
}

/// `make plots` mends it.
#[test]
fn the_summary_on_the_page_is_what_is_recorded() {
    let page = docs("benchmarks.md");
    let table = overview::table(&Recorded::read());
    assert!(page::replaced(&page, "summary", &table) == page, "{table}");
}

#[test]
fn each_task_of_the_summary_has_been_measured() {
    for line in overview::table(&Recorded::read()).lines().skip(2) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [ours, lua] = [cells[3], cells[6]];
        assert!(!ours.is_empty() && !lua.is_empty(), "{line}");
    }
}
