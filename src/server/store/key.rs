//! An open key, and everything we do with one.

use std::ffi::{c_int, c_longlong};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use keyns_core::key_type::{KeyType, Stored};
use redis_module::raw::{self, RedisModuleKey};

use super::reader::Bounds;
use crate::server::{Result, ServerString};

/// An open key.
pub struct Key<'s> {
    pub(super) key: *mut RedisModuleKey,
    pub(super) store: PhantomData<&'s ()>,
}

pub(super) const WRITE_MODE: u32 = raw::REDISMODULE_READ | raw::REDISMODULE_WRITE;

// In all of these `self.key` is open, and nothing else runs in the server while a method does.
impl Key<'_> {
    /// What the key holds; `None` if the key does not exist.
    pub(super) fn stored(&self) -> Option<Stored> {
        (!self.is_missing()).then(|| Stored {
            key_type: self.key_type(),
            expires: self.expires_at().is_some(),
        })
    }

    /// The type of its value; `None` if the key does not exist, or has another module's type.
    pub(super) fn key_type(&self) -> Option<KeyType> {
        match self.kind() as isize {
            raw::REDISMODULE_KEYTYPE_STRING => Some(KeyType::String),
            raw::REDISMODULE_KEYTYPE_HASH => Some(KeyType::Hash),
            raw::REDISMODULE_KEYTYPE_LIST => Some(KeyType::List),
            raw::REDISMODULE_KEYTYPE_SET => Some(KeyType::Set),
            raw::REDISMODULE_KEYTYPE_ZSET => Some(KeyType::SortedSet),
            raw::REDISMODULE_KEYTYPE_STREAM => Some(KeyType::Stream),
            _ => None,
        }
    }

    pub fn is_missing(&self) -> bool {
        self.kind() as isize == raw::REDISMODULE_KEYTYPE_EMPTY
    }

    pub(super) fn kind(&self) -> c_int {
        // SAFETY: see above.
        unsafe { api!(RedisModule_KeyType(self.key)) }
    }

    /// Where the value of a key is that is known to be a string. Write to it only if the key was
    /// opened for writing and this was called in that mode.
    pub(super) fn value(&self, mode: u32) -> Option<NonNull<[u8]>> {
        let mut len = 0;
        // SAFETY: see above.
        let start = unsafe { api!(RedisModule_StringDMA(self.key, &mut len, mode as c_int)) };
        let start = NonNull::new(start.cast::<u8>())?;
        Some(NonNull::slice_from_raw_parts(start, len))
    }

    /// The same with this length, for writing; the expiry stays.
    pub(super) fn value_of_len(&self, len: usize) -> Option<NonNull<[u8]>> {
        let value = self.value(WRITE_MODE)?;
        if value.len() == len {
            return Some(value);
        }
        // SAFETY: see above.
        let status = unsafe { api!(RedisModule_StringTruncate(self.key, len)) };
        let value = self.value(WRITE_MODE)?;
        (status == 0 && value.len() == len).then_some(value)
    }

    /// A field of a key that is known to be a hash.
    pub(super) fn field(&self, field: &ServerString) -> Option<ServerString> {
        let mut value: *mut raw::RedisModuleString = ptr::null_mut();
        // SAFETY: see above; a field and the place for its value, then the end of the list. What
        // comes back is ours to free.
        unsafe {
            api!(RedisModule_HashGet(
                self.key,
                raw::REDISMODULE_HASH_NONE as c_int,
                field.as_raw(),
                &raw mut value,
                ptr::null_mut::<raw::RedisModuleString>()
            ));
            (!value.is_null()).then(|| ServerString::from_raw(value))
        }
    }

    /// When an existing key expires.
    pub fn expires_at(&self) -> Option<u64> {
        // SAFETY: see above.
        let millis = unsafe { api!(RedisModule_GetAbsExpire(self.key)) };
        u64::try_from(millis).ok()
    }

    pub fn expire_at(&mut self, millis: u64) -> bool {
        // SAFETY: see above.
        unsafe { api!(RedisModule_SetAbsExpire(self.key, millis as c_longlong)) == 0 }
    }

    pub(super) fn never_expire(&mut self) -> bool {
        const NEVER: c_longlong = raw::REDISMODULE_NO_EXPIRE as c_longlong;
        // SAFETY: see above.
        unsafe { api!(RedisModule_SetAbsExpire(self.key, NEVER)) == 0 }
    }

    /// Removes the key without notifying anybody.
    pub fn remove(&mut self) -> bool {
        // SAFETY: see above.
        unsafe { api!(RedisModule_DeleteKey(self.key)) == 0 }
    }

    /// Sets the key to this string, whatever it was, without notifying anybody.
    pub fn set(&mut self, value: &ServerString) -> bool {
        // SAFETY: see above; the server shares the string.
        unsafe { api!(RedisModule_StringSet(self.key, value.as_raw())) == 0 }
    }

    /// The bytes of a string, `None` if the key holds something else. Do not use them after a change
    /// of the key.
    pub fn bytes(&self) -> Option<&[u8]> {
        if self.kind() as isize != raw::REDISMODULE_KEYTYPE_STRING {
            return None;
        }
        // SAFETY: see above.
        self.value(raw::REDISMODULE_READ)
            .map(|value| unsafe { value.as_ref() })
    }

    /// The members of a key that is known to be a sorted set, up to the first one that is refused.
    pub(super) fn members_in_order(
        &self,
        check: impl Fn(&[u8]) -> Result<()>,
    ) -> Result<Vec<(ServerString, f64)>> {
        let mut members = Vec::new();
        let mut refused = Ok(());
        let mut score = 0.0;
        // SAFETY: see above; the iteration is stopped before anything else happens. What comes back
        // is ours to free.
        unsafe {
            let status = api!(RedisModule_ZsetFirstInScoreRange(
                self.key,
                f64::NEG_INFINITY,
                f64::INFINITY,
                0,
                0
            ));
            if status != raw::REDISMODULE_OK as c_int {
                return Ok(members);
            }
            while refused.is_ok() && api!(RedisModule_ZsetRangeEndReached(self.key)) == 0 {
                let member = api!(RedisModule_ZsetRangeCurrentElement(self.key, &mut score));
                if !member.is_null() {
                    let member = ServerString::from_raw(member);
                    refused = check(member.as_bytes());
                    members.push((member, score));
                }
                api!(RedisModule_ZsetRangeNext(self.key));
            }
            api!(RedisModule_ZsetRangeStop(self.key));
        }
        refused.map(|()| members)
    }

    /// The wanted members of a key that is known to be a set.
    pub(super) fn members_that(
        &self,
        key: &ServerString,
        bounds: &Bounds,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<ServerString>> {
        let mut names = Vec::new();
        let mut refused = Ok(());
        self.for_each(&mut |name, keep| {
            refused = bounds.check_name(key, name.len());
            if refused.is_ok() && is_wanted(name) {
                names.push(keep());
            }
            refused.is_ok()
        });
        refused.map(|()| names)
    }
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        // SAFETY: it was opened by us and not closed yet.
        unsafe { api!(RedisModule_CloseKey(self.key)) }
    }
}
