//! Configs with a fixed list of words.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use keyns_core::argument::list;
use redis_module::raw::{RedisModuleCtx, RedisModuleString};

use super::{Config, Shape, flags, registered, wrong};
use crate::server::{Result, entry};

/// One word of a list, each with a value.
pub struct Choice<T: 'static> {
    name: &'static CStr,
    words: &'static [(&'static CStr, T)],
    default: c_int,
    is_fixed: bool,
    /// The index of the word.
    value: AtomicI32,
}

/// `yes` or `no`.
pub type Switch = Choice<bool>;

impl Switch {
    pub const fn switch(name: &'static CStr, default: bool) -> Switch {
        Choice::new(name, default as c_int, &[(c"no", false), (c"yes", true)])
    }
}

impl<T: Copy> Choice<T> {
    /// The default is the index of a word.
    pub const fn new(
        name: &'static CStr,
        default: c_int,
        words: &'static [(&'static CStr, T)],
    ) -> Choice<T> {
        assert!(0 <= default && (default as usize) < words.len());
        Choice {
            name,
            words,
            default,
            is_fixed: false,
            value: AtomicI32::new(default),
        }
    }

    /// The same, fixed once the module is loaded.
    pub const fn fixed(self) -> Choice<T> {
        Choice {
            is_fixed: true,
            ..self
        }
    }

    pub fn get(&self) -> T {
        let index = self.value.load(Ordering::Relaxed);
        let chosen = usize::try_from(index).ok().and_then(|i| self.words.get(i));
        match chosen {
            Some((_, value)) => *value,
            None => panic!("the server has set a word that is not there"),
        }
    }

    fn index_of(&self, word: &[u8]) -> Option<c_int> {
        let mut words = self.words.iter();
        let index = words.position(|(known, _)| known.to_bytes().eq_ignore_ascii_case(word));
        c_int::try_from(index?).ok()
    }
}

impl<T: Copy + Sync> Config for Choice<T> {
    fn name(&self) -> &'static CStr {
        self.name
    }

    fn shape(&self) -> Shape {
        Shape::Choice {
            default: self.default,
            words: self.words.iter().map(|(word, _)| *word).collect(),
        }
    }

    unsafe fn register(
        &'static self,
        ctx: *mut RedisModuleCtx,
        given: Option<&[u8]>,
    ) -> Result<()> {
        let default = match given {
            None => self.default,
            Some(word) => self.index_of(word).ok_or_else(|| {
                let words = self.words.iter();
                let words = words.map(|(word, _)| word.to_str().unwrap_or_default());
                wrong(self, list(&words.collect::<Vec<_>>()), word)
            })?,
        };
        let names = self.words.iter().map(|(word, _)| word.as_ptr());
        let mut names: Vec<*const c_char> = names.collect();
        let numbers: Vec<c_int> = (0..).take(names.len()).collect();
        // SAFETY: `ctx` is the module's; the callbacks get `self` back, which is static, and the server
        // copies the names.
        registered(unsafe {
            api!(RedisModule_RegisterEnumConfig(
                ctx,
                self.name.as_ptr(),
                default,
                flags(self.is_fixed),
                names.as_mut_ptr(),
                numbers.as_ptr(),
                names.len() as c_int,
                Some(get::<T>),
                Some(set::<T>),
                None,
                ptr::from_ref(self).cast_mut().cast()
            ))
        })
    }
}

unsafe extern "C" fn get<T: 'static>(_name: *const c_char, data: *mut c_void) -> c_int {
    // SAFETY: the server passes back what it was given, which is static.
    let choice = unsafe { &*data.cast::<Choice<T>>() };
    entry::callback("CONFIG GET", 0, || choice.value.load(Ordering::Relaxed))
}

unsafe extern "C" fn set<T: 'static>(
    _name: *const c_char,
    index: c_int,
    data: *mut c_void,
    _error: *mut *mut RedisModuleString,
) -> c_int {
    // SAFETY: as in `get`.
    let choice = unsafe { &*data.cast::<Choice<T>>() };
    entry::callback("CONFIG SET", 1, || {
        choice.value.store(index, Ordering::Relaxed);
        0
    })
}
