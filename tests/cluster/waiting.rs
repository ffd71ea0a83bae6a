//! WAIT after one of our calls waits for everything that the call has written.

use std::thread;

use keyns_testkit::{Client, Options, Outcome, ROWS, Row, Server, wait_until};

/// How many pairs of servers share the rows. A replica reports its offset only once a second.
const PAIRS: usize = 4;

#[test]
fn wait_waits_for_what_every_call_has_written() {
    let writes = ROWS.iter().filter(|row| row.outcome == Outcome::Writes);
    let writes: Vec<&Row> = writes.collect();
    thread::scope(|scope| {
        for rows in writes.chunks(writes.len().div_ceil(PAIRS)) {
            scope.spawn(|| assert_waits(rows));
        }
    });
}

fn assert_waits(rows: &[&Row]) {
    // WAIT would also wait for a ping.
    let master = Options::new()
        .set("--repl-ping-replica-period", &["3600"])
        .start();
    let replica = master.replica();
    for (number, row) in rows.iter().enumerate() {
        assert_waits_after(&master, &replica, row, &format!("{{{number}}}"));
    }
}

fn assert_waits_after(master: &Server, replica: &Server, row: &Row, scope: &str) {
    let line = row.line;
    let mut client = master.client();
    client.prepare(row, scope);
    wait_until("the replica has told that it has all", || {
        replica_told_all(&mut client)
    });
    let frozen = replica.freeze();
    assert_eq!(client.run("WAIT 1 100").integer(), 1, "before {line}");
    let reply = client.call(&row.call_in(scope));
    assert!(!reply.is_error(), "{line}: {reply:?}");
    assert_eq!(client.run("WAIT 1 100").integer(), 0, "{line}");
    drop(frozen);
    assert_eq!(client.run("WAIT 1 60000").integer(), 1, "{line}");
    assert_eq!(replica.digest(), master.digest(), "{line}");
    let namespaces = replica.client().namespaces();
    assert_eq!(namespaces, client.namespaces(), "{line}");
}

/// An earlier WAIT is not enough: the replicas' answer does not include the question that it sends.
fn replica_told_all(client: &mut Client) -> bool {
    let offset = client.offset();
    let replica = client.info("replication", "slave0");
    replica.contains(&format!(",offset={offset},"))
}
