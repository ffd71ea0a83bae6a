//! Strings, most of which expire: read and changed in place, each change one effect for replicas and the AOF.

use std::ffi::{CStr, c_longlong};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use redis_module::raw::{self, RedisModuleString};

use keyns_core::text::decimal::{self, MAX_DIGITS};

use super::key::WRITE_MODE;
use super::{Key, Store, answered, replicated, written};
use crate::server::{Error, Result, ServerString};

/// A string that is being read and perhaps changed, or the lack of one.
pub struct OpenString<'s> {
    store: &'s Store<'s>,
    name: &'s ServerString,
    key: Key<'s>,
    /// Where the value is, `None` if there is no such key.
    value: Option<NonNull<[u8]>>,
}

/// What a write does to the expiry of its key.
enum Expiry {
    Stays,
    /// In milliseconds since 1970.
    At(u64),
    Never,
}

/// Up to this length a value grows where it is. That leaves it with room to spare, of which a long
/// one would have too much.
const GROWS_IN_PLACE: usize = 160;

impl<'s> Store<'s> {
    /// Opens a string to read it.
    pub fn string_to_read(&'s self, name: &'s ServerString) -> Result<OpenString<'s>> {
        OpenString::new(self, name, self.open_to_read(name), raw::REDISMODULE_READ)
    }

    /// Opens a string to read it and perhaps to change it. That alone changes nothing.
    pub fn string_to_change(&'s self, name: &'s ServerString) -> Result<OpenString<'s>> {
        OpenString::new(self, name, self.open(name), WRITE_MODE)
    }

    /// An error unless several strings can be set and added to, one after the other.
    pub fn check_can_count(&self) -> Result<()> {
        static MISSING: OnceLock<Option<&CStr>> = OnceLock::new();
        self.check_commands(&MISSING, &[c"SET", c"INCRBY"])
    }

    /// Whether there is such a string.
    pub fn has_string(&self, name: &ServerString) -> Result<bool> {
        match self.open(name).kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(false),
            raw::REDISMODULE_KEYTYPE_STRING => Ok(true),
            _ => Err(Error::WrongType),
        }
    }

    /// Has the server make a string, or make it anew: `SET name value PXAT millis`, or without the
    /// expiry. A key is announced while it is made, and another module may delete it then: of a
    /// handle on it, nothing would be left. (One that deletes what is made with an expiry ends the
    /// server, whoever makes it.)
    pub fn set_string(
        &self,
        name: &ServerString,
        value: &[u8],
        expires_at: Option<u64>,
    ) -> Result<()> {
        let mut digits = [0; MAX_DIGITS];
        let millis = expires_at.map(|millis| decimal::format(millis, &mut digits));
        let (ctx, command, name) = (self.ctx, c"SET".as_ptr(), name.as_raw());
        let (start, len) = (value.as_ptr(), value.len());
        // What we hold on to outlives another module that overwrites the key while it is made. But
        // the server keeps an integer as such only if nobody else has it, which saves memory.
        let held = decimal::parse(value)
            .is_none()
            .then(|| ServerString::new(value));
        let held = held.as_ref().map(ServerString::as_raw);
        // SAFETY: strings of the server, and buffers with their lengths. The reply is ours.
        let reply = unsafe {
            answered(match (held, millis) {
                (None, Some(millis)) => api!(RedisModule_Call(
                    ctx,
                    command,
                    c"!sbsb".as_ptr(),
                    name,
                    start,
                    len,
                    pxat(),
                    millis.as_ptr(),
                    millis.len()
                )),
                (None, None) => api!(RedisModule_Call(
                    ctx,
                    command,
                    c"!sb".as_ptr(),
                    name,
                    start,
                    len
                )),
                (Some(held), Some(millis)) => api!(RedisModule_Call(
                    ctx,
                    command,
                    c"!sssb".as_ptr(),
                    name,
                    held,
                    pxat(),
                    millis.as_ptr(),
                    millis.len()
                )),
                (Some(held), None) => {
                    api!(RedisModule_Call(ctx, command, c"!ss".as_ptr(), name, held))
                }
            })
        }?;
        written(&reply)
    }
}

