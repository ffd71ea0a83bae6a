//! Commands refuse keys in which the module keeps its own state as locks, events, revisions or limits.

use keyns_testkit::Server;

/// A user who may call these on the keys of a prefix could reset its counters, and get names twice.
#[test]
fn no_command_changes_the_counters_of_another() {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(client.run("KEYNS.MAKE doc Hello").text(), "doc:hello:001");
    client.run("KEYNS.MAKE doc Hello NUMBERING SLUG");
    let before = server.digest();
    for key in [
        "doc:_seq",
        "doc:_slugs",
        "{a}:doc:_slugs",
        "keyns:_registry",
    ] {
        for line in [
            "KEYNS.LOCK # 1 PX 1",
            "KEYNS.EXTEND # 1 PX 1",
            "KEYNS.UNLOCK # 1",
            "KEYNS.SEEN #",
            "KEYNS.ADVANCE # 9223372036854775807 EX 0",
            "KEYNS.CHECKPOINT # 0 FORCE",
            "KEYNS.RATE # BUCKET 1 1 1s",
            "KEYNS.RATE.PEEK # BUCKET 1 1 1s",
            "KEYNS.RATE.REFUND # BUCKET 1 1 1s COST 1",
            "KEYNS.RATE.BLOCK # 1s",
            "KEYNS.THROTTLE # 1 1 1",
        ] {
            let error = client.run(&line.replace('#', key)).text();
            let expected = format!("ERR '{key}' is reserved: KEYNS keeps its own state there");
            assert_eq!(error, expected, "{line}");
        }
    }
    assert_eq!(server.digest(), before);
    assert_eq!(client.run("KEYNS.MAKE doc Hello").text(), "doc:hello:003");
    // Keys that only look similar are free to use.
    for key in ["_seq", "doc:_seq:lock", "event:_a8Fk", "app:_registry"] {
        assert_eq!(client.run(&format!("KEYNS.SEEN {key}")).integer(), 1);
    }
}
