//! Configs: `CONFIG GET keyns.*`, `CONFIG SET`, lines of redis.conf, and module arguments.

use std::ffi::{CStr, CString, c_char, c_int, c_longlong, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleString};

use super::{Name, guard, name};
use crate::core::kinds::Kinds;
use crate::core::number_words::Lang;
use crate::core::rate::MAX_SLIDING;
use crate::core::slug::Abbreviations;
use crate::core::{Error, Result, decimal};

/// What the configs are set to.
#[derive(Debug, Clone)]
pub struct Settings {
    pub lang: Lang,
    pub abbreviations: Abbreviations,
    abbreviations_json: Vec<u8>,
    pub kinds: Kinds,
    kinds_list: Vec<u8>,
    pub max_text_bytes: usize,
    pub max_skips: u64,
    pub max_document_bytes: usize,
    pub max_elements: usize,
    pub max_siblings: usize,
    pub max_write_bytes: usize,
    pub parse_thread_bytes: usize,
    pub max_sliding: u64,
    /// The path of a file; empty if there is none.
    pub namespaces: Vec<u8>,
    pub namespaces_in_rdb: bool,
    pub max_namespaces: usize,
    pub max_key_bytes: usize,
}

/// What `keyns.max-text-bytes` allows at least: shorter texts need no look at the settings.
pub const MIN_TEXT_BYTES: usize = 64;

/// What `keyns.max-text-bytes`, `keyns.max-document-bytes` and `keyns.max-elements` allow unless they
/// are set. Documents that are stored may be as large, even where new ones may not.
pub const DEFAULT_TEXT_BYTES: usize = 1 << 20;
pub const DEFAULT_DOCUMENT_BYTES: usize = 8 << 20;
pub const DEFAULT_ELEMENTS: usize = 100_000;

/// What `keyns.max-key-bytes` allows at least, likewise.
pub const MIN_KEY_BYTES: usize = 64;

