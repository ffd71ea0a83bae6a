//! Writes many values at once: each method is one plain command, here, on replicas and in the AOF.
//!
//! The caller has checked type, permission and slot. An error from here comes from the server, and
//! keeps what was written so far.

use std::ffi::CStr;
use std::sync::OnceLock;

use redis_module::raw::RedisModuleString;

use super::Store;
use crate::server::{Result, ServerString};

/// The commands used here, and those that find out beforehand what to write.
const COMMANDS: [&CStr; 12] = [
    c"HSET",
    c"HDEL",
    c"SADD",
    c"SREM",
    c"ZADD",
    c"ZREM",
    c"MSET",
    c"UNLINK",
    c"INCRBY",
    c"MGET",
    c"EXISTS",
    c"SETRANGE",
];

/// Writes values through plain commands. Without values it calls nothing.
pub struct Writer<'a> {
    store: &'a Store<'a>,
    /// The arguments of one command, kept to reuse the memory.
    arguments: Vec<*mut RedisModuleString>,
}

impl<'a> Writer<'a> {
    /// Returns an error if one of the commands has been renamed, which would end the work halfway.
    pub fn new(store: &'a Store<'a>) -> Result<Writer<'a>> {
        static MISSING: OnceLock<Option<&CStr>> = OnceLock::new();
        store.check_commands(&MISSING, &COMMANDS)?;
        Ok(Writer {
            store,
            arguments: Vec::new(),
        })
    }

    /// HSET
    pub fn set_fields<'n>(
        &mut self,
        key: &ServerString,
        fields: impl IntoIterator<Item = (&'n ServerString, &'n ServerString)>,
    ) -> Result<()> {
        self.pairs(c"HSET", Some(key), fields)
    }

    /// HDEL
    pub fn remove_fields<'n>(
        &mut self,
        key: &ServerString,
        fields: impl IntoIterator<Item = &'n ServerString>,
    ) -> Result<()> {
        self.list(c"HDEL", Some(key), fields).map(drop)
    }

    /// SADD; returns how many are new.
    pub fn add_members<'n>(
        &mut self,
        key: &ServerString,
        members: impl IntoIterator<Item = &'n ServerString>,
    ) -> Result<u64> {
        self.list(c"SADD", Some(key), members)
    }

    /// SREM; returns how many existed.
    pub fn remove_members<'n>(
        &mut self,
        key: &ServerString,
        members: impl IntoIterator<Item = &'n ServerString>,
    ) -> Result<u64> {
        self.list(c"SREM", Some(key), members)
    }

    /// ZADD, of scores and members.
    pub fn set_scores<'n>(
        &mut self,
        key: &ServerString,
        scored: impl IntoIterator<Item = (&'n ServerString, &'n ServerString)>,
    ) -> Result<()> {
        self.pairs(c"ZADD", Some(key), scored)
    }

    /// ZREM
    pub fn remove_scores<'n>(
        &mut self,
        key: &ServerString,
        members: impl IntoIterator<Item = &'n ServerString>,
    ) -> Result<()> {
        self.list(c"ZREM", Some(key), members).map(drop)
    }

    /// MSET, of keys and values.
    pub fn set_strings<'n>(
        &mut self,
        strings: impl IntoIterator<Item = (&'n ServerString, &'n ServerString)>,
    ) -> Result<()> {
        self.pairs(c"MSET", None, strings)
    }

    /// UNLINK; returns how many keys existed.
    pub fn remove<'n>(&mut self, keys: impl IntoIterator<Item = &'n ServerString>) -> Result<u64> {
        self.list(c"UNLINK", None, keys)
    }

    fn pairs<'n>(
        &mut self,
        command: &'static CStr,
        key: Option<&ServerString>,
        pairs: impl IntoIterator<Item = (&'n ServerString, &'n ServerString)>,
    ) -> Result<()> {
        let flat = pairs.into_iter().flat_map(|(one, other)| [one, other]);
        self.list(command, key, flat).map(drop)
    }

    fn list<'n>(
        &mut self,
        command: &'static CStr,
        key: Option<&ServerString>,
        values: impl IntoIterator<Item = &'n ServerString>,
    ) -> Result<u64> {
        self.arguments.clear();
        self.arguments.extend(key.map(ServerString::as_raw));
        let before = self.arguments.len();
        self.arguments
            .extend(values.into_iter().map(ServerString::as_raw));
        if self.arguments.len() == before {
            return Ok(0);
        }
        // SAFETY: the names are borrowed until the end of this method.
        unsafe { self.store.write_raw(command, &mut self.arguments) }
    }
}
