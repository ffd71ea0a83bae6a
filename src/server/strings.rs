//! Strings that expire: read and changed in place, each change one effect for replicas and the AOF.

use std::ffi::{c_int, c_longlong};
use std::sync::OnceLock;

use redis_module::raw;

use super::store::{Key, Store};
use super::{Name, store};
use crate::core::decimal::{self, MAX_DIGITS};
use crate::core::{Error, Result};

/// A string that is being read and perhaps changed, or the lack of one.
pub struct OpenString<'s> {
    store: &'s Store<'s>,
    name: &'s Name,
    key: Key<'s>,
    exists: bool,
}

impl<'s> Store<'s> {
    /// Opens a string to read it.
    pub fn string_to_read(&'s self, name: &'s Name) -> Result<OpenString<'s>> {
        OpenString::new(self, name, self.open_to_read(name))
    }

    /// Opens a string to read it and perhaps to change it. That alone changes nothing.
    pub fn string_to_change(&'s self, name: &'s Name) -> Result<OpenString<'s>> {
        OpenString::new(self, name, self.open(name))
    }
}

impl<'s> OpenString<'s> {
    fn new(store: &'s Store<'s>, name: &'s Name, key: Key<'s>) -> Result<OpenString<'s>> {
        let exists = match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => false,
            raw::REDISMODULE_KEYTYPE_STRING => true,
            _ => return Err(Error::WrongType),
        };
        Ok(OpenString {
            store,
            name,
            key,
            exists,
        })
    }

    /// Its value, `None` if there is no such key.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.exists.then(|| self.key.string())
    }

    /// When it expires, in milliseconds since 1970; `None` if it does not.
    pub fn expires_at(&self) -> Option<u64> {
        if !self.exists {
            return None;
        }
        // SAFETY: the key is open, and nothing else runs in the server meanwhile.
        let millis = unsafe { api!(RedisModule_GetAbsExpire(self.key.key)) };
        u64::try_from(millis).ok()
    }

    /// Gives it this value until then: `SET name value PXAT millis`.
    pub fn set(self, value: &[u8], expires_at: u64) -> Result<()> {
        let is_in_place = self.bytes().is_some_and(|old| old.len() == value.len());
        let mut digits = [0; MAX_DIGITS];
        let millis = decimal::format(expires_at, &mut digits);
        if !is_in_place {
            // A new key is announced while it is made, and others may change it meanwhile: only
            // the server itself makes one safely.
            let OpenString {
                store, name, key, ..
            } = self;
            drop(key);
            let arguments = [&Name::new(value), &Name::new(b"PXAT"), &Name::new(millis)];
            let [value, word, millis] = arguments;
            return store.write(c"SET", &[name, value, word, millis]);
        }
        // SAFETY: a string of the server, two buffers with their lengths, and a C string.
        unsafe {
            store::queued(api!(RedisModule_Replicate(
                self.store.ctx,
                c"SET".as_ptr(),
                c"sbcb".as_ptr(),
                self.name.as_raw(),
                value.as_ptr(),
                value.len(),
                c"PXAT".as_ptr(),
                millis.as_ptr(),
                millis.len()
            )))?;
        }
        self.write_and_announce(&[(0, value)], expires_at, c"set")
    }

    /// Gives it these bytes at these places, all within its length, until then: `SETRANGE name
    /// place bytes` for each, and `PEXPIREAT name millis`.
    pub fn set_ranges(self, ranges: &[(usize, &[u8])], expires_at: u64) -> Result<()> {
        if !self.store.has_range_commands() {
            let mut value = self.bytes().unwrap_or_default().to_vec();
            for (place, bytes) in ranges {
                if let Some(to) = value.get_mut(*place..*place + bytes.len()) {
                    to.copy_from_slice(bytes);
                }
            }
            return self.set(&value, expires_at);
        }
        for (place, bytes) in ranges {
            // SAFETY: a string of the server, a long long, and a buffer with its length.
            unsafe {
                store::queued(api!(RedisModule_Replicate(
                    self.store.ctx,
                    c"SETRANGE".as_ptr(),
                    c"slb".as_ptr(),
                    self.name.as_raw(),
                    *place as c_longlong,
                    bytes.as_ptr(),
                    bytes.len()
                )))?;
            }
        }
        // SAFETY: a string of the server and a long long.
        unsafe {
            store::queued(api!(RedisModule_Replicate(
                self.store.ctx,
                c"PEXPIREAT".as_ptr(),
                c"sl".as_ptr(),
                self.name.as_raw(),
                expires_at as c_longlong
            )))?;
        }
        self.write_and_announce(ranges, expires_at, c"setrange")
    }

    /// What replicas get has been queued before, since that is what can fail.
    fn write_and_announce(
        self,
        ranges: &[(usize, &[u8])],
        expires_at: u64,
        event: &'static std::ffi::CStr,
    ) -> Result<()> {
        let written = self.key.write_ranges(ranges) && self.key.expire_at(expires_at);
        let OpenString {
            store, name, key, ..
        } = self;
        // Others may now change the key: the handle must be gone before they are told.
        drop(key);
        if !written {
            return Err(Error::Server { call: "a write" });
        }
        store.announce(name, raw::REDISMODULE_NOTIFY_STRING, event);
        store.notify(name, raw::REDISMODULE_NOTIFY_GENERIC, c"expire");
        Ok(())
    }
}

impl Store<'_> {
    /// Whether the commands that change a part of a string have their names, which they keep or
    /// lose when the server starts.
    fn has_range_commands(&self) -> bool {
        static THERE: OnceLock<bool> = OnceLock::new();
        *THERE.get_or_init(|| self.has_command(c"SETRANGE") && self.has_command(c"PEXPIREAT"))
    }
}

// `self.key` is open, and nothing else runs in the server while a method does.
impl Key<'_> {
    /// Puts bytes at their places in the value, which is known to be a string.
    fn write_ranges(&self, ranges: &[(usize, &[u8])]) -> bool {
        let mut len = 0;
        // SAFETY: see above. The memory is ours to write up to the length that comes with it.
        unsafe {
            let start = api!(RedisModule_StringDMA(
                self.key,
                &mut len,
                store::WRITE_MODE as c_int
            ));
            if start.is_null() {
                return false;
            }
            let value = std::slice::from_raw_parts_mut(start.cast::<u8>(), len);
            ranges.iter().all(|(place, bytes)| {
                let to = value.get_mut(*place..*place + bytes.len());
                to.map(|to| to.copy_from_slice(bytes)).is_some()
            })
        }
    }

    fn expire_at(&self, millis: u64) -> bool {
        // SAFETY: see above.
        unsafe { api!(RedisModule_SetAbsExpire(self.key, millis as c_longlong)) == 0 }
    }
}
