//! All access to keys: type, permission and slot are checked here, and every write leaves as its
//! effect to replicas and the AOF.

use std::ffi::{CStr, c_int};
use std::io;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::{LazyLock, OnceLock};

use redis_module::raw::{
    self, RedisModuleCallReply, RedisModuleCtx, RedisModuleKey, RedisModuleString,
};

pub use super::caller::{Access, Caller};
pub use super::reader::{Bounds, Fields, Type};
use super::reader::{CallReply, wrong_type};
pub use super::tracking::Reads;
pub use super::writer::Writer;
use super::{Name, OpenString};
use crate::core::decimal::{self, MAX_DIGITS};
use crate::core::{Error, Result};

/// The keys of the database a call works on.
pub struct Store<'a> {
    pub(super) ctx: *mut RedisModuleCtx,
    /// The arguments of the call, with the command's name in front.
    argv: &'a [*mut RedisModuleString],
}

impl<'a> Store<'a> {
    /// # Safety
    /// The context and the arguments must be those of a call and outlive the store. Where there is no
    /// call, there are no arguments.
    pub(super) unsafe fn new(
        ctx: *mut RedisModuleCtx,
        argv: &'a [*mut RedisModuleString],
    ) -> Store<'a> {
        Store { ctx, argv }
    }

    /// The user behind the call, whom [`Caller::check`] asks about derived keys.
    pub fn caller(&self) -> Caller<'a> {
        // SAFETY: the context and the arguments are those of the call.
        unsafe { Caller::of(self.ctx, self.argv) }
    }

    /// Whether there is such a key. Counts neither as a use of it, nor as a hit or a miss.
    pub fn exists(&self, name: &Name) -> bool {
        self.look_at(name).kind() as isize != raw::REDISMODULE_KEYTYPE_EMPTY
    }

    /// Opens a key to see what it is, without a trace.
    pub(super) fn look_at(&self, name: &Name) -> Key<'_> {
        self.open_with(name, read_mode() | raw::REDISMODULE_OPEN_KEY_NOTOUCH)
    }

    /// Opens a key the way commands do that read it.
    pub(super) fn open_to_read(&self, name: &Name) -> Key<'_> {
        self.open_with(name, raw::REDISMODULE_READ)
    }

    /// The count that a string holds, 0 without one.
    pub fn count(&self, name: &Name) -> Result<u64> {
        count_of(&self.counter(name)?, name)
    }

    /// Opens a counter. No caller names one, so errors do.
    fn counter<'s>(&'s self, name: &'s Name) -> Result<OpenString<'s>> {
        let string = self.string_to_change(name);
        string.map_err(|error| error.about(name.as_bytes()))
    }

    /// Adds to the count that a string holds, and answers what it was before.
    pub fn take_count(&self, name: &Name, by: u64) -> Result<u64> {
        let string = self.counter(name)?;
        let count = count_of(&string, name)?;
        write_count(string, name, count, by)?;
        Ok(count)
    }

    /// Adds to the count that [`count`](Store::count) read from a string.
    pub fn add_to_count(&self, name: &Name, count: u64, by: u64) -> Result<()> {
        write_count(self.counter(name)?, name, count, by)
    }

    /// The count in a field of a hash, 0 without one.
    pub fn field_count(&self, name: &Name, field: &[u8]) -> Result<u64> {
        let key = self.open_with(name, read_mode());
        match key.kind() as isize {
            raw::REDISMODULE_KEYTYPE_EMPTY => Ok(0),
            raw::REDISMODULE_KEYTYPE_HASH => match key.field(&Name::new(field)) {
                Some(value) => parse_count(value.as_bytes()).ok_or_else(|| not_a_count(name)),
                None => Ok(0),
            },
            _ => Err(wrong_type(name)),
        }
    }

    /// Adds to the count in a field that [`field_count`](Store::field_count) read. The caller has
    /// seen to it that a key that is not here is [nowhere else](Store::check_settled).
    pub fn add_to_field_count(&self, name: &Name, field: &[u8], count: u64, by: u64) -> Result<()> {
        if count.checked_add(by).is_none_or(|sum| sum > MAX_COUNT) {
            return Err(overflow(name));
        }
        let by = Name::new(decimal::format(by, &mut [0; MAX_DIGITS]));
        self.write(c"HINCRBY", &[name, &Name::new(field), &by])
    }

    /// Runs a plain command whose every check has passed, here, on replicas and in the AOF.
    pub(super) fn write(&self, command: &'static CStr, arguments: &[&Name]) -> Result<()> {
        let mut arguments: Vec<_> = arguments.iter().map(|name| name.as_raw()).collect();
        // SAFETY: the names are borrowed for longer than the call.
        unsafe { self.write_raw(command, &mut arguments) }.map(drop)
    }

    /// The same; answers the number that the command replied.
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

    /// An error if the server takes no writes: a replica, too few replicas, a disk that failed. The
    /// key is not changed.
    pub fn check_takes_writes(&self, key: &Name) -> Result<()> {
        let nothing = Name::new(b"");
        let start = Name::of_number(0);
        let mut arguments = [key.as_raw(), start.as_raw(), nothing.as_raw()];
        // SAFETY: the names live longer than the call. `S` has the server ask what it asks of a
        // script's writes, and `E` has it answer with an error.
        let reply = unsafe { self.call(c"SETRANGE", c"SEv", &mut arguments) }?;
        match reply.error().and_then(|error| no_writes(&error)) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// Whether the server has a command by this name, which must be one that needs arguments.
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

    /// An error if one of these commands has been renamed, which would end work half way. Commands
    /// are renamed when the server starts, and never again.
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

    /// Tells transactions, caches and subscribers that a key has changed.
    pub(super) fn announce(&self, name: &Name, class: c_int, event: &'static CStr) {
        // SAFETY: the context is the call's, and the server keeps none of the pointers.
        unsafe { api!(RedisModule_SignalModifiedKey(self.ctx, name.as_raw())) };
        self.notify(name, class, event);
    }

    /// Tells subscribers what happened to a key.
    pub(super) fn notify(&self, name: &Name, class: c_int, event: &'static CStr) {
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

    /// Opens a key that the call may write, the way write commands look one up, which leaves the
    /// statistics of hits and misses alone. That alone changes nothing: we have the server not take
    /// it for a change.
    pub(super) fn open(&self, name: &Name) -> Key<'_> {
        self.open_with(name, WRITE_MODE)
    }

    fn open_with(&self, name: &Name, mode: u32) -> Key<'_> {
        // SAFETY: the context is the call's; a null key is an empty one to every function we use.
        let key = unsafe { api!(RedisModule_OpenKey(self.ctx, name.as_raw(), mode as c_int)) };
        Key {
            key,
            store: PhantomData,
        }
    }
}

