//! The slots of a cluster: whether keys share one, and whether it is moving to another node.

use std::ffi::CStr;
use std::sync::OnceLock;

use keyns_core::naming::key_name::{Prefix, hash_tag};
use redis_module::raw::RedisModuleString;

use super::{CallReply, Store};
use crate::server::server_info::in_cluster;
use crate::server::{Error, Result, ServerString};

impl Store<'_> {
    /// An error if a cluster would spread the keys of this prefix over several slots.
    pub fn check_slot(&self, prefix: &Prefix) -> Result<()> {
        if in_cluster() && !prefix.has_hash_tag() {
            return Err(Error::NoHashTag);
        }
        Ok(())
    }

    /// An error if a cluster would spread the keys in the scope of this prefix over several slots.
    pub fn check_scope_slot(&self, prefix: &Prefix) -> Result<()> {
        let scope = prefix.scope().unwrap_or_default();
        if in_cluster() && hash_tag(scope).is_none() {
            return Err(Error::NoHashTag);
        }
        Ok(())
    }

    /// An error if a cluster keeps this key and the keys that start with it in different slots.
    pub fn check_tagged(&self, key: &ServerString) -> Result<()> {
        if in_cluster() && hash_tag(key.as_bytes()).is_none() {
            return Err(Error::NoHashTag);
        }
        Ok(())
    }

    /// An error if a cluster keeps this key and its relations in different slots, or while their slot
    /// moves.
    pub fn check_together(&self, key: &ServerString) -> Result<()> {
        self.check_tagged(key)?;
        self.check_settled(key)
    }

    /// An error while the slot of this prefix moves, and once it has moved away.
    pub fn check_here(&self, prefix: &Prefix) -> Result<()> {
        self.check_settled(&ServerString::new(prefix.counter(&mut Vec::new())))
    }

    /// An error if another node may still have a key that this one lacks, because the slot moves key by
    /// key between the two. The server does not say so, but it refuses a command on two keys of such a
    /// slot if one of them is absent. A slot that Valkey migrates as a whole has all its keys in one
    /// place at any time, and counts as settled.
    pub fn check_settled(&self, name: &ServerString) -> Result<()> {
        if !in_cluster() {
            return Ok(());
        }
        // A key that exists nowhere.
        let same_slot = ServerString::new(&[name.as_bytes(), b"\0keyns"].concat());
        self.check_would_run(&mut [name.as_raw(), same_slot.as_raw()])
    }

    /// An error if the server would refuse to create this key, which is missing, because its slot
    /// moves away key by key. A call inside a transaction or a script can meet such a key, if an
    /// earlier one has deleted it. No key may be open: Redis 7.0 announces that the key is missing.
    pub(super) fn check_creatable(&self, name: &ServerString) -> Result<()> {
        match in_cluster() {
            true => self.check_would_run(&mut [name.as_raw()]),
            false => Ok(()),
        }
    }

    /// An error if the server refuses EXISTS with these keys.
    fn check_would_run(&self, keys: &mut [*mut RedisModuleString]) -> Result<()> {
        static MISSING: OnceLock<Option<&CStr>> = OnceLock::new();
        self.check_commands(&MISSING, &[c"EXISTS"])?;
        let is_tried = self.tries_commands();
        let format = if is_tried { c"Dv" } else { c"v" };
        // SAFETY: `v` takes an array of strings of the server and its length; a reply is ours to free.
        let reply = unsafe {
            let reply = api!(RedisModule_Call(
                self.ctx,
                c"EXISTS".as_ptr(),
                format.as_ptr(),
                keys.as_mut_ptr(),
                keys.len()
            ));
            (!reply.is_null()).then(|| CallReply::from_raw(reply))
        };
        let is_refused = match reply {
            // A command that would run gets no reply from Redis and Valkey 8 when it is only tried,
            // and an empty one from Valkey 9.1.
            Some(reply) => reply.is_error(),
            // Without the flag `D`, a refused command gets no reply.
            None => !is_tried,
        };
        match is_refused {
            true => Err(Error::SlotMoves),
            false => Ok(()),
        }
    }

    /// Whether the server can try a command without running it (flag `D`), which Redis 7.0 cannot. A
    /// trial is faster and leaves no trace in the statistics.
    fn tries_commands(&self) -> bool {
        static TRIES: OnceLock<bool> = OnceLock::new();
        *TRIES.get_or_init(|| {
            // SAFETY: the call lacks the argument that the command needs. A server that knows the flag
            // refuses it with a reply, which is ours; the others refuse it without one.
            unsafe {
                let reply = api!(RedisModule_Call(
                    self.ctx,
                    c"EXISTS".as_ptr(),
                    c"D".as_ptr()
                ));
                (!reply.is_null()).then(|| CallReply::from_raw(reply))
            }
            .is_some()
        })
    }
}
