//! KEYNS.NEXTID and KEYNS.MAKE.

use keyns_core::naming::Error;
use keyns_core::naming::key_name::Prefix;
use keyns_core::naming::slug::SlugOptions;
use keyns_core::text::calendar::DateTime;

use super::numbering::{NumberOptions, Numbering};
use super::{
    ABBREVIATIONS, FAMILY, MAX_SKIPS, PREFIX, Scratch, check_length, slug_options, with_scratch,
};
use crate::command;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::store::Access;
use crate::server::{Call, Opt, Options, Result, ServerString, UnixTime};

/// How many numbers KEYNS.NEXTID reserves at once at most.
const MAX_COUNT: i64 = 1_000_000;

/// How many numbers to reserve.
struct Count(u64);

impl Default for Count {
    fn default() -> Count {
        Count(1)
    }
}

impl<'a> Options<'a> for Count {
    const OPTIONS: &'a [Opt<'a, Count>] =
        &[Opt::amount("COUNT", 1..=MAX_COUNT, |count, n| count.0 = n)];
}

pub static NEXTID: &Command = command!(
    Spec {
        name: c"KEYNS.NEXTID",
        family: &FAMILY,
        summary: c"Takes the next numbers of a prefix.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -2,
        keys: Some(PREFIX),
        arguments: &[
            List::Of(&[Argument::key("prefix")]),
            List::options::<Count>(),
        ],
        reply: "integer: the number; with COUNT the first of as many in a row",
    },
    nextid
);

fn nextid(call: &Call) -> Result<()> {
    let mut args = call.args();
    let prefix = Prefix::parse(args.required()?)?;
    let Count(count) = args.options()?;

    let store = call.store();
    store.check_slot(&prefix)?;
    let counter = with_scratch(|scratch| ServerString::new(prefix.counter(&mut scratch.key)));
    store.caller().check(&counter, Access::Update)?;
    let last = store.take_count(&counter, count)?;
    call.reply().integer(last as i64 + 1);
    Ok(())
}

pub static MAKE: &Command = command!(
    Spec {
        name: c"KEYNS.MAKE",
        family: &FAMILY,
        summary: c"Makes the name of a new key from a prefix, a text and the next number.",
        complexity: c"O(N+M) with N being the length of the text and M the number of existing names that are skipped",
        since: c"0.1.0",
        flags: c"write deny-oom",
        acl_categories: c"write slow keyns",
        arity: -3,
        keys: Some(PREFIX),
        arguments: &[
            List::Of(&[Argument::key("prefix"), Argument::text("text")]),
            List::options::<SlugOptions>(),
            List::options::<NumberOptions>(),
        ],
        reply: "bulk string: the name",
    },
    make
);

fn make(call: &Call) -> Result<()> {
    let mut args = call.args();
    let prefix = Prefix::parse(args.required()?)?;
    let text = args.required()?;
    let mut options = slug_options::defaults();
    let mut numbers = NumberOptions::default();
    args.each_option(|word| Ok(word.is_for(&mut options)? || word.is_for(&mut numbers)?))?;
    check_length("text", text)?;

    call.store().check_slot(&prefix)?;
    let name = with_scratch(|Scratch { maker, key }| {
        let slug = match maker.slug(text, &options, &ABBREVIATIONS.get()) {
            Some(slug) => slug,
            None => {
                let now = DateTime::from_unix(UnixTime::of_command().seconds()).compact();
                maker.stand_in(text, &now, options.max_len, options.shorten)
            }
        };
        let wanted = Wanted {
            prefix,
            slug,
            numbers,
        };
        wanted.take(call, MAX_SKIPS.get(), key)
    })?;
    call.reply().string(&name);
    Ok(())
}

/// A name in all but its number.
struct Wanted<'a> {
    prefix: Prefix<'a>,
    slug: &'a [u8],
    numbers: NumberOptions,
}

impl Wanted<'_> {
    /// Reserves the next number whose name is free. Two counters can number one prefix, so each
    /// keeps clear of what the other has given out.
    fn take(&self, call: &Call, max_skips: u64, key: &mut Vec<u8>) -> Result<ServerString> {
        let store = call.store();
        let caller = store.caller();
        let counter = ServerString::new(self.prefix.counter(key));
        let slug_counters = ServerString::new(self.prefix.slug_counters(key));
        let (counter_access, slugs_access) = match self.numbers.numbering {
            Numbering::Global => (Access::Update, Access::Read),
            Numbering::Slug => (Access::Read, Access::Update),
        };
        caller.check(&counter, counter_access)?;
        caller.check(&slug_counters, slugs_access)?;
        // A counter or a name that is not here may be on another node still.
        store.check_settled(&counter)?;
        let of_prefix = store.count(&counter)?;
        let of_slug = store.field_count(&slug_counters, self.slug)?;
        let last = of_prefix.max(of_slug);

        for number in (1..=max_skips + 1).filter_map(|step| last.checked_add(step)) {
            let name =
                ServerString::new(self.prefix.name(self.slug, number, self.numbers.width, key));
            caller.check(&name, Access::Create)?;
            if store.exists(&name) {
                continue;
            }
            match self.numbers.numbering {
                Numbering::Global => store.add_to_count(&counter, of_prefix, number - of_prefix)?,
                Numbering::Slug => {
                    let by = number - of_slug;
                    store.add_to_field_count(&slug_counters, self.slug, of_slug, by)?;
                }
            }
            return Ok(name);
        }
        Err(Error::TooManySkips {
            limit: max_skips,
            key: counter.as_bytes().to_vec(),
        }
        .into())
    }
}
