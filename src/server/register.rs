//! Registering commands over the raw API, so that one module fits every server from Redis 7.0 on.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int};
use std::mem;
use std::ptr;

use redis_module::raw::{
    self, RedisModuleCommandArg, RedisModuleCommandInfo, RedisModuleCommandInfoVersion,
    RedisModuleCommandKeySpec, RedisModuleCtx,
};

use super::spec::{Argument, Command, KeyAccess, Keys, Kind, List, Spec, Which};
use super::{Error, Result};

/// Makes `command` known to the server.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn command(ctx: *mut RedisModuleCtx, command: &'static Command) -> Result<()> {
    let spec = &command.spec;
    let flags = flags(spec)?;
    // SAFETY: `ctx` is the module's, and all strings are static.
    unsafe {
        let status = api!(RedisModule_CreateCommand(
            ctx,
            spec.name.as_ptr(),
            Some(command.entry),
            flags.as_ptr(),
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
        let info = Info::of(spec)?;
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

/// The flags that the server gets. In a cluster it finds no keys by a key spec that counts them, so
/// there it has to [ask the command](super::Call::is_about_keys).
fn flags(spec: &Spec) -> Result<Cow<'static, CStr>> {
    match spec.keys {
        Some(Keys {
            which: Which::Counted,
            ..
        }) => {
            let flags = [spec.flags.to_bytes(), b" getkeys-api"].concat();
            let flags = CString::new(flags).map_err(|_| ZERO_BYTE)?;
            Ok(Cow::Owned(flags))
        }
        _ => Ok(Cow::Borrowed(spec.flags)),
    }
}

const ZERO_BYTE: Error = Error::Server {
    call: "a name with a zero byte in it",
};

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
    fn of(spec: &Spec) -> Result<Info> {
        let mut keys = Vec::new();
        if let Some(first) = &spec.keys {
            keys.push(key_spec(first));
            // An empty one ends the list.
            // SAFETY: all zeros are a valid value: null pointers and numbers.
            keys.push(unsafe { mem::zeroed() });
        }
        let mut arguments = Arguments::of(spec.arguments())?;
        Ok(Info {
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
        })
    }
}

/// What is done to a key, in the server's words.
pub fn key_flags(access: KeyAccess) -> c_int {
    let flags = match access {
        KeyAccess::Read => raw::REDISMODULE_CMD_KEY_RO | raw::REDISMODULE_CMD_KEY_ACCESS,
        KeyAccess::ReadAndUpdate => {
            raw::REDISMODULE_CMD_KEY_RW
                | raw::REDISMODULE_CMD_KEY_ACCESS
                | raw::REDISMODULE_CMD_KEY_UPDATE
        }
    };
    flags as c_int
}

fn key_spec(keys: &Keys) -> RedisModuleCommandKeySpec {
    // SAFETY: all zeros are a valid value: null pointers and numbers.
    let mut raw_spec: RedisModuleCommandKeySpec = unsafe { mem::zeroed() };
    raw_spec.flags = key_flags(keys.access) as _;
    raw_spec.begin_search_type = raw::RedisModuleKeySpecBeginSearchType_REDISMODULE_KSPEC_BS_INDEX;
    raw_spec.bs.index.pos = keys.first;
    let mut range = |last_key| {
        raw_spec.find_keys_type = raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_RANGE;
        raw_spec.fk.range.lastkey = last_key;
        raw_spec.fk.range.keystep = 1;
    };
    match keys.which {
        Which::One => range(0),
        Which::AllThatFollow => range(-1),
        Which::Counted => {
            // The search begins at the count, and the first key comes right after it.
            raw_spec.bs.index.pos = keys.first - 1;
            raw_spec.find_keys_type =
                raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_KEYNUM;
            raw_spec.fk.keynum.keynumidx = 0;
            raw_spec.fk.keynum.firstkey = 1;
            raw_spec.fk.keynum.keystep = 1;
        }
    }
    raw_spec
}

/// A list of arguments, with the lists inside of it and all names.
struct Arguments {
    list: Vec<RedisModuleCommandArg>,
    inner: Vec<Arguments>,
    names: Vec<CString>,
}

impl Arguments {
    fn of(arguments: impl Iterator<Item = Argument>) -> Result<Arguments> {
        let mut all = Arguments {
            list: Vec::new(),
            inner: Vec::new(),
            names: Vec::new(),
        };
        for argument in arguments {
            let argument = all.raw(&argument)?;
            all.list.push(argument);
        }
        // SAFETY: all zeros are a valid value, and end the list.
        all.list.push(unsafe { mem::zeroed() });
        Ok(all)
    }

    fn raw(&mut self, argument: &Argument) -> Result<RedisModuleCommandArg> {
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
        let kind = match argument.kind {
            Kind::Text => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_STRING,
            Kind::Integer => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_INTEGER,
            Kind::Key => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_KEY,
            Kind::Token => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_PURE_TOKEN,
            Kind::OneOf(_) => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_ONEOF,
            Kind::Block(_) => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_BLOCK,
        };
        Ok(RedisModuleCommandArg {
            name: self.text(&argument.name())?,
            type_: kind,
            key_spec_index: match argument.kind {
                Kind::Key => 0,
                _ => -1,
            },
            token: match argument.token {
                Some(token) => self.text(token)?,
                None => ptr::null(),
            },
            summary: ptr::null(),
            since: ptr::null(),
            flags: flags as c_int,
            deprecated_since: ptr::null(),
            subargs: match argument.kind {
                Kind::OneOf(list) | Kind::Block(list) => self.list_within(list)?,
                _ => ptr::null_mut(),
            },
            display_text: ptr::null(),
        })
    }

    /// A list inside, which stays where it is when `inner` grows.
    fn list_within(&mut self, list: List) -> Result<*mut RedisModuleCommandArg> {
        let mut list = Arguments::of(list.iter())?;
        let start = list.list.as_mut_ptr();
        self.inner.push(list);
        Ok(start)
    }

    /// A text, which stays where it is when `names` grows.
    fn text(&mut self, text: &str) -> Result<*const c_char> {
        let text = CString::new(text).map_err(|_| ZERO_BYTE)?;
        let start = text.as_ptr();
        self.names.push(text);
        Ok(start)
    }
}
