//! Strings of the server: names of keys, and values.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;

use redis_module::raw::RedisModuleString;

use keyns_core::text::decimal::{self, MAX_DIGITS};

/// A string of the server that we own.
pub struct ServerString(*mut RedisModuleString);

// SAFETY: a string without a context is bound to no thread, and we alone own it. The one kind that
// the server shares with us is released only on its main thread: see `waiting::Job`.
unsafe impl Send for ServerString {}

impl ServerString {
    pub fn new(bytes: &[u8]) -> ServerString {
        // SAFETY: the server copies the bytes. Without a context, the string is ours to free.
        ServerString(unsafe {
            api!(RedisModule_CreateString(
                ptr::null_mut(),
                bytes.as_ptr().cast(),
                bytes.len()
            ))
        })
    }

    /// A number in decimal.
    pub fn of_number(number: u64) -> ServerString {
        ServerString::new(decimal::format(number, &mut [0; MAX_DIGITS]))
    }

    /// Takes ownership of a string that the server created for us.
    ///
    /// # Safety
    /// Nobody else may free it.
    pub unsafe fn from_raw(string: *mut RedisModuleString) -> ServerString {
        ServerString(string)
    }

    pub fn as_raw(&self) -> *mut RedisModuleString {
        self.0
    }

    /// Gives the string to the server, which frees it.
    pub fn into_raw(self) -> *mut RedisModuleString {
        ManuallyDrop::new(self).0
    }

    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: the string lives as long as `self`.
        unsafe { bytes(self.0) }
    }
}

impl Drop for ServerString {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nothing uses it any more.
        unsafe { api!(RedisModule_FreeString(ptr::null_mut(), self.0)) }
    }
}

/// The name of a key among the arguments of a call, which the server keeps.
pub struct KeyArgument<'a> {
    name: ManuallyDrop<ServerString>,
    call: PhantomData<&'a ()>,
}

impl KeyArgument<'_> {
    /// # Safety
    /// The string must live for `'a`.
    pub(super) unsafe fn of(string: *mut RedisModuleString) -> Self {
        KeyArgument {
            name: ManuallyDrop::new(ServerString(string)),
            call: PhantomData,
        }
    }
}

impl Deref for KeyArgument<'_> {
    type Target = ServerString;

    fn deref(&self) -> &ServerString {
        &self.name
    }
}

/// The bytes of a string of the server.
///
/// # Safety
/// The string must live, unchanged, for `'a`.
pub unsafe fn bytes<'a>(string: *const RedisModuleString) -> &'a [u8] {
    let mut len = 0;
    // SAFETY: the pointer is valid for `len` bytes as long as the string lives.
    unsafe {
        let start: *const u8 = api!(RedisModule_StringPtrLen(string, &mut len)).cast();
        if start.is_null() {
            return &[];
        }
        std::slice::from_raw_parts(start, len)
    }
}