/// The server's reason for taking no writes, with the code that clients know it by; `None` if it is
/// a reason of another kind, which is found where the key is used.
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

/// The reply of a call, which is an error if there was none.
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

/// An error unless a command has written.
pub(super) fn written(reply: &CallReply) -> Result<()> {
    match reply.is_error() {
        true => Err(Error::Server { call: "a write" }),
        false => Ok(()),
    }
}

/// An error unless the server took what replicas and the AOF shall get.
pub(super) fn queued(status: c_int) -> Result<()> {
    match status as isize {
        raw::REDISMODULE_OK => Ok(()),
        _ => Err(Error::Server {
            call: "replication",
        }),
    }
}

pub(super) const WRITE_MODE: u32 = raw::REDISMODULE_READ | raw::REDISMODULE_WRITE;

/// How to open a key that is only read, without counting a hit or a miss: from Redis 7.2 on there
/// are flags for it, and before that it takes the way of a write.
fn read_mode() -> u32 {
    const UNSEEN: u32 = raw::REDISMODULE_OPEN_KEY_NONOTIFY | raw::REDISMODULE_OPEN_KEY_NOSTATS;
    static MODE: LazyLock<u32> = LazyLock::new(|| {
        // SAFETY: takes no arguments.
        let known = unsafe { raw::RedisModule_GetOpenKeyModesAll.map_or(0, |known| known()) };
        match known as u32 & UNSEEN {
            UNSEEN => raw::REDISMODULE_READ | UNSEEN,
            _ => WRITE_MODE,
        }
    });
    *MODE
}

