//! Counters: strings and fields of hashes that hold non-negative integers.

use keyns_core::text::decimal::{self, MAX_DIGITS};
use redis_module::raw;

use super::{OpenString, Store, read_mode, wrong_type};
use crate::server::{Error, Result, ServerString};

impl Store<'_> {
    /// The count in a string, 0 if the key does not exist.
    pub fn count(&self, name: &ServerString) -> Result<u64> {
        count_of(&self.counter(name)?, name)
    }

    /// Opens a counter. Callers do not name counters, so errors do.
    fn counter<'s>(&'s self, name: &'s ServerString) -> Result<OpenString<'s>> {
        let string = self.string_to_change(name);
        string.map_err(|error| error.about(name.as_bytes()))
    }

    /// Adds to the count in a string, and returns the previous count.
    pub fn take_count(&self, name: &ServerString, by: u64) -> Result<u64> {
        let string = self.counter(name)?;
        let count = count_of(&string, name)?;
        write_count(string, name, count, by)?;
        Ok(count)
    }

    /// Adds to the count that [`count`](Store::count) read from a string.
    pub fn add_to_count(&self, name: &ServerString, count: u64, by: u64) -> Result<()> {
        write_count(self.counter(name)?, name, count, by)
    }

    /// The count in a field of a hash, 0 if it does not exist.
    pub fn field_count(&self, name: &ServerString, field: &[u8]) -> Result<u64> {
        let key = self.open_with(name, read_mode());
        match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(0),
            raw::REDISMODULE_KEYTYPE_HASH => match key.field(&ServerString::new(field)) {
                Some(value) => parse_count(value.as_bytes()).ok_or_else(|| not_a_count(name)),
                None => Ok(0),
            },
            _ => Err(wrong_type(name)),
        }
    }

    /// Adds to the count in a field that [`field_count`](Store::field_count) read. The caller has
    /// made sure that an absent key is not [on another node](Store::check_settled).
    pub fn add_to_field_count(
        &self,
        name: &ServerString,
        field: &[u8],
        count: u64,
        by: u64,
    ) -> Result<()> {
        if count.checked_add(by).is_none_or(|sum| sum > MAX_COUNT) {
            return Err(overflow(name));
        }
        let by = ServerString::new(decimal::format(by, &mut [0; MAX_DIGITS]));
        self.write(c"HINCRBY", &[name, &ServerString::new(field), &by])
    }
}

/// Redis counts in signed 64 bits.
pub const MAX_COUNT: u64 = i64::MAX as u64;

fn count_of(string: &OpenString, name: &ServerString) -> Result<u64> {
    let Some(text) = string.bytes() else {
        return Ok(0);
    };
    parse_count(text).ok_or_else(|| not_a_count(name))
}

fn write_count(string: OpenString, name: &ServerString, count: u64, by: u64) -> Result<()> {
    let sum = count
        .checked_add(by)
        .and_then(|sum| i64::try_from(sum).ok());
    let (Some(sum), Ok(by)) = (sum, i64::try_from(by)) else {
        return Err(overflow(name));
    };
    string.add(sum, by)
}

fn not_a_count(name: &ServerString) -> Error {
    Error::NotACount {
        key: name.as_bytes().to_vec(),
    }
}

fn overflow(name: &ServerString) -> Error {
    Error::CounterOverflow {
        key: name.as_bytes().to_vec(),
    }
}

fn parse_count(text: &[u8]) -> Option<u64> {
    u64::try_from(decimal::parse(text)?).ok()
}
