//! KEYNS.SLUG, KEYNS.NEXTID, KEYNS.MAKE, KEYNS.CHECK and KEYNS.PARSE.

use std::sync::{Mutex, PoisonError, TryLockError};

use smallvec::SmallVec;

use super::check_length;
use super::namespaces::look_up;
use super::numbering::{self, NumberOptions, Numbering};
use super::slug_options;
use crate::command;
use crate::core::calendar::DateTime;
use crate::core::check;
use crate::core::key_name::{KeyName, Prefix};
use crate::core::namespace::{self, Help};
use crate::core::slug::SlugMaker;
use crate::core::{Error, Result};
use crate::server::config::{self, Settings};
use crate::server::metrics::Family;
use crate::server::spec::{Argument, Command, KeyAccess, Keys, Spec, Which};
use crate::server::store::Access;
use crate::server::{Call, Given, Name, Reply, registry};

/// How many numbers KEYNS.NEXTID reserves at once at most.
const MAX_COUNT: i64 = 1_000_000;

pub static SLUG: &Command = command!(
    Spec {
        name: c"KEYNS.SLUG",
        family: Family::Naming,
        summary: c"Turns a text into a slug, the readable part of a key.",
        complexity: c"O(N) with N being the length of the text",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: -2,
        keys: None,
        arguments: &[&[Argument::text(c"text")], slug_options::ARGUMENTS],
        reply: "bulk string: the slug; nil if the text has none",
    },
    slug
);

fn slug(call: &Call) -> Result<()> {
    let mut args = call.args();
    let text = args.required()?;
    let settings = config::current();
    let mut options = slug_options::defaults(&settings);
    let mut given = Given::default();
    while let Some(word) = args.next() {
        if !slug_options::read(word, &mut args, &mut given, &mut options)? {
            return Err(Error::syntax(word));
        }
    }
    check_length("text", text, &settings)?;
    with_scratch(|scratch| {
        let slug = scratch.maker.slug(text, &options, &settings.abbreviations);
        call.reply().bulk_or_null(slug);
    });
    Ok(())
}

pub static NEXTID: &Command = command!(
    Spec {
        name: c"KEYNS.NEXTID",
        family: Family::Naming,
        summary: c"Takes the next numbers of a prefix.",
        complexity: c"O(1)",
        since: c"0.1.0",
        flags: c"write deny-oom fast",
        acl_categories: c"write fast keyns",
        arity: -2,
        keys: Some(PREFIX),
        arguments: &[&[
            Argument::key(c"prefix"),
            Argument::integer(c"count", c"COUNT"),
        ]],
        reply: "integer: the number; with COUNT the first of as many in a row",
    },
    nextid
);

fn nextid(call: &Call) -> Result<()> {
    let mut args = call.args();
    let prefix = Prefix::parse(args.required()?)?;
    let mut count = 1;
    let mut given = Given::default();
    while let Some(word) = args.next() {
        if !word.eq_ignore_ascii_case(b"COUNT") {
            return Err(Error::syntax(word));
        }
        given.once("COUNT")?;
        count = args.integer_of("COUNT", 1..=MAX_COUNT)?;
    }

    let store = call.store();
    store.check_slot(&prefix)?;
    let counter = with_scratch(|scratch| Name::new(prefix.counter(&mut scratch.key)));
    store.caller().check(&counter, Access::Update)?;
    let last = store.take_count(&counter, count.unsigned_abs())?;
    call.reply().integer(last as i64 + 1);
    Ok(())
}

pub static MAKE: &Command = command!(
    Spec {
        name: c"KEYNS.MAKE",
        family: Family::Naming,
        summary: c"Makes the name of a new key from a prefix, a text and the next number.",
        complexity: c"O(N+M) with N being the length of the text and M the number of existing names that are skipped",
        since: c"0.1.0",
        flags: c"write deny-oom",
        acl_categories: c"write slow keyns",
        arity: -3,
        keys: Some(PREFIX),
        arguments: &[
            &[Argument::key(c"prefix"), Argument::text(c"text")],
            slug_options::ARGUMENTS,
            numbering::ARGUMENTS,
        ],
        reply: "bulk string: the name",
    },
    make
);

