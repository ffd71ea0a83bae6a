//! Users reach what their rules allow and learn nothing of the rest, in declared and derived keys.

use keyns_testkit::{Client, Needs, Outcome, ROWS, Row, Used, Value, rows_of};

use crate::grammar::{specs, text};
use crate::stage::Stage;

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
    let command = row.command().to_lowercase();
    // Whoever changes namespaces needs the right on all keys that they can have.
    let defines = row.outcome != Outcome::Reads && command.starts_with("keyns.ns.");
    let all = defines.then(|| pattern("*", Needs::Write));
    let patterns: Vec<String> = patterns.chain(all).collect();
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

/// Whether a text is anywhere in a reply.
fn says(reply: &Value, text: &str) -> bool {
    match reply {
        Value::Array(values) => values.iter().any(|value| says(value, text)),
        Value::Bulk(_) | Value::Error(_) => reply.text().contains(text),
        _ => false,
    }
}

/// A tenant owns the sets and hashes that its documents consist of, and can write into them whatever
/// it likes, other tenants' keys included.
#[test]
fn names_planted_in_a_document_lead_to_nothing_foreign() {
    const FOREIGN: [&str; 3] = [
        "{other}:doc:secret:001",
        "{other}:ch:secret:001",
        "{other}:chunk:secret:001",
    ];
    let reads_and_removes = [
        "KEYNS.TREE {acme}:doc:guide:001",
        "KEYNS.TREE {acme}:ch:risk:001 FORMAT TEXT",
        "KEYNS.NAV {acme}:chunk:measure:001 PARENT",
        "KEYNS.NAV {acme}:chunk:measure:001 SIBLINGS",
        "KEYNS.NAV {acme}:doc:guide:001 CHILDREN",
        "KEYNS.NAV {acme}:doc:guide:001 SEQUENCE",
        "KEYNS.EXPORTMD {acme}:doc:guide:001",
        "KEYNS.INGESTMD {acme}:doc New. REPLACE {acme}:doc:guide:001",
        "KEYNS.DROP {acme}:doc:guide:001",
    ];
    let secret = "KEYNS.INGESTMD {other}:doc #~Secret\n\nTreasure. TITLE Secret";
    let guide = "KEYNS.INGESTMD {acme}:doc #~Risk\n\nMeasure. TITLE Guide";
    let mut stage = Stage::start();
    let mut tenant = stage.server.login("~{acme}:* +@all");
    for planted in FOREIGN {
        for line in reads_and_removes {
            // The same whether the foreign document is there or not.
            let replies = [true, false].map(|is_there| {
                assert_eq!(stage.client.run("FLUSHALL").text(), "OK");
                if is_there {
                    stage.client.call(&Row::words(secret));
                }
                let foreign = stage.client.snapshot();
                tenant.call(&Row::words(guide));
                for list in ["{acme}:doc:guide:001", "{acme}:ch:risk:001"] {
                    tenant.run(&format!("ZADD {list}:sequence 1.5 {planted}"));
                    tenant.run(&format!("SADD {list}:children {planted}"));
                    tenant.run(&format!("SADD {list}:all_descendants {planted}"));
                }
                for part in ["{acme}:ch:risk:001", "{acme}:chunk:measure:001"] {
                    tenant.run(&format!("HSET {part} parent {planted} doc {planted}"));
                }
                let reply = tenant.call(&Row::words(line));
                let mut after = stage.client.snapshot();
                after.retain(|(key, _, _)| key.starts_with("{other}"));
                assert_eq!(after, foreign, "{line} with {planted}");
                reply
            });
            assert_eq!(replies[0], replies[1], "{line} with {planted}");
            assert!(!says(&replies[0], "Treasure"), "{line} with {planted}");
        }
    }
}
