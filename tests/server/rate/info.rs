//! What `INFO keyns` counts of rate limits.

use keyns_testkit::{Client, Server};

fn counts(client: &mut Client, fields: &[&str]) -> Vec<u64> {
    let mut count = |field: &&str| {
        let field = format!("keyns_rate_limits_{field}");
        client.info("keyns", &field).parse().unwrap()
    };
    fields.iter().map(&mut count).collect()
}

#[test]
fn requests_are_counted_by_the_algorithm_that_ruled() {
    let server = Server::start();
    let mut client = server.client();
    let limits = ["BUCKET 2 1 1500d", "FIXED 3 1500d", "SLIDING 4 1500d"];
    for (key, limit) in limits.into_iter().enumerate() {
        for _ in 0..10 {
            client.run(&format!("KEYNS.RATE {key} {limit}"));
        }
    }
    let fields = [
        "bucket_allowed",
        "bucket_denied",
        "fixed_allowed",
        "fixed_denied",
        "sliding_allowed",
        "sliding_denied",
        "blocked",
    ];
    assert_eq!(counts(&mut client, &fields), [2, 8, 3, 7, 4, 6, 0]);
    // Of several limits, the one that binds.
    client.run("KEYNS.RATE k BUCKET 2 1 1500d FIXED 1 1500d SLIDING 2 1500d");
    client.run("KEYNS.RATE k BUCKET 2 1 1500d FIXED 1 1500d SLIDING 2 1500d");
    assert_eq!(counts(&mut client, &fields), [2, 8, 4, 8, 4, 6, 0]);
    client.run("KEYNS.THROTTLE t 0 1 1500");
    client.run("KEYNS.THROTTLE t 0 1 1500");
    assert_eq!(counts(&mut client, &fields), [3, 9, 4, 8, 4, 6, 0]);
    client.run("KEYNS.RATE.BLOCK t 1500d");
    client.run("KEYNS.THROTTLE t 9 1 1500");
    client.run("KEYNS.RATE t SLIDING 9 1500d");
    assert_eq!(counts(&mut client, &fields), [3, 9, 4, 8, 4, 6, 2]);
    // What asks, gives back or goes wrong is no request.
    client.run("KEYNS.RATE.PEEK p BUCKET 2 1 1500d");
    client.run("KEYNS.RATE.PEEK k FIXED 1 1500d");
    client.run("KEYNS.RATE.PEEK t FIXED 1 1500d");
    client.run("KEYNS.RATE.REFUND k FIXED 1 1500d COST 1");
    client.run("KEYNS.RATE k FIXED 0 1500d");
    assert_eq!(counts(&mut client, &fields), [3, 9, 4, 8, 4, 6, 2]);
}

#[test]
fn calls_and_errors_are_counted() {
    let server = Server::start();
    let mut client = server.client();
    client.run("SET foreign x");
    client.run("LPUSH list x");
    for line in [
        "KEYNS.RATE k BUCKET 1 1 1500d",
        "KEYNS.RATE k BUCKET 1 1 1500d",
        "KEYNS.RATE.PEEK k BUCKET 1 1 1500d",
        "KEYNS.RATE.REFUND k BUCKET 1 1 1500d COST 1",
        "KEYNS.RATE.BLOCK k 1d",
        "KEYNS.THROTTLE t 1 1 1",
        "KEYNS.RATE k BUCKET 0 1 1500d",
        "KEYNS.RATE foreign FIXED 1 1500d",
        "KEYNS.RATE list FIXED 1 1500d",
        "KEYNS.RATE.BLOCK k 0",
        "KEYNS.THROTTLE t 1 1 0",
    ] {
        client.run(line);
    }
    let fields = ["calls", "errors"];
    assert_eq!(counts(&mut client, &fields), [11, 5]);
    assert_eq!(client.info("keyns", "keyns_naming_calls"), "0");
    assert_eq!(client.info("keyns", "keyns_panics"), "0");
}
