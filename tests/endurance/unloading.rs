//! `MODULE UNLOAD` while clients call: the module goes or refuses to, and the server lives.

mod guests;
mod refusals;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use keyns_testkit::{
    Client, Content, Document, Keyspace, Options, Server, Value, assert_same, keyspace, patience,
    without_counters,
};

use guests::{Calls, Guest, LINES, SCOPE};

const GUESTS: u64 = 6;

/// With these, every server can unload the module, and most documents are read in the background.
const ARGUMENTS: [&str; 4] = ["namespaces-in-rdb", "no", "parse-thread-bytes", "200"];

fn options() -> Options {
    Options::unloadable().module_arguments(&ARGUMENTS)
}

fn start() -> Server {
    options().start()
}

fn load(client: &mut Client) {
    let path = Options::module_path().display().to_string();
    let load = ["MODULE", "LOAD", &path];
    let reply = client.call(&[&load, &ARGUMENTS[..]].concat());
    assert_eq!(reply.text(), "OK");
}

fn unload(client: &mut Client) -> Value {
    client.run("MODULE UNLOAD keyns")
}

/// Whether the module stays because somebody still needs it.
fn is_refusal(reply: &Value) -> bool {
    reply.is_error() && reply.text().starts_with("ERR Error unloading module: ")
}

fn assert_well(server: &Server) {
    assert_eq!(server.client().run("PING").text(), "PONG");
    let log = server.log();
    assert!(!log.contains("BUG REPORT"), "{log}");
    assert!(!log.contains("internal error"), "{log}");
}

#[test]
fn a_module_that_comes_and_goes_under_load_takes_nothing_along() {
    const GOINGS: u64 = 100;
    let server = start();
    let calls = Calls::default();
    let is_over = AtomicBool::new(false);
    let (goings, refusals, guests) = thread::scope(|scope| {
        let guests: Vec<_> = (1..=GUESTS)
            .map(|number| {
                let mut guest = Guest::new(number, server.client(), &calls);
                let is_over = &is_over;
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        guest.act();
                    }
                    guest
                })
            })
            .collect();
        let mut client = server.client();
        let (mut goings, mut refusals) = (0, 0);
        let start = Instant::now();
        let is_enough = |goings, refusals| {
            goings >= GOINGS && refusals > 10 && calls.served() > 1000 && calls.missed() > 10
        };
        while !is_enough(goings, refusals) && start.elapsed() < patience() {
            let reply = unload(&mut client);
            if is_refusal(&reply) {
                refusals += 1;
                continue;
            }
            assert_eq!(reply.text(), "OK");
            goings += 1;
            thread::sleep(Duration::from_millis(goings % 4));
            load(&mut client);
        }
        is_over.store(true, Ordering::Relaxed);
        let guests: Vec<Guest> = guests.into_iter().map(|g| g.join().unwrap()).collect();
        (goings, refusals, guests)
    });
    let (served, missed) = (calls.served(), calls.missed());
    println!("{goings} times gone, {refusals} refused; {served} calls served, {missed} missed");
    assert!(goings > 10 && refusals > 10 && served > 1000 && missed > 10);
    assert_well(&server);
    assert_whole(
        &guests,
        &keyspace(&mut server.client()),
        &mut server.client(),
    );
    assert_eq!(server.client().info("keyns", "keyns_panics"), "0");
}

/// Every acknowledged document has all of its keys, and no other key of a document exists.
fn assert_whole(guests: &[Guest], keys: &Keyspace, client: &mut Client) {
    let mut library = without_counters(keys.clone());
    library.retain(|key, _| key.starts_with(SCOPE));
    let Content::Set(names) = &library[&format!("{SCOPE}level:doc:chunks")] else {
        panic!("a set");
    };
    assert_same(&library, &Document::keys_of_all(names, &library));
    let answered = guests.iter().flat_map(|guest| &guest.documents);
    let answered: Vec<_> = answered.collect();
    assert_eq!(answered.len(), names.len());
    for (name, text) in answered {
        assert_eq!(client.call(&["KEYNS.EXPORTMD", name]).text(), *text);
    }
    let counted: u64 = guests.iter().map(|guest| guest.counted).sum();
    let counter = client.run("GET numbers:_seq").text();
    assert_eq!(counter, counted.to_string(), "numbers were lost or doubled");
}

#[test]
fn memory_comes_back_each_time_the_module_goes() {
    let server = start();
    let mut used = Vec::new();
    for _ in 0..40 {
        let mut client = server.client();
        for line in LINES {
            let reply = client.run(line);
            assert!(!reply.is_error(), "{line}: {reply:?}");
        }
        client.run("FLUSHALL SYNC");
        assert_eq!(unload(&mut client).text(), "OK");
        // A new connection has no large buffers.
        let memory = server.client().info("memory", "used_memory");
        used.push(memory.parse::<i64>().unwrap());
        load(&mut client);
    }
    // The first rounds fill tables that the server itself keeps.
    let growth = used[39] - used[9];
    println!("{growth} bytes in 30 times");
    assert!(growth < 100_000, "{used:?}");
    assert_well(&server);
}
