//! The table itself: no command and no option is left out, and every row does what it says.

use keyns_testkit::{Outcome, ROWS, rows_of};

use crate::grammar::{keywords, read, spec_of, specs, text};
use crate::stage::Stage;

#[test]
fn every_command_has_a_row_with_each_of_its_options() {
    for spec in specs() {
        let name = text(spec.name);
        assert!(
            rows_of(name).count() > 0,
            "{name} has no row in crates/testkit/src/rows"
        );
        for keyword in keywords(spec) {
            let has = |line: &str| line.split(' ').any(|word| word == keyword);
            assert!(
                rows_of(name).any(|row| has(row.line)),
                "no row of {name} has {keyword}"
            );
        }
    }
    for row in ROWS {
        read(spec_of(row.command()), &row.call());
    }
}

/// A command that writes has a row that writes, and one that only reads has none.
#[test]
fn rows_fit_the_flags_of_their_commands() {
    for spec in specs() {
        let name = text(spec.name);
        let is_write = text(spec.flags).split(' ').any(|flag| flag == "write");
        let has = |outcome| rows_of(name).any(|row| row.outcome == outcome);
        assert_eq!(has(Outcome::Writes), is_write, "{name}");
        assert_eq!(has(Outcome::Reads), !is_write, "{name}");
    }
}

/// Nothing of a read or a refusal reaches keys, namespaces or replicas; all of a write does.
#[test]
fn only_writes_change_anything_and_reach_replicas() {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        let before = stage.state();
        let reply = stage.client.call(&row.call());
        assert!(!reply.is_error(), "{}: {reply:?}", row.line);
        let after = stage.state();
        match row.outcome {
            Outcome::Reads | Outcome::Refuses => assert_eq!(after, before, "{}", row.line),
            Outcome::Writes => {
                assert_ne!(after, before, "{}", row.line);
                stage.catch_up();
                let replica = stage.replica.client().snapshot();
                assert_eq!(replica, stage.client.snapshot(), "{}", row.line);
                let namespaces = stage.replica.client().namespaces();
                assert_eq!(namespaces, stage.client.namespaces(), "{}", row.line);
            }
        }
    }
}
