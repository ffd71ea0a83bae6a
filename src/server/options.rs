//! Options, each said once: a row of a list gives its line in `COMMAND DOCS`, its parser and the
//! sentences about what is wrong with it.
//!
//! ```text
//! impl<'a> Options<'a> for Shape {
//!     const OPTIONS: &'a [Opt<'a, Shape>] = &[
//!         Opt::flag("CONTENT", |shape| shape.content = true),
//!         Opt::size("WIDTH", 1..=12, |shape, width| shape.width = width),
//!         choice!("SHORTEN", Shorten, |shape, shorten| shape.shorten = shorten),
//!     ];
//! }
//!
//! arguments: &[List::Of(&[Argument::text("text")]), List::options::<Shape>()]
//!
//! let shape: Shape = args.options()?;
//! ```
//!
//! Where more is said of a row (`.named("amount")`), its closure names its type: `|shape: &mut Self, n|`.
//! A call may have several lists, and others may share them:
//! `args.each_option(|word| Ok(word.is_for(&mut shape)? || word.is_for(&mut numbers)?))`.

use std::ops::RangeInclusive;

use keyns_core::argument::{self, Error, Keyword};

use super::spec::{Argument, Kind, List};
use super::{Args, Result};

/// What options are noted in.
pub trait Options<'a>: Sized + 'a {
    /// In the order of `COMMAND DOCS`.
    const OPTIONS: &'a [Opt<'a, Self>];
}

/// An option, and how an `R` takes its value.
pub struct Opt<'a, R> {
    argument: Argument,
    token: &'static str,
    /// What errors call its value.
    label: &'static str,
    once: Once,
    value: Value<'a, R>,
}

/// What is behind the keyword, and where it goes.
enum Value<'a, R> {
    Nothing(fn(&mut R)),
    Text(fn(&mut R, &'a [u8])),
    Integer(i64, i64, fn(&mut R, i64)),
    Amount(i64, i64, fn(&mut R, u64)),
    Size(i64, i64, fn(&mut R, usize)),
    /// Answers whether the word is one of those that are allowed.
    Word(fn(&mut R, &[u8]) -> bool),
    Other(fn(&mut R, &mut Args<'a>) -> Result<()>),
}

/// How an option that is given twice is found out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Once {
    /// By its keyword: what is behind the second one is not looked at.
    AtKeyword,
    /// Behind its value, of which an error comes first.
    BehindValue,
    /// It is not: it may be, or its parser looks itself.
    Never,
}

impl<'a, R> Opt<'a, R> {
    const fn new(argument: Argument, value: Value<'a, R>) -> Opt<'a, R> {
        let Some(token) = argument.token else {
            panic!("an option has a keyword");
        };
        Opt {
            argument,
            token,
            label: token,
            once: Once::AtKeyword,
            value,
        }
    }

    /// `[TOKEN]`
    pub const fn flag(token: &'static str, set: fn(&mut R)) -> Opt<'a, R> {
        Opt::new(Argument::flag(token), Value::Nothing(set))
    }

    /// `[TOKEN text]`
    pub const fn text(token: &'static str, set: fn(&mut R, &'a [u8])) -> Opt<'a, R> {
        Opt::new(Argument::option(token), Value::Text(set))
    }

    /// `[TOKEN n]`
    pub const fn integer(
        token: &'static str,
        range: RangeInclusive<i64>,
        set: fn(&mut R, i64),
    ) -> Opt<'a, R> {
        let value = Value::Integer(*range.start(), *range.end(), set);
        Opt::new(Argument::integer(token), value)
    }

    /// `[TOKEN n]` of which none is negative.
    pub const fn amount(
        token: &'static str,
        range: RangeInclusive<i64>,
        set: fn(&mut R, u64),
    ) -> Opt<'a, R> {
        assert!(*range.start() >= 0);
        let value = Value::Amount(*range.start(), *range.end(), set);
        Opt::new(Argument::integer(token), value)
    }

    /// `[TOKEN n]` in bytes, words or whatever memory is counted in.
    pub const fn size(
        token: &'static str,
        range: RangeInclusive<usize>,
        set: fn(&mut R, usize),
    ) -> Opt<'a, R> {
        let (min, max) = (*range.start(), *range.end());
        assert!(max <= i64::MAX as usize);
        let value = Value::Size(min as i64, max as i64, set);
        Opt::new(Argument::integer(token), value)
    }

    /// `[TOKEN A|B]`. Not to be called but by [`choice!`](crate::choice), which sees to it that what is
    /// described is what is read.
    pub const fn choice<T: Keyword>(
        token: &'static str,
        set: fn(&mut R, &[u8]) -> bool,
    ) -> Opt<'a, R> {
        Opt::new(Argument::choice::<T>(token), Value::Word(set))
    }

    /// A keyword with anything else behind it, as often as the parser lets it be.
    pub const fn other(
        argument: Argument,
        read: fn(&mut R, &mut Args<'a>) -> Result<()>,
    ) -> Opt<'a, R> {
        Opt {
            once: Once::Never,
            ..Opt::new(argument, Value::Other(read))
        }
    }

    /// The same, with its value called so by `COMMAND DOCS`.
    pub const fn named(mut self, name: &'static str) -> Opt<'a, R> {
        self.argument.name = name;
        self
    }

    /// The same, with its value called so by errors.
    pub const fn labelled(mut self, label: &'static str) -> Opt<'a, R> {
        self.label = label;
        self
    }

    /// The same, without brackets.
    pub const fn required(mut self) -> Opt<'a, R> {
        self.argument.optional = false;
        self
    }

    /// The same, given once.
    pub const fn once(mut self) -> Opt<'a, R> {
        self.once = Once::AtKeyword;
        self
    }

    /// The same; an error about a second value comes before the one that there is a second.
    pub const fn value_first(mut self) -> Opt<'a, R> {
        self.once = Once::BehindValue;
        self
    }

    #[inline]
    fn is(&self, word: &[u8]) -> bool {
        self.token.as_bytes().eq_ignore_ascii_case(word)
    }

    /// Reads what is behind the keyword.
    #[inline]
    fn read(&self, args: &mut Args<'a>, to: &mut R) -> Result<()> {
        match self.value {
            Value::Nothing(set) => set(to),
            Value::Text(set) => set(to, args.value_of(self.token)?),
            Value::Integer(min, max, set) => set(to, self.integer_of(args, min, max)?),
            Value::Amount(min, max, set) => {
                set(to, self.integer_of(args, min, max)?.unsigned_abs());
            }
            Value::Size(min, max, set) => {
                let size = self.integer_of(args, min, max)?;
                set(to, usize::try_from(size).unwrap_or_default());
            }
            Value::Word(set) => {
                let word = args.value_of(self.token)?;
                if !set(to, word) {
                    return Err(self.none_of_them(word).into());
                }
            }
            Value::Other(read) => read(to, args)?,
        }
        Ok(())
    }

    fn integer_of(&self, args: &mut Args<'a>, min: i64, max: i64) -> argument::Result<i64> {
        argument::integer(self.label, args.value_of(self.token)?, min..=max)
    }

    #[cold]
    fn none_of_them(&self, word: &[u8]) -> Error {
        let words = match self.argument.kind {
            Kind::OneOf(words) => words.iter().filter_map(|word| word.token).collect(),
            _ => Vec::new(),
        };
        Error::NotOneOf {
            option: self.label,
            allowed: words,
            got: word.to_vec(),
        }
    }
}

