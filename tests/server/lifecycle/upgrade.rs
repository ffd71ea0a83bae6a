//! "Upgrading" of docs/operations.md, performed line by line. The module with KEYNS.PANIC is the
//! other version: it has one more command.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use keyns_testkit::{
    Client, Node, Options, Page, Server, Value, ingest, perform, steps, wait_until,
};

const DURABLE: &str = "appendonly yes\nappendfsync always\n";

fn versions() -> [PathBuf; 2] {
    [Options::module_path(), Options::panic_module_path()]
}

/// Which of the two versions a node runs.
fn runs(node: &Node, version: &Path) -> bool {
    let info = node.client().run("COMMAND INFO KEYNS.PANIC");
    let has_more = info.array()[0] != Value::Null;
    has_more == (version == Options::panic_module_path())
}

/// Something of every family.
fn fill(client: &mut Client) {
    client.run("KEYNS.MAKE book Intro");
    client.run("KEYNS.MAKE book Intro NUMBERING SLUG");
    ingest(client, "guide", "# Moss\n\ngrows.\n\n# Fern\n\ntoo.\n", "");
    client.run("KEYNS.RATE rate:api BUCKET 10 1 100d COST 4");
    client.run("KEYNS.LOCK lock:report ada PX 600000");
    client.run("KEYNS.SEEN dup:order:4711");
    client.run("KEYNS.ADVANCE ver:order:4711 3");
    client.run("KEYNS.CHECKPOINT cp:orders 17");
    client.run("KEYNS.COUNT visits GRAIN DAY GRAIN YEAR");
    client.define("user", "user:<id:int>", "OWNER web");
    client.run("KEYNS.NS.PRESET campaigns");
}

/// What the commands say about that state, which must continue.
#[track_caller]
fn assert_goes_on(client: &mut Client) {
    let text = client.run("KEYNS.EXPORTMD guide:moss:001").text();
    assert_eq!(text, "# Moss\n\ngrows.\n\n# Fern\n\ntoo.\n");
    let peek = client.run("KEYNS.RATE.PEEK rate:api BUCKET 10 1 100d COST 6");
    assert_eq!(peek.array()[0].integer(), 1);
    let over = client.run("KEYNS.RATE.PEEK rate:api BUCKET 10 1 100d COST 7");
    assert_eq!(over.array()[0].integer(), 0);
    assert_eq!(
        client.run("KEYNS.LOCK lock:report bob PX 1000"),
        Value::Null
    );
    assert_eq!(client.run("KEYNS.SEEN dup:order:4711").integer(), 0);
    let stored = client.run("KEYNS.ADVANCE ver:order:4711 2");
    assert_eq!(stored.array()[1].integer(), 3);
    assert_eq!(client.run("KEYNS.KEY user 42").text(), "user:42");
    assert_eq!(client.run("KEYNS.NEXTID guide").integer(), 2);
}

/// A client that keeps making names, on whichever server accepts writes.
struct Writer {
    stops: Arc<AtomicBool>,
    /// Held during a call.
    calls: Arc<Mutex<()>>,
    thread: JoinHandle<Vec<String>>,
}