impl<'s> OpenString<'s> {
    fn new(
        store: &'s Store<'s>,
        name: &'s ServerString,
        key: Key<'s>,
        mode: u32,
    ) -> Result<OpenString<'s>> {
        let value = match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => None,
            raw::REDISMODULE_KEYTYPE_STRING => key.value(mode),
            _ => return Err(Error::WrongType),
        };
        Ok(OpenString {
            store,
            name,
            key,
            value,
        })
    }

    /// Its value, `None` if there is no such key.
    pub fn bytes(&self) -> Option<&[u8]> {
        // SAFETY: the bytes stay where they are while the key is neither written nor closed, and
        // both need more than the borrow of `self` that the slice holds.
        self.value.map(|value| unsafe { value.as_ref() })
    }

    /// When it expires, in milliseconds since 1970; `None` if it does not.
    pub fn expires_at(&self) -> Option<u64> {
        self.value?;
        self.key.expires_at()
    }

    /// The integer that it holds, `None` if there is no such key.
    pub fn integer(&self) -> Result<Option<i64>> {
        let Some(text) = self.bytes() else {
            return Ok(None);
        };
        match decimal::parse(text) {
            Some(number) => Ok(Some(number)),
            None => Err(Error::NotAnInteger {
                key: self.name.as_bytes().to_vec(),
            }),
        }
    }

    /// Gives it this value until then, or for good: `SET name value PXAT millis`, or without the
    /// expiry.
    pub fn set(self, value: &[u8], expires_at: Option<u64>) -> Result<()> {
        let fits = |old: &[u8]| old.len() == value.len() || value.len() <= GROWS_IN_PLACE;
        if !self.bytes().is_some_and(fits) {
            let OpenString {
                store, name, key, ..
            } = self;
            drop(key);
            return store.set_string(name, value, expires_at);
        }
        let mut digits = [0; MAX_DIGITS];
        let ctx = self.store.ctx;
        let name = self.name.as_raw();
        let (start, len) = (value.as_ptr(), value.len());
        // SAFETY: strings of the server, and buffers with their lengths.
        replicated(unsafe {
            match expires_at {
                Some(millis) => {
                    let millis = decimal::format(millis, &mut digits);
                    api!(RedisModule_Replicate(
                        ctx,
                        c"SET".as_ptr(),
                        c"sbsb".as_ptr(),
                        name,
                        start,
                        len,
                        pxat(),
                        millis.as_ptr(),
                        millis.len()
                    ))
                }
                None => api!(RedisModule_Replicate(
                    ctx,
                    c"SET".as_ptr(),
                    c"sb".as_ptr(),
                    name,
                    start,
                    len
                )),
            }
        })?;
        let expiry = match expires_at {
            Some(millis) => Expiry::At(millis),
            None => Expiry::Never,
        };
        self.write_and_announce(value.len(), &[(0, value)], expiry, c"set")
    }

    /// Adds to the integer that it holds, 0 without one, which makes this sum: `INCRBY name by`.
    /// Its expiry stays.
    pub fn add(self, sum: i64, by: i64) -> Result<()> {
        let mut digits = [0; MAX_DIGITS];
        if self.value.is_none() {
            let OpenString {
                store, name, key, ..
            } = self;
            drop(key);
            store.check_settled(name)?;
            let by = ServerString::new(decimal::format_signed(by, &mut digits));
            return store.write(c"INCRBY", &[name, &by]);
        }
        // SAFETY: a string of the server and a long long.
        replicated(unsafe {
            api!(RedisModule_Replicate(
                self.store.ctx,
                c"INCRBY".as_ptr(),
                c"sl".as_ptr(),
                self.name.as_raw(),
                by
            ))
        })?;
        let sum = decimal::format_signed(sum, &mut digits);
        self.write_and_announce(sum.len(), &[(0, sum)], Expiry::Stays, c"incrby")
    }

    /// Removes it: `DEL name`.
    pub fn remove(self) -> Result<()> {
        let OpenString {
            store, name, key, ..
        } = self;
        // SAFETY: a string of the server.
        replicated(unsafe {
            api!(RedisModule_Replicate(
                store.ctx,
                c"DEL".as_ptr(),
                c"s".as_ptr(),
                name.as_raw()
            ))
        })?;
        let removed = key.remove();
        // Others may now change the key: the handle must be gone before they are told.
        drop(key);
        if !removed {
            return Err(Error::Server { call: "a write" });
        }
        store.announce(name, raw::REDISMODULE_NOTIFY_GENERIC, c"del");
        Ok(())
    }

    /// Gives it these bytes at these places, all within its length, until then, or for good:
    /// `SETRANGE name place bytes` for each, and `PEXPIREAT name millis`.
    pub fn set_ranges(self, ranges: &[(usize, &[u8])], expires_at: Option<u64>) -> Result<()> {
        if !self.store.has_range_commands() {
            let mut value = self.bytes().unwrap_or_default().to_vec();
            put(&mut value, ranges);
            return self.set(&value, expires_at);
        }
        for (place, bytes) in ranges {
            // SAFETY: a string of the server, a long long, and a buffer with its length.
            replicated(unsafe {
                api!(RedisModule_Replicate(
                    self.store.ctx,
                    c"SETRANGE".as_ptr(),
                    c"slb".as_ptr(),
                    self.name.as_raw(),
                    *place as c_longlong,
                    bytes.as_ptr(),
                    bytes.len()
                ))
            })?;
        }
        if let Some(millis) = expires_at {
            // SAFETY: a string of the server and a long long.
            replicated(unsafe {
                api!(RedisModule_Replicate(
                    self.store.ctx,
                    c"PEXPIREAT".as_ptr(),
                    c"sl".as_ptr(),
                    self.name.as_raw(),
                    millis as c_longlong
                ))
            })?;
        }
        let len = self.bytes().map_or(0, <[u8]>::len);
        let expiry = expires_at.map_or(Expiry::Stays, Expiry::At);
        self.write_and_announce(len, ranges, expiry, c"setrange")
    }

    /// What replicas get has been queued before, since that is what can fail.
    fn write_and_announce(
        self,
        len: usize,
        ranges: &[(usize, &[u8])],
        expiry: Expiry,
        event: &'static CStr,
    ) -> Result<()> {
        let OpenString {
            store,
            name,
            key,
            value,
        } = self;
        let value = match value {
            Some(value) if value.len() == len => Some(value),
            _ => key.value_of_len(len),
        };
        // SAFETY: the key is open for writing, and nobody else has its value.
        let written = value.is_some_and(|mut value| put(unsafe { value.as_mut() }, ranges));
        let written = written
            && match expiry {
                Expiry::Stays => true,
                Expiry::At(millis) => key.expire_at(millis),
                Expiry::Never => key.expires_at().is_none() || key.never_expire(),
            };
        // Others may now change the key: the handle must be gone before they are told.
        drop(key);
        if !written {
            return Err(Error::Server { call: "a write" });
        }
        store.announce(name, raw::REDISMODULE_NOTIFY_STRING, event);
        if let Expiry::At(_) = expiry {
            store.notify(name, raw::REDISMODULE_NOTIFY_GENERIC, c"expire");
        }
        Ok(())
    }
}

/// Puts bytes at their places; `false` if one is not within the value.
fn put(value: &mut [u8], ranges: &[(usize, &[u8])]) -> bool {
    ranges.iter().all(|(place, bytes)| {
        let to = value.get_mut(*place..*place + bytes.len());
        to.map(|to| to.copy_from_slice(bytes)).is_some()
    })
}

/// The word `PXAT` as a string of the server, made once.
static PXAT: AtomicPtr<RedisModuleString> = AtomicPtr::new(ptr::null_mut());

fn pxat() -> *mut RedisModuleString {
    let word = PXAT.load(Ordering::Relaxed);
    if !word.is_null() {
        return word;
    }
    let word = ServerString::new(b"PXAT").into_raw();
    PXAT.store(word, Ordering::Relaxed);
    word
}

/// Gives back what is kept from one call to the next.
pub(in crate::server) fn forget() {
    let word = PXAT.swap(ptr::null_mut(), Ordering::Relaxed);
    if !word.is_null() {
        // SAFETY: it is ours, and nobody else has it.
        drop(unsafe { ServerString::from_raw(word) });
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
