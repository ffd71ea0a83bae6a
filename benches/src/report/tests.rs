//! What `make bench` does with its measurements: the comparisons with what is recorded, the record
//! itself, the places on the pages, and the picture.

use std::fs;

use super::guard::{self, Comparison, compare};
use super::{Count, Findings, Ratio, Recorded, Spread, Wanted, missed, overview, page, watch};
use crate::measure::instructions::main_thread;

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

fn count(case: &str, instructions: f64) -> Count {
    Count {
        part: "rate-instructions".into(),
        ..Count::of(case, "one", &[instructions])
    }
}

/// How many commands take more and fewer instructions, where one took 1,000.
fn changed(case: &str, now: f64) -> (usize, usize) {
    let (before, now) = (count(case, 1000.0), count(case, now));
    let changes = watch::compare([&before], [&now]);
    (changes.worse.len(), changes.better.len())
}

#[test]
fn a_count_that_rose_by_more_than_3_percent_is_worse() {
    assert_eq!(changed("KEYNS.RATE", 1031.0), (1, 0));
    assert_eq!(changed("KEYNS.RATE", 969.0), (0, 1));
    assert_eq!(changed("KEYNS.RATE", 1029.0), (0, 0));
    assert_eq!(changed("KEYNS.RATE", 971.0), (0, 0));
}

#[test]
fn what_a_peer_executes_is_not_our_doing() {
    assert_eq!(changed("Lua for KEYNS.LOCK", 2000.0), (0, 0));
    assert_eq!(changed("INCR", 2000.0), (0, 0));
}

#[test]
fn what_takes_more_instructions_is_told_with_both_counts() {
    let (before, now) = (count("KEYNS.RATE", 1000.0), count("KEYNS.RATE", 1500.0));
    let text = watch::text(&watch::compare([&before], [&now]));
    assert!(text.contains("of 1 commands 1 take more and 0 take fewer, by more than 3%."));
    assert!(
        text.contains("| KEYNS.RATE | one | 1000 | 1500 | 1.500 |"),
        "{text}"
    );
    let text = watch::text(&watch::compare([&before], []));
    assert!(text.contains("Not counted any more: KEYNS.RATE, one"));
}

#[test]
fn a_count_is_the_lowest_of_all_servers() {
    let count = Count::of("KEYNS.RATE", "one", &[1100.0, 1000.0, 1050.0]);
    assert_eq!(count.instructions, 1000.0);
    assert!((count.differs - 0.1).abs() < 1e-9);
}

#[test]
fn the_count_of_the_main_thread_is_read_from_the_status_of_callgrind() {
    let status = "events: Ir\nthreads: 1 2\nevents-1: 25987389\nframes-1: 8\nevents-1-0: 7\nevents-2: 4894\n";
    assert_eq!(main_thread(status), Some(25_987_389.0));
    assert_eq!(main_thread("instrumentation: off\n"), None);
}

#[test]
fn counts_of_another_server_are_not_compared() {
    let mut recorded = Recorded::default();
    let mut findings = findings("rate-instructions", "a case");
    findings.setting = "Redis 7.0.15, keyns 0.1.0; today".into();
    recorded.take(&findings);
    findings.setting = "Redis 7.0.15, keyns 0.2.0; tomorrow".into();
    assert!(recorded.is_of_server(&findings));
    findings.setting = "Valkey 9.1.2, keyns 0.1.0; today".into();
    assert!(!recorded.is_of_server(&findings));
}

