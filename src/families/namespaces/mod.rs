//! KEYNS.NS.SET, KEYNS.NS.GET, KEYNS.NS.LIST, KEYNS.NS.DEL, KEYNS.NS.LOAD, KEYNS.NS.DUMP,
//! KEYNS.NS.PRESET and KEYNS.KEY.

mod change;
mod definition;
mod key;
mod lasting;
mod load;
mod look_up;
pub mod node;
mod presets;

use keyns_core::argument::Keyword;
use keyns_core::namespaces::{Help, Namespace, acl, markdown};
use keyns_core::text::glob::Glob;

pub use self::look_up::look_up;

use self::change::check;
use self::definition::Definition;
use self::key::KEY;
use self::lasting::{FILE, IN_RDB, is_settled_by_file, warn_once};
use self::load::{LOAD, PRESET};
use self::look_up::LOOK_UPS_CUT;
use crate::command;
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
        summary: c"Defines a namespace, or replaces the one with its name.",
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
        allowance.check_spelling(&namespace)?;
        let before = registry.get(namespace.name().as_bytes());
        allowance.rights.check(before, Some(&namespace))?;
        registry.check_room(namespace.name(), allowance.namespaces)?;
        registry.check_addition(&namespace)
    })?;
    call.replicate_as_called()?;
    node::change(|registry| registry.add(namespace))?;
    warn_once(call);
    call.reply().ok();
    Ok(())
}

pub static GET: &Command = command!(
    Spec {
        name: c"KEYNS.NS.GET",
        family: &FAMILY,
        summary: c"Returns the definition of a namespace.",
        complexity: c"O(N) with N being the length of the pattern",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: 2,
        keys: None,
        arguments: &[List::Of(&[Argument::text("name")])],
        reply: "map: name, pattern, ttl (integer, or nil), class, type, owner, readers (array), description and example (bulk strings where nothing else is said, nil where absent); nil if there is no such namespace",
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
    reply.map(9);
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
    reply.bulk(b"readers");
    reply.array(namespace.readers().len());
    for reader in namespace.readers() {
        reply.bulk(reader.as_bytes());
    }
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
        summary: c"Removes namespaces and leaves their keys alone.",
        complexity: c"O(N+M) with N being the number of names and M the number of namespaces",
        since: c"0.1.0",
        flags: c"write",
        acl_categories: c"write slow admin dangerous keyns",
        arity: -2,
        keys: None,
        arguments: &[List::Of(&[Argument::texts("name")])],
        reply: "integer: how many were removed",
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

pub static DUMP: &Command = command!(
    Spec {
        name: c"KEYNS.NS.DUMP",
        family: &FAMILY,
        summary: c"Returns all namespaces as JSON, as a Markdown page or as ACL rules.",
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

/// The formats of KEYNS.NS.DUMP.
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
        Format::Acl => acl(&registry, changing_commands()),
    };
    call.reply().bulk(text.as_bytes());
    Ok(())
}

/// The names of the commands that change the namespaces.
fn changing_commands() -> impl Iterator<Item = &'static str> {
    let commands = FAMILY.commands.iter().map(|command| &command.spec);
    let changing = commands.filter(|spec| spec.flags.to_bytes().starts_with(b"write"));
    changing.filter_map(|spec| spec.name.to_str().ok())
}

/// Ignores a change from the AOF on a server that starts with a file of namespaces.
fn ignore(call: &Call) -> Result<()> {
    call.reply().ok();
    Ok(())
}
