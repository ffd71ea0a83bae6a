//! KEYNS.CHECK and KEYNS.PARSE.

use keyns_core::argument;
use keyns_core::namespaces::{self as rules, Help};
use keyns_core::naming::Error;
use keyns_core::naming::check;
use keyns_core::naming::key_name::KeyName;
use keyns_core::naming::kinds::Kinds;
use keyns_core::naming::number_words::Lang;
use smallvec::SmallVec;

use super::{FAMILY, KINDS, LANG, MAX_TEXT_BYTES, check_length};
use crate::command;
use crate::families::documents::MAX_DOCUMENT_BYTES;
use crate::families::namespaces::{MAX_KEY_BYTES, look_up, node};
use crate::server::spec::{Argument, Command, KeyAccess, Keys, List, Spec, Which};
use crate::server::{Call, Reply, Result};

pub static CHECK: &Command = command!(
    Spec {
        name: c"KEYNS.CHECK",
        family: &FAMILY,
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
        arguments: &[List::Of(&[Argument::keys("key")])],
        reply: "array: one map per key with valid (boolean), problems and warnings (arrays of codes) and suggestion (bulk string or nil); where there are namespaces also namespace (bulk string or nil) and details (array of sentences)",
    },
    check_keys
);

/// How many keys one `KEYNS.CHECK` takes: each gets a reply of some hundred bytes.
const MAX_KEYS: usize = 10_000;

/// An error about more keys, or longer ones, than one call may look at.
fn check_amount(call: &Call) -> Result<()> {
    let (mut count, mut bytes) = (0, 0);
    for key in call.args() {
        check_length("key", key)?;
        count += 1;
        bytes += key.len();
    }
    if count > MAX_KEYS {
        let too_many = Error::TooManyKeys {
            limit: MAX_KEYS,
            got: count,
        };
        return Err(too_many.into());
    }
    let limit = MAX_DOCUMENT_BYTES.size().max(MAX_TEXT_BYTES.size());
    match bytes > limit {
        true => Err(argument::Error::TooLong {
            what: "all keys together",
            config: "keyns.max-document-bytes",
            limit,
            got: bytes,
        }
        .into()),
        false => Ok(()),
    }
}

fn check_keys(call: &Call) -> Result<()> {
    check_amount(call)?;
    let registry = node::registry();
    // To look at a key is to find out that it has expired, of which others are told: all are looked at
    // before the first is judged.
    let keys = call.args().enumerate().map(|(index, key)| {
        let namespace = look_up(&registry, key).map(|found| found.namespace);
        let stored = match namespace {
            Some(_) => call.store().stored(&*call.key(index + 1)?),
            None => None,
        };
        Ok((key, namespace, stored))
    });
    // Most calls are about one key.
    let keys = keys.collect::<Result<SmallVec<[_; 1]>>>()?;
    let (kinds, lang) = (KINDS.get(), LANG.get());
    let longest = MAX_KEY_BYTES.size();
    let mut help = Help::for_one_call();
    let findings = keys.iter().map(|&(key, namespace, stored)| {
        let report = match registry.is_empty() {
            true => by_convention(key, &kinds, lang),
            false if key.len() > longest => rules::Report::too_long(key, longest, &kinds),
            false => registry.check(key, namespace, stored, &kinds, lang, &mut help),
        };
        (check::warnings(key), report)
    });
    let findings: SmallVec<[_; 1]> = findings.collect();
    let reply = call.reply();
    reply.array(findings.len());
    for (warnings, report) in &findings {
        reply_report(&reply, *warnings, report, !registry.is_empty());
    }
    Ok(())
}

fn reply_report(
    reply: &Reply,
    warnings: check::Warnings,
    report: &rules::Report,
    has_namespaces: bool,
) {
    reply.map(if has_namespaces { 6 } else { 4 });
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
    if has_namespaces {
        reply.bulk(b"namespace");
        let namespace = report.namespace;
        reply.bulk_or_null(namespace.map(|namespace| namespace.name().as_bytes()));
        reply.bulk(b"details");
        reply.array(report.details.len());
        for detail in &report.details {
            reply.bulk(detail.as_bytes());
        }
    }
}

/// What is to be said of a key where there are no namespaces.
fn by_convention(key: &[u8], kinds: &Kinds, lang: Lang) -> rules::Report<'static> {
    let problems = check::problems(key, kinds);
    rules::Report {
        problems,
        suggestion: match problems.is_empty() {
            true => None,
            false => check::suggest(key, kinds, lang),
        },
        ..rules::Report::default()
    }
}

pub static PARSE: &Command = command!(
    Spec {
        name: c"KEYNS.PARSE",
        family: &FAMILY,
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
        arguments: &[List::Of(&[Argument::key("key")])],
        reply: "map: scope, kind, slug, number and relation (bulk strings, nil where absent), and where there are namespaces also namespace (bulk string or nil) and values (map); nil if the key is no such name",
    },
    parse
);

fn parse(call: &Call) -> Result<()> {
    let key = call.args().required()?;
    check_length("key", key)?;
    let registry = node::registry();
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
fn reply_values(reply: &Reply, found: Option<&rules::Match>) {
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
