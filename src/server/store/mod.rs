//! All access to keys. The store checks type, permission and slot, and replicates every write as its
//! effect.

mod counts;
mod effects;
mod expiry;
mod hashes;
mod key;
mod memory;
mod plain_call;
mod reader;
mod scan;
mod several;
mod slots;
mod strings;
mod tracking;
mod writer;

use std::ffi::{CStr, c_int};
use std::io;
use std::marker::PhantomData;
use std::sync::OnceLock;

use lazy_static::lazy_static;
use redis_module::raw::{self, RedisModuleCallReply, RedisModuleCtx, RedisModuleString};

pub use self::counts::MAX_COUNT;
pub(super) use self::effects::forget;
pub use self::expiry::Expiry;
pub use self::key::Key;
use self::key::WRITE_MODE;
pub use self::plain_call::CallReply;
pub use self::reader::{Bounds, Fields, Longest};
pub use self::several::Started;
pub use self::strings::OpenString;
pub use self::tracking::Reads;
pub use self::writer::Writer;
pub use super::caller::{Access, Caller};
use super::{Error, Result, ServerString};

/// The keys of the database a call works on.
pub struct Store<'a> {
    pub(super) ctx: *mut RedisModuleCtx,
    /// The arguments of the call, including the command's name.
    argv: &'a [*mut RedisModuleString],
}

impl<'a> Store<'a> {
    /// # Safety
    /// The context and the arguments must be those of a call and outlive the store. Without a call,
    /// there are no arguments.
    pub(super) unsafe fn new(
        ctx: *mut RedisModuleCtx,
        argv: &'a [*mut RedisModuleString],
    ) -> Store<'a> {
        Store { ctx, argv }
    }

    /// The user behind the call; [`Caller::check`] checks derived keys against its rules.
    pub fn caller(&self) -> Caller<'a> {
        // SAFETY: the context and the arguments are those of the call.
        unsafe { Caller::of(self.ctx, self.argv) }
    }

    /// Whether the key exists. Counts neither as a use of the key, nor as a hit or a miss.
    pub fn exists(&self, name: &ServerString) -> bool {
        self.look_at(name).kind() as isize != raw::REDISMODULE_KEYTYPE_EMPTY
    }

    /// Opens a key to inspect it, without a trace.
    pub(super) fn look_at(&self, name: &ServerString) -> Key<'_> {
        self.open_with(name, read_mode() | raw::REDISMODULE_OPEN_KEY_NOTOUCH)
    }

    /// Opens a key like a command that reads it.
    pub(super) fn open_to_read(&self, name: &ServerString) -> Key<'_> {
        self.open_with(name, raw::REDISMODULE_READ)
    }

    /// Runs a plain command that has passed every check, here, on replicas and in the AOF.
    pub(super) fn write(&self, command: &'static CStr, arguments: &[&ServerString]) -> Result<()> {
        let mut arguments: Vec<_> = arguments.iter().map(|name| name.as_raw()).collect();
        // SAFETY: the names are borrowed for longer than the call.
        unsafe { self.write_raw(command, &mut arguments) }.map(drop)
    }

    /// The same; returns the number that the command replied.
    ///
    /// # Safety
    /// The arguments must be live strings.
    pub(super) unsafe fn write_raw(
        &self,
        command: &'static CStr,
        arguments: &mut [*mut RedisModuleString],
    ) -> Result<u64> {
        // SAFETY: the caller vouches for the arguments.
        let reply = unsafe { self.call(command, c"!v", arguments) }?;
        written(&reply)?;
        Ok(reply.integer().unsigned_abs())
    }

    /// Runs a plain command.
    ///
    /// # Safety
    /// The arguments must be live strings, and the format end in the `v` that stands for them.
    pub(super) unsafe fn call(
        &self,
        command: &'static CStr,
        format: &'static CStr,
        arguments: &mut [*mut RedisModuleString],
    ) -> Result<CallReply> {
        // SAFETY: `v` takes an array of strings and its length; the server takes references. The
        // reply is ours.
        unsafe {
            let reply = api!(RedisModule_Call(
                self.ctx,
                command.as_ptr(),
                format.as_ptr(),
                arguments.as_mut_ptr(),
                arguments.len()
            ));
            answered(reply)
        }
    }

    /// Returns an error if the server accepts no writes: a replica, too few replicas, a failed disk.
    /// It does not change the key.
    pub fn check_takes_writes(&self, key: &ServerString) -> Result<()> {
        let nothing = ServerString::new(b"");
        let start = ServerString::of_number(0);
        let mut arguments = [key.as_raw(), start.as_raw(), nothing.as_raw()];
        // SAFETY: the names live longer than the call. `S` makes the server check what it checks for
        // a script's writes, and `E` makes it reply with an error.
        let reply = unsafe { self.call(c"SETRANGE", c"SEv", &mut arguments) }?;
        match reply.error().and_then(|error| no_writes(&error)) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// Whether the server has a command of this name, which must be one that needs arguments.
    pub(super) fn has_command(&self, command: &CStr) -> bool {
        // SAFETY: there is no argument. Without one the command does not run; a reply is ours.
        unsafe {
            let reply = api!(RedisModule_Call(self.ctx, command.as_ptr(), c"".as_ptr()));
            let error = io::Error::last_os_error();
            if !reply.is_null() {
                api!(RedisModule_FreeCallReply(reply));
                return true;
            }
            error.raw_os_error() != Some(libc::ENOENT)
        }
    }

    /// Returns an error if one of these commands has been renamed, which would end the work halfway.
    /// Servers rename commands only at the start.
    pub(super) fn check_commands(
        &self,
        missing: &'static OnceLock<Option<&'static CStr>>,
        commands: &[&'static CStr],
    ) -> Result<()> {
        let missing = missing.get_or_init(|| {
            let mut commands = commands.iter().copied();
            commands.find(|command| !self.has_command(command))
        });
        match missing {
            None => Ok(()),
            Some(command) => Err(Error::NoCommand {
                name: command.to_str().unwrap_or_default(),
            }),
        }
    }

    /// Notifies transactions, caches and subscribers that a key has changed.
    pub(super) fn announce(&self, name: &ServerString, class: c_int, event: &'static CStr) {
        // SAFETY: the context is the call's, and the server keeps none of the pointers.
        unsafe { api!(RedisModule_SignalModifiedKey(self.ctx, name.as_raw())) };
        self.notify(name, class, event);
    }

    /// Notifies subscribers of what happened to a key.
    pub(super) fn notify(&self, name: &ServerString, class: c_int, event: &'static CStr) {
        // SAFETY: the context is the call's, and the server keeps none of the pointers.
        unsafe {
            api!(RedisModule_NotifyKeyspaceEvent(
                self.ctx,
                class,
                event.as_ptr(),
                name.as_raw()
            ));
        }
    }

    /// Opens a key that the call may write, like write commands do, which does not count hits and
    /// misses. Opening alone changes nothing: an option keeps the server from treating it as a
    /// change.
    pub(super) fn open(&self, name: &ServerString) -> Key<'_> {
        self.open_with(name, WRITE_MODE)
    }

    /// Opens a key to change it without notifying replicas, subscribers or caches.
    pub fn open_silently(&self, name: &ServerString) -> Key<'_> {
        self.open(name)
    }

    fn open_with(&self, name: &ServerString, mode: u32) -> Key<'_> {
        // SAFETY: the context is the call's; a null key is an empty one to every function we use.
        let key = unsafe { api!(RedisModule_OpenKey(self.ctx, name.as_raw(), mode as c_int)) };
        Key {
            key,
            store: PhantomData,
        }
    }
}