/// All configs. `redis.conf.example` explains them.
pub static CONFIGS: [Config; 15] = [
    Config {
        name: c"keyns.lang",
        value: Value::Choice {
            default: 0,
            words: &[c"de", c"en"],
            allowed: "de or en",
            get: |settings| match settings.lang {
                Lang::De => 0,
                Lang::En => 1,
            },
            set: |settings, choice| {
                settings.lang = match choice {
                    0 => Lang::De,
                    _ => Lang::En,
                }
            },
        },
    },
    Config {
        name: c"keyns.abbreviations",
        value: Value::Text {
            default: c"{}",
            get: |settings| &settings.abbreviations_json,
            set: |settings, json| {
                settings.abbreviations = Abbreviations::from_json(json)?;
                settings.abbreviations_json = json.to_vec();
                Ok(())
            },
        },
    },
    Config {
        name: c"keyns.kinds",
        value: Value::Text {
            default: Kinds::DEFAULT,
            get: |settings| &settings.kinds_list,
            set: |settings, list| {
                settings.kinds = Kinds::parse(list)?;
                settings.kinds_list = list.to_vec();
                Ok(())
            },
        },
    },
    Config {
        name: c"keyns.max-text-bytes",
        value: Value::Number {
            default: DEFAULT_TEXT_BYTES as i64,
            min: MIN_TEXT_BYTES as i64,
            max: 64 << 20,
            get: |settings| settings.max_text_bytes as i64,
            set: |settings, bytes| settings.max_text_bytes = bytes as usize,
        },
    },
    Config {
        name: c"keyns.max-skips",
        value: Value::Number {
            default: 1_000_000,
            min: 1,
            max: 10_000_000,
            get: |settings| settings.max_skips as i64,
            set: |settings, skips| settings.max_skips = skips as u64,
        },
    },
    Config {
        name: c"keyns.max-document-bytes",
        value: Value::Number {
            default: DEFAULT_DOCUMENT_BYTES as i64,
            min: 1024,
            max: 512 << 20,
            get: |settings| settings.max_document_bytes as i64,
            set: |settings, bytes| settings.max_document_bytes = bytes as usize,
        },
    },
    Config {
        name: c"keyns.max-elements",
        value: Value::Number {
            default: DEFAULT_ELEMENTS as i64,
            min: 1,
            max: 10_000_000,
            get: |settings| settings.max_elements as i64,
            set: |settings, elements| settings.max_elements = elements as usize,
        },
    },
    Config {
        name: c"keyns.max-siblings",
        value: Value::Number {
            default: 256,
            min: 1,
            max: 10_000,
            get: |settings| settings.max_siblings as i64,
            set: |settings, siblings| settings.max_siblings = siblings as usize,
        },
    },
    Config {
        name: c"keyns.max-write-bytes",
        value: Value::Number {
            default: 384 << 20,
            min: 64 << 10,
            max: 1 << 40,
            get: |settings| settings.max_write_bytes as i64,
            set: |settings, bytes| settings.max_write_bytes = bytes as usize,
        },
    },
    Config {
        name: c"keyns.parse-thread-bytes",
        value: Value::Number {
            default: 256 << 10,
            min: 0,
            max: 512 << 20,
            get: |settings| settings.parse_thread_bytes as i64,
            set: |settings, bytes| settings.parse_thread_bytes = bytes as usize,
        },
    },
    Config {
        name: c"keyns.max-sliding",
        value: Value::Number {
            default: 10_000,
            min: 1,
            max: MAX_SLIDING as i64,
            get: |settings| settings.max_sliding as i64,
            set: |settings, units| settings.max_sliding = units as u64,
        },
    },
    Config {
        name: c"keyns.namespaces",
        value: Value::Text {
            default: c"",
            get: |settings| &settings.namespaces,
            set: |settings, path| {
                settings.namespaces = path.to_vec();
                Ok(())
            },
        },
    },
    Config {
        name: c"keyns.namespaces-in-rdb",
        value: Value::Choice {
            default: 1,
            words: &[c"no", c"yes"],
            allowed: "yes or no",
            get: |settings| settings.namespaces_in_rdb.into(),
            set: |settings, choice| settings.namespaces_in_rdb = choice != 0,
        },
    },
    Config {
        name: c"keyns.max-namespaces",
        value: Value::Number {
            default: 10_000,
            min: 1,
            max: 1_000_000,
            get: |settings| settings.max_namespaces as i64,
            set: |settings, namespaces| settings.max_namespaces = namespaces as usize,
        },
    },
    Config {
        name: c"keyns.max-key-bytes",
        value: Value::Number {
            default: 1024,
            min: MIN_KEY_BYTES as i64,
            max: 64 << 10,
            get: |settings| settings.max_key_bytes as i64,
            set: |settings, bytes| settings.max_key_bytes = bytes as usize,
        },
    },
];

/// Those that only count while the module is loaded.
const FIXED: [&CStr; 2] = [c"keyns.namespaces", c"keyns.namespaces-in-rdb"];

const PREFIX: &[u8] = b"keyns.";

/// One config.
pub struct Config {
    pub name: &'static CStr,
    pub value: Value,
}

/// A kind of config, its bounds, and where in the settings it is.
pub enum Value {
    Number {
        default: i64,
        min: i64,
        max: i64,
        get: fn(&Settings) -> i64,
        set: fn(&mut Settings, i64),
    },
    Text {
        default: &'static CStr,
        get: fn(&Settings) -> &Vec<u8>,
        set: fn(&mut Settings, &[u8]) -> Result<()>,
    },
    /// One of some words, by its index.
    Choice {
        default: c_int,
        words: &'static [&'static CStr],
        /// The words in a sentence.
        allowed: &'static str,
        get: fn(&Settings) -> c_int,
        set: fn(&mut Settings, c_int),
    },
}

static SETTINGS: RwLock<Option<Settings>> = RwLock::new(None);
static IN_CLUSTER: AtomicBool = AtomicBool::new(false);

