//! Derived keys for clients that cache what they read (`CLIENT TRACKING`).
//!
//! The server tells a client when a key changes that it has read, and goes by the keys a command
//! declares. From Redis 7.2 on and in Valkey it also goes by those of the plain commands that a
//! module calls meanwhile. So a command that has read keys it derived asks for these once more, by
//! name, if its client tracks. Redis 7.0 cannot be told.

use std::cell::RefCell;
use std::ffi::c_void;
use std::mem;

use redis_module::raw::{self, RedisModuleClientInfo};

use super::Store;
use crate::server::ServerString;
use crate::server::server_info::is_redis_7_0;

/// How many keys one call is about: a bound for the memory it takes, not for the keys.
const AT_ONCE: usize = 1000;

/// The derived keys that a call has read.
pub struct Reads<'s> {
    store: &'s Store<'s>,
    /// `None` if nobody wants to know of them.
    names: Option<RefCell<Vec<ServerString>>>,
}

impl<'s> Store<'s> {
    /// Begins to note derived keys that the call reads.
    pub fn reads(&'s self) -> Reads<'s> {
        Reads {
            store: self,
            names: self.client_tracks().then(RefCell::default),
        }
    }

    /// Whether the client behind the call tracks what it reads, and the server can be told of it.
    fn client_tracks(&self) -> bool {
        // SAFETY: the context is the call's; the structure is ours, and all zeros are a valid value.
        unsafe {
            if is_redis_7_0() {
                return false;
            }
            let mut info: RedisModuleClientInfo = mem::zeroed();
            info.version = u64::from(raw::REDISMODULE_CLIENTINFO_VERSION);
            let id = api!(RedisModule_GetClientId(self.ctx));
            let place = (&raw mut info).cast::<c_void>();
            let status = api!(RedisModule_GetClientInfoById(place, id));
            // A script calls through a client that nobody knows, for one that may track.
            status != raw::REDISMODULE_OK as i32
                || info.flags & u64::from(raw::REDISMODULE_CLIENTINFO_FLAG_TRACKING) != 0
        }
    }
}

impl Reads<'_> {
    /// Notes a key, whether it is there or not: it may come later. No key may be open meanwhile.
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
        // Where the command was renamed, there is nothing that could be done.
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
