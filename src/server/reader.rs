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

/// How much is read from one key, which anybody may have written. Past it there is an error.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How many members, for which `keyns.max-elements` is to blame.
    pub members: usize,
    /// How long each of them.
    pub name_bytes: usize,
}

impl Bounds {
    /// For a key that has been found to be within bounds before.
    pub const CHECKED: Bounds = Bounds {
        members: usize::MAX,
        name_bytes: usize::MAX,
    };

    /// An error if these are too many for a key.
    pub fn check_count(&self, key: &Name, got: usize) -> Result<()> {
        match got > self.members {
            true => Err(Error::StoredMembers {
                key: key.as_bytes().to_vec(),
                limit: self.members,
                got,
            }),
            false => Ok(()),
        }
    }

    fn check_name(&self, key: &Name, got: usize) -> Result<()> {
        match got > self.name_bytes {
            true => Err(too_long(key, "a member", self.name_bytes, got)),
            false => Ok(()),
        }
    }
}

/// An error about a text in a key that is longer than what is read.
fn too_long(key: &Name, what: &'static str, limit: usize, got: usize) -> Error {
    Error::StoredBytes {
        key: key.as_bytes().to_vec(),
        what,
        limit,
        got,
    }
}

/// A hash that is being read.
pub struct Fields<'s> {
    name: &'s Name,
    key: Key<'s>,
}

impl Fields<'_> {
    /// A field, to look at: it is as long as it is.
    pub fn get(&self, field: &Name) -> Option<Name> {
        self.key.field(field)
    }

    /// A field to go on with, which is an error if it is longer than this; `what` it is says the
    /// error.
    pub fn get_within(
        &self,
        field: &Name,
        what: &'static str,
        limit: usize,
    ) -> Result<Option<Name>> {
        match self.get(field) {
            Some(value) if value.as_bytes().len() > limit => {
                Err(too_long(self.name, what, limit, value.as_bytes().len()))
            }
            value => Ok(value),
        }
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

    /// How many members, fields or bytes a key has, 0 without one.
    pub fn len_of(&self, key: &Name) -> usize {
        self.look_at(key).len()
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
    pub fn fields<'s>(&'s self, name: &'s Name) -> Result<Option<Fields<'s>>> {
        let key = self.open_to_read(name);
        match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(None),
            raw::REDISMODULE_KEYTYPE_HASH => Ok(Some(Fields { name, key })),
            _ => Err(wrong_type(name)),
        }
    }

    /// The members of a sorted set in their order, none if there is no such key.
    pub fn members_in_order(&self, key: &Name, bounds: &Bounds) -> Result<Vec<(Name, f64)>> {
        let open = self.open_to_read(key);
        match open.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(Vec::new()),
            raw::REDISMODULE_KEYTYPE_ZSET => {
                bounds.check_count(key, open.len())?;
                open.members_in_order(|member| bounds.check_name(key, member.len()))
            }
            _ => Err(wrong_type(key)),
        }
    }

    /// The members of a set, none if there is no such key.
    pub fn members(&self, key: &Name, bounds: &Bounds) -> Result<Vec<Name>> {
        self.members_that(key, bounds, |_| true)
    }

    /// Those of them that are wanted.
    pub fn members_that(
        &self,
        key: &Name,
        bounds: &Bounds,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<Name>> {
        let open = self.open_to_read(key);
        match open.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(Vec::new()),
            raw::REDISMODULE_KEYTYPE_SET => {
                bounds.check_count(key, open.len())?;
                open.members_that(key, bounds, is_wanted)
            }
            _ => Err(wrong_type(key)),
        }
    }

    /// The names of those fields of a hash that are wanted, none if there is no such key; not many
    /// more than `limit`, should there be more.
    pub fn field_names_that(
        &self,
        key: &Name,
        limit: usize,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<Name>> {
        let open = self.open_to_read(key);
        let mut names = Vec::new();
        match open.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => {}
            raw::REDISMODULE_KEYTYPE_HASH => open.for_each(&mut |name, keep| {
                if is_wanted(name) {
                    names.push(keep());
                }
                names.len() <= limit
            }),
            _ => return Err(wrong_type(key)),
        }
        Ok(names)
    }

    /// An error if a set or a sorted set has too many members.
    pub fn check_members(&self, key: &Name, bounds: &Bounds) -> Result<()> {
        bounds.check_count(key, self.look_at(key).len())
    }

    /// How long a string is, `None` if there is no such key or it is none.
    pub fn string_len(&self, key: &Name) -> Option<usize> {
        let open = self.look_at(key);
        (open.kind() as isize == raw::REDISMODULE_KEYTYPE_STRING).then(|| open.len())
    }

    /// The value of a string, which is an error if it is longer than this; `None` if there is no
    /// such key.
    pub fn string_within(&self, key: &Name, limit: usize) -> Result<Option<Name>> {
        self.exists_as(key, Type::String)?;
        match self.string_len(key) {
            Some(got) if got > limit => Err(too_long(key, "a value", limit, got)),
            _ => Ok(self.strings(&[key])?.into_iter().flatten().next()),
        }
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
    /// The members of a key that is known to be a sorted set, up to the first that is refused.
    fn members_in_order(&self, check: impl Fn(&[u8]) -> Result<()>) -> Result<Vec<(Name, f64)>> {
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
                    let member = Name::from_raw(member);
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
    fn members_that(
        &self,
        key: &Name,
        bounds: &Bounds,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<Name>> {
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
