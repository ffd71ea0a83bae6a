//! A family's own data in a snapshot, besides the keys.
//!
//! The server ties such data to a type of values. No command creates a value of this type. But a user
//! who may call `RESTORE`, or a forged snapshot, can present one. So the type has every method that a
//! value could reach, and each refuses.

use std::ffi::{CStr, c_int, c_void};
use std::{mem, ptr};

use redis_module::raw::{
    self, RedisModuleCtx, RedisModuleDefragCtx, RedisModuleDigest, RedisModuleIO, RedisModuleString,
};

use super::{Error, Result, entry, log};

/// A text that a family keeps in snapshots.
pub trait ModuleData {
    /// The name of the type: nine characters, unique among all modules.
    const TYPE: &'static CStr;
    /// The version of the text's format. Loading refuses others.
    const VERSION: c_int;
    /// What the data is, for the log.
    const WHAT: &'static str;

    /// The text, `None` if there is nothing to store. A server without the module can then load the
    /// snapshot.
    fn save() -> Option<String>;

    /// Loads the text of a snapshot, or says what is wrong with it.
    fn load(text: &[u8]) -> std::result::Result<(), String>;
}

/// The first version of a type's methods with `aux_save2`, which may write nothing.
const LEAVES_OUT: c_int = 5;

/// Whether a snapshot may omit our data: Redis 7.2 and newer, Valkey.
pub fn can_be_left_out() -> bool {
    // SAFETY: takes no arguments.
    let version = unsafe { raw::RedisModule_GetTypeMethodVersion.map(|version| version()) };
    version.is_some_and(|version| version >= LEAVES_OUT)
}

/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn register<D: ModuleData>(ctx: *mut RedisModuleCtx) -> Result<()> {
    // SAFETY: all zeros are a valid value: numbers and functions that are not there. The server
    // copies it.
    unsafe {
        let mut methods: raw::RedisModuleTypeMethods = mem::zeroed();
        methods.version = LEAVES_OUT as u64;
        methods.aux_load = Some(load::<D>);
        methods.aux_save2 = Some(save::<D>);
        methods.aux_save_triggers = raw::REDISMODULE_AUX_BEFORE_RDB as c_int;
        methods.rdb_load = Some(refuse_to_load);
        methods.rdb_save = Some(save_nothing);
        methods.aof_rewrite = Some(rewrite_nothing);
        methods.mem_usage = Some(weigh_nothing);
        methods.digest = Some(digest_nothing);
        methods.free = Some(free_nothing);
        methods.free_effort = Some(free_without_effort);
        methods.unlink = Some(unlink_nothing);
        methods.copy = Some(refuse_to_copy);
        methods.defrag = Some(move_nothing);
        let made = api!(RedisModule_CreateDataType(
            ctx,
            D::TYPE.as_ptr(),
            D::VERSION,
            &mut methods
        ));
        match made.is_null() {
            true => Err(Error::Server {
                call: "to keep data in snapshots",
            }),
            false => Ok(()),
        }
    }
}

unsafe extern "C" fn save<D: ModuleData>(rdb: *mut RedisModuleIO, _when: c_int) {
    entry::callback("saving", (), || {
        let Some(text) = D::save() else {
            return;
        };
        // SAFETY: the server copies the bytes.
        unsafe {
            api!(RedisModule_SaveStringBuffer(
                rdb,
                text.as_ptr().cast(),
                text.len()
            ));
        }
    });
}

unsafe extern "C" fn load<D: ModuleData>(
    rdb: *mut RedisModuleIO,
    version: c_int,
    _when: c_int,
) -> c_int {
    const ERR: c_int = raw::REDISMODULE_ERR as c_int;
    entry::callback("loading a snapshot", ERR, || {
        let what = D::WHAT;
        if version != D::VERSION {
            log::warning_anywhere(&format!(
                "the snapshot's {what} were written by another version of keyns"
            ));
            return ERR;
        }
        let mut len = 0;
        // SAFETY: the buffer is ours until it is freed, and null if the snapshot ends too early.
        let loaded = unsafe {
            let buffer = api!(RedisModule_LoadStringBuffer(rdb, &mut len));
            if buffer.is_null() {
                return ERR;
            }
            let loaded = D::load(std::slice::from_raw_parts(buffer.cast::<u8>(), len));
            api!(RedisModule_Free(buffer.cast::<c_void>()));
            loaded
        };
        match loaded {
            Ok(()) => raw::REDISMODULE_OK as c_int,
            Err(reason) => {
                log::warning_anywhere(&format!("the snapshot's {what} are wrong: {reason}"));
                ERR
            }
        }
    })
}

/// Reports that the data cannot be loaded: `RESTORE` returns an error, and the server refuses a
/// snapshot.
unsafe extern "C" fn refuse_to_load(_rdb: *mut RedisModuleIO, _version: c_int) -> *mut c_void {
    ptr::null_mut()
}

// No value is ever loaded, so the server should never call these. They do nothing, because a
// missing function would crash the server if it did.

unsafe extern "C" fn save_nothing(_rdb: *mut RedisModuleIO, _value: *mut c_void) {}

unsafe extern "C" fn rewrite_nothing(
    _aof: *mut RedisModuleIO,
    _key: *mut RedisModuleString,
    _value: *mut c_void,
) {
}

unsafe extern "C" fn weigh_nothing(_value: *const c_void) -> usize {
    0
}

unsafe extern "C" fn digest_nothing(_digest: *mut RedisModuleDigest, _value: *mut c_void) {}

unsafe extern "C" fn free_nothing(_value: *mut c_void) {}

unsafe extern "C" fn free_without_effort(
    _key: *mut RedisModuleString,
    _value: *const c_void,
) -> usize {
    1
}

unsafe extern "C" fn unlink_nothing(_key: *mut RedisModuleString, _value: *const c_void) {}

unsafe extern "C" fn refuse_to_copy(
    _from: *mut RedisModuleString,
    _to: *mut RedisModuleString,
    _value: *const c_void,
) -> *mut c_void {
    ptr::null_mut()
}

unsafe extern "C" fn move_nothing(
    _ctx: *mut RedisModuleDefragCtx,
    _key: *mut RedisModuleString,
    _value: *mut *mut c_void,
) -> c_int {
    0
}
