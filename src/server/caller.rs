//! Who calls, and what they may touch.
//!
//! The server checks the keys a command declares. Keys that a command derives from them are
//! checked here, against the rules of the user behind the call.

use std::ffi::c_int;
use std::io;

use memchr::memmem;
use redis_module::raw::{self, RedisModuleCtx, RedisModuleString, RedisModuleUser};
use smallvec::SmallVec;

use super::server_info::can_ask_about_modules;
use super::store::CallReply;
use super::{Error, Result, ServerString};

/// What a call does to a key.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// Reads its value.
    Read,
    /// Creates it, or reserves its name.
    Create,
    /// Reads its value and changes it.
    Update,
    /// Removes it.
    Delete,
}

impl Access {
    fn flags(self) -> c_int {
        let flags = match self {
            Access::Read => raw::REDISMODULE_CMD_KEY_ACCESS,
            Access::Create => raw::REDISMODULE_CMD_KEY_INSERT,
            Access::Delete => raw::REDISMODULE_CMD_KEY_DELETE,
            Access::Update => raw::REDISMODULE_CMD_KEY_ACCESS | raw::REDISMODULE_CMD_KEY_UPDATE,
        };
        flags as c_int
    }
}

/// The user behind a call. Valid for that call only: by the next one, the user's rules may have
/// changed, or the user may be gone.
pub enum Caller<'a> {
    /// No user, no limits: the primary's link, the AOF, another module.
    Unrestricted,
    /// A user that has been deleted since the client logged in.
    Gone,
    User {
        user: *mut RedisModuleUser,
        ctx: *mut RedisModuleCtx,
        /// The arguments of the call, if the user has selectors: the selector that allows the
        /// command has to allow the key, too.
        selected: Option<&'a [*mut RedisModuleString]>,
    },
}

