//! In which slots of a cluster keys are, and whether these are on their way to another node.

use std::ffi::CStr;
use std::sync::OnceLock;

use keyns_core::naming::key_name::{Prefix, hash_tag};

use super::Store;
use crate::server::server_info::in_cluster;
use crate::server::{Error, Result, ServerString};

impl Store<'_> {
    /// An error where a cluster would keep the keys of this prefix in different slots.
    pub fn check_slot(&self, prefix: &Prefix) -> Result<()> {
        if in_cluster() && !prefix.has_hash_tag() {
            return Err(Error::NoHashTag);
        }
        Ok(())
    }

    /// The same for all keys in the scope of this prefix.
    pub fn check_scope_slot(&self, prefix: &Prefix) -> Result<()> {
        let scope = prefix.scope().unwrap_or_default();
        if in_cluster() && hash_tag(scope).is_none() {
            return Err(Error::NoHashTag);
        }
        Ok(())
    }

    /// An error where a cluster keeps this key and those that start with it apart.
    pub fn check_tagged(&self, key: &ServerString) -> Result<()> {
        if in_cluster() && hash_tag(key.as_bytes()).is_none() {
            return Err(Error::NoHashTag);
        }
        Ok(())
    }

    /// An error where a cluster keeps this key and its relations apart, or while their slot moves.
    pub fn check_together(&self, key: &ServerString) -> Result<()> {
        self.check_tagged(key)?;
        self.check_settled(key)
    }

    /// An error while the slot of this prefix moves, or if it is gone.
    pub fn check_here(&self, prefix: &Prefix) -> Result<()> {
        self.check_settled(&ServerString::new(prefix.counter(&mut Vec::new())))
    }

    /// An error where a key that is not here may be on another node still, because its slot is on
    /// its way between the two. The server does not tell, but it refuses a command on two keys then,
    /// if one of them is not here.
    pub fn check_settled(&self, name: &ServerString) -> Result<()> {
        if !in_cluster() {
            return Ok(());
        }
        static MISSING: OnceLock<Option<&CStr>> = OnceLock::new();
        self.check_commands(&MISSING, &[c"EXISTS"])?;
        // A key that nobody has.
        let same_slot = ServerString::new(&[name.as_bytes(), b"\0keyns"].concat());
        let is_tried = self.tries_commands();
        let format = if is_tried { c"Dss" } else { c"ss" };
        // SAFETY: `s` is a string of the server; a reply is ours to free.
        let is_answered = unsafe {
            let reply = api!(RedisModule_Call(
                self.ctx,
                c"EXISTS".as_ptr(),
                format.as_ptr(),
                name.as_raw(),
                same_slot.as_raw()
            ));
            if !reply.is_null() {
                api!(RedisModule_FreeCallReply(reply));
            }
            !reply.is_null()
        };
        // What is only tried has an answer if it is refused, and what is run if it is not.
        match is_answered == is_tried {
            true => Err(Error::SlotMoves),
            false => Ok(()),
        }
    }

    /// Whether the server can try a command without running it, by the flag `D`, which Redis 7.0
    /// does not know. That saves time, and leaves no trace in the statistics.
    fn tries_commands(&self) -> bool {
        static TRIES: OnceLock<bool> = OnceLock::new();
        *TRIES.get_or_init(|| {
            // SAFETY: there is no argument, which the command needs: it is refused with a reply if
            // the flag is known, and without one if not. The reply is ours.
            unsafe {
                let reply = api!(RedisModule_Call(
                    self.ctx,
                    c"EXISTS".as_ptr(),
                    c"D".as_ptr()
                ));
                if !reply.is_null() {
                    api!(RedisModule_FreeCallReply(reply));
                }
                !reply.is_null()
            }
        })
    }
}
