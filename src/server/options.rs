//! Options, each defined once: a row of a list gives its line in `COMMAND DOCS`, its parser and its
//! error messages.
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
//! If a method follows a row (`.named("amount")`), its closure needs a type: `|shape: &mut Self, n|`.
//! A call may have several lists, and commands may share them:
//! `args.each_option(|word| Ok(word.is_for(&mut shape)? || word.is_for(&mut numbers)?))`.

mod reading;

use std::ops::RangeInclusive;

use keyns_core::argument::{self, Error, Keyword};

use super::spec::{Argument, Kind, List};
use super::{Args, Result};

pub use self::reading::Word;

/// A value that options are read into.
pub trait Options<'a>: Sized + 'a {
    /// In the order of `COMMAND DOCS`.
    const OPTIONS: &'a [Opt<'a, Self>];
}

/// An option, and how to put its value into an `R`.
pub struct Opt<'a, R> {
    argument: Argument,
    token: &'static str,
    /// The name of its value in errors.
    label: &'static str,
    once: Once,
    value: Value<'a, R>,
}

/// The kind of value after the keyword, and the function that takes it.
enum Value<'a, R> {
    Nothing(fn(&mut R)),
    Text(fn(&mut R, &'a [u8])),
    Integer(i64, i64, fn(&mut R, i64)),
    Amount(i64, i64, fn(&mut R, u64)),
    Size(i64, i64, fn(&mut R, usize)),
    Seconds(i64, i64, fn(&mut R, u64)),
    /// With the greatest value in seconds.
    Millis(i64, fn(&mut R, u64)),
    /// Returns whether the word is allowed.
    Word(fn(&mut R, &[u8]) -> bool),
    Other(fn(&mut R, &mut Args<'a>) -> Result<()>),
}

/// When a repeated option is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Once {
    /// At the second keyword, before its value is read.
    AtKeyword,
    /// After the second value: an error about that value comes first.
    BehindValue,
    /// Never: it may repeat, or its parser checks.
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

    /// `[TOKEN n]`, never negative.
    pub const fn amount(
        token: &'static str,
        range: RangeInclusive<i64>,
        set: fn(&mut R, u64),
    ) -> Opt<'a, R> {
        assert!(*range.start() >= 0);
        let value = Value::Amount(*range.start(), *range.end(), set);
        Opt::new(Argument::integer(token), value)
    }

    /// `[TOKEN period]` of whole seconds: `90`, `90s`, `15m`, `2h`, `7d`.
    pub const fn seconds(
        token: &'static str,
        range: RangeInclusive<i64>,
        set: fn(&mut R, u64),
    ) -> Opt<'a, R> {
        assert!(*range.start() >= 0);
        let value = Value::Seconds(*range.start(), *range.end(), set);
        Opt::new(Argument::option(token), value).named("period")
    }

    /// `[TOKEN period]` in milliseconds: what [`seconds`](Opt::seconds) takes, and `500ms`.
    pub const fn millis(token: &'static str, max_seconds: i64, set: fn(&mut R, u64)) -> Opt<'a, R> {
        let value = Value::Millis(max_seconds, set);
        Opt::new(Argument::option(token), value).named("period")
    }

    /// `[TOKEN n]` for a size in memory, as a number of bytes, words or the like.
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

    /// `[TOKEN A|B]`. Use [`choice!`](crate::choice), which makes the description and the parser agree.
    pub const fn choice<T: Keyword>(
        token: &'static str,
        set: fn(&mut R, &[u8]) -> bool,
    ) -> Opt<'a, R> {
        Opt::new(Argument::choice::<T>(token), Value::Word(set))
    }

    /// A keyword with anything else after it, as often as its parser allows.
    pub const fn other(
        argument: Argument,
        read: fn(&mut R, &mut Args<'a>) -> Result<()>,
    ) -> Opt<'a, R> {
        Opt {
            once: Once::Never,
            ..Opt::new(argument, Value::Other(read))
        }
    }

    /// The same, with another name for its value in `COMMAND DOCS`.
    pub const fn named(mut self, name: &'static str) -> Opt<'a, R> {
        self.argument.name = name;
        self
    }

    /// The same, with another name for its value in errors.
    pub const fn labelled(mut self, label: &'static str) -> Opt<'a, R> {
        self.label = label;
        self
    }

    /// The same, without brackets.
    pub const fn required(mut self) -> Opt<'a, R> {
        self.argument.optional = false;
        self
    }

    /// The same, allowed once.
    pub const fn once(mut self) -> Opt<'a, R> {
        self.once = Once::AtKeyword;
        self
    }

    /// The same; an error about a second value comes before the error about the repetition.
    pub const fn value_first(mut self) -> Opt<'a, R> {
        self.once = Once::BehindValue;
        self
    }

    #[inline]
    fn is(&self, word: &[u8]) -> bool {
        self.token.as_bytes().eq_ignore_ascii_case(word)
    }

    /// Reads the value after the keyword.
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
            Value::Seconds(min, max, set) => {
                let text = args.value_of(self.token)?;
                let seconds = argument::seconds(self.label, text, min..=max)?;
                set(to, seconds.unsigned_abs());
            }
            Value::Millis(max, set) => {
                let text = args.value_of(self.token)?;
                set(to, argument::millis(self.label, text, max)?);
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

/// Sets the value that `word` stands for. `false` if it stands for none.
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
