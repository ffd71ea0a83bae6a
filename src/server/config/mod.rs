//! Configs: `CONFIG GET keyns.*`, `CONFIG SET`, lines of redis.conf, and module arguments.
//!
//! A config is a `static` of its family and holds its own value: commands read a [`Number`] or a
//! [`Choice`] as an atomic, and a [`Text`] as a snapshot. No command holds a lock while it runs, so
//! anything that the server calls in the meantime may change them.

mod choice;
mod number;
mod text;

use std::ffi::{CStr, c_int, c_uint};

use keyns_core::argument;
use redis_module::raw::{self, RedisModuleCtx};

pub use choice::{Choice, Switch};
pub use number::Number;
pub use text::{Text, Value};

use super::{Error, Family, Result};

const PREFIX: &[u8] = b"keyns.";

/// What all configs have in common.
pub trait Config: Sync {
    /// Without the prefix `keyns.`, which the server adds.
    fn name(&self) -> &'static CStr;

    /// The values that it accepts.
    fn shape(&self) -> Shape;

    /// Registers it with the server, with the module argument as its default.
    ///
    /// # Safety
    /// `ctx` must be the context the module is loaded with.
    unsafe fn register(&'static self, ctx: *mut RedisModuleCtx, given: Option<&[u8]>)
    -> Result<()>;

    /// Frees the memory of its value.
    fn forget(&self) {}
}

/// The values that a config accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Number {
        default: i64,
        min: i64,
        max: i64,
    },
    Text {
        default: &'static CStr,
    },
    /// The default is the index of a word.
    Choice {
        default: c_int,
        words: Vec<&'static CStr>,
    },
}

/// Registers the configs of all families, with the module's arguments as their defaults, and makes
/// the server set them.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn register(
    ctx: *mut RedisModuleCtx,
    families: &[&'static Family],
    arguments: &[&[u8]],
) -> Result<()> {
    let arguments = Arguments::parse(families, arguments)?;
    for config in all(families) {
        // SAFETY: `ctx` is the module's.
        unsafe { config.register(ctx, arguments.of(config))? };
    }
    // SAFETY: `ctx` is the module's, and all configs are registered.
    match unsafe { api!(RedisModule_LoadConfigs(ctx)) } {
        0 => Ok(()),
        _ => Err(Error::Server {
            call: "a setting: see the previous line",
        }),
    }
}

/// Frees the memory of all values.
pub fn forget(families: &[&'static Family]) {
    for config in all(families) {
        config.forget();
    }
}

fn all(families: &[&'static Family]) -> impl Iterator<Item = &'static dyn Config> {
    let configs = families.iter().map(|family| family.configs);
    configs.flatten().copied()
}

/// Module arguments: `lang en max-skips 10`, with or without `keyns.` in front of the names.
struct Arguments<'a>(Vec<(&'static CStr, &'a [u8])>);

impl<'a> Arguments<'a> {
    fn parse(families: &[&'static Family], arguments: &[&'a [u8]]) -> Result<Arguments<'a>> {
        let mut pairs = Vec::new();
        for pair in arguments.chunks(2) {
            let (name, value) = match pair {
                [name, value] => (*name, *value),
                [name, ..] => {
                    return Err(argument::Error::syntax(name, vec!["a value after it"]).into());
                }
                [] => continue,
            };
            let config = all(families).find(|config| is_called(*config, name));
            let config = config.ok_or_else(|| Error::UnknownConfig {
                name: name.to_vec(),
            })?;
            pairs.push((config.name(), value));
        }
        Ok(Arguments(pairs))
    }

    /// The last one wins, as in redis.conf.
    fn of(&self, config: &dyn Config) -> Option<&'a [u8]> {
        let mut given = self.0.iter().rev();
        given
            .find(|(name, _)| *name == config.name())
            .map(|(_, value)| *value)
    }
}

fn is_called(config: &dyn Config, name: &[u8]) -> bool {
    let start = name.get(..PREFIX.len()).unwrap_or_default();
    let bare = match start.eq_ignore_ascii_case(PREFIX) {
        true => name.get(PREFIX.len()..).unwrap_or_default(),
        false => name,
    };
    config.name().to_bytes().eq_ignore_ascii_case(bare)
}

/// An error about a module argument.
fn wrong(config: &dyn Config, expected: String, got: &[u8]) -> Error {
    Error::ConfigArgument {
        name: config.name(),
        expected,
        got: got.to_vec(),
    }
}

fn registered(status: c_int) -> Result<()> {
    match status {
        0 => Ok(()),
        _ => Err(Error::Server {
            call: "to register a config",
        }),
    }
}

/// The server's flags for a config, which is either fixed once the module is loaded or not.
fn flags(is_fixed: bool) -> c_uint {
    match is_fixed {
        true => raw::REDISMODULE_CONFIG_IMMUTABLE as c_uint,
        false => raw::REDISMODULE_CONFIG_DEFAULT as c_uint,
    }
}
