//! One node has some keys of a slot and another node has the rest: no call answers or writes on the
//! strength of half of them.

use std::fmt::Debug;

use keyns_testkit::{
    Cluster, Options, ROWS, Random, Row, Server, SlotMove, Value, assert_same, assert_same_reply,
    keyspace, wait_until,
};

const MAKE: &[&str] = &["KEYNS.MAKE", "{t}:doc", "Intro"];
const MAKE_BY_SLUG: &[&str] = &["KEYNS.MAKE", "{t}:doc", "Intro", "NUMBERING", "SLUG"];
const NEXTID: &[&str] = &["KEYNS.NEXTID", "{t}:doc"];

#[track_caller]
fn assert_try_again<A: Debug>(call: &[A], reply: &Value) {
    assert!(reply.is_error(), "{call:?}: {reply:?}");
    assert!(reply.text().starts_with("TRYAGAIN "), "{call:?}: {reply:?}");
}

#[test]
fn no_name_is_given_again_while_the_counter_of_slugs_is_on_the_old_node() {
    let cluster = Cluster::of_two();
    let mut client = cluster.nodes[0].client();
    assert_eq!(client.call(NEXTID).integer(), 1);
    for number in 2..=4 {
        let name = client.call(MAKE_BY_SLUG).text();
        assert_eq!(name, format!("{{t}}:doc:intro:00{number}"));
    }
    let mut moving = SlotMove::begin(&cluster, "{t}", 0, 1);
    moving.move_keys(&["{t}:doc:_seq"]);
    for call in [MAKE, MAKE_BY_SLUG] {
        assert_try_again(call, &moving.ask(call));
    }
    // Numbers have nothing to do with slugs.
    assert_eq!(moving.ask(NEXTID).integer(), 2);
    moving.finish();
    let mut client = cluster.nodes[1].client();
    assert_eq!(client.call(MAKE).text(), "{t}:doc:intro:005");
}

#[test]
fn no_name_is_given_again_while_the_counter_of_the_prefix_is_on_the_old_node() {
    let cluster = Cluster::of_two();
    let mut client = cluster.nodes[0].client();
    let other = ["KEYNS.MAKE", "{t}:doc", "Other", "NUMBERING", "SLUG"];
    assert_eq!(client.call(&other).text(), "{t}:doc:other:001");
    for number in 1..=3 {
        let name = client.call(MAKE).text();
        assert_eq!(name, format!("{{t}}:doc:intro:00{number}"));
    }
    let mut moving = SlotMove::begin(&cluster, "{t}", 0, 1);
    moving.move_keys(&["{t}:doc:_slugs"]);
    for call in [MAKE, MAKE_BY_SLUG, NEXTID] {
        assert_try_again(call, &moving.ask(call));
    }
    moving.finish();
    let mut client = cluster.nodes[1].client();
    assert_eq!(client.call(MAKE_BY_SLUG).text(), "{t}:doc:intro:004");
}

#[test]
fn no_name_is_given_whose_key_is_on_the_old_node() {
    let cluster = Cluster::of_two();
    let mut client = cluster.nodes[0].client();
    assert_eq!(client.call(MAKE).text(), "{t}:doc:intro:001");
    assert_eq!(client.call(MAKE_BY_SLUG).text(), "{t}:doc:intro:002");
    // Written by hand, ahead of both counters.
    client.run("HSET {t}:doc:intro:003 title Intro");
    let mut moving = SlotMove::begin(&cluster, "{t}", 0, 1);
    moving.move_keys(&["{t}:doc:_seq", "{t}:doc:_slugs"]);
    for call in [MAKE, MAKE_BY_SLUG] {
        assert_try_again(call, &moving.ask(call));
    }
    moving.finish();
    let mut client = cluster.nodes[1].client();
    assert_eq!(client.call(MAKE).text(), "{t}:doc:intro:004");
}

/// The prefix is a key itself, so the old node runs its commands.
#[test]
fn no_name_is_given_again_by_the_old_node_when_a_counter_has_left_it() {
    for (gone, first, second) in [
        ("{t}:doc:_seq", MAKE, MAKE_BY_SLUG),
        ("{t}:doc:_slugs", MAKE_BY_SLUG, MAKE),
    ] {
        let cluster = Cluster::of_two();
        let mut client = cluster.nodes[0].client();
        client.run("SET {t}:doc here");
        for number in 1..=3 {
            let name = client.call(first).text();
            assert_eq!(name, format!("{{t}}:doc:intro:00{number}"));
        }
        // This counter stays.
        let other = [second, &["WIDTH", "4"]].concat();
        assert_eq!(client.call(&other).text(), "{t}:doc:intro:0004");
        let mut moving = SlotMove::begin(&cluster, "{t}", 0, 1);
        moving.move_keys(&[gone]);
        for call in [first, second] {
            assert_try_again(call, &moving.ask_old(call));
        }
        moving.finish();
        let mut client = cluster.nodes[1].client();
        assert_eq!(client.call(second).text(), "{t}:doc:intro:005");
    }
}

