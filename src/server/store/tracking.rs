//! Derived keys for clients that cache what they read (`CLIENT TRACKING`).
//!
//! The server tells a client when a key changes that it has read. It tracks the keys that a command
//! declares; Redis 7.2 and newer and Valkey also track those of plain commands that a module calls.
//! So a command that has read derived keys calls a plain command with their names, if its client
//! tracks. On Redis 7.0 this is not possible.

use std::cell::RefCell;
use std::ffi::c_void;
use std::mem;

use redis_module::raw::{self, RedisModuleClientInfo};

use super::Store;
use crate::server::ServerString;
use crate::server::caller::can_ask_about_client;
use crate::server::server_info::is_redis_7_0;

/// How many keys one call names. This bounds the memory of a call, not the number of keys.
const AT_ONCE: usize = 1000;

/// The derived keys that a call has read.
pub struct Reads<'s> {
    store: &'s Store<'s>,
    /// `None` if the client does not track.
    names: Option<RefCell<Vec<ServerString>>>,
}

impl<'s> Store<'s> {
    /// Begins to record derived keys that the call reads.
    pub fn reads(&'s self) -> Reads<'s> {
        Reads {
            store: self,
            names: self.client_tracks().then(RefCell::default),
        }
    }

    /// Whether the client behind the call may track, and the server supports this.
    fn client_tracks(&self) -> bool {
        // SAFETY: the context is the call's; the structure is ours, and all zeros are a valid value.
        unsafe {
            if is_redis_7_0() {
                return false;
            }
            // A script or a module calls for a client that may track.
            if !can_ask_about_client(self.ctx) {
                return true;
            }
            let mut info: RedisModuleClientInfo = mem::zeroed();
            info.version = u64::from(raw::REDISMODULE_CLIENTINFO_VERSION);
            let id = api!(RedisModule_GetClientId(self.ctx));
            let place = (&raw mut info).cast::<c_void>();
            let status = api!(RedisModule_GetClientInfoById(place, id));
            status != raw::REDISMODULE_OK as i32
                || info.flags & u64::from(raw::REDISMODULE_CLIENTINFO_FLAG_TRACKING) != 0
        }
    }
}

impl Reads<'_> {
    /// Records a key, whether it exists or not: it may be created later. No key may be open.
    pub fn add(&self, name: &ServerString) {
        let Some(names) = &self.names else {
            return;
        };
        names.borrow_mut().push(ServerString::new(name.as_bytes()));
        if names.borrow().len() == AT_ONCE {
            self.tell(names);
        }
    }

    fn tell(&self, names: &RefCell<Vec<ServerString>>) {
        let names = names.take();
        if names.is_empty() {
            return;
        }
        let mut arguments: Vec<_> = names.iter().map(ServerString::as_raw).collect();
        // If the command was renamed, nothing can be done.
        // SAFETY: the names live longer than the call.
        let _ = unsafe { self.store.call(c"EXISTS", c"v", &mut arguments) };
    }
}

impl Drop for Reads<'_> {
    fn drop(&mut self) {
        if let Some(names) = &self.names {
            self.tell(names);
        }
    }
}
