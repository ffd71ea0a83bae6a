//! How much memory the server has left.

use super::Store;
use crate::server::server_info::ServerInfo;
use crate::server::{Error, Result};

/// How much a call may add without checking the memory: no more than a plain command adds.
const LITTLE: usize = 64 << 10;

/// The memory of a server that has a limit.
struct Memory {
    max: u64,
    used: u64,
    never_evicts: bool,
    /// Whether the server may evict every key. Other policies find nothing if no key expires.
    evicts_any: bool,
}

impl Store<'_> {
    /// Returns an error if the server has no room for this many bytes. A server that may evict any
    /// key is full most of the time, and makes room before the next command of a client. There, a
    /// call may exceed the limit, but all calls of a transaction and all that waited together may at
    /// most double it.
    pub fn check_room(&self, what: &'static str, bytes: usize) -> Result<()> {
        if bytes <= LITTLE {
            return Ok(());
        }
        let Some(memory) = self.memory() else {
            return Ok(());
        };
        let most = match memory.evicts_any {
            true => memory.max.saturating_mul(2),
            false => memory.max,
        };
        let free = most.saturating_sub(memory.used);
        match bytes as u64 > free {
            true => Err(Error::NoRoom {
                what,
                free,
                got: bytes,
            }),
            false => Ok(()),
        }
    }

    /// Whether the server refuses writes when its memory is full, and evicts nothing for them.
    pub(in crate::server) fn never_evicts(&self) -> bool {
        self.memory().is_some_and(|memory| memory.never_evicts)
    }

    /// The memory, if it has a limit. The used memory is what the server compares with the limit,
    /// without the buffers of replicas and of the AOF.
    fn memory(&self) -> Option<Memory> {
        // SAFETY: takes no arguments.
        let used = f64::from(unsafe { api!(RedisModule_GetUsedMemoryRatio()) });
        if used <= 0.0 {
            return None;
        }
        // SAFETY: the context is the call's, for longer than the info.
        let info = unsafe { ServerInfo::of(self.ctx, c"memory") };
        let max = info.field(c"maxmemory")?.to_str().ok()?;
        let max = max.parse::<u64>().ok().filter(|&max| max > 0)?;
        let policy = info.field(c"maxmemory_policy")?;
        Some(Memory {
            max,
            used: (max as f64 * used) as u64,
            never_evicts: policy == c"noeviction",
            evicts_any: policy.to_bytes().starts_with(b"allkeys-"),
        })
    }
}