impl Writer {
    fn start(ports: [u16; 2]) -> Writer {
        let stops = Arc::new(AtomicBool::new(false));
        let calls = Arc::new(Mutex::new(()));
        let (stop, call) = (Arc::clone(&stops), Arc::clone(&calls));
        let thread = thread::spawn(move || {
            let mut names = Vec::new();
            for port in ports.into_iter().cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let Ok(mut client) = Client::connect(port) else {
                    sleep(Duration::from_millis(5));
                    continue;
                };
                while !stop.load(Ordering::Relaxed) {
                    let guard = call.lock().unwrap();
                    let Ok(Value::Bulk(name)) = client.try_call(&["KEYNS.MAKE", "doc", "Intro"])
                    else {
                        break;
                    };
                    names.push(String::from_utf8(name).unwrap());
                    drop(guard);
                    sleep(Duration::from_millis(1));
                }
            }
            names
        });
        Writer {
            stops,
            calls,
            thread,
        }
    }

    /// Nothing is written while this is held.
    fn hold(&self) -> MutexGuard<'_, ()> {
        self.calls.lock().unwrap()
    }

    fn names(self) -> Vec<String> {
        self.stops.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Waits until one node follows the other, and fails unless they then have the same data.
#[track_caller]
fn assert_agree(a: &Node, b: &Node) {
    let follows = |a: &Node, b: &Node| a.follows() == Some(b.server.port);
    wait_until("one node follows the other", || {
        follows(a, b) || follows(b, a)
    });
    let namespaces = |node: &Node| node.client().namespaces();
    wait_until("both have the same", || {
        a.server.digest() == b.server.digest() && namespaces(a) == namespaces(b)
    });
}

#[track_caller]
fn upgrade_with_replicas(old: &Path, new: &Path) {
    let mut primary = Node::start(old, DURABLE);
    let of = format!("replicaof 127.0.0.1 {}\n", primary.server.port);
    let mut replica = Node::start(old, &(DURABLE.to_owned() + &of));
    wait_until("the replica follows", || replica.follows().is_some());
    fill(&mut primary.client());
    let namespaces = primary.client().namespaces();
    let writer = Writer::start([primary.server.port, replica.server.port]);
    let page = Page::operations();
    let steps = steps(&page, "### Upgrading with replicas");
    let mut nodes = [("primary", &mut primary), ("replica", &mut replica)];
    let mut looks = 0;
    perform(&steps, &mut nodes, new, |nodes| {
        let _held = writer.hold();
        assert_agree(nodes[0].1, nodes[1].1);
        assert_eq!(nodes[0].1.client().namespaces(), namespaces);
        looks += 1;
    });
    assert!(looks >= 10, "{looks}");
    assert!(runs(&primary, new) && runs(&replica, new));
    assert_eq!(primary.follows(), Some(replica.server.port));
    let counter = || {
        let counter = replica.client().run("GET doc:_seq").text();
        counter.parse::<u64>().unwrap()
    };
    let before = counter();
    wait_until("the writer goes on with the new primary", || {
        counter() > before
    });
    let mut names = writer.names();
    let (taken, last) = (names.len(), names.last().cloned());
    names.sort();
    names.dedup();
    assert_eq!(names.len(), taken, "a name was returned twice");
    // The new primary knows every name that was taken.
    let number = last.unwrap().rsplit(':').next().unwrap().to_owned();
    assert!(counter() >= number.parse().unwrap());
    assert_goes_on(&mut replica.client());
    assert!(!primary.server.log().contains("CRITICAL"));
    assert!(!replica.server.log().contains("CRITICAL"));
    // The files agree with the nodes.
    primary.restart();
    replica.restart();
    assert_agree(&primary, &replica);
    assert_eq!(primary.follows(), Some(replica.server.port));
}

#[test]
fn replicas_first_then_a_failover_then_the_old_primary_lose_nothing() {
    let [old, new] = versions();
    upgrade_with_replicas(&old, &new);
}

#[test]
fn the_same_steps_lead_back() {
    let [new, old] = versions();
    upgrade_with_replicas(&old, &new);
}

#[test]
fn one_server_continues_after_its_restart() {
    let [old, new] = versions();
    let mut node = Node::start(&old, DURABLE);
    fill(&mut node.client());
    let (digest, namespaces) = (node.server.digest(), node.client().namespaces());
    let steps = steps(&Page::operations(), "### Upgrading one server");
    perform(&steps, &mut [("server", &mut node)], &new, |_| ());
    assert!(runs(&node, &new));
    assert_eq!(node.server.digest(), digest);
    assert_eq!(node.client().namespaces(), namespaces);
    assert_goes_on(&mut node.client());
}

#[test]
fn a_server_that_can_unload_the_module_needs_no_restart() {
    let [old, new] = versions();
    let mut node = Node::start(&old, "keyns.namespaces-in-rdb no\n");
    fill(&mut node.client());
    let (digest, namespaces) = (node.server.digest(), node.client().namespaces());
    let process = node.client().info("server", "process_id");
    let steps = steps(&Page::operations(), "### Upgrading without a restart");
    perform(&steps, &mut [("server", &mut node)], &new, |_| ());
    assert!(runs(&node, &new));
    assert_eq!(node.client().info("server", "process_id"), process);
    assert_eq!(node.server.digest(), digest);
    assert_eq!(node.client().namespaces(), namespaces);
    assert_goes_on(&mut node.client());
}

/// "Old and new version side by side" on the page: the data is what matters.
#[test]
fn a_replica_continues_without_a_namespace_that_only_a_newer_version_knows() {
    let primary = Server::start();
    let replica = primary.replica();
    let mut client = primary.client();
    client.define("user", "user:<id:int>", "");
    client.run("DEBUG REPLICATE KEYNS.NS.SET later PATTERN later:<x:ulid>");
    client.define("late", "late:<x>", "");
    client.run("KEYNS.MAKE doc Intro");
    client.run("WAIT 1 10000");
    assert_eq!(replica.digest(), primary.digest());
    assert_eq!(replica.client().namespace_names(), ["late", "user"]);
    let log = replica.log();
    assert!(log.contains("unknown type 'ulid'"), "{log}");
}

#[test]
fn a_snapshot_with_namespaces_that_only_a_newer_version_knows_loses_none() {
    let server = Options::new()
        .set("--rdbcompression", &["no"])
        .set("--rdbchecksum", &["no"])
        .start();
    server.client().define("user", "user:<id:uuid>", "");
    server.client().run("SAVE");
    let rdb = fs::read(server.dir.join("dump.rdb")).unwrap();
    let place = rdb.windows(4).position(|bytes| bytes == b"uuid").unwrap();
    let mut newer = rdb.clone();
    newer[place..place + 4].copy_from_slice(b"ulid");
    let options = Options::new().file("dump.rdb", newer);
    let reason = "namespace 'user': PATTERN at column 10: unknown type 'ulid'";
    if server.has_module_data() {
        let expected = format!("the snapshot's namespaces are wrong: {reason}");
        assert!(Page::operations().contains(&expected));
        let log = options.refused();
        assert!(log.contains(&expected), "{log}");
    } else {
        // There they are a string, which snapshots of this version keep.
        let expected = format!("the namespaces in keyns:_registry are wrong: {reason}");
        assert!(Page::operations().contains(&expected));
        let server = options.start();
        for _ in 0..2 {
            assert!(server.log().contains(&expected), "{}", server.log());
            assert!(server.client().namespace_names().is_empty());
            let kept = server.client().run("GET keyns:_registry").text();
            assert!(kept.contains("<id:ulid>"), "{kept}");
            server.client().run("SAVE");
            assert_eq!(server.client().run("DEBUG RELOAD").text(), "OK");
        }
    }
    let back = Options::new().file("dump.rdb", rdb).start();
    assert_eq!(back.client().namespace_names(), ["user"]);
}
