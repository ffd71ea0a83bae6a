//! A namespace as KEYNS.NS.SET has it.

use keyns_core::argument;
use keyns_core::key_type::KeyType;
use keyns_core::namespaces::{Class, Draft, MAX_TTL, MIN_TTL, Namespace, Result};

use crate::server::spec::Argument;
use crate::server::{Args, Given};

/// How `COMMAND DOCS` describes what stands behind the name.
pub const ARGUMENTS: &[Argument] = &[
    Argument::option(c"pattern", c"PATTERN").required(),
    Argument::choice(
        c"ttl",
        c"TTL",
        &[
            Argument::number(c"seconds"),
            Argument::word(c"none", c"NONE"),
        ],
    ),
    Argument::choice(
        c"class",
        c"CLASS",
        &[
            Argument::word(c"protected", c"PROTECTED"),
            Argument::word(c"evictable", c"EVICTABLE"),
            Argument::word(c"temporary", c"TEMPORARY"),
        ],
    ),
    Argument::choice(
        c"type",
        c"TYPE",
        &[
            Argument::word(c"string", c"string"),
            Argument::word(c"hash", c"hash"),
            Argument::word(c"list", c"list"),
            Argument::word(c"set", c"set"),
            Argument::word(c"zset", c"zset"),
            Argument::word(c"stream", c"stream"),
        ],
    ),
    Argument::option(c"owner", c"OWNER"),
    Argument::option(c"description", c"DESC"),
];

pub fn read(mut args: Args) -> Result<Namespace> {
    let mut draft = Draft {
        name: args.required()?,
        ..Draft::default()
    };
    let mut pattern = None;
    let mut given = Given::default();
    while let Some(word) = args.next() {
        if word.eq_ignore_ascii_case(b"PATTERN") {
            given.once("PATTERN")?;
            pattern = Some(args.value_of("PATTERN")?);
        } else if word.eq_ignore_ascii_case(b"TTL") {
            given.once("TTL")?;
            draft.ttl = ttl(&mut args)?;
        } else if word.eq_ignore_ascii_case(b"CLASS") {
            given.once("CLASS")?;
            draft.class = Some(Class::parse(args.value_of("CLASS")?)?);
        } else if word.eq_ignore_ascii_case(b"TYPE") {
            given.once("TYPE")?;
            draft.key_type = Some(KeyType::parse(args.value_of("TYPE")?)?);
        } else if word.eq_ignore_ascii_case(b"OWNER") {
            given.once("OWNER")?;
            draft.owner = Some(args.value_of("OWNER")?);
        } else if word.eq_ignore_ascii_case(b"DESC") {
            given.once("DESC")?;
            draft.description = Some(args.value_of("DESC")?);
        } else {
            return Err(argument::Error::syntax(word).into());
        }
    }
    draft.pattern = pattern.ok_or(argument::Error::Missing { option: "PATTERN" })?;
    Namespace::new(&draft)
}

fn ttl(args: &mut Args) -> argument::Result<Option<i64>> {
    let is_none = |word: &[u8]| word.eq_ignore_ascii_case(b"NONE");
    match args.clone().next() {
        Some(word) if is_none(word) => {
            args.next();
            Ok(None)
        }
        _ => args.integer_of("TTL", MIN_TTL..=MAX_TTL).map(Some),
    }
}
