//! One node that owns all slots: prefixes need a hash tag there.

use keyns_testkit::{Client, Server};

#[test]
fn a_prefix_without_a_hash_tag_is_refused() {
    let (server, mut client) = Server::cluster();
    let error = "ERR cluster mode needs a hash tag in the prefix, as in {app}:doc";
    for line in [
        "KEYNS.MAKE doc intro",
        "KEYNS.MAKE doc intro NUMBERING SLUG",
        "KEYNS.NEXTID doc",
        "KEYNS.NEXTID {}:doc",
        "KEYNS.NEXTID {doc",
    ] {
        assert_eq!(client.run(line).text(), error, "{line}");
    }
    assert_eq!(server.client().run("DBSIZE").integer(), 0);
}

#[test]
fn with_a_hash_tag_everything_works() {
    let (_server, mut client) = Server::cluster();
    assert_eq!(
        client.run("KEYNS.MAKE {acme}:doc intro").text(),
        "{acme}:doc:intro:001"
    );
    assert_eq!(client.run("KEYNS.NEXTID {acme}:doc").integer(), 2);
    let name = client
        .run("KEYNS.MAKE {acme}:ch intro NUMBERING SLUG")
        .text();
    assert_eq!(name, "{acme}:ch:intro:001");
    assert_eq!(client.run("KEYNS.SLUG Text").text(), "text");
    assert!(!client.run("KEYNS.CHECK doc:intro:001").is_error());
    let slot =
        |client: &mut Client, key: &str| client.run(&format!("CLUSTER KEYSLOT {key}")).integer();
    let of_prefix = slot(&mut client, "{acme}:doc");
    assert_eq!(slot(&mut client, "{acme}:doc:_seq"), of_prefix);
    assert_eq!(slot(&mut client, "{acme}:doc:intro:001"), of_prefix);
}

#[test]
fn a_prefix_whose_slot_is_on_its_way_here_waits_for_its_counter() {
    let [(_old, mut old_client), (new, mut new_client)] = Server::pair_of_nodes();
    for number in 1..=3 {
        let name = old_client.run("KEYNS.MAKE {t}:doc intro").text();
        assert_eq!(name, format!("{{t}}:doc:intro:00{number}"));
    }
    let (old_id, new_id) = (
        old_client.run("CLUSTER MYID").text(),
        new_client.run("CLUSTER MYID").text(),
    );
    let slot = old_client.run("CLUSTER KEYSLOT {t}").integer();
    let set_slot = |client: &mut Client, what: &str, id: &str| {
        let reply = client.run(&format!("CLUSTER SETSLOT {slot} {what} {id}"));
        assert_eq!(reply.text(), "OK");
    };
    set_slot(&mut new_client, "IMPORTING", &old_id);
    set_slot(&mut old_client, "MIGRATING", &new_id);

    // The old node sends us on, and the new one does not know the counter yet.
    for line in [
        "KEYNS.MAKE {t}:doc intro",
        "KEYNS.NEXTID {t}:doc",
        "KEYNS.MAKE {t}:doc intro NUMBERING SLUG",
    ] {
        assert!(old_client.run(line).text().starts_with("ASK "), "{line}");
        new_client.run("ASKING");
        let reply = new_client.run(line).text();
        assert!(reply.starts_with("TRYAGAIN"), "{line}: {reply}");
    }
    let port = new.port.to_string();
    let moved = ["MIGRATE", "127.0.0.1", &port, "{t}:doc:_seq", "0", "5000"];
    assert_eq!(old_client.call(&moved).text(), "OK");
    new_client.run("ASKING");
    assert_eq!(new_client.run("KEYNS.NEXTID {t}:doc").integer(), 4);
    // A name needs both counters, and nobody can tell here that there is only one.
    new_client.run("ASKING");
    let reply = new_client.run("KEYNS.MAKE {t}:doc intro").text();
    assert!(reply.starts_with("TRYAGAIN"), "{reply}");
    set_slot(&mut new_client, "NODE", &new_id);
    set_slot(&mut old_client, "NODE", &new_id);
    let name = new_client.run("KEYNS.MAKE {t}:doc intro").text();
    assert_eq!(name, "{t}:doc:intro:005");
    assert_eq!(new_client.run("KEYNS.NEXTID {t}:fresh").integer(), 1);
}