impl Settings {
    fn initial() -> Settings {
        Settings {
            lang: Lang::De,
            abbreviations: Abbreviations::default(),
            abbreviations_json: Vec::new(),
            kinds: Kinds::default(),
            kinds_list: Vec::new(),
            max_text_bytes: 0,
            max_skips: 0,
            max_document_bytes: 0,
            max_elements: 0,
            max_siblings: 0,
            max_write_bytes: 0,
            parse_thread_bytes: 0,
            max_sliding: 0,
            namespaces: Vec::new(),
            namespaces_in_rdb: false,
            max_namespaces: 0,
            max_key_bytes: 0,
        }
    }
}

/// The settings, for as long as the guard is held: never while the server runs a command or tells
/// others of a change, which might come back here to change them.
pub struct Current(RwLockReadGuard<'static, Option<Settings>>);

impl std::ops::Deref for Current {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        match &*self.0 {
            Some(settings) => settings,
            None => panic!("settings are used before they are registered"),
        }
    }
}

pub fn current() -> Current {
    Current(SETTINGS.read().unwrap_or_else(PoisonError::into_inner))
}

fn change<T>(change: impl FnOnce(&mut Settings) -> T) -> T {
    let mut settings = SETTINGS.write().unwrap_or_else(PoisonError::into_inner);
    change(settings.get_or_insert_with(Settings::initial))
}

/// Whether the server is a node of a cluster, which it is for as long as it lives or not at all.
pub fn in_cluster() -> bool {
    IN_CLUSTER.load(Ordering::Relaxed)
}

/// Registers all configs, with the module's arguments as their defaults, and has the server set
/// them.
///
/// # Safety
/// `ctx` must be the context the module is loaded with.
pub unsafe fn register(ctx: *mut RedisModuleCtx, arguments: &[&[u8]]) -> Result<()> {
    // SAFETY: `ctx` is the module's.
    let flags = unsafe { api!(RedisModule_GetContextFlags(ctx)) };
    let in_cluster = flags & raw::REDISMODULE_CTX_FLAGS_CLUSTER as c_int != 0;
    IN_CLUSTER.store(in_cluster, Ordering::Relaxed);

    change(|settings| *settings = Settings::initial());
    let arguments = Arguments::parse(arguments)?;
    for config in &CONFIGS {
        // SAFETY: `ctx` is the module's.
        unsafe { config.register(ctx, arguments.of(config))? };
    }
    // SAFETY: `ctx` is the module's, and all configs are registered.
    match unsafe { api!(RedisModule_LoadConfigs(ctx)) } {
        0 => Ok(()),
        _ => Err(Error::Server {
            call: "a config, as the line before says",
        }),
    }
}

/// Gives the memory of the settings back.
pub fn forget() {
    *SETTINGS.write().unwrap_or_else(PoisonError::into_inner) = None;
    *shown() = Vec::new();
}

/// Module arguments: `lang en max-skips 10`, with or without `keyns.` in front of the names.
struct Arguments<'a>(Vec<(&'static CStr, &'a [u8])>);

