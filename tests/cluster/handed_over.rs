//! Slots that go to another master as a whole (`CLUSTER MIGRATESLOTS`), while clients write their
//! keys all the time. Servers without the command move slots key by key only: see `moving`.

use keyns_testkit::{
    Client, Cluster, GUIDE, ROWS, Server, SlotMigration, Told, assert_same, ingest, keyspace,
    read_in_background, wait_until,
};

use crate::writers::{Acknowledged, write_during};

#[test]
fn while_slots_are_handed_over_nothing_is_given_twice_forgotten_or_lost() {
    let cluster = Cluster::start();
    if !cluster.nodes[0].has_slot_migration() {
        return;
    }
    cluster.read_in_background_on_every_second_node();
    let tag = cluster.tag_on(0);
    let key = format!("{{{tag}}}");
    let slot = cluster.masters()[0].client().slot_of(&key);
    let around = cluster.slots_around(&key, 0);
    let ports = cluster.ports();
    let ledger = write_during(&ports, &tag, Acknowledged::AtOnce, |wait_for_progress| {
        wait_for_progress(10);
        for (from, to, (first, last)) in [
            (0, 1, (slot, slot)),
            (1, 0, (slot, slot)),
            (0, 2, around),
            (2, 1, around),
            (1, 0, around),
        ] {
            let [source, target] = [from, to].map(|master| &cluster.masters()[master]);
            let moved = source.client().run("DBSIZE").integer();
            assert!(moved > 100, "{moved} keys");
            SlotMigration::begin(source, target, first, last).finish();
            wait_for_progress(10);
        }
    });
    let mut client = cluster.client();
    let mut master = cluster.masters()[0].client();
    ledger.assert_holds(&tag, &mut client, &mut master);

    // A slot that only moves leaves nothing uncertain.
    assert_eq!(ledger.perhaps_counted, 0);
    assert!(ledger.perhaps_admitted.is_empty());
    let mut events = ledger.new_events.clone();
    events.sort_unstable();
    let all: Vec<u64> = (0..events.len() as u64).collect();
    assert_eq!(events, all, "each event was new once");
    let sum = |count: fn(&Told) -> u64| ledger.told.iter().map(count).sum::<u64>();
    assert!(sum(|told| told.moved) > 0, "nobody was told of the move");
    assert_eq!(sum(|told| told.ask), 0, "keys went one by one");
    for other in [1, 2] {
        assert_has_nothing(&cluster.masters()[other]);
    }
    for master in 0..cluster.masters().len() {
        wait_until("a replica has what its master has", || {
            cluster.replica_of(master).digest() == cluster.masters()[master].digest()
        });
    }
}

/// While a migration lasts, its target has the keys, but shows them to nobody: not to clients, not to
/// the commands by which we look for keys, not on its replica.
#[test]
fn keys_that_are_copied_already_are_still_those_of_the_old_master_only() {
    let cluster = Cluster::start();
    if !cluster.nodes[0].has_slot_migration() {
        return;
    }
    let tag = cluster.tag_on(0);
    let [source, target] = [0, 1].map(|master| &cluster.masters()[master]);
    let mut client = source.client();
    let scope = format!("{{{tag}}}");
    for row in ROWS.iter().filter(|row| row.derives_keys()) {
        client.prepare(row, &scope);
    }
    let before = keyspace(&mut client);
    let slot = client.slot_of(&scope);
    source.hold_migrations(true);
    let mut migration = SlotMigration::begin(source, target, slot, slot);
    migration.wait_until_copied();
    let moved = format!("MOVED {slot} 127.0.0.1:{}", source.port);
    for node in [target, cluster.replica_of(1)] {
        let mut client = node.client();
        client.run("READONLY");
        for row in ROWS.iter().filter(|row| row.derives_keys()) {
            let reply = client.call(&row.call_in(&scope));
            assert_eq!(reply.text(), moved, "{}", row.line);
        }
    }
    assert_has_nothing(target);
    assert_has_nothing(cluster.replica_of(1));
    // Later writes follow, whichever way they are made.
    let made = ["KEYNS.MAKE", &format!("{scope}:late"), "Intro"];
    let name = client.call(&made).text();
    write_in_every_way(&mut client, &scope);
    let mut expected = keyspace(&mut client);
    assert!(expected.len() > before.len());
    source.hold_migrations(false);
    migration.finish();
    let mut new = target.client();
    assert_same(&keyspace(&mut new), &expected);
    assert_ne!(new.call(&made).text(), name);
    expected = keyspace(&mut new);
    let mut replica = cluster.replica_of(1).client();
    wait_until("its replica has it too", || {
        replica.run("READONLY");
        keyspace(&mut replica) == expected
    });
    assert_has_nothing(source);
}

