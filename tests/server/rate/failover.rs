//! After a failover and after a crash, every limit goes on where it was.

use keyns_testkit::{Client, Options, Ruling, Server};

/// A key for every kind of state, with the limits it is asked about. Nothing comes back while a
/// test runs.
const KEYS: [(&str, &str); 8] = [
    ("bucket", "BUCKET 10 1 1500d"),
    ("empty", "BUCKET 4 1 1500d"),
    ("bytes", "BUCKET 700000000 100 10d"),
    ("fixed", "FIXED 10 1500d"),
    ("sliding", "SLIDING 10 1500d"),
    ("long", "SLIDING 1000 1500d"),
    ("all", "SLIDING 9 1500d FIXED 20 1500d BUCKET 30 1 1500d"),
    ("blocked", "BUCKET 10 1 1500d"),
];

fn fill(client: &mut Client) {
    for (key, limits) in KEYS {
        for cost in [1, 2, 1] {
            let ruling = client.rule(&format!("KEYNS.RATE {key} {limits} COST {cost}"));
            assert!(ruling.allowed, "{key}");
        }
    }
    // In places of a long state, too.
    client.run("KEYNS.RATE long SLIDING 1000 1500d COST 500");
    for _ in 0..10 {
        client.run("KEYNS.RATE long SLIDING 1000 1500d");
    }
    client.run("KEYNS.RATE.REFUND bucket BUCKET 10 1 1500d COST 1");
    client.run("KEYNS.RATE.BLOCK blocked 1000d");
    assert!(!client.rule("KEYNS.RATE empty BUCKET 4 1 1500d").allowed);
}

/// What every key says, with its value and its expiry.
type Look = Vec<(Ruling, Option<Vec<u8>>, i64)>;

fn look(client: &mut Client) -> Look {
    let look = |(key, limits): (&str, &str)| {
        let ruling = client.rule(&format!("KEYNS.RATE.PEEK {key} {limits}"));
        let expires = client.run(&format!("PEXPIRETIME {key}")).integer();
        (ruling, client.bytes_of(key), expires)
    };
    KEYS.into_iter().map(look).collect()
}

#[track_caller]
fn assert_goes_on(before: &Look, after: &Look) {
    for ((key, _), (before, after)) in KEYS.iter().zip(before.iter().zip(after)) {
        assert_eq!(after.1, before.1, "{key}: the value");
        assert_eq!(after.2, before.2, "{key}: the expiry");
        let (before, after) = (before.0, after.0);
        assert_eq!(after.timeless(), before.timeless(), "{key}");
        // Time goes on, and not back.
        assert!(after.reset_after_ms <= before.reset_after_ms, "{key}");
        assert!(after.retry_after_ms <= before.retry_after_ms, "{key}");
    }
}

/// Uses up what is left: as much as before, and not one more.
#[track_caller]
fn use_up(client: &mut Client, before: &Look) {
    for ((key, limits), (ruling, ..)) in KEYS.into_iter().zip(before) {
        // A peek shows what would be left after it.
        let left = ruling.remaining + i64::from(ruling.allowed);
        if left > 0 {
            let ruling = client.rule(&format!("KEYNS.RATE {key} {limits} COST {left}"));
            assert!(ruling.allowed, "{key}: {ruling:?}");
        }
        let ruling = client.rule(&format!("KEYNS.RATE {key} {limits}"));
        assert!(!ruling.allowed, "{key}: {ruling:?}");
    }
}

#[test]
fn a_replica_that_takes_over_goes_on() {
    let mut server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    fill(&mut client);
    client.run("WAIT 1 60000");
    let before = look(&mut client);
    let mut heir = replica.client();
    assert_goes_on(&before, &look(&mut heir));
    server.kill();
    heir.run("REPLICAOF NO ONE");
    assert_goes_on(&before, &look(&mut heir));
    use_up(&mut heir, &before);
}

#[test]
fn a_server_that_died_goes_on_from_its_aof() {
    let mut server = Options::new().durable().start();
    fill(&mut server.client());
    let before = look(&mut server.client());
    server.start_again();
    assert_goes_on(&before, &look(&mut server.client()));
    use_up(&mut server.client(), &before);
}

#[test]
fn a_server_goes_on_from_its_rdb() {
    let mut server = Server::start();
    fill(&mut server.client());
    let before = look(&mut server.client());
    server.client().run("SAVE");
    server.start_again();
    assert_goes_on(&before, &look(&mut server.client()));
    use_up(&mut server.client(), &before);
}

#[test]
fn a_module_that_is_loaded_again_goes_on() {
    let server = Options::unloadable().start();
    let mut client = server.client();
    fill(&mut client);
    let before = look(&mut client);
    assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
    let path = Options::module_path();
    let load = ["MODULE", "LOAD", path.to_str().unwrap()];
    assert_eq!(client.call(&load).text(), "OK");
    assert_goes_on(&before, &look(&mut client));
    use_up(&mut client, &before);
}
