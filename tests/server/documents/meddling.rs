//! Another module reacts to changes of our counters while we write a document.

use keyns_testkit::{
    Client, GUIDE, Options, Server, Value, ingest, read_in_background, try_ingest,
};

fn start(answer: &[&str]) -> (Server, Client) {
    let server = Options::with_meddler().start();
    let mut client = server.client();
    client.meddle(answer);
    (server, client)
}

/// Writes the guide twice: parsed on the main thread, and in the background.
fn ingest_twice(client: &mut Client) -> [Value; 2] {
    [false, true].map(|in_background| {
        read_in_background(client, in_background);
        try_ingest(client, "doc", GUIDE, "SIBLINGS")
    })
}

#[test]
fn a_server_that_is_emptied_under_our_feet_is_no_crash() {
    for answer in [&["DEL", "KEY"][..], &["FLUSHALL"], &["SET", "KEY", "5"]] {
        let (_server, mut client) = start(answer);
        for _ in 0..5 {
            ingest_twice(&mut client);
        }
        client.meddle(&[]);
        client.run("FLUSHALL");
        ingest(&mut client, "doc", GUIDE, "");
    }
}

#[test]
fn a_document_can_be_written_from_inside_another() {
    let (_server, mut client) = start(&["KEYNS.INGESTMD", "note", "# Inner\n\ntext\n"]);
    for reply in ingest_twice(&mut client) {
        let name = reply.fields()["doc"].text();
        assert_eq!(client.call(&["KEYNS.EXPORTMD", &name]).text(), GUIDE);
    }
    let notes = client.run("SMEMBERS level:note:chunks");
    assert!(!notes.array().is_empty());
    for note in notes.array() {
        let text = client.call(&["KEYNS.EXPORTMD", &note.text()]);
        assert_eq!(text.text(), "# Inner\n\ntext\n");
    }
}

#[test]
fn settings_can_change_while_a_document_is_written() {
    let (_server, mut client) = start(&["CONFIG", "SET", "keyns.max-document-bytes", "1024"]);
    for reply in ingest_twice(&mut client) {
        assert!(!reply.is_error(), "{reply:?}");
    }
    let error = try_ingest(&mut client, "doc", "x".repeat(1025), "").text();
    assert!(error.contains("keyns.max-document-bytes"), "{error}");
}

#[test]
fn the_module_does_not_go_away_while_a_document_is_written() {
    let (_server, mut client) = start(&["MODULE", "UNLOAD", "keyns"]);
    for reply in ingest_twice(&mut client) {
        let name = reply.fields()["doc"].text();
        assert_eq!(client.call(&["KEYNS.EXPORTMD", &name]).text(), GUIDE);
    }
    client.meddle(&[]);
    assert_eq!(client.run("MODULE UNLOAD keyns").text(), "OK");
}
