//! A slot moves to another master and back, key by key, while clients keep writing its keys.

use std::thread::sleep;
use std::time::Duration;

use keyns_testkit::{Cluster, SlotMove, Told};

use crate::writers::{Acknowledged, write_during};

#[test]
fn while_a_slot_goes_there_and_back_nothing_is_given_twice_forgotten_or_lost() {
    let cluster = Cluster::start();
    cluster.read_in_background_on_every_second_node();
    let tag = cluster.tag_on(0);
    let key = format!("{{{tag}}}");
    let mut moved_keys = Vec::new();
    let ledger = write_during(
        &cluster.ports(),
        &tag,
        Acknowledged::AtOnce,
        |wait_for_progress| {
            wait_for_progress(10);
            for (from, to, counter) in [
                (0, 1, "_seq"),
                (1, 0, "_slugs"),
                (0, 2, "_slugs"),
                (2, 0, "_seq"),
            ] {
                let mut moving = SlotMove::begin(&cluster, &key, from, to);
                // One counter of a prefix arrives long before the other.
                moving.move_keys(&[format!("{key}:note:{counter}")]);
                let mut moved = 0;
                loop {
                    match moving.move_some(10) {
                        0 => break,
                        some => moved += some,
                    }
                    // Give clients time to meet every state in between.
                    sleep(Duration::from_millis(3));
                }
                moving.finish();
                moved_keys.push(moved);
                wait_for_progress(10);
            }
        },
    );
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
    assert!(
        moved_keys.iter().all(|moved| *moved > 100),
        "{moved_keys:?}"
    );
    let sum = |count: fn(&Told) -> u64| ledger.told.iter().map(count).sum::<u64>();
    assert!(sum(|told| told.ask) > 0, "nobody was sent on");
    assert!(sum(|told| told.try_again) > 0, "nobody had to wait");
    assert!(sum(|told| told.moved) > 0, "nobody was told of the move");
    for master in 1..cluster.masters().len() {
        let left = cluster.masters()[master].client().run("DBSIZE").integer();
        assert_eq!(left, 0, "keys that were left behind on master {master}");
    }
}
