//! A client of a whole cluster: it follows redirections and retries when a node tells it to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Result;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Client, Value, key_place, patience};

const PAUSE: Duration = Duration::from_millis(5);

pub struct ClusterClient {
    ports: Vec<u16>,
    connections: HashMap<u16, Client>,
    /// The node that has the keys with a hash tag, by the last redirection.
    places: HashMap<String, u16>,
    /// The node that got the last call.
    last: u16,
    pub told: Told,
}

/// What nodes said instead of an answer, counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    pub moved: u64,
    pub ask: u64,
    pub try_again: u64,
}

/// What a node says instead of an answer, without having run the command.
enum Advice {
    Moved(u16),
    Ask(u16),
    TryAgain,
    /// The cluster is down, or the node is still loading its data.
    Wait,
}

impl Advice {
    fn read(reply: &Value) -> Option<Advice> {
        let Value::Error(text) = reply else {
            return None;
        };
        let port = || {
            let port = text.rsplit(':').next().unwrap_or_default();
            port.parse().expect("the port of a node")
        };
        match text.split(' ').next()? {
            "MOVED" => Some(Advice::Moved(port())),
            "ASK" => Some(Advice::Ask(port())),
            "TRYAGAIN" => Some(Advice::TryAgain),
            "CLUSTERDOWN" | "LOADING" | "MASTERDOWN" => Some(Advice::Wait),
            _ => None,
        }
    }
}

impl ClusterClient {
    pub fn new(ports: impl IntoIterator<Item = u16>) -> ClusterClient {
        let ports: Vec<u16> = ports.into_iter().collect();
        ClusterClient {
            last: ports[0],
            ports,
            connections: HashMap::new(),
            places: HashMap::new(),
            told: Told::default(),
        }
    }

    /// Sends a command to the node of its [first key](key_place), and returns the reply.
    #[track_caller]
    pub fn call<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Value {
        self.try_call(args).expect("the node of the key answers")
    }

    /// Sends a command written in words without spaces.
    #[track_caller]
    pub fn run(&mut self, line: &str) -> Value {
        self.call(&line.split(' ').collect::<Vec<_>>())
    }

    /// As [`call`](ClusterClient::call), where a node may die. After an error the command may or may not
    /// have run; it is not sent again.
    #[track_caller]
    pub fn try_call<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Result<Value> {
        let tag = tag_of(args[key_place(args)].as_ref());
        let start = Instant::now();
        let mut port = self.place_of(&tag);
        let mut asking = false;
        loop {
            let Ok(client) = self.ready(port, asking) else {
                // The node is gone. The command was not sent, so ask another node.
                self.connections.remove(&port);
                port = self.another(port);
                asking = false;
                self.pause(start, "no node takes connections");
                continue;
            };
            let reply = client.try_call(args);
            self.last = port;
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => {
                    self.connections.remove(&port);
                    self.places.remove(&tag);
                    return Err(error);
                }
            };
            asking = false;
            match Advice::read(&reply) {
                None => return Ok(reply),
                Some(Advice::Moved(to)) => {
                    self.told.moved += 1;
                    self.places.insert(tag.clone(), to);
                    // Two nodes may redirect us to each other until both know who has the slot.
                    if port == to || self.told.moved.is_multiple_of(8) {
                        self.pause(start, "sent from node to node");
                    }
                    port = to;
                }
                Some(Advice::Ask(to)) => {
                    self.told.ask += 1;
                    port = to;
                    asking = true;
                }
                Some(Advice::TryAgain) => {
                    self.told.try_again += 1;
                    self.pause(start, &reply.text());
                    port = self.place_of(&tag);
                }
                Some(Advice::Wait) => {
                    self.pause(start, &reply.text());
                    port = self.another(port);
                }
            }
        }
    }

    /// How many replicas have what the last call wrote, after waiting for one of them; 0 if that is
    /// unknown.
    pub fn wait_for_replica(&mut self) -> i64 {
        let port = self.last;
        let reply = self
            .ready(port, false)
            .and_then(|client| client.try_call(&["WAIT", "1", "10000"]));
        match reply {
            Ok(Value::Integer(replicas)) => replicas,
            // A master that has meanwhile become a replica.
            Ok(_) => 0,
            Err(_) => {
                self.connections.remove(&port);
                0
            }
        }
    }

    /// A connection to a node, ready for the next command. After an error, `ASKING` at most was sent.
    fn ready(&mut self, port: u16, asking: bool) -> Result<&mut Client> {
        let client = match self.connections.entry(port) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Client::connect(port)?),
        };
        if asking {
            client.try_call(&["ASKING"])?;
        }
        Ok(client)
    }

    fn place_of(&self, tag: &str) -> u16 {
        self.places.get(tag).copied().unwrap_or(self.ports[0])
    }

    fn another(&self, port: u16) -> u16 {
        let index = self.ports.iter().position(|other| *other == port);
        self.ports[(index.unwrap_or(0) + 1) % self.ports.len()]
    }

    #[track_caller]
    fn pause(&self, start: Instant, why: &str) {
        assert!(start.elapsed() < patience(), "still no answer: {why}");
        sleep(PAUSE);
    }
}

/// The part of a key that decides its slot: the text between its first braces, or all of it.
fn tag_of(key: &[u8]) -> String {
    let key = String::from_utf8_lossy(key);
    let tag = key
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'));
    match tag {
        Some((tag, _)) if !tag.is_empty() => tag.into(),
        _ => key.into_owned(),
    }
}
