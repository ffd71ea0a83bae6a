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
        summary: c"Reports which rules keys break and suggests fixes.",
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

/// How many keys one call takes: each gets a reply of a few hundred bytes.
const MAX_KEYS: usize = 10_000;

/// An error if the call has too many keys or too long ones.
#[inline(always)]
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
    // Reading a key may expire it, which notifies others: read all keys before judging the first.
    let keys = call.args().enumerate().map(|(index, key)| {
        let namespace = look_up(&registry, key).map(|found| found.namespace);
        let stored = match namespace {
            Some(_) => call.store().stored(&*call.key(index + 1)?),
            None => None,
        };
        Ok((key, namespace, stored))
    });
    // Most calls have one key.
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

/// The report on a key of a server without namespaces.
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
        summary: c"Splits keys into their parts.",
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
        reply: "map: scope, kind, slug, number and relation (bulk strings, nil where absent), and where there are namespaces also namespace (bulk string or nil) and values (map); nil if the key has no such parts; for several keys array: one such map or nil per key",
    },
    parse
);

fn parse(call: &Call) -> Result<()> {
    let mut keys = call.args();
    let registry = node::registry();
    let reply = call.reply();
    if keys.len() == 1 {
        let key = keys.required()?;
        check_length("key", key)?;
        reply_parts(&reply, key, &registry);
        return Ok(());
    }
    check_amount(call)?;
    reply.array(keys.len());
    for key in keys {
        reply_parts(&reply, key, &registry);
    }
    Ok(())
}

/// Replies the parts of a key.
#[inline]
fn reply_parts(reply: &Reply, key: &[u8], registry: &rules::Registry) {
    let has_namespaces = !registry.is_empty();
    // With namespaces, a key of another kind only happens to look like a name.
    let is_name = |name: &KeyName| !has_namespaces || KINDS.get().knows(name.kind);
    let name = KeyName::parse(key).filter(is_name);
    let found = look_up(registry, key);
    if name.is_none() && found.is_none() {
        reply.null();
        return;
    }
    let fields = [
        ("scope", name.and_then(|name| name.scope)),
        ("kind", name.map(|name| name.kind)),
        ("slug", name.map(|name| name.slug)),
        ("number", name.map(|name| name.number)),
        ("relation", name.and_then(|name| name.relation)),
    ];
    reply.map(fields.len() + if has_namespaces { 2 } else { 0 });
    for (field, value) in fields {
        reply.bulk(field.as_bytes());
        reply.bulk_or_null(value);
    }
    if has_namespaces {
        reply_values(reply, found.as_ref());
    }
}

/// Replies the namespace of a key and the values of its placeholders.
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
