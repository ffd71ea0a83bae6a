//! The arguments of KEYNS.NS.SET.

use keyns_core::argument::{self, Error};
use keyns_core::key_type::KeyType;
use keyns_core::namespaces::{Class, Draft, MAX_TTL, MIN_TTL, Namespace};

use crate::choice;
use crate::server::spec::Argument;
use crate::server::{Args, Opt, Options, Result};

/// The options behind the name.
#[derive(Default)]
pub struct Definition<'a> {
    pattern: Option<&'a [u8]>,
    /// Everything except name and pattern.
    draft: Draft<'a>,
}

impl<'a> Options<'a> for Definition<'a> {
    const OPTIONS: &'a [Opt<'a, Definition<'a>>] = &[
        Opt::text("PATTERN", |read: &mut Self, pattern| {
            read.pattern = Some(pattern);
        })
        .required(),
        Opt::other(
            Argument::either("TTL", &[Argument::text("period"), Argument::word("NONE")]),
            |read: &mut Self, args| {
                read.draft.ttl = ttl(args.value_of("TTL")?)?;
                Ok(())
            },
        )
        .once(),
        choice!("CLASS", Class, |read, class| read.draft.class = Some(class)),
        choice!("TYPE", KeyType, |read, key_type| {
            read.draft.key_type = Some(key_type);
        }),
        Opt::text("OWNER", |read, owner| read.draft.owner = Some(owner)),
        Opt::text("READERS", |read: &mut Self, names| {
            let names = names.split(|&byte| byte == b',');
            read.draft.readers = names.map(<[u8]>::trim_ascii).collect();
        }),
        Opt::text("DESC", |read: &mut Self, text| {
            read.draft.description = Some(text);
        })
        .named("description"),
    ];
}

pub fn read(mut args: Args) -> Result<Namespace> {
    let name = args.required()?;
    let Definition { pattern, draft } = args.options()?;
    let pattern = pattern.ok_or_else(|| Error::missing("PATTERN"))?;
    let draft = Draft {
        name,
        pattern,
        ..draft
    };
    Ok(Namespace::new(&draft)?)
}

fn ttl(word: &[u8]) -> argument::Result<Option<i64>> {
    match word.eq_ignore_ascii_case(b"NONE") {
        true => Ok(None),
        false => argument::seconds("TTL", word, MIN_TTL..=MAX_TTL).map(Some),
    }
}
