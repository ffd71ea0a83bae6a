//! The options of every command that makes a slug.

use super::LANG;
use crate::choice;
use crate::server::{Opt, Options};
use keyns_core::naming::number_words::Lang;
use keyns_core::naming::slug::{
    MAX_MAX_LEN, MAX_WORDS, MIN_MAX_LEN, MIN_WORDS, Numbers, Shorten, SlugOptions,
};

/// The defaults.
pub fn defaults() -> SlugOptions {
    SlugOptions {
        lang: LANG.get(),
        ..SlugOptions::default()
    }
}

impl<'a> Options<'a> for SlugOptions {
    const OPTIONS: &'a [Opt<'a, SlugOptions>] = &[
        Opt::flag("CONTENT", |options| options.content = true),
        Opt::size("WORDS", MIN_WORDS..=MAX_WORDS, |options, words| {
            options.words = words;
        }),
        Opt::flag("KEEPSTOP", |options| options.keep_stop_words = true),
        choice!("LANG", Lang, |options, lang| options.lang = lang),
        choice!("NUMBERS", Numbers, |options, numbers| {
            options.numbers = numbers;
        }),
        Opt::flag("SYMBOLS", |options| options.symbols = true),
        Opt::flag("NOABBREV", |options| options.expand_abbreviations = false),
        Opt::size("MAXLEN", MIN_MAX_LEN..=MAX_MAX_LEN, |options, max_len| {
            options.max_len = max_len;
        }),
        choice!("SHORTEN", Shorten, |options, shorten| {
            options.shorten = shorten;
        }),
    ];
}
