//! "Troubleshooting" of docs/operations.md: a server gives every reply in its table.

use keyns_testkit::{Client, Options, Page, Server, ingest};

/// Replies that need a moving slot or a pause in the middle of a call; other tests produce them.
const SHOWN_ELSEWHERE: [&str; 4] = [
    "ERR the document would take about 1444806624 bytes in keys, more than 402653184 (keyns.max-write-bytes)",
    "ERR 'doc:intro:001:sequence' has 300000 members; a document has at most 100000 (keyns.max-elements)",
    "TRYAGAIN the slot is moving to another node, and this node does not have all of its keys",
    "TRYAGAIN writes are paused; nothing was written",
];

/// The error of the last of these commands.
#[track_caller]
fn error(client: &mut Client, lines: &[&str]) -> String {
    let replies: Vec<_> = lines.iter().map(|line| client.run(line)).collect();
    let (last, rest) = replies.split_last().unwrap();
    assert!(rest.iter().all(|reply| !reply.is_error()), "{replies:?}");
    assert!(last.is_error(), "{lines:?}: {last:?}");
    client.run("FLUSHALL");
    last.text()
}

fn errors_of_one_server() -> Vec<String> {
    let server = Server::start();
    let mut client = server.client();
    let mut errors = Vec::new();
    for lines in [
        &["LPUSH doc:_seq x", "KEYNS.MAKE doc Intro"][..],
        &["SET doc:_seq x", "KEYNS.MAKE doc Intro"],
        &["KEYNS.INGESTMD doc text REPLACE doc:intro:001"],
        &["SET rate:api x", "KEYNS.RATE rate:api BUCKET 1 1 1s"],
        &["KEYNS.KEY cart 42"],
        &[
            "KEYNS.NS.SET user PATTERN user:<id:int>",
            "KEYNS.NS.LOAD {\"namespaces\":[{\"name\":\"user\",\"pattern\":\"user:<id>\"}]}",
        ],
        &["CONFIG SET maxmemory 1", "KEYNS.MAKE doc Intro"],
    ] {
        errors.push(error(&mut client, lines));
        client.run("CONFIG SET maxmemory 0");
    }
    client.run("CONFIG SET keyns.max-skips 10");
    for number in 1..=11 {
        client.run(&format!("SET doc:intro:{number:03} x"));
    }
    errors.push(error(&mut client, &["KEYNS.MAKE doc Intro"]));
    for damage in [
        "ZREM doc:intro:001:sequence chunk:text:001",
        "DEL chunk:text:001",
    ] {
        ingest(&mut client, "doc", "# Intro\n\ntext\n", "");
        errors.push(error(
            &mut client,
            &[damage, "KEYNS.EXPORTMD doc:intro:001"],
        ));
    }
    client.run("CONFIG SET keyns.max-elements 3");
    let long = client.call(&["KEYNS.INGESTMD", "doc", "# a\n\n# b\n\n# c\n\n# d\n"]);
    errors.push(long.text());
    let mut narrow = server.login("~doc +@all");
    errors.push(narrow.run("KEYNS.NEXTID doc").text());
    let other = narrow.run("KEYNS.NS.SET cart PATTERN shop:<customer>");
    errors.push(other.text());
    errors
}

fn errors_of_special_servers() -> Vec<String> {
    let call = |options: Options, line: &str| options.start().client().run(line).text();
    let primary = Server::start();
    let replica = primary.replica();
    let cluster = Options::new().set("--cluster-enabled", &["yes"]).start();
    cluster.client().run("CLUSTER ADDSLOTSRANGE 0 16383");
    let mut client = cluster.client();
    keyns_testkit::wait_until("the cluster is there", || {
        client
            .run("CLUSTER INFO")
            .text()
            .contains("cluster_state:ok")
    });
    let renamed = Options::new()
        .set("--rename-command", &["UNLINK", ""])
        .start();
    let ingested = renamed.client().call(&["KEYNS.INGESTMD", "doc", "# a\n"]);
    vec![
        call(Options::without_module(), "KEYNS.MAKE doc Intro"),
        call(Options::with_panic_command(), "KEYNS.PANIC"),
        replica.client().run("KEYNS.MAKE doc Intro").text(),
        client.run("KEYNS.MAKE doc Intro").text(),
        ingested.text(),
    ]
}

#[test]
fn every_reply_of_the_table_is_one_that_a_server_gives() {
    let table = Page::operations().table("| reply | cause | cure |");
    assert!(table.len() > 15, "{table:?}");
    let mut errors = errors_of_one_server();
    errors.extend(errors_of_special_servers());
    let documented: Vec<&str> = table.iter().map(|row| row[0].as_str()).collect();
    for reply in &documented {
        let is_given = errors.iter().any(|error| error.starts_with(reply));
        assert!(
            is_given || SHOWN_ELSEWHERE.contains(reply),
            "nobody says: {reply}\nbut {errors:#?}"
        );
    }
    for error in &errors {
        let is_documented = documented.iter().any(|reply| error.starts_with(reply));
        assert!(is_documented, "not in the table: {error}");
    }
}
