//! Reading hashes, sets, sorted sets and strings. Type is checked here, permission before.

use std::ffi::{CStr, c_int};

use redis_module::raw::{self, RedisModuleCallReply};

use super::Name;
use super::store::{Key, Store};
use crate::core::namespace::{KeyType, Stored};
use crate::core::{Error, Result};

/// The type of the value a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    String,
    Hash,
    Set,
    SortedSet,
    Other,
}

/// A hash that is being read.
pub struct Fields<'s>(Key<'s>);

impl Fields<'_> {
    pub fn get(&self, field: &Name) -> Option<Name> {
        self.0.field(field)
    }
}

impl<'a> Store<'a> {
    /// What is under a key, as far as namespaces are about it; `None` if there is no such key.
    pub fn stored(&self, key: &Name) -> Option<Stored> {
        let key = self.look_at(key);
        let key_type = match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => return None,
            raw::REDISMODULE_KEYTYPE_STRING => Some(KeyType::String),
            raw::REDISMODULE_KEYTYPE_HASH => Some(KeyType::Hash),
            raw::REDISMODULE_KEYTYPE_LIST => Some(KeyType::List),
            raw::REDISMODULE_KEYTYPE_SET => Some(KeyType::Set),
            raw::REDISMODULE_KEYTYPE_ZSET => Some(KeyType::SortedSet),
            raw::REDISMODULE_KEYTYPE_STREAM => Some(KeyType::Stream),
            _ => None,
        };
        Some(Stored {
            key_type,
            expires: key.expires_at().is_some(),
        })
    }

    /// The type of a key's value, `None` if there is no such key.
    pub fn type_of(&self, key: &Name) -> Option<Type> {
        match self.look_at(key).kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => None,
            raw::REDISMODULE_KEYTYPE_STRING => Some(Type::String),
            raw::REDISMODULE_KEYTYPE_HASH => Some(Type::Hash),
            raw::REDISMODULE_KEYTYPE_SET => Some(Type::Set),
            raw::REDISMODULE_KEYTYPE_ZSET => Some(Type::SortedSet),
            _ => Some(Type::Other),
        }
    }

    /// Whether there is such a key; an error if it holds another type.
    pub fn exists_as(&self, key: &Name, wanted: Type) -> Result<bool> {
        match self.type_of(key) {
            None => Ok(false),
            Some(found) if found == wanted => Ok(true),
            Some(_) => Err(wrong_type(key)),
        }
    }

    /// The fields of a hash, `None` if there is no such key.
    pub fn fields(&self, key: &Name) -> Result<Option<Fields<'_>>> {
        let open = self.open_to_read(key);
        match open.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(None),
            raw::REDISMODULE_KEYTYPE_HASH => Ok(Some(Fields(open))),
            _ => Err(wrong_type(key)),
        }
    }

    /// The members of a sorted set in their order, none if there is no such key.
    pub fn members_in_order(&self, key: &Name) -> Result<Vec<(Name, f64)>> {
        let open = self.open_to_read(key);
        match open.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(Vec::new()),
            raw::REDISMODULE_KEYTYPE_ZSET => Ok(open.members_in_order()),
            _ => Err(wrong_type(key)),
        }
    }

    /// The members of a set, none if there is no such key.
    pub fn members(&self, key: &Name) -> Result<Vec<Name>> {
        self.exists_as(key, Type::Set)?;
        Ok(self
            .list(c"SMEMBERS", &[key])?
            .into_iter()
            .flatten()
            .collect())
    }

    /// The names of the fields of a hash, none if there is no such key.
    pub fn field_names(&self, key: &Name) -> Result<Vec<Name>> {
        self.exists_as(key, Type::Hash)?;
        Ok(self.list(c"HKEYS", &[key])?.into_iter().flatten().collect())
    }

    /// The values of strings, `None` for each key that is none.
    pub fn strings(&self, keys: &[&Name]) -> Result<Vec<Option<Name>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.list(c"MGET", keys)
    }

    /// The reply of a plain command that reads, as a list.
    fn list(&self, command: &'static CStr, keys: &[&Name]) -> Result<Vec<Option<Name>>> {
        let mut arguments: Vec<_> = keys.iter().map(|key| key.as_raw()).collect();
        // SAFETY: the names are borrowed for longer than the call, and it has no flags.
        let reply = unsafe { self.call(command, c"v", &mut arguments) }?;
        Ok(reply.list())
    }
}

