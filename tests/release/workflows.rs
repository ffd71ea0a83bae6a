//! The workflows call what is there, and may do no more than they have to.

use std::fs;

use crate::repository::{path, read};
use crate::yaml::{Entry, entries};

fn workflows() -> Vec<(String, Vec<Entry>)> {
    let files = fs::read_dir(path(".github/workflows")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut workflows: Vec<_> = files
        .map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(file).unwrap();
            (name, entries(&text))
        })
        .collect();
    workflows.sort();
    workflows
}

/// The texts under a key, at any place.
fn under<'a>(entries: &'a [Entry], key: &str) -> Vec<&'a str> {
    let found = entries
        .iter()
        .filter(|(keys, _)| keys.last().is_some_and(|last| last == key));
    found.map(|(_, text)| text.as_str()).collect()
}

/// The words behind `make` in what the jobs run.
fn make_targets(entries: &[Entry]) -> Vec<String> {
    let mut targets = Vec::new();
    for run in under(entries, "run") {
        let run = run.replace("${{ matrix.target }}", "MATRIX");
        let words: Vec<&str> = run.split_whitespace().collect();
        for pair in words.windows(2) {
            match pair {
                ["make", "MATRIX"] => {
                    targets.extend(under(entries, "target").iter().map(|t| t.to_string()));
                }
                ["make", target] => targets.push(target.to_string()),
                _ => (),
            }
        }
    }
    targets
}

#[test]
fn they_are_well_formed_and_have_jobs_with_steps() {
    let workflows = workflows();
    let names: Vec<&str> = workflows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["ci.yml", "release.yml"]);
    for (name, entries) in &workflows {
        let has = |keys: &[&str]| {
            entries
                .iter()
                .any(|(path, _)| path.starts_with(&owned(keys)))
        };
        assert!(has(&["on"]) && has(&["name"]) && has(&["jobs"]), "{name}");
        let runs_on = under(entries, "runs-on");
        assert!(!runs_on.is_empty(), "{name}");
        let limits = under(entries, "timeout-minutes");
        assert_eq!(limits.len(), runs_on.len(), "{name}: every job has an end");
    }
}

fn owned(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| key.to_string()).collect()
}

#[test]
fn every_make_target_that_they_name_exists() {
    let makefile = read("Makefile");
    for (name, entries) in workflows() {
        let targets = make_targets(&entries);
        assert!(!targets.is_empty(), "{name}");
        for target in targets {
            let rule = format!("\n{target}: ");
            assert!(makefile.contains(&rule), "{name}: make {target}");
        }
    }
}

#[test]
fn pull_requests_are_linted_tested_on_all_servers_fuzzed_and_packed() {
    let workflows = workflows();
    let targets = make_targets(&workflows[0].1);
    for target in [
        "lint",
        "test",
        "matrix",
        "fuzz",
        "coverage",
        "image-test",
        "dist-test",
    ] {
        assert!(targets.iter().any(|named| named == target), "{target}");
    }
}

#[test]
fn every_script_that_they_name_exists() {
    for (name, entries) in workflows() {
        for run in under(&entries, "run") {
            for word in run.split_whitespace() {
                if word.starts_with("scripts/") {
                    assert!(path(word).exists(), "{name}: {word}");
                }
            }
        }
    }
}

#[test]
fn actions_have_a_version_and_are_those_of_github() {
    for (name, entries) in workflows() {
        for action in under(&entries, "uses") {
            let (who, version) = action.split_once('@').unwrap_or((action, ""));
            assert!(who.starts_with("actions/"), "{name}: {action}");
            let number = version.strip_prefix('v').unwrap_or_default();
            assert!(number.parse::<u32>().is_ok(), "{name}: {action}");
        }
    }
}

#[test]
fn only_the_job_that_publishes_may_write() {
    let mut writers = Vec::new();
    for (name, entries) in workflows() {
        let rights = |keys: &[&str]| entries.iter().find(|(path, _)| *path == owned(keys));
        let (_, right) = rights(&["permissions", "contents"]).expect("permissions");
        assert_eq!(right, "read", "{name}");
        let writing = entries
            .iter()
            .filter(|(keys, text)| keys.contains(&"permissions".into()) && text != "read");
        writers.extend(writing.map(|(keys, text)| format!("{name} {} {text}", keys.join(" "))));
    }
    let publisher = "release.yml jobs publish permissions contents write";
    assert_eq!(writers, [publisher]);
}

/// A title or a branch name that is put into a script could be one.
#[test]
fn scripts_get_values_of_others_by_variables_only() {
    for (name, entries) in workflows() {
        for run in under(&entries, "run") {
            let rest = run.replace("${{ matrix.target }}", "");
            assert!(!rest.contains("${{"), "{name}: {run}");
        }
    }
}

/// With which anybody can build the same bytes, and where those run.
#[test]
fn the_page_on_upgrading_names_the_container_and_the_c_library_of_a_release() {
    let page = read("docs/upgrading.md");
    let workflows = workflows();
    let (_, release) = workflows.last().unwrap();
    let containers = under(release, "container");
    assert_eq!(containers.len(), 1);
    assert!(page.contains(&format!("`{}`", containers[0])));
    let runs = under(release, "run");
    let glibc = runs.iter().find_map(|run| run.split_once("GLIBC="));
    let (_, glibc) = glibc.expect("a limit");
    assert!(page.contains(&format!("glibc {glibc} or newer")));
}
