//! WAIT after a call of ours: it waits for all that the call has written.

use crate::support::{Outcome, ROWS, Server};

#[test]
fn wait_waits_for_what_every_call_has_written() {
    let master = Server::start();
    let replica = master.replica();
    let writes = ROWS.iter().filter(|row| row.outcome == Outcome::Writes);
    for (number, row) in writes.enumerate() {
        let line = row.line;
        let scope = format!("{{{number}}}");
        let mut client = master.client();
        client.prepare(row, &scope);
        client.run("SET before 1");
        assert_eq!(client.run("WAIT 1 60000").integer(), 1, "{line}");
        let frozen = replica.freeze();
        let reply = client.call(&row.call_in(&scope));
        assert!(!reply.is_error(), "{line}: {reply:?}");
        assert_eq!(client.run("WAIT 1 100").integer(), 0, "{line}");
        drop(frozen);
        assert_eq!(client.run("WAIT 1 60000").integer(), 1, "{line}");
        assert_eq!(replica.digest(), master.digest(), "{line}");
        let namespaces = replica.client().namespaces();
        assert_eq!(namespaces, client.namespaces(), "{line}");
    }
}
