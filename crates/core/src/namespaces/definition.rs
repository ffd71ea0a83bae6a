//! A namespace: a named pattern with the rules for its keys.

use super::Pattern;
use super::regexes::Regexes;
use crate::argument::{self, Keyword};
use crate::key_type::KeyType;
use crate::namespaces::{Error, Result};

const MAX_NAME_LEN: usize = 64;
const MAX_USER_LEN: usize = 64;
/// More readers than any team has, and few enough for a line of the ACL.
const MAX_READERS: usize = 64;
const MAX_DESCRIPTION_LEN: usize = 1000;

/// The bounds of `TTL` in seconds. The upper one is about three thousand years: added to the clock, it
/// still fits the milliseconds that the server counts in.
pub const MIN_TTL: i64 = 1;
pub const MAX_TTL: i64 = 100_000_000_000;

/// A definition before it is checked.
#[derive(Clone, Debug, Default)]
pub struct Draft<'a> {
    pub name: &'a [u8],
    pub pattern: &'a [u8],
    pub ttl: Option<i64>,
    pub class: Option<Class>,
    pub key_type: Option<KeyType>,
    pub owner: Option<&'a [u8]>,
    pub readers: Vec<&'a [u8]>,
    pub description: Option<&'a [u8]>,
}

/// A named pattern with the rules for its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
// Ordered so that the fields for building a key are adjacent, and those for checking one.
#[repr(C)]
pub struct Namespace {
    pattern: Pattern,
    name: Box<str>,
    ttl: Option<u64>,
    class: Class,
    key_type: Option<KeyType>,
    owner: Option<Box<str>>,
    /// Sorted, and none of them is the owner.
    readers: Box<[Box<str>]>,
    description: Option<Box<str>>,
}

/// Whether keys expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Keys stay until somebody deletes them: no TTL.
    Protected,
    /// Keys can be rebuilt: a TTL, and the first to be evicted.
    Evictable,
    /// Keys are useful for a limited time: a TTL.
    Temporary,
}

impl Namespace {
    /// Checks a definition.
    ///
    /// ```
    /// use keyns_core::namespaces::{Class, Draft, Namespace};
    ///
    /// let draft = Draft {
    ///     name: b"session",
    ///     pattern: b"session:<sid:hex>",
    ///     ttl: Some(1800),
    ///     ..Draft::default()
    /// };
    /// assert_eq!(Namespace::new(&draft).unwrap().class(), Class::Temporary);
    /// ```
    pub fn new(draft: &Draft) -> Result<Namespace> {
        Namespace::with(draft, &Regexes::new())
    }

    /// Checks a definition, and reuses these regexes instead of compiling them again.
    pub(super) fn with(draft: &Draft, regexes: &Regexes) -> Result<Namespace> {
        let name = text("name", draft.name, NAME, is_name)?;
        let pattern = Pattern::parse_with(draft.pattern, regexes)?;
        let ttl = draft.ttl.map(checked_ttl).transpose()?;
        let class = match (draft.class, ttl) {
            (None, None) => Class::Protected,
            (None, Some(_)) => Class::Temporary,
            (Some(Class::Protected), Some(got)) => {
                let class = Class::Protected.keyword();
                return Err(Error::ClassWithTtl { class, got });
            }
            (Some(class @ (Class::Evictable | Class::Temporary)), None) => {
                let class = class.keyword();
                return Err(Error::ClassNeedsTtl { class });
            }
            (Some(class), _) => class,
        };
        let owner = draft
            .owner
            .map(|owner| user("OWNER", owner, OWNER))
            .transpose()?;
        let readers = readers(&draft.readers, owner.as_deref())?;
        let description = draft
            .description
            .map(|description| text("DESC", description, DESCRIPTION, is_description));
        Ok(Namespace {
            name,
            pattern,
            ttl,
            class,
            key_type: draft.key_type,
            owner,
            readers,
            description: description.transpose()?,
        })
    }

