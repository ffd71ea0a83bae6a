//! The writes of an ingest, as plain commands.

use std::fs;

use keyns_testkit::Options;

use crate::measure::{Connection, Request};

/// A pipeline of commands, each a list of words.
pub struct Writes(Vec<Vec<Vec<u8>>>);

impl Writes {
    /// What KEYNS.INGESTMD hands to replicas and the AOF, from MULTI to EXEC: read from the AOF of a
    /// server that ingests nothing else.
    pub fn of_ingest(markdown: &str) -> Writes {
        let server = Options::new().durable().start();
        Connection::tcp(&server).exchange(&Request::ingest(markdown));
        let files = fs::read_dir(server.dir.join("appendonlydir")).expect("the AOF's folder");
        let increment = files
            .map(|file| file.expect("a file").path())
            .find(|path| path.to_string_lossy().ends_with(".incr.aof"))
            .expect("what was written since the start");
        let mut commands = commands(&fs::read(increment).expect("the AOF"));
        let start = commands.iter().position(|command| command[0] == b"MULTI");
        commands.drain(..start.expect("a transaction"));
        let ends = commands.iter().filter(|command| command[0] == b"EXEC");
        assert_eq!(ends.count(), 1, "one transaction and no more");
        Writes(commands)
    }

    /// The commands as they are, with all that makes them cheap: one MSET, and sorted sets from
    /// their ends.
    pub fn replayed(&self) -> Request {
        Request::of(&self.0)
    }

    /// The same writes as a client sends them: a SET for each string, and sorted sets in reading
    /// order.
    pub fn of_a_client(&self) -> Request {
        Request::of(&self.of_a_client_as_words())
    }

    pub fn of_a_client_as_words(&self) -> Vec<Vec<Vec<u8>>> {
        let mut commands = Vec::new();
        for command in &self.0 {
            match &command[..] {
                [name, pairs @ ..] if name == b"MSET" => {
                    let set = |pair: &[Vec<u8>]| [&[b"SET".to_vec()], pair].concat();
                    commands.extend(pairs.chunks(2).map(set));
                }
                [name, key, pairs @ ..] if name == b"ZADD" => {
                    let mut forwards = vec![name.clone(), key.clone()];
                    forwards.extend(pairs.rchunks(2).flatten().cloned());
                    commands.push(forwards);
                }
                _ => commands.push(command.clone()),
            }
        }
        commands
    }
}

/// The commands in an AOF.
fn commands(aof: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut rest = aof;
    let mut commands = Vec::new();
    while !rest.is_empty() {
        let words = number(&mut rest, b'*');
        let word = |_| {
            let length = number(&mut rest, b'$');
            let (word, behind) = rest.split_at(length);
            rest = &behind[2..];
            word.to_vec()
        };
        commands.push((0..words).map(word).collect());
    }
    commands
}

/// Reads a line with a number behind a mark.
fn number(rest: &mut &[u8], mark: u8) -> usize {
    let end = rest.iter().position(|&b| b == b'\r').expect("a line");
    let line = &rest[..end];
    assert_eq!(line[0], mark);
    *rest = &rest[end + 2..];
    let digits = std::str::from_utf8(&line[1..]).expect("digits");
    digits.parse().expect("a number")
}
