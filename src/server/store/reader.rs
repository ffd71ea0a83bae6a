//! Reads hashes, sets, sorted sets and strings. It checks the type; callers have checked permission.

use std::ffi::CStr;

use keyns_core::key_type::{KeyType, Stored};
use redis_module::raw;

use super::{Key, Store, wrong_type};
use crate::server::{Error, Result, ServerString};

/// How much to read from one key, which anybody may have written. More is an error.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// What the key belongs to, as a part of a sentence.
    pub owner: &'static str,
    /// How many members, and the setting that limits them.
    pub members: usize,
    pub config: &'static str,
    /// How long each may be.
    pub name_bytes: usize,
}

impl Bounds {
    /// For a key that is known to be within bounds.
    pub const CHECKED: Bounds = Bounds {
        owner: "",
        members: usize::MAX,
        config: "",
        name_bytes: usize::MAX,
    };

    /// Returns an error if a key has too many members.
    pub fn check_count(&self, key: &ServerString, got: usize) -> Result<()> {
        match got > self.members {
            true => Err(Error::StoredMembers {
                key: key.as_bytes().to_vec(),
                owner: self.owner,
                config: self.config,
                limit: self.members,
                got,
            }),
            false => Ok(()),
        }
    }

    fn longest_name(&self) -> Longest {
        Longest {
            owner: self.owner,
            what: "a member",
            bytes: self.name_bytes,
        }
    }

    pub(super) fn check_name(&self, key: &ServerString, got: usize) -> Result<()> {
        match got > self.name_bytes {
            true => Err(too_long(key, &self.longest_name(), got)),
            false => Ok(()),
        }
    }
}

/// How long a text in a key may be.
#[derive(Clone, Copy, Debug)]
pub struct Longest {
    /// What the key belongs to, and what the text is, as parts of a sentence.
    pub owner: &'static str,
    pub what: &'static str,
    pub bytes: usize,
}

/// The error about a text in a key that is too long.
fn too_long(key: &ServerString, longest: &Longest, got: usize) -> Error {
    Error::StoredBytes {
        key: key.as_bytes().to_vec(),
        owner: longest.owner,
        what: longest.what,
        limit: longest.bytes,
        got,
    }
}

/// A hash that is being read.
pub struct Fields<'s> {
    name: &'s ServerString,
    key: Key<'s>,
}

impl Fields<'_> {
    /// A field for inspection, whatever its length.
    pub fn get(&self, field: &ServerString) -> Option<ServerString> {
        self.key.field(field)
    }

    /// A field for use; an error if it is longer than this.
    pub fn get_within(
        &self,
        field: &ServerString,
        longest: Longest,
    ) -> Result<Option<ServerString>> {
        match self.get(field) {
            Some(value) if value.as_bytes().len() > longest.bytes => {
                Err(too_long(self.name, &longest, value.as_bytes().len()))
            }
            value => Ok(value),
        }
    }
}

impl<'a> Store<'a> {
    /// What a key holds; `None` if it does not exist.
    pub fn stored(&self, key: &ServerString) -> Option<Stored> {
        self.look_at(key).stored()
    }

    /// The type of a key's value; `None` if it does not exist, or has another module's type.
    pub fn type_of(&self, key: &ServerString) -> Option<KeyType> {
        self.look_at(key).key_type()
    }

    /// How many members, fields or bytes a key has, 0 if it does not exist.
    pub fn len_of(&self, key: &ServerString) -> usize {
        self.look_at(key).len()
    }

    /// Whether the key exists; an error if it holds another type.
    pub fn exists_as(&self, key: &ServerString, wanted: KeyType) -> Result<bool> {
        let key_is = self.look_at(key);
        match key_is.key_type() == Some(wanted) {
            true => Ok(true),
            false if key_is.is_missing() => Ok(false),
            false => Err(wrong_type(key)),
        }
    }

    /// The fields of a hash, `None` if it does not exist.
    pub fn fields<'s>(&'s self, name: &'s ServerString) -> Result<Option<Fields<'s>>> {
        let key = self.open_to_read(name);
        match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(None),
            raw::REDISMODULE_KEYTYPE_HASH => Ok(Some(Fields { name, key })),
            _ => Err(wrong_type(name)),
        }
    }

    /// The members of a sorted set in order, none if it does not exist.
    pub fn members_in_order(
        &self,
        key: &ServerString,
        bounds: &Bounds,
    ) -> Result<Vec<(ServerString, f64)>> {
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

    /// The members of a set, none if it does not exist.
    pub fn members(&self, key: &ServerString, bounds: &Bounds) -> Result<Vec<ServerString>> {
        self.members_that(key, bounds, |_| true)
    }

    /// The members that the filter accepts.
    pub fn members_that(
        &self,
        key: &ServerString,
        bounds: &Bounds,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<ServerString>> {
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

    /// The names of the fields of a hash that the filter accepts, none if it does not exist; not many
    /// more than `limit`.
    pub fn field_names_that(
        &self,
        key: &ServerString,
        limit: usize,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<ServerString>> {
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

    /// Returns an error if a set or a sorted set has too many members.
    pub fn check_members(&self, key: &ServerString, bounds: &Bounds) -> Result<()> {
        bounds.check_count(key, self.look_at(key).len())
    }

    /// The length of a string, `None` if the key does not exist or holds something else.
    pub fn string_len(&self, key: &ServerString) -> Option<usize> {
        let open = self.look_at(key);
        (open.kind() as isize == raw::REDISMODULE_KEYTYPE_STRING).then(|| open.len())
    }

    /// The value of a string; an error if it is longer than this; `None` if it does not exist.
    pub fn string_within(
        &self,
        key: &ServerString,
        longest: Longest,
    ) -> Result<Option<ServerString>> {
        self.exists_as(key, KeyType::String)?;
        match self.string_len(key) {
            Some(got) if got > longest.bytes => Err(too_long(key, &longest, got)),
            _ => Ok(self.strings(&[key])?.into_iter().flatten().next()),
        }
    }

    /// The values of strings, `None` for each key that is not a string.
    pub fn strings(&self, keys: &[&ServerString]) -> Result<Vec<Option<ServerString>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.list(c"MGET", keys)
    }

    /// The reply of a plain command that reads, as a list.
    fn list(
        &self,
        command: &'static CStr,
        keys: &[&ServerString],
    ) -> Result<Vec<Option<ServerString>>> {
        let mut arguments: Vec<_> = keys.iter().map(|key| key.as_raw()).collect();
        // SAFETY: the names are borrowed for longer than the call, and it has no flags.
        let reply = unsafe { self.call(command, c"v", &mut arguments) }?;
        Ok(reply.list())
    }
}
