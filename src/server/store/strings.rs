//! Strings, most of which expire. Reads and changes them in place; each change replicates as one
//! effect.

use std::borrow::Cow;
use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::OnceLock;

use keyns_core::text::decimal::{self, MAX_DIGITS};
use redis_module::raw;
use smallvec::{SmallVec, smallvec};

use super::effects::pxat;
use super::expiry::{Expiry, Step};
use super::key::WRITE_MODE;
use super::several::Started;
use super::{Key, Store, answered, written};
use crate::server::server_info::is_redis_7_0;
use crate::server::{Error, Result, ServerString};

/// An open string, or the place of one that does not exist.
pub struct OpenString<'s> {
    store: &'s Store<'s>,
    name: &'s ServerString,
    key: Key<'s>,
    /// Where the value is, `None` if the key does not exist.
    value: Option<NonNull<[u8]>>,
}

/// Up to this length a value grows in place. That leaves spare room, which would be too much for a
/// long value.
const GROWS_IN_PLACE: usize = 160;

impl<'s> Store<'s> {
    /// Opens a string to read it.
    pub fn string_to_read(&'s self, name: &'s ServerString) -> Result<OpenString<'s>> {
        OpenString::new(self, name, self.open_to_read(name), raw::REDISMODULE_READ)
    }

    /// Opens a string to read it and perhaps to change it. Opening alone changes nothing.
    pub fn string_to_change(&'s self, name: &'s ServerString) -> Result<OpenString<'s>> {
        OpenString::new(self, name, self.open(name), WRITE_MODE)
    }

    /// The same; a string that has expired counts as missing, and stays until somebody else touches
    /// it. Redis 7.0 deletes it.
    pub(super) fn string_to_change_unexpired(
        &'s self,
        name: &'s ServerString,
    ) -> Result<OpenString<'s>> {
        let mode = match is_redis_7_0() {
            true => WRITE_MODE,
            false => WRITE_MODE | raw::REDISMODULE_OPEN_KEY_NOEXPIRE,
        };
        OpenString::new(self, name, self.open_with(name, mode), WRITE_MODE)
    }

    /// Returns an error unless several strings can be set and incremented one after the other.
    pub fn check_can_count(&self) -> Result<()> {
        static MISSING: OnceLock<Option<&CStr>> = OnceLock::new();
        self.check_commands(&MISSING, &[c"SET", c"INCRBY"])
    }

    /// Whether the string exists.
    pub fn has_string(&self, name: &ServerString) -> Result<bool> {
        match self.open(name).kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(false),
            raw::REDISMODULE_KEYTYPE_STRING => Ok(true),
            _ => Err(Error::WrongType),
        }
    }

    /// Makes the server create or replace a string: `SET name value`, with `PXAT millis` or `KEEPTTL`.
    /// The server announces a key while it creates it, and another module may then delete it, which
    /// would invalidate a handle. (A module that deletes a key which is being created with an expiry
    /// crashes the server, whoever creates it.)
    pub fn set_string(&self, name: &ServerString, value: &[u8], expiry: Expiry) -> Result<()> {
        // The server stores an integer compactly only if nobody else references it.
        if decimal::parse(value).is_some() {
            return self.set_integer(name, value, expiry);
        }
        // Our reference outlives another module that overwrites the key while it is created.
        let held = ServerString::new(value);
        let mut arguments: SmallVec<[_; 4]> = smallvec![name.as_raw(), held.as_raw()];
        let last = match expiry {
            Expiry::Never => None,
            Expiry::Keep => Some(ServerString::new(b"KEEPTTL")),
            Expiry::At(millis) => {
                arguments.push(pxat());
                Some(ServerString::of_number(millis))
            }
        };
        arguments.extend(last.as_ref().map(ServerString::as_raw));
        // SAFETY: strings of the server, which live longer than the call.
        unsafe { self.write_raw(c"SET", &mut arguments) }.map(drop)
    }

    fn set_integer(&self, name: &ServerString, value: &[u8], expiry: Expiry) -> Result<()> {
        let (ctx, command, name) = (self.ctx, c"SET".as_ptr(), name.as_raw());
        let (start, len) = (value.as_ptr(), value.len());
        // SAFETY: strings of the server, and buffers with their lengths. The reply is ours.
        let reply = unsafe {
            answered(match expiry {
                Expiry::Never => api!(RedisModule_Call(
                    ctx,
                    command,
                    c"!sb".as_ptr(),
                    name,
                    start,
                    len
                )),
                Expiry::Keep => api!(RedisModule_Call(
                    ctx,
                    command,
                    c"!sbc".as_ptr(),
                    name,
                    start,
                    len,
                    c"KEEPTTL".as_ptr()
                )),
                Expiry::At(millis) => {
                    let mut digits = [0; MAX_DIGITS];
                    let millis = decimal::format(millis, &mut digits);
                    api!(RedisModule_Call(
                        ctx,
                        command,
                        c"!sbsb".as_ptr(),
                        name,
                        start,
                        len,
                        pxat(),
                        millis.as_ptr(),
                        millis.len()
                    ))
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

    /// Whether it existed when it was opened.
    pub fn exists(&self) -> bool {
        self.value.is_some()
    }

    /// Its value, `None` if it does not exist.
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

    /// The integer that it holds, `None` if it does not exist.
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

    /// Sets its value: `SET name value`, with `PXAT millis` or `KEEPTTL`.
    pub fn set(self, value: &[u8], expiry: Expiry) -> Result<()> {
        self.start_set(Cow::Borrowed(value), expiry)?.finish()
    }

    /// The first half of [`set`](OpenString::set).
    #[inline]
    pub fn start_set<'v>(self, value: Cow<'v, [u8]>, expiry: Expiry) -> Result<Started<'s, 'v>> {
        let told = match expiry {
            Expiry::Keep => expiry.of_set(self.expires_at().is_some()),
            expiry => expiry,
        };
        let fits = |old: &[u8]| old.len() == value.len() || value.len() <= GROWS_IN_PLACE;
        if !self.bytes().is_some_and(fits) {
            let OpenString {
                store, name, key, ..
            } = self;
            drop(key);
            return Ok(Started::Left {
                store,
                name,
                value,
                expiry: told,
            });
        }
        self.store.replicate_set(self.name, &value, told)?;
        self.write(value.len(), &[(0, &value)], expiry, c"set")
    }

    /// Adds to its integer, or to 0 if it does not exist, which results in this sum: `INCRBY name by`.
    /// The expiry stays.
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
        self.store.replicate_integer(c"INCRBY", self.name, by)?;
        let sum = decimal::format_signed(sum, &mut digits);
        self.write(sum.len(), &[(0, sum)], Expiry::Keep, c"incrby")?
            .finish()
    }

    /// Removes it: `DEL name`.
    pub fn remove(self) -> Result<()> {
        let OpenString {
            store,
            name,
            mut key,
            ..
        } = self;
        store.replicate_key(c"DEL", name)?;
        let removed = key.remove();
        // Listeners may change the key, so close the handle before notifying them.
        drop(key);
        if !removed {
            return Err(Error::Server { call: "a write" });
        }
        store.announce(name, raw::REDISMODULE_NOTIFY_GENERIC, c"del");
        Ok(())
    }

    /// Starts to write these bytes at these places, all within its length: `SETRANGE name place bytes`
    /// for each, and `PEXPIREAT name millis`. Treats the expiry as
    /// [`start_set`](OpenString::start_set) does.
    pub fn start_set_ranges<'v, B: AsRef<[u8]>>(
        self,
        ranges: &[(usize, B)],
        expiry: Expiry,
    ) -> Result<Started<'s, 'v>> {
        let step = self.step(expiry);
        if !self.store.has_range_commands() || step == Step::Remove {
            let mut value = self.bytes().unwrap_or_default().to_vec();
            return match put(&mut value, ranges) {
                true => self.start_set(Cow::Owned(value), expiry),
                false => Err(Error::Server { call: "a write" }),
            };
        }
        for (place, bytes) in ranges {
            self.store
                .replicate_range(self.name, *place, bytes.as_ref())?;
        }
        if let Step::Set(millis) = step {
            let millis = millis.cast_signed();
            self.store
                .replicate_integer(c"PEXPIREAT", self.name, millis)?;
        }
        let len = self.bytes().map_or(0, <[u8]>::len);
        self.write(len, ranges, expiry, c"setrange")
    }

    fn step(&self, expiry: Expiry) -> Step {
        expiry.step(expiry == Expiry::Never && self.expires_at().is_some())
    }

    /// Changes it in place. [Replication](super::effects) is already done.
    fn write<'v, B: AsRef<[u8]>>(
        self,
        len: usize,
        ranges: &[(usize, B)],
        expiry: Expiry,
        event: &'static CStr,
    ) -> Result<Started<'s, 'v>> {
        let step = self.step(expiry);
        let OpenString {
            store,
            name,
            mut key,
            value,
        } = self;
        let value = match value {
            Some(value) if value.len() == len => Some(value),
            _ => key.value_of_len(len),
        };
        // SAFETY: the key is open for writing, and nobody else has its value.
        let written = value.is_some_and(|mut value| put(unsafe { value.as_mut() }, ranges));
        let written = written
            && match step {
                Step::Nothing => true,
                Step::Set(millis) => key.expire_at(millis),
                Step::Remove => key.never_expire(),
            };
        // Listeners may change the key, so close the handle before notifying them.
        drop(key);
        if !written {
            return Err(Error::Server { call: "a write" });
        }
        Ok(Started::Made {
            store,
            name,
            event,
            expires: matches!(step, Step::Set(_)),
        })
    }
}

/// Writes bytes at their places; `false` if one is outside the value.
fn put<B: AsRef<[u8]>>(value: &mut [u8], ranges: &[(usize, B)]) -> bool {
    ranges.iter().all(|(place, bytes)| {
        let bytes = bytes.as_ref();
        let to = value.get_mut(*place..*place + bytes.len());
        to.map(|to| to.copy_from_slice(bytes)).is_some()
    })
}

impl Store<'_> {
    /// Whether the commands that change a part of a string have their names. Servers rename commands
    /// only at the start.
    fn has_range_commands(&self) -> bool {
        static THERE: OnceLock<bool> = OnceLock::new();
        *THERE.get_or_init(|| self.has_command(c"SETRANGE") && self.has_command(c"PEXPIREAT"))
    }
}