/// `[TOKEN A|B]`, with the words of a [`Keyword`]:
/// `choice!("SHORTEN", Shorten, |options, shorten| options.shorten = shorten)`.
#[macro_export]
macro_rules! choice {
    ($token:expr, $words:ty, $set:expr) => {
        $crate::server::Opt::choice::<$words>($token, |to, word| {
            $crate::server::choose::<_, $words>(to, word, $set)
        })
    };
}

/// Sets what `word` stands for, and answers whether it stands for anything.
pub fn choose<R, T: Keyword>(to: &mut R, word: &[u8], set: impl FnOnce(&mut R, T)) -> bool {
    match T::find(word) {
        Some(value) => {
            set(to, value);
            true
        }
        None => false,
    }
}

impl List {
    /// The options that an `R` takes.
    pub const fn options<R: Options<'static>>() -> List {
        List::Made(|index| R::OPTIONS.get(index).map(|option| option.argument))
    }
}

/// A word where an option may stand.
pub struct Word<'w, 'a> {
    word: &'a [u8],
    args: &'w mut Args<'a>,
    /// The options of the call so far: a bit for each, in the order of the lists.
    given: &'w mut u64,
    /// The bit of the first option of the next list.
    first: u32,
    /// The options that may still be given, if that is what is asked for.
    allowed: Option<&'w mut Vec<&'static str>>,
}

impl<'a> Word<'_, 'a> {
    pub fn text(&self) -> &'a [u8] {
        self.word
    }

    /// Whether it is an option that an `R` takes, which then has it with its value.
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
        if is_again && option.once == Once::AtKeyword {
            return Err(Error::repeated(option.token).into());
        }
        option.read(self.args, to)?;
        if is_again && option.once == Once::BehindValue {
            return Err(Error::repeated(option.token).into());
        }
        Ok(true)
    }
}

impl<'a> Args<'a> {
    /// Reads all that is left as options of an `R`.
    pub fn options<R: Options<'a> + Default>(self) -> Result<R> {
        let mut read = R::default();
        self.each_option(|word| word.is_for(&mut read))?;
        Ok(read)
    }

    /// Reads all that is left word by word. `take` asks one list after the other, always in the same
    /// order, and answers whether the word [was for](Word::is_for) one of them.
    pub fn each_option(
        mut self,
        mut take: impl FnMut(&mut Word<'_, 'a>) -> Result<bool>,
    ) -> Result<()> {
        let mut given = 0;
        while let Some(word) = self.next() {
            let mut at = Word {
                word,
                args: &mut self,
                given: &mut given,
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

/// An error about a word that no list has. Each is asked again, for what it has.
#[cold]
fn unknown<'a>(
    word: &'a [u8],
    mut args: Args<'a>,
    mut given: u64,
    mut take: impl FnMut(&mut Word<'_, 'a>) -> Result<bool>,
) -> super::Error {
    let mut allowed = Vec::new();
    let mut at = Word {
        word,
        args: &mut args,
        given: &mut given,
        first: 0,
        allowed: Some(&mut allowed),
    };
    match take(&mut at) {
        Ok(_) => Error::syntax(word, allowed).into(),
        Err(error) => error,
    }
}
