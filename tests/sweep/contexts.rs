//! Every way to make a call: transactions, scripts, both protocols, databases, silence, replicas.

use keyns_testkit::{Client, Outcome, ROWS, Row, Value, assert_same_reply, keyspace};

use crate::grammar::{spec_of, text};
use crate::stage::Stage;

/// What a call left in the database of a client: all of it, or its keys where clock and chance
/// are in the values.
fn left(client: &mut Client, row: &Row) -> Vec<String> {
    let entries = keyspace(client).into_iter();
    let entries = entries.map(|(key, content)| match row.varies {
        true => key,
        false => format!("{key} {content:?}"),
    });
    entries.chain([client.namespaces()]).collect()
}

/// Makes the call of each row plainly, and then in another way, which must end the same.
fn compare(way: &str, make: impl Fn(&mut Stage, &Row) -> (Value, Vec<String>)) {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        let expected = stage.client.call(&row.call());
        let expected_left = left(&mut stage.client, row);
        stage.set(row);
        let (reply, left) = make(&mut stage, row);
        assert_same_reply(row, way, &reply, &expected);
        assert_eq!(left, expected_left, "{way}: {}", row.line);
    }
}

#[test]
fn in_a_transaction() {
    compare("MULTI", |stage, row| {
        let client = &mut stage.client;
        client.run("MULTI");
        assert_eq!(client.call(&row.call()).text(), "QUEUED");
        let replies = client.run("EXEC");
        (replies.array()[0].clone(), left(client, row))
    });
}

#[test]
fn in_a_script() {
    compare("EVAL", |stage, row| {
        let client = &mut stage.client;
        let mut eval = vec![
            "EVAL".to_owned(),
            "return redis.call(unpack(ARGV))".into(),
            "0".into(),
        ];
        eval.extend(row.call());
        (client.call(&eval), left(client, row))
    });
}

#[test]
fn over_resp3() {
    compare("RESP3", |stage, row| {
        let reply = stage.server.client3().call(&row.call());
        (reply, left(&mut stage.client, row))
    });
}

#[test]
fn in_another_database() {
    compare("SELECT 3", |stage, row| {
        // What has to be there goes along.
        stage.client.run("SWAPDB 0 3");
        let mut client = stage.server.client();
        assert_eq!(client.run("SELECT 3").text(), "OK");
        let reply = client.call(&row.call());
        let left = left(&mut client, row);
        assert_eq!(stage.client.run("DBSIZE").integer(), 0, "{}", row.line);
        (reply, left)
    });
}

#[test]
fn without_a_reply() {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        stage.client.call(&row.call());
        let expected = left(&mut stage.client, row);
        stage.set(row);
        let mut client = stage.server.client();
        client.send(&["CLIENT", "REPLY", "OFF"]).unwrap();
        client.send(&row.call()).unwrap();
        client.send(&["CLIENT", "REPLY", "ON"]).unwrap();
        // The first thing to come is the answer to the last command.
        assert_eq!(client.receive().unwrap().text(), "OK");
        assert_eq!(left(&mut stage.client, row), expected, "{}", row.line);
    }
}

#[test]
fn a_read_only_replica_answers_reads_and_refuses_writes() {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        stage.catch_up();
        let mut replica = stage.replica.client();
        let before = (replica.snapshot(), replica.namespaces());
        let reply = replica.call(&row.call());
        match row.outcome {
            Outcome::Reads => {
                let expected = stage.client.call(&row.call());
                assert_same_reply(row, "replica", &reply, &expected);
            }
            _ => {
                let refused = reply.is_error() && reply.text().starts_with("READONLY");
                assert!(refused, "{}: {reply:?}", row.line);
            }
        }
        assert_eq!((replica.snapshot(), replica.namespaces()), before);
    }
}

#[test]
fn a_script_that_must_not_write_cannot() {
    let mut stage = Stage::start();
    for row in ROWS {
        stage.set(row);
        let script = "#!lua flags=no-writes\nreturn redis.call(unpack(ARGV))";
        let mut eval = vec!["EVAL".to_owned(), script.into(), "0".into()];
        eval.extend(row.call());
        let is_write = text(spec_of(row.command()).flags).contains("write");
        match is_write {
            true => drop(stage.refused(None, &eval)),
            false => assert!(!stage.any_reply(&eval).is_error(), "{}", row.line),
        }
    }
}
