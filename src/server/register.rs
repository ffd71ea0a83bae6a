//! Registering commands over the raw API, so that one module fits every server from Redis 7.0 on.

use std::ffi::{CStr, c_int};
use std::mem;
use std::ptr;

use redis_module::raw::{
    self, RedisModuleCommandArg, RedisModuleCommandInfo, RedisModuleCommandInfoVersion,
    RedisModuleCommandKeySpec, RedisModuleCtx,
};

use super::spec::{Argument, Command, KeyAccess, Keys, Kind, Spec, Which};
use super::{Error, Result};

/// Makes `command` known to the server.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn command(ctx: *mut RedisModuleCtx, command: &'static Command) -> Result<()> {
    let spec = &command.spec;
    // SAFETY: `ctx` is the module's, and all strings are static.
    unsafe {
        let status = api!(RedisModule_CreateCommand(
            ctx,
            spec.name.as_ptr(),
            Some(command.entry),
            spec.flags.as_ptr(),
            // Which arguments are keys is said in more detail below.
            0,
            0,
            0
        ));
        ok(status, "to create a command")?;
        let registered = api!(RedisModule_GetCommand(ctx, spec.name.as_ptr()));
        if registered.is_null() {
            return Err(Error::Server {
                call: "to find its own command",
            });
        }
        let info = Info::of(spec);
        ok(
            api!(RedisModule_SetCommandInfo(registered, &info.raw)),
            "a command's description",
        )?;
        // Only where the server has categories for modules: Redis 7.2 and up, Valkey.
        if let Some(set_categories) = raw::RedisModule_SetCommandACLCategories {
            let status = set_categories(registered, spec.acl_categories.as_ptr());
            ok(status, "a command's ACL categories")?;
        }
    }
    Ok(())
}

/// Whether the server has ACL categories for the commands of modules.
pub fn has_acl_categories() -> bool {
    // SAFETY: the server sets it once, while the module is loaded.
    let set_categories = unsafe { raw::RedisModule_SetCommandACLCategories };
    set_categories.is_some()
}

/// Adds the ACL category `@keyns` where the server has categories for modules.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn acl_category(ctx: *mut RedisModuleCtx, name: &'static CStr) {
    // SAFETY: `ctx` is the module's. It fails if the module was loaded before, since categories
    // stay; then it is there, which is all we want.
    unsafe {
        if let Some(add_category) = raw::RedisModule_AddACLCategory {
            add_category(ctx, name.as_ptr());
        }
    }
}

fn ok(status: c_int, call: &'static str) -> Result<()> {
    match status as isize {
        raw::REDISMODULE_OK => Ok(()),
        _ => Err(Error::Server { call }),
    }
}

static INFO_VERSION: RedisModuleCommandInfoVersion = RedisModuleCommandInfoVersion {
    version: 1,
    sizeof_historyentry: mem::size_of::<raw::RedisModuleCommandHistoryEntry>(),
    sizeof_keyspec: mem::size_of::<RedisModuleCommandKeySpec>(),
    sizeof_arg: mem::size_of::<RedisModuleCommandArg>(),
};

/// A spec in the server's form. The server copies all of it; until then the lists live here.
struct Info {
    raw: RedisModuleCommandInfo,
    _keys: Vec<RedisModuleCommandKeySpec>,
    _arguments: Arguments,
}

impl Info {
    fn of(spec: &Spec) -> Info {
        let mut keys = Vec::new();
        if let Some(first) = &spec.keys {
            keys.push(key_spec(first));
            // An empty one ends the list.
            // SAFETY: all zeros are a valid value: null pointers and numbers.
            keys.push(unsafe { mem::zeroed() });
        }
        let mut arguments = Arguments::of(spec.arguments.iter().copied().flatten());
        Info {
            raw: RedisModuleCommandInfo {
                version: &INFO_VERSION,
                summary: spec.summary.as_ptr(),
                complexity: spec.complexity.as_ptr(),
                since: spec.since.as_ptr(),
                history: ptr::null_mut(),
                tips: ptr::null(),
                arity: spec.arity,
                key_specs: if keys.is_empty() {
                    ptr::null_mut()
                } else {
                    keys.as_mut_ptr()
                },
                args: arguments.list.as_mut_ptr(),
            },
            _keys: keys,
            _arguments: arguments,
        }
    }
}

