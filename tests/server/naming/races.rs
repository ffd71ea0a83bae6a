//! Many clients at once, and a server that dies among them: no name twice.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use keyns_testkit::{Client, Options, Server, Value};

const CLIENTS: usize = 8;
const NAMES_EACH: usize = 20_000;
const PIPELINE: usize = 50;

#[test]
fn names_made_at_the_same_time_are_distinct_new_and_without_gaps() {
    let server = Server::start();
    let done = AtomicBool::new(false);
    let (names, blocked) = thread::scope(|scope| {
        let done = &done;
        let blockers: Vec<_> = (0..2)
            .map(|which| {
                let client = server.client();
                scope.spawn(move || block_names(client, done, which))
            })
            .collect();
        let makers: Vec<_> = (0..CLIENTS)
            .map(|_| scope.spawn(|| make_names(&server)))
            .collect();
        let names: Vec<String> = makers.into_iter().flat_map(|m| m.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        let blocked: HashSet<String> = blockers
            .into_iter()
            .flat_map(|b| b.join().unwrap())
            .collect();
        (names, blocked)
    });
    assert_eq!(names.len(), CLIENTS * NAMES_EACH);
    let distinct: HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "a name came twice");
    assert!(
        names.iter().all(|name| !blocked.contains(name)),
        "a name was taken"
    );

    // Each number was either given out or stood for a name that existed.
    let number = |name: &str| name.rsplit(':').next().unwrap().parse::<usize>().unwrap();
    let given: HashSet<usize> = names.iter().map(|name| number(name)).collect();
    let skipped: HashSet<usize> = blocked.iter().map(|name| number(name)).collect();
    let last = server
        .client()
        .run("GET doc:_seq")
        .text()
        .parse::<usize>()
        .unwrap();
    let gaps = (1..=last).filter(|n| !given.contains(n));
    assert!(gaps.clone().all(|n| skipped.contains(&n)));
    assert!(
        gaps.count() > 0,
        "nobody was in the way: the test proves nothing"
    );
}

fn make_names(server: &Server) -> Vec<String> {
    let mut client = server.client();
    let mut names = Vec::with_capacity(NAMES_EACH);
    while names.len() < NAMES_EACH {
        for _ in 0..PIPELINE {
            client
                .send(&["KEYNS.MAKE", "doc", "Risk Management"])
                .unwrap();
        }
        for _ in 0..PIPELINE {
            names.push(client.receive().unwrap().text());
        }
    }
    names
}

/// Creates keys by hand a little ahead of the counter, until it is told to stop or the server is
/// gone; answers those it really created.
fn block_names(mut client: Client, done: &AtomicBool, which: usize) -> Vec<String> {
    // Only above the counter, where no name was given out yet.
    const SCRIPT: &str = "if tonumber(redis.call('GET', KEYS[1]) or 0) < tonumber(ARGV[1]) then \
                          return redis.call('SET', KEYS[2], 'by hand', 'NX') end return false";
    let mut created = Vec::new();
    while !done.load(Ordering::Relaxed) {
        let last = match client.try_call(&["GET", "doc:_seq"]) {
            Ok(Value::Null) => 0,
            Ok(value) => value.text().parse::<usize>().unwrap(),
            Err(_) => break,
        };
        for ahead in (2..40).step_by(4) {
            let number = last + ahead + which;
            let key = format!("doc:risk_management:{number:03}");
            let args = ["EVAL", SCRIPT, "2", "doc:_seq", &key, &number.to_string()];
            match client.try_call(&args) {
                Ok(Value::Null) => {}
                Ok(_) => created.push(key),
                Err(_) => break,
            }
        }
    }
    created
}

#[test]
fn a_name_that_was_answered_never_comes_again_after_a_crash() {
    const ROUNDS: u64 = 3;
    let mut server = Options::new().durable().start();
    let mut names: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let (answered, blocked) = thread::scope(|scope| {
            let makers: Vec<_> = (0..CLIENTS)
                .map(|_| {
                    let client = server.client();
                    scope.spawn(move || make_names_while_it_lives(client))
                })
                .collect();
            let client = server.client();
            let blocker = scope.spawn(|| block_names(client, &AtomicBool::new(false), 0));
            thread::sleep(Duration::from_millis(300 + 170 * round));
            server.kill();
            let answered: Vec<_> = makers.into_iter().flat_map(|m| m.join().unwrap()).collect();
            (answered, blocker.join().unwrap())
        });
        assert!(!answered.is_empty());
        assert!(answered.iter().all(|name| !blocked.contains(name)));
        names.extend(answered);
        server.start_again();
    }
    let mut client = server.client();
    names.extend((0..1000).map(|_| client.run("KEYNS.MAKE doc intro").text()));
    let number = |name: &String| name.rsplit(':').next().unwrap().to_owned();
    let numbers: HashSet<String> = names.iter().map(number).collect();
    assert_eq!(numbers.len(), names.len(), "a number came twice");
}

fn make_names_while_it_lives(mut client: Client) -> Vec<String> {
    let mut names = Vec::new();
    while let Ok(name) = client.try_call(&["KEYNS.MAKE", "doc", "Risk Management"]) {
        names.push(name.text());
    }
    names
}
