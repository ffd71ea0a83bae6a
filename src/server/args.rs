//! Reading arguments the way Redis does: keyword options in any case and any order.

use std::ops::RangeInclusive;

use redis_module::raw::RedisModuleString;

use keyns_core::argument::{Error, Result};
use keyns_core::text::decimal;

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

    /// The argument that the command's arity promises to be there.
    pub fn required(&mut self) -> Result<&'a [u8]> {
        self.next().ok_or_else(|| Error::syntax(b""))
    }

    /// The value behind an option.
    pub fn value_of(&mut self, option: &'static str) -> Result<&'a [u8]> {
        self.next().ok_or_else(|| Error::syntax(option.as_bytes()))
    }

    /// The whole number behind an option, within its range.
    pub fn integer_of(&mut self, option: &'static str, range: RangeInclusive<i64>) -> Result<i64> {
        let text = self.value_of(option)?;
        let Some(number) = decimal::parse(text) else {
            return Err(Error::NotAnInteger {
                option,
                got: text.to_vec(),
            });
        };
        if range.contains(&number) {
            Ok(number)
        } else {
            Err(Error::OutOfRange {
                option,
                min: *range.start(),
                max: *range.end(),
                got: number,
            })
        }
    }

    /// An argument that has its place, and is called by a name that clients do not write.
    pub fn given(&mut self, option: &'static str) -> Result<&'a [u8]> {
        self.next().ok_or(Error::Missing { option })
    }

    /// The amount in its place, within its range, none of which is negative.
    pub fn amount_of(&mut self, option: &'static str, range: RangeInclusive<i64>) -> Result<u64> {
        integer_within(self.given(option)?, option, range).map(i64::unsigned_abs)
    }

    /// The integer behind an option or in its place, within its range. The error of one that is no
    /// integer has the range, too: it may be one that is too large for us to read.
    pub fn number_of(&mut self, option: &'static str, range: RangeInclusive<i64>) -> Result<i64> {
        integer_within(self.value_of(option)?, option, range)
    }

    /// The size behind an option, within its range.
    pub fn size_of(&mut self, option: &'static str, range: RangeInclusive<usize>) -> Result<usize> {
        let bound = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let number = self.integer_of(option, bound(*range.start())..=bound(*range.end()))?;
        Ok(usize::try_from(number).unwrap_or(*range.start()))
    }

    /// The word behind an option, as what it stands for.
    pub fn choice_of<T>(
        &mut self,
        option: &'static str,
        allowed: &'static str,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T> {
        let word = self.value_of(option)?;
        read(word).ok_or_else(|| Error::NotOneOf {
            option,
            allowed,
            got: word.to_vec(),
        })
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

/// Reads an integer within a range.
pub fn integer_within(
    text: &[u8],
    option: &'static str,
    range: RangeInclusive<i64>,
) -> Result<i64> {
    match decimal::parse(text) {
        Some(number) if range.contains(&number) => Ok(number),
        _ => Err(Error::NotWithin {
            option,
            min: *range.start(),
            max: *range.end(),
            got: text.to_vec(),
        }),
    }
}

/// The options of a call that were given, so that none is given twice.
#[derive(Default)]
pub struct Given(Vec<&'static str>);

impl Given {
    /// Notes that `option` is given; an error if it was before.
    pub fn once(&mut self, option: &'static str) -> Result<()> {
        if self.0.contains(&option) {
            return Err(Error::Repeated { option });
        }
        self.0.push(option);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_given_once() {
        let mut given = Given::default();
        given.once("WIDTH").unwrap();
        given.once("COUNT").unwrap();
        let error = given.once("WIDTH").unwrap_err();
        assert_eq!(error.to_string(), "WIDTH is given twice");
    }
}