/// The server's reason for refusing writes, with its code; `None` for another kind of reason, which
/// shows when the key is used.
fn no_writes(error: &[u8]) -> Option<Error> {
    const CODES: [&str; 4] = ["NOREPLICAS", "MISCONF", "READONLY", "MASTERDOWN"];
    let text = String::from_utf8_lossy(error);
    let (first, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let code = CODES.into_iter().find(|code| *code == first)?;
    Some(Error::NoWrites {
        code,
        reason: rest.trim_end().into(),
    })
}

/// The reply of a call; an error if there is none.
///
/// # Safety
/// The reply must be ours to free.
pub(super) unsafe fn answered(reply: *mut RedisModuleCallReply) -> Result<CallReply> {
    if reply.is_null() {
        return Err(Error::Server { call: "a call" });
    }
    // SAFETY: the caller vouches for it.
    Ok(unsafe { CallReply::from_raw(reply) })
}

/// Returns an error unless a command has written.
pub(super) fn written(reply: &CallReply) -> Result<()> {
    match reply.is_error() {
        true => Err(Error::Server { call: "a write" }),
        false => Ok(()),
    }
}

/// Returns an error unless the server accepted the effect for replicas and the AOF.
pub(super) fn replicated(status: c_int) -> Result<()> {
    match status as isize {
        raw::REDISMODULE_OK => Ok(()),
        _ => Err(Error::Server {
            call: "replication",
        }),
    }
}

/// How to open a key for reading without counting a hit or a miss: Redis 7.2 and newer have flags
/// for it; on older servers we open it like a write.
fn read_mode() -> u32 {
    const UNSEEN: u32 = raw::REDISMODULE_OPEN_KEY_NONOTIFY | raw::REDISMODULE_OPEN_KEY_NOSTATS;
    lazy_static! {
        static ref MODE: u32 = {
            // SAFETY: takes no arguments.
            let known = unsafe { raw::RedisModule_GetOpenKeyModesAll.map_or(0, |known| known()) };
            match known as u32 & UNSEEN {
                UNSEEN => raw::REDISMODULE_READ | UNSEEN,
                _ => WRITE_MODE,
            }
        };
    }
    *MODE
}

fn wrong_type(key: &ServerString) -> Error {
    Error::WrongTypeOf {
        key: key.as_bytes().to_vec(),
    }
}
