//! Sends the calls of a step, and sees that each gets exactly one reply.

use std::io::{Error, Result};

use keyns_testkit::{Client, Value};

use crate::call::Call;
use crate::step::{Script, Sender, Step, Way};
use crate::stream::Stream;
use crate::world::World;

/// The reply to each call, if one was to come.
pub type Replies = Vec<Option<Value>>;

pub fn send(world: &mut World, step: &Step) -> Result<Replies> {
    let calls = &step.calls;
    match step.way {
        Way::ThenGone => {
            let mut client = world.connect(step.sender)?;
            let id = client.try_call(&["CLIENT", "ID"])?;
            for call in calls {
                client.send(&call.words)?;
            }
            drop(client);
            world.wait_until_gone(&id)?;
            return Ok(vec![None; calls.len()]);
        }
        Way::AllAtOnce => return all_at_once(world, step),
        _ => {}
    }
    let client = match step.way {
        Way::ToReplica => &mut world.replica_admin,
        _ => world.sender(step.sender)?,
    };
    let replies = match step.way {
        Way::OneByOne => {
            let replies = calls.iter().map(|call| client.try_call(&call.words));
            replies
                .map(|reply| reply.map(Some))
                .collect::<Result<_>>()?
        }
        Way::InTransaction => transaction(client, calls)?,
        Way::InScript(script) => vec![Some(in_script(client, script, &calls[0])?)],
        Way::Unanswered => {
            client.send(&["CLIENT", "REPLY", "OFF"])?;
            for call in calls {
                client.send(&call.words)?;
            }
            expect(client, &["CLIENT", "REPLY", "ON"], "OK")?;
            vec![None; calls.len()]
        }
        Way::FirstUnanswered => {
            client.send(&["CLIENT", "REPLY", "SKIP"])?;
            for call in calls {
                client.send(&call.words)?;
            }
            let rest = calls[1..].iter().map(|_| client.receive().map(Some));
            std::iter::once(Ok(None))
                .chain(rest)
                .collect::<Result<_>>()?
        }
        Way::Audited => audited(client, calls)?,
        Way::Inline => {
            for call in calls {
                client.send_raw(&inline(call))?;
            }
            let replies = calls.iter().map(|_| client.receive().map(Some));
            replies.collect::<Result<_>>()?
        }
        Way::Pipelined | Way::ToReplica | Way::ThenGone | Way::AllAtOnce => {
            for call in calls {
                client.send(&call.words)?;
            }
            let replies = calls.iter().map(|_| client.receive().map(Some));
            replies.collect::<Result<_>>()?
        }
    };
    // Neither a reply too many nor one too few.
    expect(client, &["ECHO", "and now this"], "and now this")?;
    Ok(replies)
}

fn all_at_once(world: &World, step: &Step) -> Result<Replies> {
    let connections = step.calls.iter().map(|call| {
        // The server's own commands happen to the senders of ours.
        let user = step.sender.user.filter(|_| call.spec().is_some());
        let sender = Sender {
            user,
            ..step.sender
        };
        world.connect(sender)
    });
    let mut connections = connections.collect::<Result<Vec<_>>>()?;
    for (client, call) in connections.iter_mut().zip(&step.calls) {
        client.send(&call.words)?;
    }
    let replies = connections.iter_mut().map(|client| {
        let reply = client.receive()?;
        expect(client, &["ECHO", "and now this"], "and now this")?;
        Ok(Some(reply))
    });
    replies.collect()
}

/// Sees that a call that is refused or only reads tells the replicas nothing.
fn audited(client: &mut Client, calls: &[Call]) -> Result<Replies> {
    Stream::ask(client)?;
    for call in calls {
        client.send(&call.words)?;
        Stream::ask(client)?;
    }
    let mut before = Stream::hear(client)?;
    let mut replies = Vec::new();
    for call in calls {
        let reply = client.receive()?;
        let after = Stream::hear(client)?;
        let refused = call.spec().is_some() && reply.is_error();
        if (refused || call.only_reads()) && !before.allows(&after) {
            let what =
                format!("{call} is answered by {reply:?} and propagated: {before:?} {after:?}");
            return Err(Error::other(what));
        }
        before = after;
        replies.push(Some(reply));
    }
    Ok(replies)
}

/// Where the transaction was not executed, the calls have no replies.
fn transaction(client: &mut Client, calls: &[Call]) -> Result<Replies> {
    client.send(&["MULTI"])?;
    for call in calls {
        client.send(&call.words)?;
    }
    client.send(&["EXEC"])?;
    is(&client.receive()?, "OK", "MULTI")?;
    let queued = calls.iter().map(|_| client.receive());
    let queued = queued.collect::<Result<Vec<_>>>()?;
    match client.receive()? {
        Value::Array(replies) if replies.len() == calls.len() => {
            queued
                .iter()
                .try_for_each(|reply| is(reply, "QUEUED", "a call in MULTI"))?;
            Ok(replies.into_iter().map(Some).collect())
        }
        Value::Error(error) if error.starts_with("EXECABORT") => {
            let refused = queued
                .into_iter()
                .map(|reply| reply.is_error().then_some(reply));
            Ok(refused.collect())
        }
        other => Err(Error::other(format!("the reply to EXEC is {other:?}"))),
    }
}

fn in_script(client: &mut Client, script: Script, call: &Call) -> Result<Value> {
    let (eval, code) = match script {
        Script::Call => ("EVAL", "return redis.call(unpack(ARGV))"),
        Script::ProtectedCall => ("EVAL", "return redis.pcall(unpack(ARGV))"),
        Script::ProtectedCall3 => ("EVAL", "redis.setresp(3) return redis.pcall(unpack(ARGV))"),
        Script::ReadOnly => ("EVAL_RO", "return redis.pcall(unpack(ARGV))"),
    };
    let mut words: Vec<&[u8]> = vec![eval.as_bytes(), code.as_bytes(), b"0"];
    words.extend(call.words.iter().map(Vec::as_slice));
    client.try_call(&words)
}

/// A line with quotes and escapes, where the server takes one of that length.
fn inline(call: &Call) -> Vec<u8> {
    const LONGEST: usize = 60_000;
    let quoted = |word: &Vec<u8>| {
        let escaped = word.iter().map(|byte| format!("\\x{byte:02x}"));
        format!("\"{}\"", escaped.collect::<String>())
    };
    let words: Vec<String> = call.words.iter().map(quoted).collect();
    let line = words.join(" ");
    if line.len() > LONGEST {
        return Client::request(&call.words);
    }
    format!("{line}\r\n").into_bytes()
}

fn expect(client: &mut Client, call: &[&str], reply: &str) -> Result<()> {
    let got = client.try_call(call)?;
    is(&got, reply, &call.join(" "))
}

fn is(got: &Value, expected: &str, of: &str) -> Result<()> {
    match got {
        Value::Simple(text) if text == expected => Ok(()),
        Value::Bulk(bytes) if bytes == expected.as_bytes() => Ok(()),
        other => Err(Error::other(format!("the reply to {of} is {other:?}"))),
    }
}
