//! Rate limits from wherever a command can come: scripts, transactions, other protocols and
//! databases, users with few rights, replicas, full servers, clusters.

use keyns_testkit::{Client, Ruling, Server, Value, wait_until};

#[test]
fn scripts_and_transactions_see_one_limit_after_the_other() {
    let server = Server::start();
    let mut client = server.client();
    let script = "local replies = {} \
                  for i = 1, 3 do \
                      replies[i] = redis.call('KEYNS.RATE', KEYS[1], 'BUCKET', 2, 1, '1500d') \
                  end \
                  return replies";
    let replies = client.call(&["EVAL", script, "1", "k"]);
    let allowed: Vec<bool> = replies
        .array()
        .iter()
        .map(|reply| Ruling::read(reply).allowed)
        .collect();
    assert_eq!(allowed, [true, true, false]);

    client.run("MULTI");
    for line in [
        "KEYNS.RATE l SLIDING 1 1500d",
        "KEYNS.RATE l SLIDING 1 1500d",
        "KEYNS.RATE.REFUND l SLIDING 1 1500d COST 1",
        "KEYNS.RATE l SLIDING 0 1500d",
        "KEYNS.RATE l SLIDING 1 1500d",
        "KEYNS.RATE.BLOCK l 10d",
        "KEYNS.THROTTLE l 5 1 1",
    ] {
        assert_eq!(client.run(line).text(), "QUEUED");
    }
    let replies = client.run("EXEC");
    let replies = replies.array();
    let allowed = [0, 1, 2, 4].map(|at| Ruling::read(&replies[at]).allowed);
    assert_eq!(allowed, [true, false, true, true]);
    assert!(replies[3].is_error());
    assert_eq!(replies[5], Value::Integer(864_000_000));
    assert_eq!(replies[6].array()[0], Value::Integer(1));
}

#[test]
fn a_script_that_only_reads_may_peek() {
    let server = Server::start();
    let mut client = server.client();
    let peek = "return redis.call('KEYNS.RATE.PEEK', KEYS[1], 'FIXED', 5, '1500d')";
    let reply = client.call(&["EVAL_RO", peek, "1", "k"]);
    assert_eq!(Ruling::read(&reply).remaining, 4);
    let rate = "return redis.call('KEYNS.RATE', KEYS[1], 'FIXED', 5, '1500d')";
    assert!(client.call(&["EVAL_RO", rate, "1", "k"]).is_error());
    assert_eq!(client.run("EXISTS k").integer(), 0);
}

#[test]
fn both_protocols_get_the_same_integers() {
    let server = Server::start();
    let mut old = server.client();
    let mut new = server.client3();
    for (line, other) in [
        (
            "KEYNS.RATE a SLIDING 5 1500d",
            "KEYNS.RATE b SLIDING 5 1500d",
        ),
        ("KEYNS.RATE.BLOCK a 10d", "KEYNS.RATE.BLOCK b 10d"),
        (
            "KEYNS.THROTTLE c 5 1 8640000",
            "KEYNS.THROTTLE d 5 1 8640000",
        ),
    ] {
        assert_eq!(old.run(line), new.run(other), "{line}");
    }
}

#[test]
fn databases_are_apart() {
    let server = Server::start();
    let mut client = server.client();
    assert!(client.rule("KEYNS.RATE k FIXED 1 1500d").allowed);
    client.run("SELECT 3");
    assert!(client.rule("KEYNS.RATE k FIXED 1 1500d").allowed);
    assert!(!client.rule("KEYNS.RATE k FIXED 1 1500d").allowed);
    client.run("DEL k");
    client.run("SELECT 0");
    assert!(!client.rule("KEYNS.RATE k FIXED 1 1500d").allowed);
}

#[test]
fn replies_can_be_turned_off() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.RATE k BUCKET 9 1 1500d");
    client.send(&["CLIENT", "REPLY", "OFF"]).unwrap();
    for line in [
        "KEYNS.RATE k BUCKET 9 1 1500d",
        "KEYNS.RATE k BUCKET 9 1 1500d COST 9",
        "KEYNS.RATE.PEEK k BUCKET 9 1 1500d",
        "KEYNS.RATE.REFUND k BUCKET 9 1 1500d COST 1",
        "KEYNS.RATE k BUCKET 0 1 1500d",
        "KEYNS.THROTTLE k 8 1 129600000",
        "KEYNS.RATE.BLOCK other 10d",
    ] {
        client.send(&line.split(' ').collect::<Vec<_>>()).unwrap();
    }
    client.send(&["CLIENT", "REPLY", "ON"]).unwrap();
    assert_eq!(client.receive().unwrap().text(), "OK");
    let ruling = client.rule("KEYNS.RATE.PEEK k BUCKET 9 1 1500d");
    assert_eq!(ruling.timeless(), (true, 9, 6, 0));
    assert_eq!(client.run("EXISTS other").integer(), 1);
}

/// Every command, with whether it only reads.
const COMMANDS: [(&str, bool); 5] = [
    ("KEYNS.RATE k BUCKET 9 1 1500d", false),
    ("KEYNS.RATE.PEEK k BUCKET 9 1 1500d", true),
    ("KEYNS.RATE.REFUND k BUCKET 9 1 1500d COST 1", false),
    ("KEYNS.RATE.BLOCK k 1d", false),
    ("KEYNS.THROTTLE k 8 1 129600000", false),
];

