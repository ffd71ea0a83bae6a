//! What must hold when a batch is over: nothing panicked, and replica and AOF have the same data.

use std::collections::BTreeMap;

use keyns_testkit::{Client, Server, Value, wait_until};

use crate::world::World;

/// The log of a server that is well has none of these.
const ALARMS: [&str; 7] = [
    "panicked",
    "internal error",
    "BUG REPORT",
    "ASSERTION FAILED",
    "Guru Meditation",
    // What a replica says of a command that it could not apply.
    "CRITICAL",
    "Connection with replica client id",
];

/// How often primary and replica are compared before they count as different.
const LOOKS: usize = 3;

/// Nothing panicked, as far as counters know.
pub fn check_panics(world: &mut World) -> Result<(), String> {
    for (name, admin) in [
        ("primary", &mut world.admin),
        ("replica", &mut world.replica_admin),
    ] {
        let panics = admin.info("keyns", "keyns_panics");
        if panics != "0" {
            return Err(format!("keyns_panics of the {name} is {panics}"));
        }
    }
    Ok(())
}

pub fn check_logs(world: &mut World) -> Result<(), String> {
    let servers = [&world.primary, &world.replica];
    for (server, read) in servers.into_iter().zip(&mut world.logs_read) {
        let log = server.log();
        let new = log.get(*read..).unwrap_or_default();
        if let Some(line) = new.lines().find(|line| is_alarm(line)) {
            return Err(format!("the log says: {line}"));
        }
        *read = log.len();
    }
    Ok(())
}

fn is_alarm(line: &str) -> bool {
    ALARMS.iter().any(|alarm| line.contains(alarm))
}

/// The replica has the data of the primary. A hash field that expires between two looks makes them
/// differ once; a real difference stays.
pub fn check_replica(world: &mut World) -> Result<(), String> {
    let mut looks = std::iter::repeat_with(|| compare_replica(world)).take(LOOKS);
    let first = looks.next().unwrap_or(Ok(()));
    first.or_else(|difference| looks.find(Result::is_ok).unwrap_or(Err(difference)))
}

fn compare_replica(world: &mut World) -> Result<(), String> {
    // What expires from now on, expires when somebody looks.
    world.admin.run("DEBUG SET-ACTIVE-EXPIRE 0");
    let offset = world.admin.info("replication", "master_repl_offset");
    wait_until("the replica has everything", || {
        world.replica_admin.info("replication", "slave_repl_offset") == offset
    });
    let same = same_data(&world.primary, &world.replica, "replica");
    let expiries = same.and_then(|()| same_expiries(&mut world.admin, &mut world.replica_admin));
    world.admin.run("DEBUG SET-ACTIVE-EXPIRE 1");
    expiries
}

/// Reads the AOF again, and finds what was there.
pub fn check_aof(world: &mut World) -> Result<(), String> {
    world.admin.run("DEBUG SET-ACTIVE-EXPIRE 0");
    let before = sight(&world.primary);
    let reply = world.admin.run("DEBUG LOADAOF");
    let after = sight(&world.primary);
    world.admin.run("DEBUG SET-ACTIVE-EXPIRE 1");
    if reply.is_error() {
        return Err(format!("the AOF cannot be read: {reply:?}"));
    }
    if before != after {
        return Err(format!(
            "before the AOF was read: {before:?}, after: {after:?}"
        ));
    }
    Ok(())
}

fn same_data(primary: &Server, other: &Server, name: &str) -> Result<(), String> {
    let (expected, got) = (sight(primary), sight(other));
    if expected == got {
        return Ok(());
    }
    let digests = |server: &Server| {
        let mut client = server.client();
        let keys = client.run("KEYS *");
        let keys = keys.array().iter().map(|key| match key {
            Value::Bulk(bytes) => bytes.clone(),
            other => panic!("not a key: {other:?}"),
        });
        let digests = keys.map(|key| {
            let digest = client.call(&[b"DEBUG", b"DIGEST-VALUE".as_slice(), &key]);
            (key.escape_ascii().to_string(), digest.array()[0].text())
        });
        digests.collect::<BTreeMap<_, _>>()
    };
    let (ours, theirs) = (digests(primary), digests(other));
    let keys: std::collections::BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    let differ = keys
        .into_iter()
        .filter(|key| ours.get(*key) != theirs.get(*key));
    let differ: Vec<_> = differ.take(20).collect();
    Err(format!(
        "the {name} has other data: {expected:?}, {got:?}; keys of database 0: {differ:?}"
    ))
}

fn sight(server: &Server) -> (String, String) {
    let namespaces = server.client().run("KEYNS.NS.DUMP JSON");
    (server.digest(), namespaces.text())
}

/// Effects have absolute times.
fn same_expiries(primary: &mut Client, replica: &mut Client) -> Result<(), String> {
    let Value::Array(keys) = primary.run("KEYS *") else {
        return Err("KEYS has no array".into());
    };
    let asks: Vec<Vec<Vec<u8>>> = keys
        .into_iter()
        .map(|key| match key {
            Value::Bulk(key) => vec![b"PEXPIRETIME".to_vec(), key],
            other => panic!("not a key: {other:?}"),
        })
        .collect();
    let (ours, theirs) = (primary.pipeline(&asks), replica.pipeline(&asks));
    for ((ask, ours), theirs) in asks.iter().zip(&ours).zip(&theirs) {
        let gone = [ours, theirs].contains(&&Value::Integer(-2));
        if ours != theirs && !gone {
            let key = ask[1].escape_ascii();
            return Err(format!(
                "{key} expires at {ours:?}, on the replica at {theirs:?}"
            ));
        }
    }
    Ok(())
}