    /// Replaces the regexes of its pattern with equal ones of these.
    pub(super) fn share(&mut self, regexes: &Regexes) {
        self.pattern.share(regexes);
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// In seconds.
    pub fn ttl(&self) -> Option<u64> {
        self.ttl
    }

    pub fn class(&self) -> Class {
        self.class
    }

    pub fn key_type(&self) -> Option<KeyType> {
        self.key_type
    }

    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// The users who may only read its keys, sorted.
    pub fn readers(&self) -> &[Box<str>] {
        &self.readers
    }

    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl Class {
    pub const ALL: [Class; 3] = [Class::Protected, Class::Evictable, Class::Temporary];

    /// The class with this name, in any case.
    pub fn parse(word: &[u8]) -> argument::Result<Class> {
        Class::read("CLASS", word)
    }

    pub const fn keyword(self) -> &'static str {
        match self {
            Class::Protected => "PROTECTED",
            Class::Evictable => "EVICTABLE",
            Class::Temporary => "TEMPORARY",
        }
    }
}

impl Keyword for Class {
    const WORDS: &'static [(&'static str, Class)] = &[
        (Class::Protected.keyword(), Class::Protected),
        (Class::Evictable.keyword(), Class::Evictable),
        (Class::Temporary.keyword(), Class::Temporary),
    ];
}

const NAME: &str = "1 to 64 of [A-Za-z0-9_.:-]";
const OWNER: &str = "1 to 64 of [A-Za-z0-9_.@:-]";
const READERS: &str = "names with commas between, each 1 to 64 of [A-Za-z0-9_.@:-]";
const DESCRIPTION: &str = "1 to 1000 bytes of UTF-8 without control characters";

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_LEN).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b))
}

/// Checks the name of a user. The default user's rights apply to everybody who does not log in, so no
/// namespace may name that user.
fn user(option: &'static str, name: &[u8], expected: &'static str) -> Result<Box<str>> {
    match name {
        b"default" => Err(Error::DefaultUser { option }),
        name => text(option, name, expected, is_user),
    }
}

/// Whether `ACL SETUSER` and a shell accept it without escapes.
fn is_user(user: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_.@:-".contains(&b);
    (1..=MAX_USER_LEN).contains(&user.len()) && user.bytes().all(is_plain)
}

/// Checks the readers of a namespace, and sorts them: their order means nothing.
fn readers(names: &[&[u8]], owner: Option<&str>) -> Result<Box<[Box<str>]>> {
    if names.len() > MAX_READERS {
        return Err(Error::TooManyReaders {
            limit: MAX_READERS,
            got: names.len(),
        });
    }
    let names = names.iter();
    let names = names.map(|name| user("READERS", name, READERS));
    let mut readers = names.collect::<Result<Box<[_]>>>()?;
    readers.sort_unstable();
    let mut pairs = readers.iter().zip(readers.iter().skip(1));
    if let Some((twice, _)) = pairs.find(|(reader, next)| reader == next) {
        return Err(Error::ReaderTwice {
            reader: twice.to_string(),
        });
    }
    match owner {
        Some(owner) if readers.iter().any(|reader| **reader == *owner) => {
            Err(Error::OwnerAsReader {
                owner: owner.to_owned(),
            })
        }
        _ => Ok(readers),
    }
}

fn is_description(description: &str) -> bool {
    (1..=MAX_DESCRIPTION_LEN).contains(&description.len())
        && !description.contains(char::is_control)
}

fn text(
    option: &'static str,
    bytes: &[u8],
    expected: &'static str,
    allows: fn(&str) -> bool,
) -> Result<Box<str>> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| allows(text));
    text.map(Into::into).ok_or_else(|| Error::NotA {
        option,
        expected,
        got: bytes.to_vec(),
    })
}

fn checked_ttl(seconds: i64) -> argument::Result<u64> {
    match u64::try_from(seconds) {
        Ok(ttl) if (MIN_TTL..=MAX_TTL).contains(&seconds) => Ok(ttl),
        _ => Err(argument::Error::NotSeconds {
            option: "TTL",
            min: MIN_TTL,
            max: MAX_TTL,
            got: seconds.to_string().into_bytes(),
        }),
    }
}
