//! The options of every command that numbers names.

use crate::choice;
use crate::server::{Opt, Options};
use keyns_core::argument::Keyword;
use keyns_core::naming::key_name::{DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH};

/// Which counter the numbers of names come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    Global,
    Slug,
}

impl Keyword for Numbering {
    const WORDS: &'static [(&'static str, Numbering)] =
        &[("GLOBAL", Numbering::Global), ("SLUG", Numbering::Slug)];
}

/// How names are numbered.
#[derive(Clone, Copy, Debug)]
pub struct NumberOptions {
    pub numbering: Numbering,
    pub width: usize,
}

impl Default for NumberOptions {
    fn default() -> NumberOptions {
        NumberOptions {
            numbering: Numbering::Global,
            width: DEFAULT_WIDTH,
        }
    }
}

impl<'a> Options<'a> for NumberOptions {
    const OPTIONS: &'a [Opt<'a, NumberOptions>] = &[
        choice!("NUMBERING", Numbering, |options, numbering| {
            options.numbering = numbering;
        }),
        Opt::size("WIDTH", MIN_WIDTH..=MAX_WIDTH, |options, width| {
            options.width = width;
        }),
    ];
}
