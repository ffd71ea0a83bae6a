//! Users reach what their rules allow and learn nothing of the rest, in declared and derived keys.

use crate::grammar::{specs, text};
use crate::stage::Stage;
use crate::support::{Client, Needs, Outcome, ROWS, Row, Used, rows_of};

/// A key pattern that allows one kind of access.
fn pattern(key: &str, needs: Needs) -> String {
    match needs {
        Needs::Read => format!("%R~{key}"),
        Needs::Write => format!("%W~{key}"),
        Needs::Both => format!("~{key}"),
    }
}

/// Everything a row needs, with another right on one of its keys.
fn rules(row: &Row, instead: Option<(&str, Option<Needs>)>) -> String {
    let patterns = row.keys.iter().filter_map(|used| match instead {
        Some((key, needs)) if key == used.key => needs.map(|needs| pattern(key, needs)),
        _ => Some(pattern(used.key, used.needs)),
    });
    let patterns: Vec<String> = patterns.collect();
    let command = row.command().to_lowercase();
    format!("resetkeys {} -@all +{command}", patterns.join(" "))
}

/// What is less than a key's use needs.
fn too_little(used: &Used) -> &'static [Option<Needs>] {
    match used.needs {
        Needs::Read => &[None, Some(Needs::Write)],
        Needs::Write => &[None, Some(Needs::Read)],
        Needs::Both => &[None, Some(Needs::Write), Some(Needs::Read)],
    }
}

/// Whether this right lets a user look at the key.
fn is_blind(right: Option<Needs>) -> bool {
    matches!(right, None | Some(Needs::Write))
}

impl Stage {
    #[track_caller]
    fn set_rules(&mut self, rules: &str) {
        let reply = self.client.run(&format!("ACL SETUSER tester {rules}"));
        assert_eq!(reply.text(), "OK", "{rules}");
    }

    fn tester(&mut self) -> Client {
        self.server.login("-@all")
    }
}

#[test]
fn a_call_works_with_no_more_than_its_command_and_its_keys() {
    let mut stage = Stage::start();
    let mut tester = stage.tester();
    for row in ROWS {
        stage.set(row);
        stage.set_rules(&rules(row, None));
        let reply = tester.call(&row.call());
        assert!(!reply.is_error(), "{}: {reply:?}", row.line);
    }
}

#[test]
fn each_key_that_is_not_allowed_is_refused_and_nothing_is_said_of_it() {
    let mut stage = Stage::start();
    let mut tester = stage.tester();
    for row in ROWS {
        for used in row.keys {
            for &right in too_little(used) {
                let mut errors = Vec::new();
                for kind in ["as it is", "none", "string", "hash", "list", "zset"] {
                    stage.set(row);
                    stage.set_rules(&rules(row, Some((used.key, right))));
                    match kind {
                        "as it is" => {}
                        _ if is_blind(right) => stage.put(used.key, kind),
                        _ => break,
                    }
                    let error = stage.refused(Some(&mut tester), &row.call());
                    let case = format!("{} with {right:?} on {}", row.line, used.key);
                    assert!(error.starts_with("NOPERM"), "{case}, {kind}: {error}");
                    errors.push(error);
                }
                errors.dedup();
                assert_eq!(errors.len(), 1, "{}, {}: {errors:?}", row.line, used.key);
            }
        }
    }
}

/// The keys of a row are all that it writes.
#[test]
fn a_call_writes_no_other_keys() {
    let mut stage = Stage::start();
    for row in ROWS.iter().filter(|row| !row.keys.is_empty()) {
        stage.set(row);
        let before = stage.client.snapshot();
        stage.client.call(&row.call());
        let after = stage.client.snapshot();
        let may_write = |key: &str| {
            let mut keys = row.keys.iter();
            keys.any(|used| used.key == key && used.needs != Needs::Read)
        };
        for (one, other) in [(&before, &after), (&after, &before)] {
            for changed in one.iter().filter(|entry| !other.contains(entry)) {
                assert!(may_write(&changed.0), "{}: {}", row.line, changed.0);
            }
        }
    }
}

#[test]
fn a_command_needs_its_own_permission() {
    let mut stage = Stage::start();
    let mut tester = stage.tester();
    for row in ROWS {
        stage.set(row);
        let command = row.command().to_lowercase();
        stage.set_rules(&format!("~* +@all -{command}"));
        let error = stage.refused(Some(&mut tester), &row.call());
        assert!(error.starts_with("NOPERM"), "{}: {error}", row.line);
    }
}

#[test]
fn categories_allow_reads_and_writes_where_the_server_has_them() {
    let mut stage = Stage::start();
    if !stage.server.has_module_categories() {
        return;
    }
    let mut tester = stage.tester();
    for spec in specs() {
        let flags: Vec<&str> = text(spec.flags).split(' ').collect();
        let is_write = flags.contains(&"write");
        for row in rows_of(text(spec.name)) {
            assert_eq!(row.outcome == Outcome::Reads, !is_write, "{}", row.line);
            for (category, allowed) in [("read", !is_write), ("write", is_write), ("keyns", true)] {
                stage.set(row);
                stage.set_rules(&format!("allkeys -@all +@{category}"));
                let reply = tester.call(&row.call());
                assert_eq!(reply.is_error(), !allowed, "@{category}: {}", row.line);
            }
        }
    }
}
