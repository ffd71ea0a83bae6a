//! Users see, number and make only what their patterns allow, in declared and in derived keys.

use std::net::{TcpListener, TcpStream};
use std::thread;

use keyns_testkit::{Client, Options, Server, Value, wait_until};

#[test]
fn a_tenant_has_all_of_its_own_and_nothing_else() {
    let server = Server::start();
    let mut admin = server.client();
    admin.run("KEYNS.MAKE doc secret");
    admin.run("KEYNS.MAKE {other}:doc secret NUMBERING SLUG");
    let mut tenant = server.login("~{acme}:* +@all");
    for line in [
        "KEYNS.MAKE {acme}:doc intro",
        "KEYNS.MAKE {acme}:doc intro NUMBERING SLUG",
        "KEYNS.NEXTID {acme}:doc",
        "KEYNS.CHECK {acme}:doc:intro:001",
        "KEYNS.PARSE {acme}:doc:intro:001",
        "KEYNS.SLUG anything",
    ] {
        assert!(!tenant.run(line).is_error(), "{line}");
    }
    let before = server.digest();
    for line in [
        "KEYNS.MAKE doc intro",
        "KEYNS.MAKE doc: intro",
        "KEYNS.MAKE {other}:doc intro NUMBERING SLUG",
        "KEYNS.NEXTID doc",
        "KEYNS.NEXTID {other}:doc COUNT 5",
        "KEYNS.CHECK doc:secret:001",
        "KEYNS.CHECK {acme}:doc:intro:001 doc:secret:001",
        "KEYNS.PARSE doc:secret:001",
    ] {
        let reply = tenant.run(line).text();
        assert!(reply.starts_with("NOPERM"), "{line}: {reply}");
    }
    assert_eq!(server.digest(), before);
}

#[test]
fn derived_keys_are_checked_where_the_prefix_alone_is_allowed() {
    let server = Server::start();
    for (rules, line, key) in [
        ("~doc", "KEYNS.NEXTID doc", "doc:_seq"),
        ("~doc", "KEYNS.MAKE doc intro", "doc:_seq"),
        ("~doc ~doc:_seq", "KEYNS.MAKE doc intro", "doc:_slugs"),
        ("~doc ~doc:_*", "KEYNS.MAKE doc intro", "doc:intro:001"),
        (
            "~doc ~doc:_*",
            "KEYNS.MAKE doc intro NUMBERING SLUG",
            "doc:intro:001",
        ),
        ("~doc %R~doc:_seq ~doc:i*", "KEYNS.NEXTID doc", "doc:_seq"),
        (
            "~doc ~doc:_* %R~doc:intro:*",
            "KEYNS.MAKE doc intro",
            "doc:intro:001",
        ),
    ] {
        let mut client = server.login(&format!("{rules} +@all"));
        let expected = format!("NOPERM No permissions to access the key '{key}'");
        assert_eq!(client.run(line), Value::Error(expected), "{rules}: {line}");
        let script = format!("return redis.call('{}')", line.replace(' ', "','"));
        let reply = client.call(&["EVAL", &script, "1", "doc"]);
        assert!(
            reply.is_error() && reply.text().contains("No permissions"),
            "{reply:?}"
        );
        client.run("MULTI");
        client.run(line);
        assert!(client.run("EXEC").array()[0].is_error());
        assert_eq!(server.client().run("DBSIZE").integer(), 0);
        let log = server.client().run("ACL LOG 1").array()[0].fields();
        assert_eq!(log["object"].text(), key);
        assert_eq!(log["username"].text(), "tester");
    }
    let mut client = server.login("~doc:* +@all");
    assert_eq!(client.run("KEYNS.MAKE doc: intro").text(), "doc:intro:001");
    let lua = "return redis.call('KEYNS.MAKE', 'doc:', 'intro')";
    assert_eq!(client.call(&["EVAL", lua, "0"]).text(), "doc:intro:002");
}

#[test]
fn a_command_needs_its_permission() {
    let server = Server::start();
    let mut client = server.login("~* +@all -keyns.make -keyns.slug");
    for line in ["KEYNS.MAKE doc intro", "KEYNS.SLUG text"] {
        let reply = client.run(line).text();
        assert!(reply.starts_with("NOPERM"), "{reply}");
    }
    assert_eq!(client.run("KEYNS.NEXTID doc").integer(), 1);
}

#[test]
fn categories_hold_where_the_server_has_them() {
    let server = Server::start();
    if !server.has_module_categories() {
        assert!(server.client().run("ACL CAT keyns").is_error());
        return;
    }
    let mut readers = server.login("~* -@all +@read");
    assert_eq!(readers.run("KEYNS.SLUG Text").text(), "text");
    assert!(readers.run("KEYNS.NEXTID doc").text().starts_with("NOPERM"));
    let mut users = server.login("~* -@all +@keyns");
    assert_eq!(users.run("KEYNS.NEXTID doc").integer(), 1);
    assert!(users.run("GET doc:_seq").text().starts_with("NOPERM"));
}

/// Redis 7.0 ends itself when a module asks for the user behind a command of the primary, which
/// has none. No primary of ours sends such commands, so one is played here.
#[test]
fn a_command_from_the_primary_has_no_user_and_no_limits() {
    let donor = Server::start();
    donor.client().run("SAVE");
    let rdb = std::fs::read(donor.dir.join("dump.rdb")).unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let replica = Options::new()
        .set("--replicaof", &["127.0.0.1", &port])
        .start();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = play_primary(stream, &rdb);
        }
    });
    let mut client = replica.client();
    wait_until("the primary's command has run", || {
        client.run("GET doc:_seq") == Value::bulk("1")
    });
}

fn play_primary(stream: TcpStream, rdb: &[u8]) -> std::io::Result<()> {
    let mut link = Client::over(stream)?;
    loop {
        let request = link.receive()?;
        match request.array()[0].text().to_uppercase().as_str() {
            "PING" => link.send_raw(b"+PONG\r\n")?,
            "PSYNC" => break,
            _ => link.send_raw(b"+OK\r\n")?,
        }
    }
    let id = "0123456789abcdef0123456789abcdef01234567";
    link.send_raw(format!("+FULLRESYNC {id} 0\r\n${}\r\n", rdb.len()).as_bytes())?;
    link.send_raw(rdb)?;
    link.send(&["KEYNS.MAKE", "doc", "intro"])?;
    // Stay until the replica leaves.
    loop {
        link.receive()?;
    }
}
