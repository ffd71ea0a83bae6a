//! What must hold of every reply, and of the data after it.

use crate::call::Call;
use crate::sending::Replies;
use crate::step::Step;
use crate::support::{Client, Value};
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

/// What can be seen of a server's data, and of what it tells its replicas.
#[derive(Debug)]
pub struct Sight {
    /// How much had expired before and after the look: that changes the data and tells the
    /// replicas, whatever is called.
    expired: [Vec<String>; 2],
    digest: String,
    namespaces: String,
    offset: String,
}

impl Sight {
    pub fn of(world: &mut World) -> Sight {
        let admin = &mut world.admin;
        let expired = |admin: &mut Client| {
            let stats = admin.run("INFO stats").text();
            let lines = stats.lines().filter(|line| line.starts_with("expired_"));
            // Keys, and on newer servers fields; how hard the server works on it is no matter.
            let counts = lines.filter(|line| line.contains("keys:"));
            counts.map(str::to_owned).collect::<Vec<_>>()
        };
        let before = expired(admin);
        let digest = admin.run("DEBUG DIGEST").text();
        let namespaces = admin.run("KEYNS.NS.DUMP JSON").text();
        let offset = admin.info("replication", "master_repl_offset");
        let after = expired(admin);
        Sight {
            expired: [before, after],
            digest,
            namespaces,
            offset,
        }
    }
}

/// Whether a step may change nothing: each of its calls is ours, and was refused or only reads.
pub fn must_change_nothing(step: &Step, replies: &Replies) -> bool {
    step.calls.iter().zip(replies).all(|(call, reply)| {
        let refused = matches!(reply, Some(Value::Error(_)));
        call.only_reads() || (call.spec().is_some() && refused)
    })
}

pub fn check_unchanged(before: &Sight, after: &Sight) -> Result<(), String> {
    let seen = |sight: &Sight| [&sight.digest, &sight.namespaces, &sight.offset].map(String::clone);
    if seen(before) == seen(after) || before.expired[0] != after.expired[1] {
        return Ok(());
    }
    Err(format!(
        "calls that were refused or only read changed something:\n{before:?}\n{after:?}"
    ))
}
