//! What KEYNS does, from Rust with the redis crate.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use redis::{
    Client, Commands, Connection, FromRedisValue, IntoConnectionInfo, ProtocolVersion, RedisResult,
    ToRedisArgs, Value, cmd, from_redis_value, pipe,
};

static RUN: LazyLock<String> = LazyLock::new(|| format!("{:08x}", random(1 << 32)));
/// All keys of a run are below a scope of its own, whose braces keep it in one slot of a cluster.
static SCOPE: LazyLock<String> = LazyLock::new(|| format!("{{example_{}}}", *RUN));
/// Only this one is wanted by all runs, in whatever language.
const LOCK: &str = "lock:example:report";
const MARKDOWN: &str = "# Risk\n\nMeasure it first.\n\n## Methods\n\n- History\n- Simulation\n";

/// What the crate makes of a map, under RESP2 and RESP3 alike.
type Map = HashMap<String, Value>;
/// allowed, limit, remaining, retry_after_ms, reset_after_ms, binding
type Ruling = (bool, i64, i64, i64, i64, i64);

fn naming(r: &mut Connection) -> RedisResult<()> {
    say("== Naming");
    let title = "5 Strategies for Risk Management";
    let slug: String = call(r, "KEYNS.SLUG", (title, "LANG", "en", "SHORTEN", "WORD"))?;
    say(format!("{title}: {slug}"));
    // However many ask at once, no name is given twice.
    for _ in 0..2 {
        let name: String = call(r, "KEYNS.MAKE", (key("page"), "Über uns"))?;
        say(format!("Über uns: {name}"));
    }
    Ok(())
}

fn document(r: &mut Connection) -> RedisResult<()> {
    say("== Document");
    let document = (key("doc"), MARKDOWN, "TITLE", "Risk Handbook");
    let written: Map = call(r, "KEYNS.INGESTMD", document)?;
    let doc: String = field(&written, "doc")?;
    let (chunks, keys): (u64, u64) = (field(&written, "chunks")?, field(&written, "keys")?);
    say(format!("{doc}: {chunks} chunks, {keys} keys"));
    let tree: String = call(r, "KEYNS.TREE", (&doc, "FORMAT", "TEXT"))?;
    say(tree.trim_end());
    let [chapter]: [String; 1] = call(r, "KEYNS.NAV", (&doc, "CHILDREN"))?;
    let chunk: String = call(r, "KEYNS.NAV", (&chapter, "NEXT"))?;
    let text: String = r.hget(&chunk, "text")?;
    let text = text.trim_end();
    say(format!("after {chapter} comes {chunk}: {text}"));
    let exported: String = call(r, "KEYNS.EXPORTMD", &doc)?;
    let same = if exported == MARKDOWN { "yes" } else { "no" };
    say(format!("exported as it was: {same}"));
    let dropped: u64 = call(r, "KEYNS.DROP", &doc)?;
    say(format!("dropped: {dropped} keys"));
    Ok(())
}

fn rate_limit(r: &mut Connection) -> RedisResult<()> {
    say("== Rate limit");
    // Two at once, and one more every half second.
    let mut request = cmd("KEYNS.RATE");
    request.arg((key("rate:api"), "BUCKET", 2, 2, "1s"));
    let mut together = pipe();
    for _ in 0..3 {
        together.add_command(request.clone());
    }
    let replies: [Ruling; 3] = together.query(r)?;
    for (number, (allowed, _, left, ..)) in (1..).zip(replies) {
        match allowed {
            true => say(format!("request {number}: allowed, {left} left")),
            false => say(format!("request {number}: refused")),
        }
    }
    let [_, _, mut ruling] = replies;
    while let (false, _, _, retry_after_ms, ..) = ruling {
        sleep(Duration::from_millis(retry_after_ms.unsigned_abs()));
        ruling = request.query(r)?;
    }
    say("request 3, after the wait it was told: allowed");
    Ok(())
}

fn namespace(r: &mut Connection) -> RedisResult<()> {
    say("== Namespace");
    let name = format!("session_{}", *RUN);
    let rules = (
        "PATTERN",
        key("session:<sid:hex>"),
        "TTL",
        1800,
        "TYPE",
        "hash",
    );
    let () = call(r, "KEYNS.NS.SET", (&name, rules))?;
    let done = session(r, &name);
    let () = call(r, "KEYNS.NS.DEL", &name)?;
    done
}

