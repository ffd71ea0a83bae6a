//! KEYNS.KEY: builds a key from values.

use keyns_core::namespaces::{Building, Registry};
use smallvec::SmallVec;

use super::{FAMILY, MAX_KEY_BYTES, node};
use crate::command;
use crate::families::naming::{ABBREVIATIONS, MAX_TEXT_BYTES, slug_options, with_scratch};
use crate::server::spec::{Argument, Command, List, Spec};
use crate::server::{Call, Result};

pub static KEY: &Command = command!(
    Spec {
        name: c"KEYNS.KEY",
        family: &FAMILY,
        summary: c"Builds a key of a namespace from values.",
        complexity: c"O(N) with N being the length of the key",
        since: c"0.1.0",
        flags: c"readonly fast",
        acl_categories: c"read fast keyns",
        arity: -2,
        keys: None,
        arguments: &[List::Of(&[
            Argument::text("name"),
            Argument::texts("value").optional(),
            WITHTTL,
        ])],
        reply: "bulk string: the key; with WITHTTL array: the key and its TTL in seconds (integer, -1 if it has none)",
    },
    key
);

const WITHTTL: Argument = Argument::flag("WITHTTL");

type Values<'a> = SmallVec<[&'a [u8]; 8]>;

fn key(call: &Call) -> Result<()> {
    let mut args = call.args();
    let name = args.required()?;
    let mut values: Values = args.collect();
    let registry = node::registry();
    let with_ttl = takes_ttl(&registry, name, &mut values);
    let slug_options = slug_options::defaults();
    with_scratch(|scratch| {
        scratch.key.clear();
        let mut building = Building {
            slugs: &mut scratch.maker,
            slug_options: &slug_options,
            abbreviations: &ABBREVIATIONS.get(),
            max_value_bytes: MAX_TEXT_BYTES.size(),
            max_key_bytes: MAX_KEY_BYTES.size(),
        };
        let namespace = registry.build(name, &values, &mut building, &mut scratch.key)?;
        let reply = call.reply();
        if with_ttl {
            reply.array(2);
        }
        reply.bulk(&scratch.key);
        if with_ttl {
            reply.integer(namespace.ttl().map_or(-1, |seconds| seconds as i64));
        }
        Ok(())
    })
}

/// Whether the last word is the option: it is if the values before it are enough, and a value
/// otherwise.
fn takes_ttl(registry: &Registry, name: &[u8], values: &mut Values) -> bool {
    let last = values.last();
    if !last.is_some_and(|word| WITHTTL.is(word)) {
        return false;
    }
    let namespace = registry.get(name);
    let required = namespace.map_or(0, |namespace| namespace.pattern().required_values());
    let is_option = values.len() > required;
    if is_option {
        values.pop();
    }
    is_option
}