fn key_spec(keys: &Keys) -> RedisModuleCommandKeySpec {
    // SAFETY: all zeros are a valid value: null pointers and numbers.
    let mut raw_spec: RedisModuleCommandKeySpec = unsafe { mem::zeroed() };
    raw_spec.flags = match keys.access {
        KeyAccess::Read => raw::REDISMODULE_CMD_KEY_RO | raw::REDISMODULE_CMD_KEY_ACCESS,
        KeyAccess::ReadAndUpdate => {
            raw::REDISMODULE_CMD_KEY_RW
                | raw::REDISMODULE_CMD_KEY_ACCESS
                | raw::REDISMODULE_CMD_KEY_UPDATE
        }
    }
    .into();
    raw_spec.begin_search_type = raw::RedisModuleKeySpecBeginSearchType_REDISMODULE_KSPEC_BS_INDEX;
    raw_spec.bs.index.pos = keys.first;
    raw_spec.find_keys_type = raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_RANGE;
    raw_spec.fk.range.lastkey = match keys.which {
        Which::One => 0,
        Which::AllThatFollow => -1,
    };
    raw_spec.fk.range.keystep = 1;
    raw_spec
}

/// A list of arguments and the lists inside of it.
struct Arguments {
    list: Vec<RedisModuleCommandArg>,
    _inner: Vec<Arguments>,
}

impl Arguments {
    fn of<'a>(arguments: impl IntoIterator<Item = &'a Argument>) -> Arguments {
        let mut inner = Vec::new();
        let mut list: Vec<_> = arguments
            .into_iter()
            .map(|argument| raw_argument(argument, &mut inner))
            .collect();
        // SAFETY: all zeros are a valid value, and end the list.
        list.push(unsafe { mem::zeroed() });
        Arguments {
            list,
            _inner: inner,
        }
    }
}

fn raw_argument(argument: &Argument, inner: &mut Vec<Arguments>) -> RedisModuleCommandArg {
    let mut flags = raw::REDISMODULE_CMD_ARG_NONE;
    if argument.optional {
        flags |= raw::REDISMODULE_CMD_ARG_OPTIONAL;
    }
    if argument.multiple {
        flags |= raw::REDISMODULE_CMD_ARG_MULTIPLE;
    }
    if argument.multiple_token {
        flags |= raw::REDISMODULE_CMD_ARG_MULTIPLE_TOKEN;
    }
    let mut words = ptr::null_mut();
    let kind = match argument.kind {
        Kind::Text => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_STRING,
        Kind::Integer => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_INTEGER,
        Kind::Key => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_KEY,
        Kind::Token => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_PURE_TOKEN,
        Kind::OneOf(_) => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_ONEOF,
        Kind::Block(_) => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_BLOCK,
    };
    if let Kind::OneOf(arguments) | Kind::Block(arguments) = argument.kind {
        // Moving the list into `inner` leaves its elements where they are.
        let mut list = Arguments::of(arguments);
        words = list.list.as_mut_ptr();
        inner.push(list);
    }
    RedisModuleCommandArg {
        name: argument.name.as_ptr(),
        type_: kind,
        key_spec_index: match argument.kind {
            Kind::Key => 0,
            _ => -1,
        },
        token: argument.token.map_or(ptr::null(), CStr::as_ptr),
        summary: ptr::null(),
        since: ptr::null(),
        flags: flags as c_int,
        deprecated_since: ptr::null(),
        subargs: words,
        display_text: ptr::null(),
    }
}