fn make(call: &Call) -> Result<()> {
    let mut args = call.args();
    let prefix = Prefix::parse(args.required()?)?;
    let text = args.required()?;
    let settings = config::current();
    let mut options = slug_options::defaults(&settings);
    let mut numbers = NumberOptions::default();
    let mut given = Given::default();
    while let Some(word) = args.next() {
        if !numbering::read(word, &mut args, &mut given, &mut numbers)?
            && !slug_options::read(word, &mut args, &mut given, &mut options)?
        {
            return Err(Error::syntax(word));
        }
    }
    check_length("text", text, &settings)?;

    call.store().check_slot(&prefix)?;
    let name = with_scratch(|Scratch { maker, key }| {
        let slug = match maker.slug(text, &options, &settings.abbreviations) {
            Some(slug) => slug,
            None => {
                let now = DateTime::from_unix(call.unix_time()).compact();
                maker.stand_in(text, &now, options.max_len, options.shorten)
            }
        };
        let max_skips = settings.max_skips;
        // From here on others may be told of what we do, and change the settings.
        drop(settings);
        let wanted = Wanted {
            prefix,
            slug,
            numbers,
        };
        wanted.take(call, max_skips, key)
    })?;
    call.reply().name(&name);
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
    fn take(&self, call: &Call, max_skips: u64, key: &mut Vec<u8>) -> Result<Name> {
        let store = call.store();
        let caller = store.caller();
        let counter = Name::new(self.prefix.counter(key));
        let slug_counters = Name::new(self.prefix.slug_counters(key));
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
            let name = Name::new(self.prefix.name(self.slug, number, self.numbers.width, key));
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
        })
    }
}

pub static CHECK: &Command = command!(
    Spec {
        name: c"KEYNS.CHECK",
        family: Family::Naming,
        summary: c"Tells whether keys follow the naming conventions, and which keys would.",
        complexity: c"O(N) with N being the total length of the keys",
        since: c"0.1.0",
        flags: c"readonly",
        acl_categories: c"read slow keyns",
        arity: -2,
        keys: Some(Keys {
            first: 1,
            which: Which::AllThatFollow,
            access: KeyAccess::Read,
        }),
        arguments: &[&[Argument::keys(c"key")]],
        reply: "array: one map per key with valid (boolean), problems and warnings (arrays of codes) and suggestion (bulk string or nil); where there are namespaces also namespace (bulk string or nil) and details (array of sentences)",
    },
    check_keys
);

/// How many keys one `KEYNS.CHECK` takes: each gets a reply of some hundred bytes.
const MAX_KEYS: usize = 10_000;

/// An error about more keys, or longer ones, than one call may look at.
fn check_amount(call: &Call) -> Result<()> {
    let settings = config::current();
    let (mut count, mut bytes) = (0, 0);
    for key in call.args() {
        check_length("key", key, &settings)?;
        count += 1;
        bytes += key.len();
    }
    if count > MAX_KEYS {
        return Err(Error::TooManyKeys {
            limit: MAX_KEYS,
            got: count,
        });
    }
    let limit = settings.max_document_bytes.max(settings.max_text_bytes);
    match bytes > limit {
        true => Err(Error::TooLong {
            what: "all keys together",
            config: "keyns.max-document-bytes",
            limit,
            got: bytes,
        }),
        false => Ok(()),
    }
}

fn check_keys(call: &Call) -> Result<()> {
    check_amount(call)?;
    // To look at a key is to find out that it has expired, of which others are told: until all are
    // looked at, neither settings nor namespaces may be held.
    let registry = registry::snapshot();
    let keys = call.args().enumerate().map(|(index, key)| {
        let namespace = look_up(&registry, key).map(|found| found.namespace);
        let stored = match namespace {
            Some(_) => call.store().stored(&*call.key(index + 1)?),
            None => None,
        };
        Ok((key, namespace, stored))
    });
    let keys = keys.collect::<Result<SmallVec<[_; 1]>>>()?;
    let settings = config::current();
    let mut help = Help::for_one_call();
    let findings = keys.iter().map(|&(key, namespace, stored)| {
        let report = match registry.is_empty() {
            true => by_convention(key, &settings),
            false if key.len() > settings.max_key_bytes => {
                namespace::Report::too_long(key, settings.max_key_bytes, &settings.kinds)
            }
            false => {
                let (kinds, lang) = (&settings.kinds, settings.lang);
                registry.check(key, namespace, stored, kinds, lang, &mut help)
            }
        };
        (check::warnings(key), report)
    });
    // Most calls are about one key.
    let findings: SmallVec<[_; 1]> = findings.collect();
    let reply = call.reply();
    reply.array(findings.len());
    for (warnings, report) in &findings {
        reply.map(if registry.is_empty() { 4 } else { 6 });
        reply.bulk(b"valid");
        reply.boolean(report.problems.is_empty());
        reply.bulk(b"problems");
        reply.array(report.problems.len());
        for problem in report.problems.iter() {
            reply.bulk(problem.code().as_bytes());
        }
        reply.bulk(b"warnings");
        reply.array(warnings.iter().count());
        for warning in warnings.iter() {
            reply.bulk(warning.code().as_bytes());
        }
        reply.bulk(b"suggestion");
        reply.bulk_or_null(report.suggestion.as_deref());
        if !registry.is_empty() {
            reply.bulk(b"namespace");
            let name = report
                .namespace
                .map(|namespace| namespace.name().as_bytes());
            reply.bulk_or_null(name);
            reply.bulk(b"details");
            reply.array(report.details.len());
            for detail in &report.details {
                reply.bulk(detail.as_bytes());
            }
        }
    }
    Ok(())
}