impl<'a> Caller<'a> {
    /// # Safety
    /// `ctx` must be the context of the call, and the arguments its own.
    pub unsafe fn of(ctx: *mut RedisModuleCtx, argv: &'a [*mut RedisModuleString]) -> Caller<'a> {
        // SAFETY: `ctx` is the call's; what is not null is ours to free.
        unsafe {
            let Some(name) = user_name(ctx) else {
                return Caller::Unrestricted;
            };
            let user = api!(RedisModule_GetModuleUserFromUserName(name.as_raw()));
            if user.is_null() {
                Caller::Gone
            } else {
                let selected = has_selectors(user).then_some(argv);
                Caller::User {
                    user,
                    ctx,
                    selected,
                }
            }
        }
    }

    /// Returns an error and adds an entry to `ACL LOG`, unless the user may do this with this key.
    pub fn check(&self, key: &ServerString, access: Access) -> Result<()> {
        let allowed = match self {
            Caller::Unrestricted => true,
            Caller::Gone => false,
            Caller::User { user, selected, .. } => {
                // SAFETY: the user and the arguments are valid within the call.
                unsafe {
                    let status = api!(RedisModule_ACLCheckKeyPermissions(
                        *user,
                        key.as_raw(),
                        access.flags()
                    ));
                    status == raw::REDISMODULE_OK as c_int
                        && selected.is_none_or(|argv| is_selected(*user, argv, key))
                }
            }
        };
        if allowed {
            return Ok(());
        }
        self.log(key);
        Err(Error::NoPermission {
            key: key.as_bytes().to_vec(),
        })
    }

    /// Records in `ACL LOG` that the user may not use a key, or keys that match a glob.
    pub fn log(&self, keys: &ServerString) {
        if let Caller::User { user, ctx, .. } = self {
            // SAFETY: the user and the context are valid within the call.
            unsafe {
                api!(RedisModule_ACLAddLogEntry(
                    *ctx,
                    *user,
                    keys.as_raw(),
                    raw::RedisModuleACLLogEntryReason_REDISMODULE_ACL_LOG_KEY
                ));
            }
        }
    }

    /// The rules that apply to the user.
    pub fn rules(&self) -> Rules {
        match self {
            Caller::Unrestricted => Rules::None,
            Caller::Gone => Rules::Some(Vec::new()),
            // SAFETY: the user and the context are valid within the call.
            Caller::User { user, ctx, .. } => Rules::Some(unsafe { rules(*ctx, *user) }),
        }
    }
}

/// What a user may do.
pub enum Rules {
    /// Everything.
    None,
    /// What these rules allow, in the form of `ACL LIST`.
    Some(Vec<u8>),
}

/// The rules of the user behind the call, in the form of `ACL LIST`; none if the server does not
/// reveal them.
///
/// # Safety
/// `ctx` must be the context of the call, and the user the one behind it.
unsafe fn rules(ctx: *mut RedisModuleCtx, user: *mut RedisModuleUser) -> Vec<u8> {
    // SAFETY: the context and the user are the call's; what is not null is ours to free.
    unsafe {
        if let Some(rules) = described_rules(user) {
            return rules.as_bytes().to_vec();
        }
        // Before Redis 7.0.6.
        let list = api!(RedisModule_Call(
            ctx,
            c"ACL".as_ptr(),
            c"c".as_ptr(),
            c"LIST".as_ptr()
        ));
        let list = (!list.is_null()).then(|| CallReply::from_raw(list));
        let lines = list.map_or_else(Vec::new, |list| list.list());
        let name = user_name(ctx).map_or_else(Vec::new, |name| name.as_bytes().to_vec());
        let start = [b"user ", &*name, b" "].concat();
        let mut own = lines
            .iter()
            .flatten()
            .filter_map(|line| line.as_bytes().strip_prefix(&*start));
        own.next().map_or_else(Vec::new, <[u8]>::to_vec)
    }
}

/// Whether the user has selectors, which are in parentheses among the rules; yes if the server does
/// not reveal them.
///
/// # Safety
/// The user must be live.
unsafe fn has_selectors(user: *mut RedisModuleUser) -> bool {
    // SAFETY: the caller vouches for the user.
    let rules = unsafe { described_rules(user) };
    rules.is_none_or(|rules| memmem::find(rules.as_bytes(), b" (").is_some())
}

/// The rules of a user, in the form of `ACL LIST`. Redis 7.0 reveals them from 7.0.6 on.
///
/// # Safety
/// The user must be live.
unsafe fn described_rules(user: *mut RedisModuleUser) -> Option<ServerString> {
    // SAFETY: the caller vouches for the user; what is not null is ours to free.
    unsafe {
        let describe = raw::RedisModule_GetModuleUserACLString?;
        let rules = describe(user);
        (!rules.is_null()).then(|| ServerString::from_raw(rules))
    }
}

/// Whether one selector allows both the command and a key that it derived: whether the call would
/// be allowed with that key as its first argument. For a key alone, the server accepts any selector.
///
/// # Safety
/// The user and the arguments must be live.
unsafe fn is_selected(
    user: *mut RedisModuleUser,
    argv: &[*mut RedisModuleString],
    key: &ServerString,
) -> bool {
    let mut argv: SmallVec<[*mut RedisModuleString; 16]> = argv.into();
    // The first argument of every command that derives keys is a key or a prefix.
    if let Some(first) = argv.get_mut(1) {
        *first = key.as_raw();
    }
    // SAFETY: the caller vouches for the user and the arguments.
    let status = unsafe {
        api!(RedisModule_ACLCheckCommandPermissions(
            user,
            argv.as_mut_ptr(),
            argv.len() as c_int
        ))
    };
    status == raw::REDISMODULE_OK as c_int
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        if let Caller::User { user, .. } = self {
            // SAFETY: it is ours; this frees the handle, not the server's user.
            unsafe { api!(RedisModule_FreeModuleUser(*user)) }
        }
    }
}

