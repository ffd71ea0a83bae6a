//! KEYNS.NS.SET, KEYNS.NS.GET, KEYNS.NS.LIST, KEYNS.NS.DEL, KEYNS.NS.LOAD, KEYNS.NS.DUMP,
//! KEYNS.NS.PRESET and KEYNS.KEY.

mod change;
mod definition;
mod key;
mod lasting;
mod look_up;
pub mod node;
mod presets;

use keyns_core::argument::{self, Keyword};
use keyns_core::namespaces::{Existing, Help, Namespace, acl, markdown};
use keyns_core::text::glob::Glob;

pub use self::look_up::look_up;

use self::change::check;
use self::definition::Definition;
use self::key::KEY;
use self::lasting::{FILE, IN_RDB, is_settled_by_file, replicate_load};
use self::look_up::LOOK_UPS_CUT;
use self::presets::Preset;
use crate::command;
use crate::families::documents::MAX_DOCUMENT_BYTES;
use crate::server::config::Number;
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::{Call, Family, Reply, Result};

pub static FAMILY: Family = Family {
    commands: &[SET, GET, LIST, DEL, LOAD, DUMP, PRESET, KEY],
    configs: &[&FILE, &IN_RDB, &MAX_NAMESPACES, &MAX_KEY_BYTES],
    info: |section| section.number(c"namespaces", node::count() as u64),
    counters: &[(c"namespaces_lookups_cut", &LOOK_UPS_CUT)],
    load: lasting::load,
    unload: || {
        node::forget();
        lasting::forget();
    },
    ..Family::named("namespaces")
};

pub static MAX_NAMESPACES: Number = Number::new(c"max-namespaces", 10_000, 1..=1_000_000);

pub static MAX_KEY_BYTES: Number = Number::new(c"max-key-bytes", 1024, 64..=64 << 10);

pub static SET: &Command = command!(
    Spec {
        name: c"KEYNS.NS.SET",
        family: &FAMILY,
        summary: c"Defines a namespace, in place of the one with its name if there is one.",
        complexity: c"O(N+M) with N being the length of the pattern and, where it replaces another pattern, M the number of namespaces that start like that one",
        since: c"0.1.0",
        flags: c"write deny-oom",
        acl_categories: c"write slow admin dangerous keyns",
        arity: -4,
        keys: None,
        arguments: &[List::Of(&[Argument::text("name")]), List::options::<Definition>()],
        reply: "simple string: OK",
    },
    set
);

fn set(call: &Call) -> Result<()> {
    if is_settled_by_file(&call.context()) {
        return ignore(call);
    }
    let namespace = definition::read(call.args())?;
    check(call, &SET.spec, |registry, allowance| {
        let before = registry.get(namespace.name().as_bytes());
        allowance.rights.check(before, Some(&namespace))?;
        registry.check_room(namespace.name(), allowance.namespaces)?;
        registry.check_addition(&namespace)
    })?;
    call.replicate_as_called()?;
    node::change(|registry| registry.add(namespace))?;
    call.reply().ok();
    Ok(())
}

pub static GET: &Command = command!(
    Spec {
        name: c"KEYNS.NS.GET",
        family: &FAMILY,
        summary: c"Shows a namespace.",
        complexity: c"O(N) with N being the length of the pattern",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: 2,
        keys: None,
        arguments: &[List::Of(&[Argument::text("name")])],
        reply: "map: name, pattern, ttl (integer, or nil), class, type, owner, description and example (bulk strings, nil where absent); nil if there is no such namespace",
    },
    get
);

fn get(call: &Call) -> Result<()> {
    let name = call.args().required()?;
    let reply = call.reply();
    let registry = node::registry();
    match registry.get(name) {
        Some(namespace) => {
            let example = registry.example(namespace, &mut Help::for_one_call());
            show(&reply, namespace, example);
        }
        None => reply.null(),
    }
    Ok(())
}

fn show(reply: &Reply, namespace: &Namespace, example: Option<String>) {
    let bulk = |field: &str, value: Option<&str>| {
        reply.bulk(field.as_bytes());
        reply.bulk_or_null(value.map(str::as_bytes));
    };
    reply.map(8);
    bulk("name", Some(namespace.name()));
    bulk("pattern", Some(namespace.pattern().as_str()));
    reply.bulk(b"ttl");
    match namespace.ttl() {
        Some(seconds) => reply.integer(seconds as i64),
        None => reply.null(),
    }
    bulk("class", Some(namespace.class().keyword()));
    bulk("type", namespace.key_type().map(|kind| kind.name()));
    bulk("owner", namespace.owner());
    bulk("description", namespace.description());
    bulk("example", example.as_deref());
}

pub static LIST: &Command = command!(
    Spec {
        name: c"KEYNS.NS.LIST",
        family: &FAMILY,
        summary: c"Lists the names of all namespaces, or of those that match a glob.",
        complexity:
            c"O(N*log(N)+N*M) with N being the number of namespaces and M the length of the glob",
        since: c"0.1.0",
        flags: c"readonly",
        acl_categories: c"read slow keyns",
        arity: -1,
        keys: None,
        arguments: &[List::Of(&[Argument::text("glob").optional()])],
        reply: "array: the names, sorted",
    },
    list
);

