//! A client that finds its server again.

use std::thread::sleep;
use std::time::{Duration, Instant};

use keyns_testkit::{Client, Value, patience};

use super::invariants::Invariant;
use super::pulse::Pulse;
use super::stage::Stage;

pub struct Link<'a> {
    pub stage: &'a Stage,
    pulse: &'a Pulse,
    client: Option<Client>,
}

impl<'a> Link<'a> {
    pub fn new(stage: &'a Stage, pulse: &'a Pulse) -> Link<'a> {
        Link {
            stage,
            pulse,
            client: None,
        }
    }

    /// A call that replies no error. `None` if the server went away: then it was done or not, and
    /// nobody can say which.
    pub fn call<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Option<Value> {
        let stage = self.stage;
        let client = self.connected();
        let sent = Instant::now();
        let Ok(reply) = client.try_call(args) else {
            self.client = None;
            return None;
        };
        self.pulse.beat(stage.seconds(), sent.elapsed());
        // A server that shuts down waits for its replicas, and pauses whoever writes.
        let is_pause =
            matches!(&reply, Value::Error(text) if text.starts_with("TRYAGAIN writes are paused"));
        if is_pause {
            return None;
        }
        stage
            .invariants
            .check(Invariant::Replies, !reply.is_error(), || {
                let name = String::from_utf8_lossy(args[0].as_ref()).into_owned();
                let argument = args.get(1).map_or(&b""[..], |argument| argument.as_ref());
                format!("{name} {}: {reply:?}", argument.escape_ascii())
            });
        (!reply.is_error()).then_some(reply)
    }

    /// A call written in words without spaces.
    pub fn run(&mut self, line: &str) -> Option<Value> {
        self.call(&line.split(' ').collect::<Vec<_>>())
    }

    fn connected(&mut self) -> &mut Client {
        let start = Instant::now();
        while self.client.is_none() {
            assert!(
                start.elapsed() < patience(),
                "the server does not come back"
            );
            self.client = Client::connect(self.stage.port)
                .ok()
                .and_then(|mut client| {
                    let reply = client.try_call(&["PING"]).ok()?;
                    (!reply.is_error()).then_some(client)
                });
            if self.client.is_none() {
                sleep(Duration::from_millis(20));
            }
        }
        self.client.as_mut().expect("it was just made")
    }
}
