//! Reading arguments in their places; [`options`](super::options) reads those in any order.

use std::ops::RangeInclusive;

use redis_module::raw::RedisModuleString;

use keyns_core::argument::{self, Error, Keyword, Result};

use super::string;

/// The arguments of a call that are still to be read.
#[derive(Clone)]
pub struct Args<'a> {
    rest: &'a [*mut RedisModuleString],
}

impl<'a> Args<'a> {
    pub(super) fn new(rest: &'a [*mut RedisModuleString]) -> Args<'a> {
        Args { rest }
    }

    /// The next argument, which the command's arity guarantees.
    pub fn required(&mut self) -> Result<&'a [u8]> {
        self.next().ok_or_else(Error::too_few)
    }

    /// The value that follows an option.
    pub fn value_of(&mut self, option: &'static str) -> Result<&'a [u8]> {
        self.next().ok_or_else(|| Error::no_value(option))
    }

    /// The word that follows an option, converted to its meaning.
    pub fn choice_of<T: Keyword>(&mut self, option: &'static str) -> Result<T> {
        T::read(option, self.value_of(option)?)
    }

    /// A positional argument. Errors call it by this name.
    pub fn given(&mut self, name: &'static str) -> Result<&'a [u8]> {
        self.next().ok_or_else(|| Error::missing(name))
    }

    /// A positional integer within its range.
    pub fn integer(&mut self, name: &'static str, range: RangeInclusive<i64>) -> Result<i64> {
        argument::integer(name, self.given(name)?, range)
    }

    /// A positional amount within its range, which has no negative values.
    pub fn amount(&mut self, name: &'static str, range: RangeInclusive<i64>) -> Result<u64> {
        self.integer(name, range).map(i64::unsigned_abs)
    }

    /// The arguments after the next `count`.
    pub fn without(self, count: usize) -> Args<'a> {
        Args::new(self.rest.get(count..).unwrap_or_default())
    }

    /// `[A|B]` at the end of a call, converted to its meaning.
    pub fn last_word<T: Keyword>(mut self) -> Result<Option<T>> {
        let Some(word) = self.next() else {
            return Ok(None);
        };
        let value = T::expect(word)?;
        match self.clone().next() {
            Some(again) if T::find(again).is_some() => {
                Err(Error::repeated(argument::list(&T::words())))
            }
            _ => self.end().map(|()| Some(value)),
        }
    }

    /// Returns an error if arguments are left.
    pub fn end(mut self) -> Result<()> {
        match self.next() {
            Some(word) => Err(Error::syntax(word, Vec::new())),
            None => Ok(()),
        }
    }
}

impl<'a> Iterator for Args<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        // SAFETY: the server keeps the arguments of a call alive, and `'a` is within the call.
        Some(unsafe { string::bytes(*first) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest.len(), Some(self.rest.len()))
    }
}

impl ExactSizeIterator for Args<'_> {}
