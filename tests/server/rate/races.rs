//! Many clients at one key: exactly as many requests pass as the limit admits.

use std::thread;

use keyns_testkit::{Client, Ruling, Server};

const CLIENTS: usize = 8;
const CALLS_EACH: usize = 3000;
const PIPELINE: usize = 50;

/// The units that pass when every client asks as often as it can.
fn admitted(server: &Server, line: &str) -> i64 {
    let words: Vec<&str> = line.split(' ').collect();
    let count = |mut client: Client| -> usize {
        let pipeline = vec![words.clone(); PIPELINE];
        let rounds = (0..CALLS_EACH / PIPELINE).map(|_| client.pipeline(&pipeline));
        let replies = rounds.flatten().map(|reply| Ruling::read(&reply));
        replies.filter(|ruling| ruling.allowed).count()
    };
    let passed: usize = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let client = server.client();
                scope.spawn(|| count(client))
            })
            .collect();
        clients.into_iter().map(|c| c.join().unwrap()).sum()
    });
    passed as i64
}

#[test]
fn no_client_gets_what_another_has_taken() {
    let server = Server::start();
    for (limits, passes) in [
        ("BUCKET 7777 1 1500d", 7777),
        ("FIXED 7777 1500d", 7777),
        ("SLIDING 7777 1500d", 7777),
        ("SLIDING 25 1500d", 25),
        ("BUCKET 7777 1 1500d COST 10", 777),
        ("SLIDING 7777 1500d COST 10", 777),
        (
            "BUCKET 5000 1 1500d FIXED 4000 1500d SLIDING 3000 1500d",
            3000,
        ),
        (
            "SLIDING 5000 1500d SLIDING 4000 1500d BUCKET 6000 1 1500d",
            4000,
        ),
    ] {
        server.client().run("FLUSHALL");
        let passed = admitted(&server, &format!("KEYNS.RATE k {limits}"));
        assert_eq!(passed, passes, "{limits}");
    }
}

#[test]
fn what_is_refunded_passes_again_and_once() {
    let server = Server::start();
    for limit in [
        "BUCKET 2000 1 1500d",
        "FIXED 2000 1500d",
        "SLIDING 2000 1500d",
    ] {
        server.client().run("FLUSHALL");
        let rate = format!("KEYNS.RATE k {limit}");
        assert_eq!(admitted(&server, &rate), 2000, "{limit}");
        let mut client = server.client();
        for _ in 0..10 {
            client.run(&format!("KEYNS.RATE.REFUND k {limit} COST 50"));
        }
        assert_eq!(admitted(&server, &rate), 500, "{limit}");
    }
}