/// The name of the user behind the call, `None` if there is none.
///
/// # Safety
/// `ctx` must be the context of the call.
pub(super) unsafe fn user_name(ctx: *mut RedisModuleCtx) -> Option<ServerString> {
    // SAFETY: `ctx` is the call's, and the name the server answers is ours to free.
    unsafe {
        if !is_plain_client(ctx) && !has_user(ctx) {
            return None;
        }
        let name = api!(RedisModule_GetCurrentUserName(ctx));
        (!name.is_null()).then(|| ServerString::from_raw(name))
    }
}

/// Returns an error unless a call that waited still belongs to the same user, who may still make it.
/// When a user is deleted, its clients briefly belong to the default user.
///
/// # Safety
/// `ctx` must be the context of the call, and the arguments its own.
pub(super) unsafe fn check_still_allowed(
    ctx: *mut RedisModuleCtx,
    user: Option<&ServerString>,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> Result<()> {
    // SAFETY: `ctx` and the arguments are the call's.
    unsafe {
        let now = user_name(ctx);
        if user.map(ServerString::as_bytes) != now.as_ref().map(ServerString::as_bytes) {
            return Err(Error::NotAllowed);
        }
        match Caller::of(ctx, &[]) {
            Caller::Unrestricted => Ok(()),
            Caller::Gone => Err(Error::NotAllowed),
            Caller::User { user, .. } => {
                let status = api!(RedisModule_ACLCheckCommandPermissions(user, argv, argc));
                match status as isize {
                    raw::REDISMODULE_OK => Ok(()),
                    _ => Err(Error::NotAllowed),
                }
            }
        }
    }
}

/// Whether a client called directly. Such a client always has a user. Transactions, scripts, other
/// modules and the AOF call through clients that may not block, and the primary's link has a flag.
///
/// # Safety
/// `ctx` must be the context of the call.
pub(super) unsafe fn is_plain_client(ctx: *mut RedisModuleCtx) -> bool {
    const NOT_PLAIN: u32 = raw::REDISMODULE_CTX_FLAGS_DENY_BLOCKING
        | raw::REDISMODULE_CTX_FLAGS_REPLICATED
        | raw::REDISMODULE_CTX_FLAGS_LOADING;
    // SAFETY: `ctx` is the call's.
    let flags = unsafe { api!(RedisModule_GetContextFlags(ctx)) };
    flags & NOT_PLAIN as c_int == 0
}

/// Whether the server can be asked about the client that calls: directly, or in a transaction.
/// Scripts, other modules and the AOF call through clients without a connection, and Valkey 9.1
/// crashes when it is asked about one.
///
/// # Safety
/// `ctx` must be the context of the call.
pub(super) unsafe fn can_ask_about_client(ctx: *mut RedisModuleCtx) -> bool {
    const NOT_THE_CLIENT: u32 = raw::REDISMODULE_CTX_FLAGS_LUA
        | raw::REDISMODULE_CTX_FLAGS_REPLICATED
        | raw::REDISMODULE_CTX_FLAGS_LOADING;
    // SAFETY: `ctx` is the call's.
    unsafe {
        if is_plain_client(ctx) {
            return true;
        }
        let flags = api!(RedisModule_GetContextFlags(ctx)) as u32;
        let in_transaction = flags & raw::REDISMODULE_CTX_FLAGS_MULTI != 0;
        // Another module may call while a transaction runs.
        in_transaction && flags & NOT_THE_CLIENT == 0 && can_ask_about_modules()
    }
}

/// Whether the call has a user. Redis 7.0 exits if it is asked for the name of a missing user. So
/// call a command that does not exist on behalf of the user: the error says whether the user or the
/// command is missing.
///
/// # Safety
/// `ctx` must be the context of the call.
unsafe fn has_user(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: `C` takes no argument.
    let reply = unsafe {
        api!(RedisModule_Call(
            ctx,
            c"keyns.no-such-command".as_ptr(),
            c"C".as_ptr()
        ))
    };
    let error = io::Error::last_os_error();
    if !reply.is_null() {
        // SAFETY: the reply is ours to free.
        unsafe { api!(RedisModule_FreeCallReply(reply)) };
        return true;
    }
    error.raw_os_error() != Some(libc::ENOTSUP)
}