impl<'a> Arguments<'a> {
    fn parse(arguments: &[&'a [u8]]) -> Result<Arguments<'a>> {
        let mut pairs = Vec::new();
        for pair in arguments.chunks(2) {
            let (name, value) = match pair {
                [name, value] => (*name, *value),
                [name, ..] => return Err(Error::syntax(name)),
                [] => continue,
            };
            let config = CONFIGS
                .iter()
                .find(|config| config.is_called(name))
                .ok_or_else(|| Error::UnknownConfig {
                    name: name.to_vec(),
                })?;
            pairs.push((config.name, value));
        }
        Ok(Arguments(pairs))
    }

    /// The last one given counts, as it does in redis.conf.
    fn of(&self, config: &Config) -> Option<&'a [u8]> {
        let mut given = self.0.iter().rev();
        given
            .find(|(name, _)| *name == config.name)
            .map(|(_, value)| *value)
    }
}

impl Config {
    /// # Safety
    /// `ctx` must be the context the module is loaded with.
    unsafe fn register(
        &'static self,
        ctx: *mut RedisModuleCtx,
        given: Option<&[u8]>,
    ) -> Result<()> {
        let this = ptr::from_ref(self).cast_mut().cast::<c_void>();
        let name = self.bare_name().as_ptr();
        let flags = match FIXED.contains(&self.name) {
            true => raw::REDISMODULE_CONFIG_IMMUTABLE as c_uint,
            false => raw::REDISMODULE_CONFIG_DEFAULT as c_uint,
        };
        // SAFETY: `ctx` is the module's; the callbacks get `this` back, which is static, and the
        // server copies the strings.
        let status = unsafe {
            match &self.value {
                Value::Number {
                    default, min, max, ..
                } => {
                    let default = self.number_or(given, *default, *min, *max)?;
                    api!(RedisModule_RegisterNumericConfig(
                        ctx,
                        name,
                        default,
                        flags,
                        *min,
                        *max,
                        Some(get_number),
                        Some(set_number),
                        None,
                        this
                    ))
                }
                Value::Text { default, set, .. } => {
                    let given = given.map(|text| self.text(text, *set)).transpose()?;
                    let default = given.as_deref().unwrap_or(default);
                    api!(RedisModule_RegisterStringConfig(
                        ctx,
                        name,
                        default.as_ptr(),
                        flags,
                        Some(get_text),
                        Some(set_text),
                        None,
                        this
                    ))
                }
                Value::Choice {
                    default,
                    words,
                    allowed,
                    ..
                } => {
                    let default = self.choice_or(given, *default, words, allowed)?;
                    let mut names: Vec<*const c_char> = words.iter().map(|w| w.as_ptr()).collect();
                    let numbers: Vec<c_int> = (0..).take(words.len()).collect();
                    api!(RedisModule_RegisterEnumConfig(
                        ctx,
                        name,
                        default,
                        flags,
                        names.as_mut_ptr(),
                        numbers.as_ptr(),
                        words.len() as c_int,
                        Some(get_choice),
                        Some(set_choice),
                        None,
                        this
                    ))
                }
            }
        };
        match status {
            0 => Ok(()),
            _ => Err(Error::Server {
                call: "to register a config",
            }),
        }
    }

    /// The name that the server puts `keyns.` in front of.
    fn bare_name(&self) -> &'static CStr {
        let bare = self.name.to_bytes_with_nul().strip_prefix(PREFIX);
        bare.and_then(|bare| CStr::from_bytes_with_nul(bare).ok())
            .unwrap_or(self.name)
    }

    fn is_called(&self, name: &[u8]) -> bool {
        self.name.to_bytes().eq_ignore_ascii_case(name)
            || self.bare_name().to_bytes().eq_ignore_ascii_case(name)
    }

    fn label(&self) -> &'static str {
        self.name.to_str().unwrap_or_default()
    }

    fn number_or(&self, given: Option<&[u8]>, default: i64, min: i64, max: i64) -> Result<i64> {
        let Some(text) = given else {
            return Ok(default);
        };
        let number = decimal::parse(text).ok_or_else(|| Error::NotAnInteger {
            option: self.label(),
            got: text.to_vec(),
        })?;
        if (min..=max).contains(&number) {
            return Ok(number);
        }
        Err(Error::OutOfRange {
            option: self.label(),
            min,
            max,
            got: number,
        })
    }

    /// Tries a text on settings that nobody uses, and makes it a C string.
    fn text(&self, text: &[u8], set: fn(&mut Settings, &[u8]) -> Result<()>) -> Result<CString> {
        set(&mut Settings::initial(), text)?;
        CString::new(text).map_err(|_| Error::NotOneOf {
            option: self.label(),
            allowed: "without NUL bytes",
            got: text.to_vec(),
        })
    }

    fn choice_or(
        &self,
        given: Option<&[u8]>,
        default: c_int,
        words: &[&'static CStr],
        allowed: &'static str,
    ) -> Result<c_int> {
        let Some(word) = given else {
            return Ok(default);
        };
        words
            .iter()
            .position(|known| known.to_bytes().eq_ignore_ascii_case(word))
            .and_then(|index| c_int::try_from(index).ok())
            .ok_or_else(|| Error::NotOneOf {
                option: self.label(),
                allowed,
                got: word.to_vec(),
            })
    }
}