#[track_caller]
fn assert_only_reads(client: &mut Client, error: &str) {
    for (line, reads) in COMMANDS {
        let reply = client.run(line);
        match reads {
            true => assert_eq!(Ruling::read(&reply).remaining, 4, "{line}"),
            false => assert!(reply.text().starts_with(error), "{line}: {reply:?}"),
        }
    }
}

#[test]
fn a_replica_peeks_and_refuses_the_rest() {
    let server = Server::start();
    let replica = server.replica();
    let mut client = server.client();
    client.run("KEYNS.RATE k BUCKET 9 1 1500d COST 4");
    client.run("WAIT 1 60000");
    assert_only_reads(&mut replica.client(), "READONLY");
    assert_eq!(replica.digest(), server.digest());
}

#[test]
fn a_full_server_peeks_and_refuses_the_rest() {
    let server = Server::start();
    let mut client = server.client();
    client.run("KEYNS.RATE k BUCKET 9 1 1500d COST 4");
    let before = server.digest();
    client.run("CONFIG SET maxmemory 1");
    assert_only_reads(&mut client, "OOM");
    client.run("CONFIG SET maxmemory 0");
    assert_eq!(server.digest(), before);
    assert!(client.rule(COMMANDS[0].0).allowed);
}

#[test]
fn a_user_has_the_keys_and_the_commands_that_its_rules_name() {
    let server = Server::start();
    let mut client = server.login("~a:* +keyns.rate");
    assert!(client.rule("KEYNS.RATE a:k FIXED 9 1500d").allowed);
    for line in [
        "KEYNS.RATE b:k FIXED 9 1500d",
        "KEYNS.RATE a FIXED 9 1500d",
        "KEYNS.RATE.PEEK a:k FIXED 9 1500d",
        "KEYNS.RATE.REFUND a:k FIXED 9 1500d COST 1",
        "KEYNS.RATE.BLOCK a:k 1d",
        "KEYNS.THROTTLE a:k 1 1 1",
    ] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("NOPERM"), "{line}: {reply}");
    }
    assert_eq!(server.client().run("DBSIZE").integer(), 1);
}

#[test]
fn a_user_that_may_only_read_a_key_may_only_peek() {
    let server = Server::start();
    server.client().run("KEYNS.RATE k BUCKET 9 1 1500d COST 4");
    let before = server.digest();
    assert_only_reads(&mut server.login("%R~* +@all"), "NOPERM");
    assert_eq!(server.digest(), before);
    // And one that may only write may not be told what is there.
    let mut writer = server.login("%W~* +@all");
    for (line, _) in COMMANDS {
        let reply = writer.run(line).text();
        assert!(reply.starts_with("NOPERM"), "{line}: {reply}");
    }
    assert_eq!(server.digest(), before);
}

#[test]
fn categories_hold_where_the_server_has_them() {
    let server = Server::start();
    if !server.has_module_categories() {
        return;
    }
    server.client().run("KEYNS.RATE k BUCKET 9 1 1500d COST 4");
    assert_only_reads(&mut server.login("~* -@all +@read"), "NOPERM");
    let mut client = server.login("~* -@all +@keyns");
    for (line, _) in COMMANDS {
        assert!(!client.run(line).is_error(), "{line}");
    }
    let mut slow = server.login("~* +@all -@fast");
    for (line, _) in COMMANDS {
        assert!(slow.run(line).text().starts_with("NOPERM"), "{line}");
    }
}

#[test]
fn a_cluster_takes_any_single_key() {
    let server = Server::node();
    let mut client = server.client();
    client.run("CLUSTER ADDSLOTSRANGE 0 16383");
    wait_until("the cluster is up", || {
        let info = client.run("CLUSTER INFO").text();
        info.contains("cluster_state:ok")
    });
    for key in ["k", "user:42", "{t}:k", "{}", "}{"] {
        for allowed in [true, false] {
            let limits = "BUCKET 1 1 1500d SLIDING 5 1500d";
            let ruling = client.rule(&format!("KEYNS.RATE {key} {limits}"));
            assert_eq!(ruling.allowed, allowed, "{key}");
        }
        for (line, _) in COMMANDS {
            let line = line.replace(" k ", &format!(" {key} "));
            assert!(!client.run(&line).is_error(), "{line}");
        }
    }
}

#[test]
fn a_key_that_is_asked_for_is_in_use_and_one_that_is_not_there_is_no_miss() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET maxmemory-policy allkeys-lfu");
    client.run("KEYNS.RATE k BUCKET 1 1 1500d");
    // A refusal is a use, too: the key must not be the first that is evicted.
    let before = client.run("OBJECT FREQ k").integer();
    for _ in 0..100 {
        assert!(!client.rule("KEYNS.RATE k BUCKET 1 1 1500d").allowed);
    }
    assert!(client.run("OBJECT FREQ k").integer() > before);
    client.run("KEYNS.RATE.REFUND new BUCKET 1 1 1500d COST 1");
    client.run("KEYNS.RATE.BLOCK other 1d");
    assert_eq!(client.info("stats", "keyspace_misses"), "0");
}
