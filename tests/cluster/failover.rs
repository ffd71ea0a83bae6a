//! A master is killed while clients write: its replica takes over with every acknowledged write.

use std::thread::sleep;
use std::time::Duration;

use keyns_testkit::{Cluster, Value, wait_until};

use crate::writers::{Acknowledged, write_during};

/// The master that is killed.
const VICTIM: usize = 0;

#[test]
fn what_was_acknowledged_after_wait_survives_the_death_of_a_master() {
    let mut cluster = Cluster::start_with_failover();
    cluster.read_in_background_on_every_second_node();
    let tag = cluster.tag_on(VICTIM);
    let mut client = cluster.client();
    let lock = format!("{{{tag}}}:held");
    let take = |owner| ["KEYNS.LOCK", &lock, owner, "PX", "6000000"];
    let token = client.call(&take("ada")).integer();
    assert_eq!(client.wait_for_replica(), 1);
    let mut master = cluster.masters()[VICTIM].client();
    master.define("note", "note:<id>", "TTL 60");
    assert_eq!(master.run("WAIT 1 60000").integer(), 1);
    let namespaces = master.namespaces();

    let mut heir = cluster.replica_of(VICTIM).client();
    let ports = cluster.ports();
    let ledger = write_during(&ports, &tag, Acknowledged::AfterWait, |wait_for_progress| {
        wait_for_progress(30);
        // Its last writes reach no other node.
        let frozen = cluster.replica_of(VICTIM).freeze();
        let killed = cluster.masters()[VICTIM]
            .client()
            .run("CLIENT KILL TYPE replica");
        assert_eq!(killed.integer(), 1);
        sleep(Duration::from_millis(300));
        cluster.nodes[VICTIM].kill();
        drop(frozen);
        wait_until("the replica has taken over", || {
            heir.info("replication", "role") == "master"
        });
        // The dead master comes back and follows its former replica.
        cluster.nodes[VICTIM].start_again();
        wait_for_progress(30);
    });
    assert_eq!(cluster.ports(), ports);
    let mut client = cluster.client();
    ledger.assert_holds(&tag, &mut client, &mut heir);

    // The lock is still held, its holder may take it again, and tokens only rise.
    assert_eq!(client.call(&take("bob")), Value::Null);
    let again = client.call(&take("ada")).integer();
    assert!(again > token, "{again} after {token}");
    assert!(again > *ledger.tokens.last().expect("tokens"));
    assert_eq!(heir.namespaces(), namespaces);

    let old = &cluster.nodes[VICTIM];
    let mut old_client = old.client();
    wait_until("the old master is a replica", || {
        old_client.info("replication", "role") == "slave"
            && old_client.info("replication", "master_link_status") == "up"
    });
    wait_until("both have the same", || {
        old.digest() == cluster.replica_of(VICTIM).digest()
    });
    assert_eq!(old_client.namespaces(), namespaces);
}
