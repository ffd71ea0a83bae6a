//! Who else limits rates: the Lua scripts that applications have, written the usual way, and
//! redis-cell, where its published crate builds and the server takes it.
//!
//! The scripts reply whether the call is allowed, and what is left.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use keyns_testkit::{Client, repository};

/// Tokens and the time of their count in a hash; written only where the call is allowed.
/// Arguments: capacity, refill, period in milliseconds.
pub const TOKEN_BUCKET: &str = "\
local capacity, refill, period = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(state[1]) or capacity, tonumber(state[2]) or now
tokens = math.min(capacity, tokens + (now - at) * refill / period)
if tokens < 1 then return {0, 0} end
tokens = tokens - 1
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - tokens) * period / refill))
return {1, math.floor(tokens)}";

/// A counter that expires. Arguments: max, period in milliseconds.
const FIXED_WINDOW: &str = "\
local max = tonumber(ARGV[1])
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if count > max then return {0, 0} end
return {1, max - count}";

/// The times of all calls in a sorted set. Arguments: max, period in milliseconds.
const SLIDING_LOG: &str = "\
local max, period = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - period * 1000)
local count = redis.call('ZCARD', KEYS[1])
if count >= max then return {0, 0} end
redis.call('ZADD', KEYS[1], now, time[1] .. ':' .. time[2] .. ':' .. count)
redis.call('PEXPIRE', KEYS[1], period)
return {1, max - count - 1}";

/// The names by which EVALSHA knows them.
pub struct Scripts {
    pub token_bucket: String,
    pub fixed_window: String,
    pub sliding_log: String,
}

impl Scripts {
    pub fn load(client: &mut Client) -> Scripts {
        let mut load = |script| client.call(&["SCRIPT", "LOAD", script]).text();
        Scripts {
            token_bucket: load(TOKEN_BUCKET),
            fixed_window: load(FIXED_WINDOW),
            sliding_log: load(SLIDING_LOG),
        }
    }
}

/// Loads redis-cell beside KEYNS and answers its version, or says why the benchmark goes on
/// without it.
pub fn load_redis_cell(client: &mut Client) -> Option<String> {
    match try_load(client) {
        Ok(()) => Some(version()),
        Err(reason) => {
            eprintln!("bench: without redis-cell: {reason}");
            None
        }
    }
}

fn try_load(client: &mut Client) -> Result<(), String> {
    let script = redis_cell();
    let output = Command::new(&script)
        .output()
        .map_err(|error| format!("{}: {error}", script.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if !output.status.success() {
        return Err(text(&output.stderr));
    }
    let reply = client.call(&["MODULE", "LOAD", &text(&output.stdout)]);
    if reply.is_error() {
        return Err(reply.text());
    }
    Ok(())
}

/// The script says which one it builds.
fn version() -> String {
    let script = fs::read_to_string(redis_cell()).unwrap_or_default();
    let dependency = script.lines().find(|line| line.starts_with("redis-cell ="));
    let number = dependency.and_then(|line| line.split('"').nth(1));
    format!(
        "redis-cell {}",
        number.unwrap_or_default().trim_matches('=')
    )
}

/// The script that builds it.
fn redis_cell() -> PathBuf {
    repository().join("scripts/redis-cell")
}