fn session(r: &mut Connection, namespace: &str) -> RedisResult<()> {
    let (session, ttl): (String, i64) = call(r, "KEYNS.KEY", (namespace, "5f3a", "WITHTTL"))?;
    say(format!("{session} lives for {ttl} seconds"));
    let mistake: RedisResult<String> = call(r, "KEYNS.KEY", (namespace, "Ada"));
    match mistake {
        Err(error) if error.code() == Some("ERR") => {
            say(format!("no key: {}", error.detail().unwrap_or_default()));
        }
        other => say(format!("a key: {}", other?)),
    }
    let () = r.hset(&session, "user", "ada")?;
    check(r, &[&session, &key("session:5F3A")])?;
    let () = r.expire(&session, ttl)?;
    check(r, &[&session])
}

fn check(r: &mut Connection, keys: &[&str]) -> RedisResult<()> {
    let replies: Vec<Map> = call(r, "KEYNS.CHECK", keys)?;
    for (key, found) in keys.iter().zip(&replies) {
        let problems: Vec<String> = field(found, "problems")?;
        let verdict = match field(found, "valid")? {
            true => "valid".into(),
            false => problems.join(" "),
        };
        match field::<Option<String>>(found, "suggestion")? {
            Some(meant) => say(format!("{key}: {verdict}, did you mean {meant}?")),
            None => say(format!("{key}: {verdict}")),
        }
    }
    Ok(())
}

fn lock(ada: &mut Connection, bob: &mut Connection) -> RedisResult<()> {
    say("== Lock");
    // An owner is a name that nobody else has.
    let (ada_name, bob_name) = (format!("ada-{}", *RUN), format!("bob-{}", *RUN));
    let first = take(ada, &ada_name)?;
    say("ada holds the lock");
    match try_to_take(bob, &bob_name)? {
        None => say("bob does not get it"),
        Some(_) => say("bob gets it too"),
    }
    let () = call(ada, "KEYNS.UNLOCK", (LOCK, &ada_name))?;
    let second = take(bob, &bob_name)?;
    let order = if second > first { "greater" } else { "smaller" };
    say(format!("bob holds it, with a {order} token"));
    report(bob, "bob", second)?;
    let () = call(bob, "KEYNS.UNLOCK", (LOCK, &bob_name))?;
    // As if ada had been paused all the time and did not know that bob has been there.
    report(ada, "ada", first)
}

/// Waits for the lock, and gives its fencing token. Who dies loses it after ten seconds.
fn take(client: &mut Connection, owner: &str) -> RedisResult<i64> {
    loop {
        if let Some(token) = try_to_take(client, owner)? {
            return Ok(token);
        }
        sleep(Duration::from_millis(10 + random(40)));
    }
}

fn try_to_take(client: &mut Connection, owner: &str) -> RedisResult<Option<i64>> {
    call(client, "KEYNS.LOCK", (LOCK, owner, "PX", 10_000))
}

/// Writes, unless somebody has written with a greater token.
fn report(client: &mut Connection, writer: &str, token: i64) -> RedisResult<()> {
    let (written, _newest): (bool, i64) =
        call(client, "KEYNS.ADVANCE", (key("report:token"), token))?;
    match written {
        true => say(format!("report of {writer}: written")),
        false => say(format!("report of {writer}: refused, it is late")),
    }
    Ok(())
}

fn call<T: FromRedisValue>(
    r: &mut Connection,
    name: &str,
    args: impl ToRedisArgs,
) -> RedisResult<T> {
    cmd(name).arg(args).query(r)
}

fn field<T: FromRedisValue>(map: &Map, name: &str) -> RedisResult<T> {
    let value = map.get(name).cloned().unwrap_or(Value::Nil);
    Ok(from_redis_value(value)?)
}

fn key(rest: &str) -> String {
    format!("{}:{rest}", *SCOPE)
}

fn say(text: impl AsRef<str>) {
    println!("{}", text.as_ref().replace(&key(""), ""));
}

fn random(below: u64) -> u64 {
    RandomState::new().hash_one(()) % below
}

fn run() -> RedisResult<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".into());
    let address = url.into_connection_info()?;
    let settings = address.redis_settings().clone();
    let settings = settings.set_protocol(ProtocolVersion::RESP3);
    let client = Client::open(address.set_redis_settings(settings))?;
    let (mut r, mut other) = (client.get_connection()?, client.get_connection()?);
    let done = naming(&mut r)
        .and_then(|()| document(&mut r))
        .and_then(|()| rate_limit(&mut r))
        .and_then(|()| namespace(&mut r))
        .and_then(|()| lock(&mut r, &mut other));
    let keys: Vec<String> = r.scan_match(key("*"))?.collect::<RedisResult<_>>()?;
    for key in keys {
        let () = r.unlink(key)?;
    }
    done
}

fn main() {
    if let Err(error) = run() {
        let is_reply = error.code().is_some();
        eprintln!(
            "{}: {error}",
            if is_reply {
                "Redis says"
            } else {
                "Redis cannot be reached"
            }
        );
        std::process::exit(1);
    }
}
