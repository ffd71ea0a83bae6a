//! WAIT after a call of ours: it waits for all that the call has written.

use crate::support::{GUIDE, Server, read_in_background};

#[test]
fn wait_waits_for_what_every_call_has_written() {
    let master = Server::start();
    let replica = master.replica();
    for (call, by_a_thread) in [
        (&["KEYNS.MAKE", "doc", "Intro"][..], false),
        (&["KEYNS.RATE", "rate", "FIXED", "9", "1500d"], false),
        (&["KEYNS.SEEN", "event"], false),
        (&["KEYNS.INGESTMD", "doc", GUIDE], false),
        (&["KEYNS.INGESTMD", "doc", GUIDE], true),
    ] {
        let mut client = master.client();
        read_in_background(&mut client, by_a_thread);
        client.run("SET before 1");
        assert_eq!(client.run("WAIT 1 60000").integer(), 1, "{call:?}");
        let frozen = replica.freeze();
        let reply = client.call(call);
        assert!(!reply.is_error(), "{call:?}: {reply:?}");
        assert_eq!(client.run("WAIT 1 100").integer(), 0, "{call:?}");
        drop(frozen);
        assert_eq!(client.run("WAIT 1 60000").integer(), 1, "{call:?}");
        assert_eq!(replica.digest(), master.digest(), "{call:?}");
    }
}
