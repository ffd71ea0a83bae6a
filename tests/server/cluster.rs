//! One node that owns all slots: prefixes need a hash tag there.

use crate::support::{Client, Options, Server, wait_until};

fn start() -> (Server, Client) {
    let server = Options::new().set("--cluster-enabled", &["yes"]).start();
    let mut client = server.client();
    client.run("CLUSTER ADDSLOTSRANGE 0 16383");
    wait_until("the cluster is up", || {
        client
            .run("CLUSTER INFO")
            .text()
            .contains("cluster_state:ok")
    });
    (server, client)
}

#[test]
fn a_prefix_without_a_hash_tag_is_refused() {
    let (server, mut client) = start();
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
    let (_server, mut client) = start();
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
