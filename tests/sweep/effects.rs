//! Replicas, the AOF and snapshots have what the primary has, after a random mix of everything.

use keyns_testkit::{Options, ROWS, Random, Row, Server, rewrite_aof, wait_until};

const CALLS: u64 = 6_000;
const SCOPES: [&str; 4] = ["{acme}", "{bolt}", "{cord}", "{dune}"];

/// Makes calls of all rows, in any order and in any state, most plainly and some in transactions and
/// scripts.
fn mix(server: &Server, random: &mut Random) {
    let mut client = server.client();
    for _ in 0..CALLS {
        let row = random.pick(ROWS);
        let scope = random.pick(&SCOPES);
        let mut lines = row.before.to_vec();
        lines.push(row.line);
        for line in lines {
            let mut words = Row::words(&line.replace("{acme}", scope));
            match random.below(8) {
                0 => {
                    client.run("MULTI");
                    client.call(&words);
                    client.call(&words);
                    client.run("EXEC");
                }
                1 => {
                    let script = "redis.pcall(unpack(ARGV)) return redis.pcall(unpack(ARGV))";
                    let eval = ["EVAL", script, "0"].map(str::to_owned);
                    words.splice(0..0, eval);
                    client.call(&words);
                }
                _ => drop(client.call(&words)),
            }
        }
        if random.once_in(500) {
            client.run("SELECT 1");
        }
        if random.once_in(500) {
            client.run("SELECT 0");
        }
    }
}

/// What a server has, as far as it can be compared.
fn content(server: &Server) -> (String, String) {
    (server.digest(), server.client().namespaces())
}

#[test]
fn replica_aof_and_snapshot_agree_with_the_primary() {
    let mut server = Options::new().set("--appendonly", &["yes"]).start();
    let replica = server.replica();
    let mut random = Random::seeded(0x00C0_FFEE);
    mix(&server, &mut random);
    let mut client = server.client();
    let before = content(&server);
    wait_until("the replica has the same", || content(&replica) == before);

    // The AOF as it was written.
    wait_until("the AOF is on disk", || {
        client.info("persistence", "aof_pending_bio_fsync") == "0"
    });
    server.start_again();
    assert_eq!(content(&server), before);

    // The AOF as it is rewritten.
    rewrite_aof(&mut server.client());
    server.start_again();
    assert_eq!(content(&server), before);

    // The snapshot alone.
    assert_eq!(server.client().run("SAVE").text(), "OK");
    let copy = Options::new().start_with(&server.dir.join("dump.rdb"), "dump.rdb");
    let (digest, namespaces) = content(&copy);
    assert_eq!(digest, before.0);
    assert_eq!(namespaces, before.1);

    // A replica that starts from a snapshot.
    let late = server.replica();
    let (digest, _) = content(&late);
    assert_eq!(digest, before.0);
}
