//! What must hold of every reply, and of the data after it.

use std::thread::sleep;
use std::time::{Duration, Instant};

use keyns_testkit::{Client, Value};

use crate::call::Call;
use crate::sending::Replies;
use crate::step::Step;
use crate::stream::Stream;
use crate::world::World;

/// The words that errors start with: ours, and the server's when it turns a call away.
const CODES: [&str; 9] = [
    "ERR",
    "WRONGTYPE",
    "NOPERM",
    "OOM",
    "READONLY",
    "TRYAGAIN",
    "NOREPLICAS",
    "MISCONF",
    "EXECABORT",
];

/// An error is for people to read, in a line of a log.
const LONGEST_ERROR: usize = 1024;

/// The servers look for what has expired ten times a second.
const UNTIL_REMOVED: Duration = Duration::from_secs(2);

/// What is wrong with a reply to one of our commands.
pub fn check_reply(call: &Call, reply: &Value) -> Result<(), String> {
    let Value::Error(error) = reply else {
        return check_parts(reply);
    };
    if call.spec().is_none() {
        return Ok(());
    }
    let code = error.split(' ').next().unwrap_or_default();
    let wrong = if error.contains("internal error") {
        "says that the module is broken"
    } else if !CODES.contains(&code) {
        "starts with no known code"
    } else if !error.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        "has more than printable ASCII in it"
    } else if error.len() > LONGEST_ERROR {
        "is too long"
    } else {
        return Ok(());
    };
    Err(format!("an error that {wrong}: {error}"))
}

/// No error hides inside a reply.
fn check_parts(reply: &Value) -> Result<(), String> {
    match reply {
        Value::Array(parts) => parts.iter().try_for_each(check_part),
        Value::Map(pairs) => pairs.iter().try_for_each(|(name, value)| {
            check_part(name)?;
            check_part(value)
        }),
        _ => Ok(()),
    }
}

fn check_part(part: &Value) -> Result<(), String> {
    match part {
        Value::Error(error) => Err(format!("a reply with an error in it: {error}")),
        part => check_parts(part),
    }
}

/// What can be seen of a server's data.
#[derive(Debug)]
pub struct Sight {
    before: Stream,
    digest: String,
    namespaces: String,
    after: Stream,
}

impl Sight {
    pub fn of(world: &mut World) -> Result<Sight, String> {
        let admin = &mut world.admin;
        let stream = |admin: &mut Client| Stream::of(admin).map_err(|error| error.to_string());
        Ok(Sight {
            before: stream(admin)?,
            digest: admin.run("DEBUG DIGEST").text(),
            namespaces: admin.run("KEYNS.NS.DUMP JSON").text(),
            after: stream(admin)?,
        })
    }
}

/// Whether a step may change nothing: each of its calls is ours, and was refused or only reads.
pub fn must_change_nothing(step: &Step, replies: &Replies) -> bool {
    step.calls.iter().zip(replies).all(|(call, reply)| {
        let refused = matches!(reply, Some(Value::Error(_)));
        call.only_reads() || (call.spec().is_some() && refused)
    })
}

pub fn check_unchanged(world: &mut World, before: &Sight, after: &Sight) -> Result<(), String> {
    let expired = !before.before.same_expired(&after.after);
    let same = before.digest == after.digest && before.namespaces == after.namespaces;
    if expired || same || fields_expired(world, &before.before)? {
        return Ok(());
    }
    Err(format!(
        "calls that were refused or only read changed something:\n{before:?}\n{after:?}"
    ))
}

/// Whether a hash field has expired since, which the server counts only when it removes it. Valkey 9
/// leaves the field out of the digest from the moment at which it expires.
fn fields_expired(world: &mut World, since: &Stream) -> Result<bool, String> {
    let deadline = Instant::now() + UNTIL_REMOVED;
    while Instant::now() < deadline {
        let now = Stream::of(&mut world.admin).map_err(|error| error.to_string())?;
        if !since.same_expired_fields(&now) {
            return Ok(true);
        }
        sleep(Duration::from_millis(20));
    }
    Ok(false)
}

pub fn check_silent(before: &Stream, after: &Stream) -> Result<(), String> {
    if before.allows(after) {
        return Ok(());
    }
    Err(format!(
        "calls that were refused or only read were propagated: {before:?} {after:?}"
    ))
}