/// What is to be said of a key where there are no namespaces.
fn by_convention(key: &[u8], settings: &Settings) -> namespace::Report<'static> {
    let problems = check::problems(key, &settings.kinds);
    namespace::Report {
        problems,
        suggestion: match problems.is_empty() {
            true => None,
            false => check::suggest(key, &settings.kinds, settings.lang),
        },
        ..namespace::Report::default()
    }
}

pub static PARSE: &Command = command!(
    Spec {
        name: c"KEYNS.PARSE",
        family: Family::Naming,
        summary: c"Takes a key apart.",
        complexity: c"O(N) with N being the length of the key",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: 2,
        keys: Some(Keys {
            first: 1,
            which: Which::One,
            access: KeyAccess::Read,
        }),
        arguments: &[&[Argument::key(c"key")]],
        reply: "map: scope, kind, slug, number and relation (bulk strings, nil where absent), and where there are namespaces also namespace (bulk string or nil) and values (map); nil if the key is no such name",
    },
    parse
);

fn parse(call: &Call) -> Result<()> {
    let key = call.args().required()?;
    check_length("key", key, &config::current())?;
    let registry = registry::current();
    let name = KeyName::parse(key);
    let found = look_up(&registry, key);
    let reply = call.reply();
    if name.is_none() && found.is_none() {
        reply.null();
        return Ok(());
    }
    let fields = [
        ("scope", name.and_then(|name| name.scope)),
        ("kind", name.map(|name| name.kind)),
        ("slug", name.map(|name| name.slug)),
        ("number", name.map(|name| name.number)),
        ("relation", name.and_then(|name| name.relation)),
    ];
    reply.map(fields.len() + if registry.is_empty() { 0 } else { 2 });
    for (field, value) in fields {
        reply.bulk(field.as_bytes());
        reply.bulk_or_null(value);
    }
    if !registry.is_empty() {
        reply_values(&reply, found.as_ref());
    }
    Ok(())
}

/// The namespace of a key, and the values of those placeholders that it has.
fn reply_values(reply: &Reply, found: Option<&namespace::Match>) {
    reply.bulk(b"namespace");
    let name = found.map(|found| found.namespace.name().as_bytes());
    reply.bulk_or_null(name);
    reply.bulk(b"values");
    let Some(found) = found else {
        reply.map(0);
        return;
    };
    reply.map(found.values.iter().flatten().count());
    let placeholders = found.namespace.pattern().placeholders().iter();
    for (placeholder, value) in placeholders.zip(&found.values) {
        if let Some(value) = value {
            reply.bulk(placeholder.name.as_bytes());
            reply.bulk(value);
        }
    }
}

/// The key spec of commands that number a prefix.
pub(super) const PREFIX: Keys = Keys {
    first: 1,
    which: Which::One,
    access: KeyAccess::ReadAndUpdate,
};

/// Memory that is kept from one call to the next.
pub(super) struct Scratch {
    pub maker: SlugMaker,
    /// Where names are put together.
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

/// Lends out the scratch memory; fresh one, should it be out already because another module called
/// us from inside our own call.
pub(super) fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    match SCRATCH.try_lock() {
        Ok(mut scratch) => work(&mut scratch),
        Err(TryLockError::Poisoned(scratch)) => work(&mut scratch.into_inner()),
        Err(TryLockError::WouldBlock) => work(&mut Scratch::new()),
    }
}

pub(super) fn forget() {
    *SCRATCH.lock().unwrap_or_else(PoisonError::into_inner) = Scratch::new();
}
