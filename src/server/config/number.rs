//! Configs that are whole numbers.

use std::ffi::{CStr, c_char, c_int, c_longlong, c_void};
use std::ops::RangeInclusive;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering};

use keyns_core::text::decimal;
use redis_module::raw::{RedisModuleCtx, RedisModuleString};

use super::{Config, Shape, flags, registered, wrong};
use crate::server::{Result, entry};

/// A non-negative whole number.
pub struct Number {
    name: &'static CStr,
    default: i64,
    min: i64,
    max: i64,
    value: AtomicI64,
}

impl Number {
    pub const fn new(name: &'static CStr, default: i64, range: RangeInclusive<i64>) -> Number {
        let (min, max) = (*range.start(), *range.end());
        assert!(0 <= min && min <= default && default <= max);
        Number {
            name,
            default,
            min,
            max,
            value: AtomicI64::new(default),
        }
    }

    pub fn get(&self) -> u64 {
        self.value.load(Ordering::Relaxed).unsigned_abs()
    }

    /// The number as a size in memory.
    pub fn size(&self) -> usize {
        self.get() as usize
    }

    /// The default as a size in memory.
    pub const fn default_size(&self) -> usize {
        self.default as usize
    }
}

impl Config for Number {
    fn name(&self) -> &'static CStr {
        self.name
    }

    fn shape(&self) -> Shape {
        Shape::Number {
            default: self.default,
            min: self.min,
            max: self.max,
        }
    }

    unsafe fn register(
        &'static self,
        ctx: *mut RedisModuleCtx,
        given: Option<&[u8]>,
    ) -> Result<()> {
        let range = self.min..=self.max;
        let default = match given {
            None => self.default,
            Some(text) => decimal::parse(text)
                .filter(|number| range.contains(number))
                .ok_or_else(|| {
                    let expected = format!("an integer between {} and {}", self.min, self.max);
                    wrong(self, expected, text)
                })?,
        };
        // SAFETY: `ctx` is the module's; the callbacks get `self` back, which is static, and the server
        // copies the name.
        registered(unsafe {
            api!(RedisModule_RegisterNumericConfig(
                ctx,
                self.name.as_ptr(),
                default,
                flags(false),
                self.min,
                self.max,
                Some(get),
                Some(set),
                None,
                ptr::from_ref(self).cast_mut().cast()
            ))
        })
    }
}

unsafe extern "C" fn get(_name: *const c_char, data: *mut c_void) -> c_longlong {
    // SAFETY: the server passes back what it was given, which is static.
    let number = unsafe { &*data.cast::<Number>() };
    entry::callback("CONFIG GET", 0, || number.value.load(Ordering::Relaxed))
}

unsafe extern "C" fn set(
    _name: *const c_char,
    value: c_longlong,
    data: *mut c_void,
    _error: *mut *mut RedisModuleString,
) -> c_int {
    // SAFETY: as in `get`.
    let number = unsafe { &*data.cast::<Number>() };
    entry::callback("CONFIG SET", 1, || {
        // The server has checked the range.
        number.value.store(value, Ordering::Relaxed);
        0
    })
}