/// Writes in a transaction, in a script, and after a document was read in the background.
fn write_in_every_way(client: &mut Client, scope: &str) {
    const SCRIPT: &str = "redis.call('KEYNS.NEXTID', KEYS[1], 'COUNT', 7) \
        return redis.call('KEYNS.LOCK', KEYS[1], 'ada', 'PX', 600000)";
    client.run("MULTI");
    client.run(&format!("KEYNS.RATE {scope}:late:rate SLIDING 9 1500d"));
    client.run(&format!(
        "KEYNS.COUNT {scope}:late:hits GRAIN DAY AT 1794700800 KEEP 0"
    ));
    let replies = client.run("EXEC");
    assert!(
        replies.array().iter().all(|reply| !reply.is_error()),
        "{replies:?}"
    );
    let key = format!("{scope}:late:lock");
    let token = client.call(&["EVAL", SCRIPT, "1", &key]);
    assert!(token.integer() > 0);
    read_in_background(client, true);
    ingest(client, &format!("{scope}:doc"), GUIDE, "SIBLINGS");
}

/// Which of the two masters dies while slots go from the first to the second.
#[derive(Clone, Copy)]
enum Victim {
    Source,
    Target,
}

#[test]
fn a_master_that_dies_while_it_hands_slots_over_leaves_them_to_its_replica() {
    die_in_the_middle(Victim::Source);
}

#[test]
fn a_master_that_dies_while_it_gets_slots_leaves_them_where_they_are() {
    die_in_the_middle(Victim::Target);
}

fn die_in_the_middle(victim: Victim) {
    let mut cluster = Cluster::start_with_failover();
    if !cluster.nodes[0].has_slot_migration() {
        return;
    }
    cluster.read_in_background_on_every_second_node();
    let tag = cluster.tag_on(0);
    let slot = cluster.masters()[0].client().slot_of(&format!("{{{tag}}}"));
    let dying = victim as usize;
    let mut heir = cluster.replica_of(dying).client();
    let ports = cluster.ports();
    let ledger = write_during(&ports, &tag, Acknowledged::AfterWait, |wait_for_progress| {
        wait_for_progress(20);
        cluster.masters()[0].hold_migrations(true);
        let [source, target] = [0, 1].map(|master| &cluster.masters()[master]);
        let mut migration = SlotMigration::begin(source, target, slot, slot);
        migration.wait_until_copied();
        wait_for_progress(5);
        cluster.nodes[dying].kill();
        wait_until("the replica has taken over", || {
            heir.info("replication", "role") == "master"
        });
        // It comes back, and follows the one that was its replica.
        cluster.nodes[dying].start_again();
        wait_for_progress(20);
        // Then the slots go where they should have gone.
        let [source, target] = match victim {
            Victim::Source => [cluster.replica_of(0), &cluster.masters()[1]],
            Victim::Target => [&cluster.masters()[0], cluster.replica_of(1)],
        };
        source.hold_migrations(false);
        assert_has_nothing(target);
        wait_until("both are in the cluster that works", || {
            source.client().knows(6) && target.client().knows(6)
        });
        SlotMigration::begin(source, target, slot, slot).finish();
        wait_for_progress(10);
    });
    let owner = match victim {
        Victim::Source => &cluster.masters()[1],
        Victim::Target => cluster.replica_of(1),
    };
    let mut client = cluster.client();
    ledger.assert_holds(&tag, &mut client, &mut owner.client());
    for node in &cluster.nodes {
        let mut client = node.client();
        client.run("READONLY");
        if client.run("CLUSTER MYSHARDID") != owner.client().run("CLUSTER MYSHARDID") {
            assert_has_nothing(node);
        }
    }
}

/// Fails unless a node comes to have no key at all.
#[track_caller]
fn assert_has_nothing(node: &Server) {
    const NOTHING: &str = "0000000000000000000000000000000000000000";
    let mut client = node.client();
    wait_until("no key is left behind", || {
        client.run("DBSIZE").integer() == 0
            && client.run("KEYS *").array().is_empty()
            && client.run("DEBUG DIGEST").text() == NOTHING
    });
}
