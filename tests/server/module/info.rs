//! `INFO keyns`.

use std::collections::BTreeMap;

use keyns_testkit::{Client, GUIDE, Server, ingest, read_in_background};

fn info(client: &mut Client) -> BTreeMap<String, String> {
    let text = client.run("INFO keyns").text();
    assert!(text.starts_with("# keyns\r\n"), "{text}");
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(field, value)| (field.into(), value.into()))
        .collect()
}

#[test]
fn info_has_versions_and_counts_calls_and_errors() {
    let server = Server::start();
    let mut client = server.client();
    let before = info(&mut client);
    assert_eq!(before["keyns_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        before["keyns_slug_table"],
        keyns_core::naming::slug::TABLE_VERSION
    );
    assert_eq!(before["keyns_naming_calls"], "0");
    client.run("KEYNS.SLUG text");
    client.run("KEYNS.SLUG text FOO");
    client.run("KEYNS.NEXTID doc COUNT 0");
    client.run("KEYNS.PARSE doc:intro:001");
    let after = info(&mut client);
    assert_eq!(after["keyns_naming_calls"], "4");
    assert_eq!(after["keyns_naming_errors"], "2");
    assert_eq!(after["keyns_panics"], "0");
    assert!(
        client
            .run("INFO everything")
            .text()
            .contains("keyns_version")
    );
}

#[test]
fn info_says_how_long_a_document_blocked_the_server() {
    let server = Server::start();
    let mut client = server.client();
    let holds = |client: &mut Client, step: &str| {
        let info = info(client);
        ["last", "longest"].map(|which| {
            let field = format!("keyns_documents_{step}_{which}_usec");
            info[&field].parse::<u64>().expect("microseconds")
        })
    };
    assert_eq!(holds(&mut client, "write"), [0, 0]);
    for in_background in [false, true] {
        read_in_background(&mut client, in_background);
        let name = ingest(&mut client, "doc", GUIDE, "")["doc"].text();
        let write = holds(&mut client, "write");
        assert!(write[0] > 0 && write[1] >= write[0], "{write:?}");
        // A refused call blocks nobody.
        let refused = client.run("KEYNS.INGESTMD doc # REPLACE doc:nobody:001");
        assert!(refused.is_error(), "{refused:?}");
        assert_eq!(holds(&mut client, "write"), write);
        client.run(&format!("KEYNS.DROP {name}"));
        let drop = holds(&mut client, "drop");
        assert!(drop[0] > 0 && drop[1] >= drop[0], "{drop:?}");
    }
}
