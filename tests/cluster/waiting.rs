//! WAIT after a call of ours: it waits for all that the call has written.

use crate::support::{Client, GUIDE, Server, ingest, read_in_background};

#[test]
fn wait_waits_for_what_every_call_has_written() {
    let master = Server::start();
    let replica = master.replica();
    let write: [(&str, fn(&mut Client)); 4] = [
        ("a name", |client| drop(client.run("KEYNS.MAKE doc Intro"))),
        ("a limit", |client| {
            drop(client.run("KEYNS.RATE rate FIXED 9 1500d"))
        }),
        ("a document", |client| {
            read_in_background(client, false);
            ingest(client, "doc", GUIDE, "");
        }),
        ("a document that a thread has read", |client| {
            read_in_background(client, true);
            ingest(client, "doc", GUIDE, "");
        }),
    ];
    for (what, write) in write {
        let mut client = master.client();
        client.run("SET before 1");
        assert_eq!(client.run("WAIT 1 60000").integer(), 1, "{what}");
        let frozen = replica.freeze();
        write(&mut client);
        assert_eq!(client.run("WAIT 1 100").integer(), 0, "{what}");
        drop(frozen);
        assert_eq!(client.run("WAIT 1 60000").integer(), 1, "{what}");
        assert_eq!(replica.digest(), master.digest(), "{what}");
    }
}
