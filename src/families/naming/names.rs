//! KEYNS.NEXTID and KEYNS.MAKE.

use keyns_core::naming::key_name::Prefix;
use keyns_core::naming::slug::SlugOptions;
use keyns_core::text::calendar::DateTime;

use super::numbering::NumberOptions;
use super::numbers::{Counters, Last, Numberless};
use super::{
    ABBREVIATIONS, FAMILY, MAX_SKIPS, PREFIX, Scratch, check_length, slug_options, with_scratch,
};
use crate::command;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::store::Access;
use crate::server::{Call, Opt, Options, Result, ServerString, UnixTime};

/// The most numbers that one KEYNS.NEXTID reserves.
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
        summary: c"Reserves the next number of a prefix, or several in a row.",
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
                let now = DateTime::from_unix(UnixTime::of_machine().seconds()).compact();
                maker.stand_in(text, &now, options.max_len, options.shorten)
            }
        };
        let wanted = Numberless {
            prefix,
            slug,
            options: numbers,
            max_skips: MAX_SKIPS.get(),
        };
        take(call, &wanted, key)
    })?;
    call.reply().string(&name);
    Ok(())
}

/// Reserves the next number whose name is free.
fn take(call: &Call, wanted: &Numberless, buffer: &mut Vec<u8>) -> Result<ServerString> {
    let store = call.store();
    let caller = store.caller();
    let numbering = wanted.options.numbering;
    let counters = Counters::of(&wanted.prefix, numbering, &caller, buffer)?;
    // A counter or a name that is missing here may still be on another node.
    store.check_settled(&counters.of_prefix)?;
    let last = Last::read(&store, &counters, wanted.slug)?;
    let (number, name) = wanted.first_free(last, &counters, buffer, |_, name| {
        caller.check(&name, Access::Create)?;
        Ok((!store.exists(&name)).then_some(name))
    })?;
    last.advance(&store, &counters, numbering, wanted.slug, number)?;
    Ok(name)
}
