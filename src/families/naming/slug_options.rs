//! The options of every command that makes a slug.

use super::LANG;
use crate::server::spec::Argument;
use crate::server::{Args, Given};
use keyns_core::argument::Result;
use keyns_core::naming::number_words::Lang;
use keyns_core::naming::slug::{
    MAX_MAX_LEN, MAX_WORDS, MIN_MAX_LEN, MIN_WORDS, Numbers, Shorten, SlugOptions,
};

/// How `COMMAND DOCS` describes them.
pub const ARGUMENTS: &[Argument] = &[
    Argument::flag(c"content", c"CONTENT"),
    Argument::integer(c"words", c"WORDS"),
    Argument::flag(c"keepstop", c"KEEPSTOP"),
    Argument::choice(
        c"lang",
        c"LANG",
        &[Argument::word(c"de", c"de"), Argument::word(c"en", c"en")],
    ),
    Argument::choice(
        c"numbers",
        c"NUMBERS",
        &[
            Argument::word(c"leading", c"LEADING"),
            Argument::word(c"all", c"ALL"),
            Argument::word(c"none", c"NONE"),
        ],
    ),
    Argument::flag(c"symbols", c"SYMBOLS"),
    Argument::flag(c"noabbrev", c"NOABBREV"),
    Argument::integer(c"maxlen", c"MAXLEN"),
    Argument::choice(
        c"shorten",
        c"SHORTEN",
        &[
            Argument::word(c"cut", c"CUT"),
            Argument::word(c"word", c"WORD"),
            Argument::word(c"vowels", c"VOWELS"),
        ],
    ),
];

/// What they are where none is given.
pub fn defaults() -> SlugOptions {
    SlugOptions {
        lang: LANG.get(),
        ..SlugOptions::default()
    }
}

/// Reads the slug option that `word` starts, with its value, and answers `true`; `false` if it is
/// none.
pub fn read(
    word: &[u8],
    args: &mut Args,
    given: &mut Given,
    options: &mut SlugOptions,
) -> Result<bool> {
    if word.eq_ignore_ascii_case(b"MAXLEN") {
        given.once("MAXLEN")?;
        options.max_len = args.size_of("MAXLEN", MIN_MAX_LEN..=MAX_MAX_LEN)?;
    } else if word.eq_ignore_ascii_case(b"CONTENT") {
        given.once("CONTENT")?;
        options.content = true;
    } else if word.eq_ignore_ascii_case(b"WORDS") {
        given.once("WORDS")?;
        options.words = args.size_of("WORDS", MIN_WORDS..=MAX_WORDS)?;
    } else if word.eq_ignore_ascii_case(b"KEEPSTOP") {
        given.once("KEEPSTOP")?;
        options.keep_stop_words = true;
    } else if word.eq_ignore_ascii_case(b"LANG") {
        given.once("LANG")?;
        options.lang = args.choice_of("LANG", "de or en", Lang::parse)?;
    } else if word.eq_ignore_ascii_case(b"NUMBERS") {
        given.once("NUMBERS")?;
        options.numbers = args.choice_of("NUMBERS", "LEADING, ALL or NONE", numbers)?;
    } else if word.eq_ignore_ascii_case(b"SYMBOLS") {
        given.once("SYMBOLS")?;
        options.symbols = true;
    } else if word.eq_ignore_ascii_case(b"NOABBREV") {
        given.once("NOABBREV")?;
        options.expand_abbreviations = false;
    } else if word.eq_ignore_ascii_case(b"SHORTEN") {
        given.once("SHORTEN")?;
        options.shorten = args.choice_of("SHORTEN", "CUT, WORD or VOWELS", shorten)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn numbers(word: &[u8]) -> Option<Numbers> {
    match word.to_ascii_uppercase().as_slice() {
        b"LEADING" => Some(Numbers::Leading),
        b"ALL" => Some(Numbers::All),
        b"NONE" => Some(Numbers::None),
        _ => None,
    }
}

fn shorten(word: &[u8]) -> Option<Shorten> {
    match word.to_ascii_uppercase().as_slice() {
        b"CUT" => Some(Shorten::Cut),
        b"WORD" => Some(Shorten::Word),
        b"VOWELS" => Some(Shorten::Vowels),
        _ => None,
    }
}
