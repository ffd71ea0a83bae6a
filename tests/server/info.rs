//! `INFO keyns`.

use std::collections::BTreeMap;

use crate::support::{Client, Server};

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
    assert_eq!(before["keyns_slug_table"], keyns::core::slug::TABLE_VERSION);
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
