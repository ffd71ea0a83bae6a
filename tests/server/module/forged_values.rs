//! Values that a client forges as if the module had created them.

use keyns_testkit::{Options, Server, Value};

/// What `DUMP` would return for a value of the module type that carries the namespaces.
const PAYLOAD: &[u8] =
    b"\x07\x81\x91\xec\xa7\xb3\xea\xde\x80\x00\x00\x0a\x00\x9b\x01\x63\x55\x1c\x41\x55\xb0";

/// The type once had no function to load a value, and the server called it.
#[test]
fn a_restored_value_of_the_registrys_type_is_an_error() {
    let server = Server::start();
    let mut admin = server.client();
    admin.run("ACL SETUSER tenant on nopass resetchannels -@all +restore +ping ~t:*");
    let mut client = server.client();
    client.run("AUTH tenant x");
    for options in [&[][..], &[b"REPLACE".as_slice()], &[b"ABSTTL"]] {
        let call = [&[b"RESTORE".as_slice(), b"t:x", b"0", PAYLOAD], options].concat();
        let reply = client.call(&call);
        assert!(reply.is_error(), "{reply:?}");
        assert!(reply.text().contains("Bad data format"), "{reply:?}");
    }
    assert_eq!(client.run("PING"), Value::Simple("PONG".into()));
    assert_eq!(admin.run("DBSIZE").integer(), 0);
}

/// The same on servers where the module registers no type.
#[test]
fn a_restored_value_is_an_error_without_the_type_too() {
    let server = Options::unloadable().start();
    let mut client = server.client();
    let reply = client.call(&[b"RESTORE".as_slice(), b"t:x", b"0", PAYLOAD]);
    assert!(reply.text().contains("Bad data format"), "{reply:?}");
}

/// A forged snapshot with such a value.
#[test]
fn a_snapshot_with_a_value_of_the_registrys_type_is_refused() {
    let server = Options::new()
        .set("--rdbcompression", &["no"])
        .set("--rdbchecksum", &["no"])
        .start();
    let mut client = server.client();
    client.run("SET t:x marker-of-the-value");
    client.run("SAVE");
    let rdb = std::fs::read(server.dir.join("dump.rdb")).unwrap();
    // Type 0, the key, then the string after its length.
    let from = b"\x00\x03t:x\x13marker-of-the-value";
    let place = rdb.windows(from.len()).position(|bytes| bytes == from);
    let place = place.expect("the key");
    let value = &PAYLOAD[1..PAYLOAD.len() - 10];
    let forged = [
        &rdb[..place],
        b"\x07\x03t:x",
        value,
        &rdb[place + from.len()..],
    ]
    .concat();
    let log = Options::new()
        .set("--rdbchecksum", &["no"])
        .file("dump.rdb", forged)
        .refused();
    assert!(!log.contains("BUG REPORT"), "{log}");
}