fn list(call: &Call) -> Result<()> {
    let mut args = call.args();
    let glob = Glob::parse(args.next().unwrap_or(b"*"))?;
    args.end()?;
    let registry = node::registry();
    let names = registry.names().filter(|name| glob.matches(name));
    let names: Vec<&[u8]> = names.collect();
    let reply = call.reply();
    reply.array(names.len());
    for name in names {
        reply.bulk(name);
    }
    Ok(())
}

pub static DEL: &Command = command!(
    Spec {
        name: c"KEYNS.NS.DEL",
        family: &FAMILY,
        summary: c"Removes namespaces. Keys stay as they are.",
        complexity: c"O(N+M) with N being the number of names and M the number of namespaces",
        since: c"0.1.0",
        flags: c"write",
        acl_categories: c"write slow admin dangerous keyns",
        arity: -2,
        keys: None,
        arguments: &[List::Of(&[Argument::texts("name")])],
        reply: "integer: how many there were",
    },
    del
);

fn del(call: &Call) -> Result<()> {
    if is_settled_by_file(&call.context()) {
        return ignore(call);
    }
    let is_one_there = check(call, &DEL.spec, |registry, allowance| {
        for name in call.args() {
            allowance.rights.check(registry.get(name), None)?;
        }
        Ok(call.args().any(|name| registry.get(name).is_some()))
    })?;
    if is_one_there {
        call.replicate_as_called()?;
    }
    let removed = node::change(|registry| registry.remove_all(call.args()));
    call.reply().integer(removed as i64);
    Ok(())
}

pub static LOAD: &Command = command!(
    Spec {
        name: c"KEYNS.NS.LOAD",
        family: &FAMILY,
        summary: c"Defines all namespaces of a JSON text, or none if one of them is wrong.",
        complexity: c"O(N+M) with N being the length of the text and M the number of namespaces",
        since: c"0.1.0",
        flags: c"write deny-oom",
        acl_categories: c"write slow admin dangerous keyns",
        arity: -2,
        keys: None,
        arguments: &[List::Of(&[Argument::text("json"), EXISTING])],
        reply: "integer: how many the text has",
    },
    load
);

const EXISTING: Argument = Argument::one_of::<Existing>("existing").optional();

fn load(call: &Call) -> Result<()> {
    if is_settled_by_file(&call.context()) {
        return ignore(call);
    }
    let mut args = call.args();
    let json = args.required()?;
    let existing = args.last_word()?.unwrap_or(Existing::Refuse);
    check_json_length(call, json)?;
    let count = load_json(call, &LOAD.spec, json, existing)?;
    call.reply().integer(count as i64);
    Ok(())
}

fn load_json(call: &Call, spec: &Spec, json: &[u8], existing: Existing) -> Result<usize> {
    let (loaded, count) = check(call, spec, |registry, allowance| {
        registry.loaded(&allowance.rights, json, existing, allowance.namespaces)
    })?;
    replicate_load(&call.context(), json, existing)?;
    node::replace(loaded);
    Ok(count)
}

/// What a primary has accepted may have any length.
fn check_json_length(call: &Call, json: &[u8]) -> Result<()> {
    let limit = MAX_DOCUMENT_BYTES.size();
    if json.len() <= limit || call.is_replicated() {
        return Ok(());
    }
    Err(argument::Error::TooLong {
        what: "json",
        config: "keyns.max-document-bytes",
        limit,
        got: json.len(),
    }
    .into())
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
        arguments: &[List::Of(&[Argument::one_of::<Preset>("preset"), EXISTING,])],
        reply: "integer: how many the preset has",
    },
    preset
);

fn preset(call: &Call) -> Result<()> {
    if is_settled_by_file(&call.context()) {
        return ignore(call);
    }
    let mut args = call.args();
    let Preset(json) = Preset::read("preset", args.required()?)?;
    let json = json.as_bytes();
    let existing = args.last_word()?.unwrap_or(Existing::Refuse);
    // As JSON for replicas: they may have other presets.
    let count = load_json(call, &PRESET.spec, json, existing)?;
    call.reply().integer(count as i64);
    Ok(())
}

pub static DUMP: &Command = command!(
    Spec {
        name: c"KEYNS.NS.DUMP",
        family: &FAMILY,
        summary: c"Writes all namespaces down: for KEYNS.NS.LOAD, for people, or as ACL rules.",
        complexity: c"O(N*log(N)) with N being the number of namespaces",
        since: c"0.1.0",
        flags: c"readonly",
        acl_categories: c"read slow keyns",
        arity: -1,
        keys: None,
        arguments: &[List::Of(&[Argument::one_of::<Format>("format").optional()])],
        reply: "bulk string: the text",
    },
    dump
);

/// What to write them down as.
#[derive(Clone, Copy)]
enum Format {
    Json,
    Markdown,
    Acl,
}

impl Keyword for Format {
    const WORDS: &'static [(&'static str, Format)] = &[
        ("JSON", Format::Json),
        ("MARKDOWN", Format::Markdown),
        ("ACL", Format::Acl),
    ];
}

fn dump(call: &Call) -> Result<()> {
    let mut args = call.args();
    let word = args.next();
    args.end()?;
    let format = word.map_or(Ok(Format::Json), Format::expect)?;
    let registry = node::registry();
    let text = match format {
        Format::Json => registry.to_json(),
        Format::Markdown => markdown(&registry),
        Format::Acl => acl(&registry),
    };
    call.reply().bulk(text.as_bytes());
    Ok(())
}

/// Passes over a change that the AOF has, where a start brings back what is in a file.
fn ignore(call: &Call) -> Result<()> {
    call.reply().ok();
    Ok(())
}
