//! KEYNS.NS.LOAD and KEYNS.NS.PRESET.

use keyns_core::argument::{self, Error, Keyword};
use keyns_core::namespaces::{Difference, Existing};

use super::change::check;
use super::lasting::{is_settled_by_file, replicate_load, warn_once};
use super::presets::Preset;
use super::{FAMILY, ignore, node};
use crate::command;
use crate::families::documents::MAX_DOCUMENT_BYTES;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::{Args, Call, Reply, Result};

pub static LOAD: &Command = command!(
    Spec {
        name: c"KEYNS.NS.LOAD",
        family: &FAMILY,
        summary: c"Defines all namespaces of a JSON text, or none if one of them is invalid.",
        complexity: c"O(N+M) with N being the length of the text and M the number of namespaces",
        since: c"0.1.0",
        flags: c"write deny-oom",
        acl_categories: c"write slow admin dangerous keyns",
        arity: -2,
        keys: None,
        arguments: &[List::Of(&[Argument::text("json"), EXISTING, DRYRUN])],
        reply: "integer: how many the text has; with DRYRUN map: added, changed and removed (arrays of names)",
    },
    load
);

fn load(call: &Call) -> Result<()> {
    if is_settled_by_file(&call.context()) {
        return ignore(call);
    }
    let mut args = call.args();
    let json = args.required()?;
    let how = How::read(args)?;
    check_json_length(call, json)?;
    load_json(call, &LOAD.spec, json, how)
}

pub static PRESET: &Command = command!(
    Spec {
        name: c"KEYNS.NS.PRESET",
        family: &FAMILY,
        summary: c"Defines the namespaces of a preset.",
        complexity: c"O(N) with N being the number of namespaces",
        since: c"0.1.0",
        flags: c"write deny-oom",
        acl_categories: c"write slow admin dangerous keyns",
        arity: -2,
        keys: None,
        arguments: &[List::Of(&[
            Argument::one_of::<Preset>("preset"),
            EXISTING,
            DRYRUN,
        ])],
        reply: "integer: how many the preset has; with DRYRUN map: added, changed and removed (arrays of names)",
    },
    preset
);

fn preset(call: &Call) -> Result<()> {
    if is_settled_by_file(&call.context()) {
        return ignore(call);
    }
    let mut args = call.args();
    let Preset(json) = Preset::read("preset", args.required()?)?;
    let how = How::read(args)?;
    // Replicas get the JSON: they may have other presets.
    load_json(call, &PRESET.spec, json.as_bytes(), how)
}

const EXISTING: Argument = Argument::one_of::<Existing>("existing").optional();
const DRYRUN: Argument = Argument::flag("DRYRUN");

/// The options behind the text or the preset.
struct How {
    existing: Existing,
    is_dry_run: bool,
}

impl How {
    fn read(args: Args) -> argument::Result<How> {
        let mut existing = None;
        let mut is_dry_run = false;
        for word in args {
            let mut words = Existing::WORDS.iter();
            if let Some(&found) = words.find(|(known, _)| is_word(known, word)) {
                let (other, _) = found;
                match existing.replace(found) {
                    None => {}
                    Some((option, _)) if option == other => return Err(Error::repeated(option)),
                    Some((option, _)) => return Err(Error::Exclusive { option, other }),
                }
            } else if !DRYRUN.is(word) {
                let mut allowed = match existing {
                    Some(_) => Vec::new(),
                    None => Existing::words(),
                };
                allowed.extend(DRYRUN.token.filter(|_| !is_dry_run));
                return Err(Error::syntax(word, allowed));
            } else if is_dry_run {
                return Err(Error::repeated(DRYRUN.token.unwrap_or_default()));
            } else {
                is_dry_run = true;
            }
        }
        Ok(How {
            existing: existing.map_or(Existing::Refuse, |(_, what)| what),
            is_dry_run,
        })
    }
}

fn is_word(known: &str, word: &[u8]) -> bool {
    known.as_bytes().eq_ignore_ascii_case(word)
}

fn load_json(call: &Call, spec: &Spec, json: &[u8], how: How) -> Result<()> {
    let (loaded, count) = check(call, spec, |registry, allowance| {
        registry.loaded(json, how.existing, allowance)
    })?;
    if how.is_dry_run {
        reply_difference(&call.reply(), &node::registry().difference(&loaded));
        return Ok(());
    }
    replicate_load(&call.context(), json, how.existing)?;
    node::replace(loaded);
    warn_once(call);
    call.reply().integer(count as i64);
    Ok(())
}

fn reply_difference(reply: &Reply, difference: &Difference) {
    let lists = [
        ("added", &difference.added),
        ("changed", &difference.changed),
        ("removed", &difference.removed),
    ];
    reply.map(lists.len());
    for (field, names) in lists {
        reply.bulk(field.as_bytes());
        reply.array(names.len());
        for name in names {
            reply.bulk(name.as_bytes());
        }
    }
}

/// An error about a text that is too long. A primary has accepted what it sends.
fn check_json_length(call: &Call, json: &[u8]) -> Result<()> {
    let limit = MAX_DOCUMENT_BYTES.size();
    if json.len() <= limit || call.is_replicated() {
        return Ok(());
    }
    Err(Error::TooLong {
        what: "json",
        config: "keyns.max-document-bytes",
        limit,
        got: json.len(),
    }
    .into())
}
