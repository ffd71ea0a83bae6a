//! Configs that are texts.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Deref;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use redis_module::raw::{RedisModuleCtx, RedisModuleString};

use super::{Config, Shape, flags, registered, wrong};
use crate::server::snapshot::Snapshot;
use crate::server::{Result, ServerString, entry, string};

/// A text and its parsed value.
pub struct Text<T: 'static> {
    name: &'static CStr,
    default: &'static CStr,
    read: fn(&[u8]) -> Result<T>,
    is_fixed: bool,
    value: Snapshot<Value<T>>,
    /// The last reply to `CONFIG GET`: the server needs it to stay alive, and does not free it.
    shown: Mutex<Option<ServerString>>,
}

/// A text with its parsed value.
#[derive(Default)]
pub struct Value<T> {
    text: Vec<u8>,
    value: T,
}

impl<T> Deref for Value<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Text<T> {
    pub const fn new(
        name: &'static CStr,
        default: &'static CStr,
        read: fn(&[u8]) -> Result<T>,
    ) -> Text<T> {
        Text {
            name,
            default,
            read,
            is_fixed: false,
            value: Snapshot::empty(),
            shown: Mutex::new(None),
        }
    }

    /// The same, fixed once the module is loaded.
    pub const fn fixed(mut self) -> Text<T> {
        self.is_fixed = true;
        self
    }

    fn set(&self, text: &[u8]) -> Result<()> {
        let value = (self.read)(text)?;
        self.value.set(Value {
            text: text.to_vec(),
            value,
        });
        Ok(())
    }

    fn show(&self) -> *mut RedisModuleString {
        let value = self.value.get();
        let text = value.as_ref().map_or(&[][..], |value| &value.text);
        let text = ServerString::new(text);
        let string = text.as_raw();
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        string
    }
}

impl<T: Default> Text<T> {
    /// The current value.
    pub fn get(&self) -> Arc<Value<T>> {
        self.value.get().unwrap_or_default()
    }
}

impl<T: Send + Sync> Config for Text<T> {
    fn name(&self) -> &'static CStr {
        self.name
    }

    fn shape(&self) -> Shape {
        Shape::Text {
            default: self.default,
        }
    }

    unsafe fn register(
        &'static self,
        ctx: *mut RedisModuleCtx,
        given: Option<&[u8]>,
    ) -> Result<()> {
        let given = given.map(|text| {
            (self.read)(text)?;
            CString::new(text).map_err(|_| wrong(self, "without NUL bytes".into(), text))
        });
        let given = given.transpose()?;
        let default = given.as_deref().unwrap_or(self.default);
        // SAFETY: `ctx` is the module's; the callbacks get `self` back, which is static, and the server
        // copies the strings.
        registered(unsafe {
            api!(RedisModule_RegisterStringConfig(
                ctx,
                self.name.as_ptr(),
                default.as_ptr(),
                flags(self.is_fixed),
                Some(get::<T>),
                Some(set::<T>),
                None,
                ptr::from_ref(self).cast_mut().cast()
            ))
        })
    }

    fn forget(&self) {
        self.value.forget();
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

unsafe extern "C" fn get<T: 'static>(
    _name: *const c_char,
    data: *mut c_void,
) -> *mut RedisModuleString {
    // SAFETY: the server passes back what it was given, which is static.
    let text = unsafe { &*data.cast::<Text<T>>() };
    entry::callback("CONFIG GET", ptr::null_mut(), || text.show())
}

unsafe extern "C" fn set<T: 'static>(
    _name: *const c_char,
    text: *mut RedisModuleString,
    data: *mut c_void,
    error: *mut *mut RedisModuleString,
) -> c_int {
    // SAFETY: as in `get`; the text lives for the callback.
    let (config, text) = unsafe { (&*data.cast::<Text<T>>(), string::bytes(text)) };
    entry::callback("CONFIG SET", 1, || match config.set(text) {
        Ok(()) => 0,
        Err(reason) => {
            let reason = ServerString::new(reason.to_string().as_bytes());
            // SAFETY: the server reads and frees what we put there.
            unsafe { *error = reason.into_raw() };
            1
        }
    })
}
