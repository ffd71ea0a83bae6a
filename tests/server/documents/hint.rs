//! A name of a file in the place of its content: stored with a hint in the reply, but never in the place
//! of a stored document.

use keyns_testkit::{Client, Server, Value, ingest, try_ingest};

fn hint_for(doc: &str) -> String {
    format!(
        "the text looks like the name of a file and is stored as it is; to undo this: KEYNS.DROP {doc}; \
         to store the file, send its content: redis-cli -X md KEYNS.INGESTMD doc md <FILE"
    )
}

fn hint(client: &mut Client, text: &str, options: &str) -> Option<String> {
    let reply = ingest(client, "doc", text, options);
    reply.get("hint").map(Value::text)
}

#[test]
fn a_file_name_is_stored_and_the_reply_says_so() {
    let server = Server::start();
    let mut client = server.client();
    for text in [
        "docs/handbook.md",
        "./x.markdown",
        "/tmp/a.txt",
        "C:\\a.md",
        "handbook.md\n",
    ] {
        client.run("FLUSHALL");
        let reply = ingest(&mut client, "doc", text, "");
        let doc = reply["doc"].text();
        assert_eq!(reply["hint"].text(), hint_for(&doc), "{text}");
        assert_eq!(client.call(&["KEYNS.EXPORTMD", &doc]).text(), text);
    }
}

#[test]
fn other_texts_get_no_hint() {
    let server = Server::start();
    let mut client = server.client();
    for text in [
        "",
        "# handbook.md\n",
        "Read docs/handbook.md",
        "docs/handbook.md\n\nand more",
        "handbook.pdf",
    ] {
        assert_eq!(hint(&mut client, text, ""), None, "{text}");
    }
    assert_eq!(hint(&mut client, "Text.\n", "FILE docs/handbook.md"), None);
}

#[test]
fn the_hint_comes_last_in_either_protocol() {
    let server = Server::start();
    let flat = try_ingest(&mut server.client(), "doc", "a.md", "TITLE Guide");
    let [.., name, value] = flat.array() else {
        panic!("{flat:?}");
    };
    let hint = hint_for("doc:guide:001");
    assert_eq!([name.text(), value.text()], ["hint", &*hint]);
    let map = try_ingest(&mut server.client3(), "doc", "b.md", "TITLE Guide");
    let Value::Map(pairs) = &map else {
        panic!("{map:?}");
    };
    let names: Vec<String> = pairs.iter().map(|(name, _)| name.text()).collect();
    assert_eq!(names[7..], ["conflicts", "hint"]);
}

/// The document and the fields that others added to its chunks were gone before the hint was read.
#[test]
fn a_file_name_never_replaces_a_document() {
    let server = Server::start();
    let mut client = server.client();
    let doc = ingest(&mut client, "doc", "# Guide\n\nText.\n", "")["doc"].text();
    client.run("HSET chunk:text:001 embedding 0.5");
    for thread_bytes in ["262144", "0"] {
        client.call(&["CONFIG", "SET", "keyns.parse-thread-bytes", thread_bytes]);
        for text in ["page1.md", "docs/handbook.md\n"] {
            let before = client.run("KEYNS.TREE doc:guide:001");
            let options = format!("REPLACE {doc}");
            let error = try_ingest(&mut client, "doc", text, &options).text();
            assert_eq!(
                error,
                "ERR REPLACE needs the new text, got the name of a file: send its content with \
                 redis-cli -X md KEYNS.INGESTMD doc md REPLACE doc:guide:001 <FILE"
            );
            assert_eq!(client.run("KEYNS.TREE doc:guide:001"), before);
            let embedding = client.run("HGET chunk:text:001 embedding");
            assert_eq!(embedding.text(), "0.5");
        }
    }
}

#[test]
fn a_file_name_before_an_empty_line_replaces_a_document() {
    let server = Server::start();
    let mut client = server.client();
    let doc = ingest(&mut client, "doc", "# Guide\n\nText.\n", "")["doc"].text();
    let text = "handbook.md\n\n";
    let reply = ingest(&mut client, "doc", text, &format!("REPLACE {doc}"));
    assert!(!reply.contains_key("hint"));
    assert_eq!(client.call(&["KEYNS.EXPORTMD", &doc]).text(), text);
}

/// Where a thread reads the text, the reply is made later.
#[test]
fn the_hint_is_there_too_when_a_thread_reads_the_text() {
    let server = Server::start();
    let mut client = server.client();
    client.run("CONFIG SET keyns.parse-thread-bytes 0");
    let hint_of_a = hint(&mut client, "docs/a.md", "TITLE Guide");
    assert_eq!(hint_of_a, Some(hint_for("doc:guide:001")));
    assert_eq!(hint(&mut client, "Text.\n", ""), None);
}
