//! Calls in every way there is: alone, in a transaction, in a script.

use std::io::Result;

use keyns_testkit::{Client, Content, Keyspace, Random, Value};

const SCRIPT: &str = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call(unpack(ARGV, 2))";

/// What became of a call that was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It did what it does.
    Done,
    /// It did nothing.
    Undone,
    /// Nobody knows: either of them.
    Open,
}

/// Sends the calls of one worker. In transactions and scripts a witness is written along with what
/// the call does: if one of them is there after a crash, so is the other.
pub struct Sender {
    pub random: Random,
    client: Option<Client>,
    witness: String,
    /// How many witnesses there were.
    witnesses: u64,
    /// The call that was not answered, with its witness if it has one.
    lost: Option<Option<u64>>,
}

impl Sender {
    pub fn new(number: u64, random: Random) -> Sender {
        Sender {
            random,
            client: None,
            witness: format!("witness:{number}"),
            witnesses: 0,
            lost: None,
        }
    }

    pub fn connect(&mut self, client: Client) {
        self.client = Some(client);
    }

    /// The reply, in whatever way it came; an error if the server went away.
    pub fn call<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Result<Value> {
        let args: Vec<&[u8]> = args.iter().map(A::as_ref).collect();
        let way = self.random.below(8);
        let has_witness = way < 2;
        if has_witness {
            self.witnesses += 1;
        }
        self.lost = Some(has_witness.then_some(self.witnesses));
        let count = self.witnesses.to_string();
        let [witness, count] = [self.witness.as_bytes(), count.as_bytes()];
        let client = self.client.as_mut().expect("a connection");
        let reply = match way {
            0 => {
                client.send(&["MULTI"])?;
                client.send(&[b"SET", witness, count])?;
                client.send(&args)?;
                client.send(&["EXEC"])?;
                for _ in 0..3 {
                    let queued = client.receive()?;
                    assert!(!queued.is_error(), "{queued:?}");
                }
                client.receive()?.array()[1].clone()
            }
            1 => {
                let script = [b"EVAL", SCRIPT.as_bytes(), b"1", witness, count];
                client.try_call(&[&script[..], &args].concat())?
            }
            _ => client.try_call(&args)?,
        };
        assert!(!reply.is_error(), "{}: {reply:?}", shown(&args));
        self.lost = None;
        Ok(reply)
    }

    /// The same with words.
    pub fn run(&mut self, line: &str) -> Result<Value> {
        self.call(&line.split(' ').collect::<Vec<_>>())
    }

    pub fn has_lost(&self) -> bool {
        self.lost.is_some()
    }

    pub fn forget_what_was_lost(&mut self) {
        self.lost = None;
    }

    /// What became of the call that was not answered.
    pub fn fate(&self, keys: &Keyspace) -> Fate {
        let Some(Some(witness)) = self.lost else {
            return Fate::Open;
        };
        match keys.get(&self.witness) == Some(&Content::Text(witness.to_string())) {
            true => Fate::Done,
            false => Fate::Undone,
        }
    }
}

fn shown(args: &[&[u8]]) -> String {
    let start = |arg: &&[u8]| arg[..arg.len().min(60)].escape_ascii().to_string();
    args.iter().map(start).collect::<Vec<_>>().join(" ")
}