/// The config that a callback is about.
///
/// # Safety
/// `data` must be what [`Config::register`] gave the server.
unsafe fn config<'a>(data: *mut c_void) -> &'a Config {
    // SAFETY: it points to one of `CONFIGS`, which are static and never written.
    unsafe { &*data.cast::<Config>() }
}

unsafe extern "C" fn get_number(_name: *const c_char, data: *mut c_void) -> c_longlong {
    // SAFETY: the server passes back what it was given.
    let config = unsafe { config(data) };
    guard::callback("CONFIG GET", 0, || match &config.value {
        Value::Number { get, .. } => get(&current()),
        _ => 0,
    })
}

unsafe extern "C" fn set_number(
    _name: *const c_char,
    number: c_longlong,
    data: *mut c_void,
    _error: *mut *mut RedisModuleString,
) -> c_int {
    // SAFETY: the server passes back what it was given.
    let config = unsafe { config(data) };
    guard::callback("CONFIG SET", 1, || {
        // The server has checked the range.
        if let Value::Number { set, .. } = &config.value {
            change(|settings| set(settings, number));
        }
        0
    })
}

unsafe extern "C" fn get_choice(_name: *const c_char, data: *mut c_void) -> c_int {
    // SAFETY: the server passes back what it was given.
    let config = unsafe { config(data) };
    guard::callback("CONFIG GET", 0, || match &config.value {
        Value::Choice { get, .. } => get(&current()),
        _ => 0,
    })
}

unsafe extern "C" fn set_choice(
    _name: *const c_char,
    choice: c_int,
    data: *mut c_void,
    _error: *mut *mut RedisModuleString,
) -> c_int {
    // SAFETY: the server passes back what it was given.
    let config = unsafe { config(data) };
    guard::callback("CONFIG SET", 1, || {
        // The server has checked the word.
        if let Value::Choice { set, .. } = &config.value {
            change(|settings| set(settings, choice));
        }
        0
    })
}

/// The strings last shown to the server, which stay ours while it reads them.
static SHOWN: Mutex<Vec<(&'static CStr, Name)>> = Mutex::new(Vec::new());

fn shown() -> MutexGuard<'static, Vec<(&'static CStr, Name)>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn get_text(_name: *const c_char, data: *mut c_void) -> *mut RedisModuleString {
    // SAFETY: the server passes back what it was given.
    let config = unsafe { config(data) };
    guard::callback("CONFIG GET", ptr::null_mut(), || {
        let Value::Text { get, .. } = &config.value else {
            return ptr::null_mut();
        };
        let text = Name::new(get(&current()));
        let string = text.as_raw();
        let mut shown = shown();
        shown.retain(|(name, _)| *name != config.name);
        shown.push((config.name, text));
        string
    })
}

unsafe extern "C" fn set_text(
    _name: *const c_char,
    text: *mut RedisModuleString,
    data: *mut c_void,
    error: *mut *mut RedisModuleString,
) -> c_int {
    // SAFETY: the server passes back what it was given, and the text lives for the callback.
    let (config, text) = unsafe { (config(data), name::bytes(text)) };
    guard::callback("CONFIG SET", 1, || {
        let Value::Text { set, .. } = &config.value else {
            return 1;
        };
        let refused = change(|settings| set(settings, text)).err();
        match refused {
            None => 0,
            Some(reason) => {
                let reason = Name::new(reason.to_string().as_bytes());
                // SAFETY: the server reads and frees what we put there.
                unsafe { *error = reason.into_raw() };
                1
            }
        }
    })
}