pub(super) fn wrong_type(key: &Name) -> Error {
    Error::WrongTypeOf {
        key: key.as_bytes().to_vec(),
    }
}

/// The reply to a call of a plain command.
pub struct CallReply(*mut RedisModuleCallReply);

// In all of these `self.0` is a reply that is ours and not freed yet.
impl CallReply {
    /// # Safety
    /// The reply must be ours to free.
    pub unsafe fn from_raw(reply: *mut RedisModuleCallReply) -> CallReply {
        CallReply(reply)
    }

    pub fn is_error(&self) -> bool {
        // SAFETY: see above.
        let kind = unsafe { api!(RedisModule_CallReplyType(self.0)) };
        kind as isize == raw::REDISMODULE_REPLY_ERROR
    }

    /// The text of an error that was replied.
    pub fn error(&self) -> Option<Vec<u8>> {
        // SAFETY: see above; the text of an error is read like a string.
        let text = unsafe { self.is_error().then(|| string(self.0)) };
        Some(text?.map_or_else(Vec::new, |text| text.as_bytes().to_vec()))
    }

    /// The number that was replied; 0 if something else was.
    pub fn integer(&self) -> i64 {
        // SAFETY: see above.
        unsafe {
            let kind = api!(RedisModule_CallReplyType(self.0));
            match kind as isize {
                raw::REDISMODULE_REPLY_INTEGER => api!(RedisModule_CallReplyInteger(self.0)),
                _ => 0,
            }
        }
    }

    /// The text that was replied; nothing if something else was.
    pub fn text(&self) -> String {
        // SAFETY: see above.
        let text = unsafe { string(self.0) };
        text.map_or_else(String::new, |text| lossy(&text))
    }

    /// The texts of the list that was replied.
    pub fn texts(&self) -> Vec<String> {
        self.list().iter().flatten().map(lossy).collect()
    }

    /// The strings that were replied.
    pub fn list(&self) -> Vec<Option<Name>> {
        // SAFETY: see above. An element belongs to its list.
        unsafe {
            let len = api!(RedisModule_CallReplyLength(self.0));
            (0..len)
                .map(|index| string(api!(RedisModule_CallReplyArrayElement(self.0, index))))
                .collect()
        }
    }
}

fn lossy(text: &Name) -> String {
    String::from_utf8_lossy(text.as_bytes()).into_owned()
}

/// # Safety
/// The reply must be null or live.
unsafe fn string(reply: *mut RedisModuleCallReply) -> Option<Name> {
    let mut len = 0;
    // SAFETY: the bytes live as long as the reply, and the server copies them.
    unsafe {
        if reply.is_null() {
            return None;
        }
        let start = api!(RedisModule_CallReplyStringPtr(reply, &mut len));
        (!start.is_null()).then(|| Name::new(std::slice::from_raw_parts(start.cast(), len)))
    }
}

impl Drop for CallReply {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nothing uses it any more.
        unsafe { api!(RedisModule_FreeCallReply(self.0)) }
    }
}

// `self.key` is open, and nothing else runs in the server while a method does.
impl Key<'_> {
    /// The members of a key that is known to be a sorted set.
    fn members_in_order(&self) -> Vec<(Name, f64)> {
        let mut members = Vec::new();
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
                return members;
            }
            while api!(RedisModule_ZsetRangeEndReached(self.key)) == 0 {
                let member = api!(RedisModule_ZsetRangeCurrentElement(self.key, &mut score));
                if !member.is_null() {
                    members.push((Name::from_raw(member), score));
                }
                api!(RedisModule_ZsetRangeNext(self.key));
            }
            api!(RedisModule_ZsetRangeStop(self.key));
        }
        members
    }
}
