//! Documents in a cluster: all keys of one are in one slot, or there is none.

use keyns_testkit::{
    Client, GUIDE, Server, Value, ingest, keyspace, long_text, parsing, read_in_background,
    try_ingest, wait_until, without_counters,
};

const NO_HASH_TAG: &str = "ERR cluster mode needs a hash tag in the prefix, as in {app}:doc";

#[test]
fn a_document_is_in_one_slot() {
    let (_server, mut client) = Server::cluster();
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        client.run("FLUSHALL");
        let name = ingest(&mut client, "{acme}:doc", GUIDE, "SIBLINGS")["doc"].text();
        let edited = GUIDE.replace("birds", "bees");
        ingest(
            &mut client,
            "{acme}:doc",
            &edited,
            &format!("REPLACE {name}"),
        );
        let keys = keyspace(&mut client);
        assert!(keys.len() > 40);
        let slot = client.run("CLUSTER KEYSLOT {acme}").integer();
        for key in keys.keys() {
            assert_eq!(
                client.call(&["CLUSTER", "KEYSLOT", key]).integer(),
                slot,
                "{key}"
            );
        }
        assert_eq!(client.call(&["KEYNS.EXPORTMD", &name]).text(), edited);
        assert!(!client.call(&["KEYNS.TREE", &name]).is_error());
        client.call(&["KEYNS.DROP", &name]);
        assert!(without_counters(keyspace(&mut client)).is_empty());
    }
}

#[test]
fn a_prefix_whose_scope_has_no_hash_tag_is_refused() {
    let (_server, mut client) = Server::cluster();
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        for prefix in [
            "doc",
            "{doc}",
            "doc{x}",
            "acme:doc",
            "acme:{doc}",
            "{}:doc",
            "{acme:doc",
        ] {
            let reply = try_ingest(&mut client, prefix, GUIDE, "");
            assert_eq!(reply, Value::Error(NO_HASH_TAG.into()), "{prefix}");
        }
    }
    assert_eq!(client.run("DBSIZE").integer(), 0);
}

#[test]
fn a_document_whose_keys_are_in_many_slots_is_refused() {
    let (_server, mut client) = Server::cluster();
    for line in [
        "KEYNS.TREE doc:guide:001",
        "KEYNS.NAV doc:guide:001 CHILDREN",
        "KEYNS.EXPORTMD doc:guide:001",
        "KEYNS.DROP doc:guide:001",
    ] {
        assert_eq!(client.run(line), Value::Error(NO_HASH_TAG.into()), "{line}");
    }
}

#[test]
fn a_document_with_its_hash_tag_in_the_kind_is_refused_before_anything_is_changed() {
    let (server, mut client) = Server::cluster();
    let doc = "acme:{doc}:intro:001";
    for line in [
        "HSET acme:{doc}:intro:001 type document title Intro chunks 1 _sets tag:sun:chunks",
        "HSET acme:chunk:words:001 type chunk text Words. doc acme:{doc}:intro:001",
        "ZADD acme:{doc}:intro:001:sequence 1 acme:chunk:words:001",
        "SADD acme:level:{doc}:chunks acme:{doc}:intro:001 acme:{doc}:other:002",
        "SADD acme:level:chunk:chunks acme:chunk:words:001 acme:chunk:words:002",
        "SADD acme:tag:sun:chunks acme:chunk:words:001",
    ] {
        assert!(!client.run(line).is_error(), "{line}");
    }
    let before = server.digest();
    for call in [
        &["KEYNS.DROP", doc][..],
        &["KEYNS.EXPORTMD", doc],
        &["KEYNS.TREE", doc],
        &["KEYNS.NAV", doc, "SEQUENCE"],
        &["KEYNS.INGESTMD", "acme:{doc}", "# New\n", "REPLACE", doc],
    ] {
        assert_eq!(
            client.call(call),
            Value::Error(NO_HASH_TAG.into()),
            "{call:?}"
        );
    }
    assert_eq!(server.digest(), before);
}

/// Two nodes, of which the first has the slot of `{t}` and is about to give it to the second.
struct Move {
    clients: [Client; 2],
    servers: [Server; 2],
    slot: i64,
    ids: [String; 2],
}

impl Move {
    fn prepare() -> Move {
        let [(from, mut from_client), (to, mut to_client)] = Server::pair_of_nodes();
        Move {
            slot: from_client.run("CLUSTER KEYSLOT {t}").integer(),
            ids: [&mut from_client, &mut to_client].map(|c| c.run("CLUSTER MYID").text()),
            clients: [from_client, to_client],
            servers: [from, to],
        }
    }

    fn begin(&mut self) {
        for (client, state, id) in [(1, "IMPORTING", 0), (0, "MIGRATING", 1)] {
            let line = format!("CLUSTER SETSLOT {} {state} {}", self.slot, self.ids[id]);
            assert_eq!(self.clients[client].run(&line).text(), "OK");
        }
    }

    fn migrate(&mut self, key: &str) {
        let port = self.servers[1].port.to_string();
        let args = ["MIGRATE", "127.0.0.1", &port, key, "0", "5000"];
        assert_eq!(self.clients[0].call(&args).text(), "OK");
    }
}

#[test]
fn a_document_on_its_way_to_another_node_is_neither_read_nor_changed_by_half() {
    let mut moving = Move::prepare();
    let name = ingest(&mut moving.clients[0], "{t}:doc", GUIDE, "")["doc"].text();
    moving.begin();
    let assert_nothing_works = |moving: &mut Move, node: usize, ask: bool| {
        let (server, client) = (&moving.servers[node], &mut moving.clients[node]);
        let before = server.digest();
        for call in [
            &["KEYNS.EXPORTMD", &name][..],
            &["KEYNS.TREE", &name],
            &["KEYNS.NAV", &name, "SEQUENCE"],
            &["KEYNS.DROP", &name],
            &["KEYNS.INGESTMD", "{t}:doc", "# New\n", "REPLACE", &name],
        ] {
            if ask {
                client.run("ASKING");
            }
            let reply = client.call(call);
            assert!(reply.is_error(), "{call:?}: {reply:?}");
        }
        assert_eq!(server.digest(), before);
    };
    moving.migrate(&format!("{name}:sequence"));
    assert_nothing_works(&mut moving, 0, false);
    moving.migrate(&name);
    assert_nothing_works(&mut moving, 1, true);
}

#[test]
fn a_slot_that_went_away_while_its_document_was_read_gets_no_document() {
    let mut moving = Move::prepare();
    let mut waiting = moving.servers[0].client();
    waiting
        .send(&["KEYNS.INGESTMD", "{t}:doc", &long_text()])
        .unwrap();
    let [from, _] = &mut moving.clients;
    wait_until("the document is being read", || parsing(from) == 1);
    let line = format!("CLUSTER SETSLOT {} NODE {}", moving.slot, moving.ids[1]);
    assert_eq!(from.run(&line).text(), "OK");
    assert_eq!(parsing(from), 1, "it was read too fast to prove anything");
    let reply = waiting.receive().unwrap();
    assert!(reply.is_error(), "{reply:?}");
    assert_eq!(from.run("DBSIZE").integer(), 0);
}