fn findings(part: &str, case: &str) -> Findings {
    let mut ratio = ratio(case, Wanted::Less, 2.0, 0.1);
    ratio.part = part.into();
    let mut count = count(case, 1234.4);
    count.part = part.into();
    Findings {
        part: part.into(),
        setting: format!("where {case} was measured"),
        ratios: vec![ratio],
        counts: vec![count],
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
    let cases = recorded
        .instructions
        .iter()
        .map(|count| count.case.as_str());
    assert_eq!(cases.collect::<Vec<_>>(), ["other", "second"]);
    assert_eq!(recorded.measured["naming"], "where other was measured");
    assert_eq!(recorded.measured["rate"], "where second was measured");
}

#[test]
fn a_record_has_a_line_for_each_count_and_ratio_and_is_read_as_it_was_written() {
    let mut recorded = Recorded::default();
    recorded.take(&findings("rate", "one"));
    recorded.take(&findings("naming", "two"));
    let json = recorded.to_json();
    let lines = json.lines().filter(|line| line.contains("\"case\""));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].contains("naming"), "sorted: {json}");
    assert!(
        lines[0].contains("\"instructions\":1234.0"),
        "rounded: {json}"
    );
    assert!(lines[2].contains("naming"), "sorted: {json}");
    assert_eq!(Recorded::from_json(&json).to_json(), json);
}

#[test]
fn a_block_of_the_page_is_replaced_and_nothing_else() {
    let page = "before\n<!-- bench: a -->\nold\n<!-- end: a -->\nbetween\n<!-- bench: b -->\nb\n<!-- end: b -->\nafter\n";
    let new = page::replaced(page, "a", "| new |\n").expect("it has a place");
    assert_eq!(
        new,
        "before\n<!-- bench: a -->\n\n| new |\n\n<!-- end: a -->\nbetween\n<!-- bench: b -->\nb\n<!-- end: b -->\nafter\n"
    );
    assert_eq!(page::replaced(&new, "a", "| new |"), Some(new.clone()));
    assert_eq!(page::replaced(&new, "nowhere", "a table"), None);
}

/// Two places of one name would get one table between them.
#[test]
fn no_place_is_on_the_pages_twice() {
    let pages = page::pages();
    let pages = pages
        .iter()
        .map(|page| fs::read_to_string(page).expect("a page"));
    let pages: String = pages.collect();
    let places = pages
        .lines()
        .filter_map(|line| line.strip_prefix("<!-- bench: "));
    let mut places: Vec<&str> = places.collect();
    assert!(places.len() > 20, "{places:?}");
    places.sort_unstable();
    let number = places.len();
    places.dedup();
    assert_eq!(places.len(), number);
}

fn docs(name: &str) -> String {
    fs::read_to_string(page::docs().join(name)).expect("it is there")
}

/// `make plots` mends it.
#[test]
fn the_picture_is_drawn_from_what_is_recorded() {
    let drawn = overview::figure(&Recorded::read()).svg();
    assert!(
        drawn == docs("img/benchmarks.svg"),
        "not the picture that is there"
    );
}

/// `make plots` mends it.
#[test]
fn the_summary_on_the_page_is_what_is_recorded() {
    let page = docs("benchmarks.md");
    let table = overview::table(&Recorded::read());
    let replaced = page::replaced(&page, "summary", &table);
    assert!(replaced == Some(page), "{table}");
}

/// A case that gets another name would leave the table without a word.
#[test]
fn each_task_of_the_summary_has_been_counted_and_its_peers_too() {
    let recorded = Recorded::read();
    let missing = overview::missing(&recorded);
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn demands_are_read_from_the_tables_with_what_was_measured() {
    let page = "\
| command | keys | ns | x INCR | spread | at most | Lua over own | at least |
|---|---|---|---|---|---|---|---|
| KEYNS.A | one | 9 | 2.50 | 2.1 to 2.9 | 2, missed | 3.5 | 3 |
| KEYNS.B | random | 9 | 1.50 | 1.1 to 1.9 |  | 2.5 | 3, missed |
";
    let demands = missed::demands(page);
    assert_eq!(demands.len(), 3);
    let missed = demands.iter().filter(|demand| demand.is_missed);
    let missed: Vec<String> = missed.map(missed::Demand::text).collect();
    let expected = [
        "KEYNS.A, one: x INCR 2.50, at most 2 demanded",
        "KEYNS.B, random: Lua over own 2.5, at least 3 demanded",
    ];
    assert_eq!(missed, expected);
}

/// `make plots` mends it.
#[test]
fn the_first_page_says_how_many_demands_were_missed() {
    let page = docs("benchmarks.md");
    let replaced = page::replaced(&page, "missed", &missed::table());
    assert!(replaced == Some(page), "{}", missed::table());
}
