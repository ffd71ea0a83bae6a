//! Naming: slugs, numbers, names, and checks of names.

mod keys;
mod names;
pub mod numbering;
pub mod numbers;
mod slug;
pub mod slug_options;

use std::sync::{Mutex, PoisonError, TryLockError};

use keyns_core::argument;
use keyns_core::naming::kinds::Kinds;
use keyns_core::naming::number_words::Lang;
use keyns_core::naming::slug::{Abbreviations, SlugMaker};

use self::keys::{CHECK, PARSE};
use self::names::{MAKE, NEXTID};
use self::slug::SLUG;
use crate::server::Family;
use crate::server::config::{Choice, Number, Text};
use crate::server::spec::{KeyAccess, Keys, Which};

pub static FAMILY: Family = Family {
    commands: &[
        SLUG,
        NEXTID,
        MAKE,
        CHECK,
        PARSE,
        #[cfg(feature = "panic-command")]
        super::panic::PANIC,
    ],
    configs: &[&LANG, &ABBREVIATIONS, &KINDS, &MAX_TEXT_BYTES, &MAX_SKIPS],
    unload: forget,
    ..Family::named("naming")
};

pub static LANG: Choice<Lang> = Choice::new(c"lang", 0, &[(c"de", Lang::De), (c"en", Lang::En)]);

pub static ABBREVIATIONS: Text<Abbreviations> = Text::new(c"abbreviations", c"{}", |json| {
    Ok(Abbreviations::from_json(json)?)
});

pub static KINDS: Text<Kinds> = Text::new(c"kinds", Kinds::DEFAULT, |list| Ok(Kinds::parse(list)?));

pub static MAX_TEXT_BYTES: Number = Number::new(c"max-text-bytes", 1 << 20, 64..=64 << 20);

pub static MAX_SKIPS: Number = Number::new(c"max-skips", 1_000_000, 1..=10_000_000);

/// An error about a text that is longer than the settings allow.
pub fn check_length(what: &'static str, text: &[u8]) -> argument::Result<()> {
    let limit = MAX_TEXT_BYTES.size();
    if text.len() <= limit {
        return Ok(());
    }
    Err(argument::Error::TooLong {
        what,
        config: "keyns.max-text-bytes",
        limit,
        got: text.len(),
    })
}

/// The key spec of commands that number a prefix.
pub const PREFIX: Keys = Keys {
    first: 1,
    which: Which::One,
    access: KeyAccess::ReadAndUpdate,
};

/// Memory that calls reuse.
pub struct Scratch {
    pub maker: SlugMaker,
    /// The buffer for names.
    pub key: Vec<u8>,
}

impl Scratch {
    const fn new() -> Scratch {
        Scratch {
            maker: SlugMaker::new(),
            key: Vec::new(),
        }
    }
}

static SCRATCH: Mutex<Scratch> = Mutex::new(Scratch::new());

/// Lends out the scratch memory, or fresh memory if another module calls us from inside our own call.
pub fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    match SCRATCH.try_lock() {
        Ok(mut scratch) => work(&mut scratch),
        Err(TryLockError::Poisoned(scratch)) => work(&mut scratch.into_inner()),
        Err(TryLockError::WouldBlock) => work(&mut Scratch::new()),
    }
}

fn forget() {
    *SCRATCH.lock().unwrap_or_else(PoisonError::into_inner) = Scratch::new();
}