#[test]
fn scripts_and_transactions_are_told_to_try_again_as_well() {
    const SCRIPT: &str = "return redis.call('KEYNS.MAKE', KEYS[1], 'Intro')";
    let cluster = Cluster::of_two();
    let script = ["EVAL", SCRIPT, "1", "{t}:doc"];
    let mut client = cluster.nodes[0].client();
    assert_eq!(client.call(&script).text(), "{t}:doc:intro:001");
    let mut moving = SlotMove::begin(&cluster, "{t}", 0, 1);
    moving.move_keys(&["{t}:doc:_seq"]);
    assert_try_again(&script, &moving.ask(&script));
    assert_eq!(moving.ask(&["MULTI"]).text(), "OK");
    assert_eq!(moving.ask(MAKE).text(), "QUEUED");
    let replies = moving.ask(&["EXEC"]);
    assert_try_again(MAKE, &replies.array()[1]);
    moving.finish();
    let mut client = cluster.nodes[1].client();
    assert_eq!(client.call(&script).text(), "{t}:doc:intro:002");
    client.run("MULTI");
    client.call(MAKE);
    assert_eq!(client.run("EXEC").array()[0].text(), "{t}:doc:intro:003");
}

/// The old node accepts a transaction if all its keys are there, but creates none of them anew.
#[test]
fn of_several_limits_none_is_charged_if_the_server_would_refuse_to_create_another() {
    // These share a slot without a hash tag.
    const BY_CHANCE: [&str; 2] = ["rate:9", "rate:1384"];
    for [here, gone] in [["{t}:1", "{t}:2"], ["{t}:2", "{t}:1"], BY_CHANCE] {
        let cluster = Cluster::of_two();
        let mut client = cluster.nodes[0].client();
        let limit = ["SLIDING", "5", "1500d"];
        let all = [&["KEYNS.RATE.ALL", "2", here, gone], &limit[..]].concat();
        let peek = [&["KEYNS.RATE.PEEK", here], &limit[..], &["COST", "0"]].concat();
        assert!(!client.call(&all).is_error());
        client.run(&format!("DEL {gone}"));
        assert!(!client.call(&all).is_error());
        let mut moving = SlotMove::begin(&cluster, here, 0, 1);
        for call in [&["MULTI"], &["DEL", gone][..], &all] {
            moving.ask_old(call);
        }
        let replies = moving.ask_old(&["EXEC"]);
        assert_eq!(replies.array()[0].integer(), 1);
        assert_try_again(&all, &replies.array()[1]);
        assert_eq!(moving.ask_old(&peek).array()[2].integer(), 3);
        moving.finish();
        let mut client = cluster.nodes[1].client();
        assert!(!client.call(&all).is_error());
        assert_eq!(client.call(&peek).array()[2].integer(), 2);
    }
}

/// The module needs EXISTS to find out.
#[test]
fn without_exists_nobody_can_tell_whether_a_slot_moves_and_no_name_is_given() {
    let server = Options::node()
        .set("--rename-command", &["EXISTS", ""])
        .start();
    let mut client = server.client();
    client.run("CLUSTER ADDSLOTSRANGE 0 16383");
    wait_until("the cluster is up", || client.knows(1));
    for call in [MAKE, MAKE_BY_SLUG, NEXTID] {
        assert_eq!(
            client.call(call).text(),
            "ERR this command needs EXISTS, which the server does not have (renamed?)"
        );
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

/// Each row has a scope of its own, and all share one hash tag. So each finds the slot half moved, even
/// if its own keys are all on one node or do not exist.
#[test]
fn whichever_keys_have_moved_nothing_is_answered_or_written_by_halves() {
    let cluster = Cluster::of_two();
    let alone = Server::start();
    let [mut old, mut new] = [0, 1].map(|node| cluster.nodes[node].client());
    let rows = ROWS.iter().filter(|row| row.derives_keys());
    // A number depends on one key only: see the tests above.
    let rows = rows.filter(|row| row.command() != "KEYNS.NEXTID");
    let played: Vec<(&Row, String)> = rows
        .enumerate()
        .map(|(number, row)| (row, format!("{{t}}:r{number}")))
        .collect();
    for (row, scope) in &played {
        old.prepare(row, scope);
    }
    let keys = old.run("KEYS *");
    let mut keys: Vec<String> = keys.array().iter().map(Value::text).collect();
    assert!(keys.len() > 50);
    let seed = 7;
    Random::seeded(seed).shuffle(&mut keys);

    let mut moving = SlotMove::begin(&cluster, "{t}", 0, 1);
    for key in &keys {
        moving.move_keys(&[key]);
        let before = [0, 1].map(|node| cluster.nodes[node].digest());
        for (row, scope) in &played {
            for node in [&mut old, &mut new] {
                node.apply_settings(row);
            }
            let call = row.call_in(scope);
            let reply = moving.ask_old(&call);
            let sent_on = reply.is_error() && reply.text().starts_with("ASK ");
            if !sent_on {
                assert_try_again(&call, &reply);
            }
            assert_try_again(&call, &moving.ask(&call));
        }
        let after = [0, 1].map(|node| cluster.nodes[node].digest());
        assert_eq!(after, before, "after {key} has moved");
    }
    moving.finish();
    let mut alone = alone.client();
    for (row, scope) in &played {
        alone.prepare(row, scope);
        new.apply_settings(row);
        let [reply, expected] =
            [&mut new, &mut alone].map(|client| client.call(&row.call_in(scope)));
        assert!(!expected.is_error(), "{}: {expected:?}", row.line);
        assert_same_reply(row, "after the move", &reply, &expected);
    }
    assert_same(&keyspace(&mut new), &keyspace(&mut alone));
}
