//! Reading the options of a call, in any order.

use keyns_core::argument::{self, Error};

use super::{Once, Options, Value};
use crate::server::{self, Args, Result};

/// A word in the place of an option.
pub struct Word<'w, 'a> {
    word: &'a [u8],
    args: &'w mut Args<'a>,
    /// The options given so far: a bit for each, in the order of the lists.
    given: &'w mut u64,
    /// The bit of the option before the word.
    previous: &'w mut u64,
    /// The bit of the first option of the next list.
    first: u32,
    /// Collects the options that may still be given, instead of reading one.
    allowed: Option<&'w mut Vec<&'static str>>,
}

impl<'a> Word<'_, 'a> {
    pub fn text(&self) -> &'a [u8] {
        self.word
    }

    /// Whether it is an option of `R`. If so, its value is read into `to`.
    #[inline]
    pub fn is_for<R: Options<'a>>(&mut self, to: &mut R) -> Result<bool> {
        let first = self.first;
        self.first += R::OPTIONS.len() as u32;
        debug_assert!(self.first <= u64::BITS, "more options than bits");
        if let Some(allowed) = &mut self.allowed {
            let options = R::OPTIONS.iter().zip(first..);
            let is_left = |bit: u32| *self.given & (1 << bit) == 0;
            let left = options.filter(|(option, bit)| option.once == Once::Never || is_left(*bit));
            allowed.extend(left.map(|(option, _)| option.token));
            return Ok(false);
        }
        let mut options = R::OPTIONS.iter().zip(first..);
        let Some((option, bit)) = options.find(|(option, _)| option.is(self.word)) else {
            return Ok(false);
        };
        let bit = 1 << bit;
        let is_again = *self.given & bit != 0;
        *self.given |= bit;
        let previous = std::mem::replace(self.previous, bit);
        if is_again && option.once == Once::AtKeyword {
            return Err(match option.value {
                Value::Text(_) if previous == bit => Error::RepeatedText {
                    option: option.token,
                },
                _ => Error::repeated(option.token),
            }
            .into());
        }
        option.read(self.args, to)?;
        if is_again && option.once == Once::BehindValue {
            return Err(Error::repeated(option.token).into());
        }
        Ok(true)
    }
}

impl<'a> Args<'a> {
    /// Reads the remaining words as options of an `R`.
    pub fn options<R: Options<'a> + Default>(self) -> Result<R> {
        let mut read = R::default();
        self.each_option(|word| word.is_for(&mut read))?;
        Ok(read)
    }

    /// Reads the remaining words as exactly one of the options of an `R`.
    pub fn one_option<R: Options<'a> + Default>(mut self) -> Result<R> {
        let mut read = R::default();
        let find = |word: &[u8]| R::OPTIONS.iter().find(|option| option.is(word));
        let tokens = || -> Vec<_> { R::OPTIONS.iter().map(|option| option.token).collect() };
        let Some(word) = self.next() else {
            return Err(Error::missing(argument::list(&tokens())).into());
        };
        let option = find(word).ok_or_else(|| Error::syntax(word, tokens()))?;
        option.read(&mut self, &mut read)?;
        match self.next().map(|word| (word, find(word))) {
            None => Ok(read),
            Some((_, Some(other))) if other.token == option.token => {
                Err(Error::repeated(other.token).into())
            }
            Some((_, Some(other))) => Err(Error::Exclusive {
                option: option.token,
                other: other.token,
            }
            .into()),
            Some((word, None)) => Err(Error::syntax(word, Vec::new()).into()),
        }
    }

    /// Reads the remaining words one by one. `take` asks each list in turn, always in the same order,
    /// and returns whether the word [was for](Word::is_for) one of them.
    pub fn each_option(
        mut self,
        mut take: impl FnMut(&mut Word<'_, 'a>) -> Result<bool>,
    ) -> Result<()> {
        let mut given = 0;
        let mut previous = 0;
        while let Some(word) = self.next() {
            let mut at = Word {
                word,
                args: &mut self,
                given: &mut given,
                previous: &mut previous,
                first: 0,
                allowed: None,
            };
            if !take(&mut at)? {
                return Err(unknown(word, self, given, take));
            }
        }
        Ok(())
    }
}

/// The error about a word that no list knows. Asks each list again, for its options.
#[cold]
fn unknown<'a>(
    word: &'a [u8],
    mut args: Args<'a>,
    mut given: u64,
    mut take: impl FnMut(&mut Word<'_, 'a>) -> Result<bool>,
) -> server::Error {
    let mut allowed = Vec::new();
    let mut at = Word {
        word,
        args: &mut args,
        given: &mut given,
        previous: &mut 0,
        first: 0,
        allowed: Some(&mut allowed),
    };
    match take(&mut at) {
        Ok(_) => Error::syntax(word, allowed).into(),
        Err(error) => error,
    }
}
