//! The options of every command that numbers names.

use crate::server::spec::Argument;
use crate::server::{Args, Given};
use keyns_core::argument::Result;
use keyns_core::naming::key_name::{DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH};

/// How `COMMAND DOCS` describes them.
pub const ARGUMENTS: &[Argument] = &[
    Argument::choice(
        c"numbering",
        c"NUMBERING",
        &[
            Argument::word(c"global", c"GLOBAL"),
            Argument::word(c"slug", c"SLUG"),
        ],
    ),
    Argument::integer(c"width", c"WIDTH"),
];

/// Which counter the numbers of names come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    Global,
    Slug,
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

/// Reads `word`, with its value, into `options`; `false` if it is none of these options.
pub fn read(
    word: &[u8],
    args: &mut Args,
    given: &mut Given,
    options: &mut NumberOptions,
) -> Result<bool> {
    if word.eq_ignore_ascii_case(b"NUMBERING") {
        given.once("NUMBERING")?;
        options.numbering = args.choice_of("NUMBERING", "GLOBAL or SLUG", numbering)?;
    } else if word.eq_ignore_ascii_case(b"WIDTH") {
        given.once("WIDTH")?;
        options.width = args.size_of("WIDTH", MIN_WIDTH..=MAX_WIDTH)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn numbering(word: &[u8]) -> Option<Numbering> {
    match word.to_ascii_uppercase().as_slice() {
        b"GLOBAL" => Some(Numbering::Global),
        b"SLUG" => Some(Numbering::Slug),
        _ => None,
    }
}
