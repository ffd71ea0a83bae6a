//! A server whose memory is used up.

use keyns_testkit::{Outcome, ROWS};

use crate::grammar::{spec_of, text};
use crate::stage::Stage;

#[test]
fn writes_are_refused_and_nothing_is_half_written_while_reads_go_on() {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        let flags = text(spec_of(row.command()).flags);
        let needs_memory = flags.split(' ').any(|flag| flag == "deny-oom");
        let mut waiting = stage.server.client();
        waiting.run("MULTI");
        assert_eq!(waiting.call(&row.call()).text(), "QUEUED");
        let before = stage.state();
        stage.client.run("CONFIG SET maxmemory 1");
        let reply = stage.client.call(&row.call());
        let queued = waiting.run("EXEC");
        stage.client.run("CONFIG SET maxmemory 0");
        if needs_memory {
            assert!(
                reply.is_error() && reply.text().starts_with("OOM"),
                "{row:?}"
            );
            assert!(queued.is_error(), "{}: {queued:?}", row.line);
            assert_eq!(stage.state(), before, "{}", row.line);
        } else {
            assert!(!reply.is_error(), "{}: {reply:?}", row.line);
            assert_eq!(queued.array().len(), 1, "{}: {queued:?}", row.line);
            let changed = stage.state() != before;
            assert_eq!(changed, row.outcome == Outcome::Writes, "{}", row.line);
        }
    }
}

/// A command that gives memory back, or needs none, must work when it is wanted most.
#[test]
fn what_removes_is_allowed_when_memory_is_short() {
    for command in ["KEYNS.DROP", "KEYNS.UNLOCK", "KEYNS.EXTEND", "KEYNS.NS.DEL"] {
        assert!(
            !text(spec_of(command).flags).contains("deny-oom"),
            "{command}"
        );
    }
}