/// Redis counts in signed 64 bits.
pub const MAX_COUNT: u64 = i64::MAX as u64;

fn count_of(string: &OpenString, name: &Name) -> Result<u64> {
    let Some(text) = string.bytes() else {
        return Ok(0);
    };
    parse_count(text).ok_or_else(|| not_a_count(name))
}

fn write_count(string: OpenString, name: &Name, count: u64, by: u64) -> Result<()> {
    let sum = count
        .checked_add(by)
        .and_then(|sum| i64::try_from(sum).ok());
    let (Some(sum), Ok(by)) = (sum, i64::try_from(by)) else {
        return Err(overflow(name));
    };
    string.add(sum, by)
}

fn not_a_count(name: &Name) -> Error {
    Error::NotACount {
        key: name.as_bytes().to_vec(),
    }
}

fn overflow(name: &Name) -> Error {
    Error::CounterOverflow {
        key: name.as_bytes().to_vec(),
    }
}

fn parse_count(text: &[u8]) -> Option<u64> {
    u64::try_from(decimal::parse(text)?).ok()
}

/// An open key.
pub(super) struct Key<'s> {
    pub(super) key: *mut RedisModuleKey,
    store: PhantomData<&'s ()>,
}

// In all of these `self.key` is open, and nothing else runs in the server while a method does.
impl Key<'_> {
    pub(super) fn kind(&self) -> c_int {
        // SAFETY: see above.
        unsafe { api!(RedisModule_KeyType(self.key)) }
    }

    /// Where the value of a key is that is known to be a string: to be written only if it was
    /// opened for that and is asked for in that mode.
    pub(super) fn value(&self, mode: u32) -> Option<NonNull<[u8]>> {
        let mut len = 0;
        // SAFETY: see above.
        let start = unsafe { api!(RedisModule_StringDMA(self.key, &mut len, mode as c_int)) };
        let start = NonNull::new(start.cast::<u8>())?;
        Some(NonNull::slice_from_raw_parts(start, len))
    }

    /// The same with this length, to be written; its expiry stays.
    pub(super) fn value_of_len(&self, len: usize) -> Option<NonNull<[u8]>> {
        let value = self.value(WRITE_MODE)?;
        if value.len() == len {
            return Some(value);
        }
        // SAFETY: see above.
        let status = unsafe { api!(RedisModule_StringTruncate(self.key, len)) };
        let value = self.value(WRITE_MODE)?;
        (status == 0 && value.len() == len).then_some(value)
    }

    /// A field of a key that is known to be a hash.
    pub(super) fn field(&self, field: &Name) -> Option<Name> {
        let mut value: *mut raw::RedisModuleString = ptr::null_mut();
        // SAFETY: see above; a field and the place for its value, then the end of the list. What
        // comes back is ours to free.
        unsafe {
            api!(RedisModule_HashGet(
                self.key,
                raw::REDISMODULE_HASH_NONE as c_int,
                field.as_raw(),
                &raw mut value,
                ptr::null_mut::<raw::RedisModuleString>()
            ));
            (!value.is_null()).then(|| Name::from_raw(value))
        }
    }
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        // SAFETY: it was opened by us and not closed yet.
        unsafe { api!(RedisModule_CloseKey(self.key)) }
    }
}
