//! Several strings that change together, in one call.

use std::borrow::Cow;
use std::ffi::CStr;
use std::ops::Deref;
use std::sync::OnceLock;

use redis_module::raw;
use smallvec::SmallVec;

use super::{Expiry, OpenString, Store};
use crate::server::server_info::{has_other_modules, in_cluster, is_redis_7_0};
use crate::server::{Result, ServerString};

/// A change of a string whose key is closed already. A call starts all its changes before it
/// [finishes](Started::finish) the first: whoever hears of a change may change any key, so none may be
/// open then.
#[must_use]
pub enum Started<'s, 'v> {
    /// Made in place, and not announced yet.
    Made {
        store: &'s Store<'s>,
        name: &'s ServerString,
        event: &'static CStr,
        /// Whether it has a new expiry.
        expires: bool,
    },
    /// Left to the server, which makes and announces it.
    Left {
        store: &'s Store<'s>,
        name: &'s ServerString,
        value: Cow<'v, [u8]>,
        expiry: Expiry,
    },
}

impl<'s> Store<'s> {
    /// Opens several strings to read and perhaps change them. The names must differ.
    pub fn strings_to_change<N: Deref<Target = ServerString>>(
        &'s self,
        names: &'s [N],
    ) -> Result<SmallVec<[OpenString<'s>; 2]>> {
        static MISSING: OnceLock<Option<&CStr>> = OnceLock::new();
        // Without SET, one string could change in place and the next one could not.
        self.check_commands(&MISSING, &[c"SET"])?;
        let strings = self.open_strings(names)?;
        if !in_cluster() || strings.len() == 1 || strings.iter().all(OpenString::exists) {
            return Ok(strings);
        }
        // The server makes each missing key, and must not refuse one after another has changed.
        let missing = strings.iter().zip(names);
        let missing = missing.filter(|(string, _)| !string.exists());
        let missing: SmallVec<[&N; 2]> = missing.map(|(_, name)| name).collect();
        drop(strings);
        for name in missing {
            self.check_creatable(name)?;
        }
        self.open_strings(names)
    }

    /// Opening an expired key deletes it. Whoever hears of that may delete the keys opened before it,
    /// and the server would read their freed memory, if only to close them. So no key expires while
    /// another is open: newer servers have a mode for it, which treats an expired key as missing.
    /// Redis 7.0 has none. There, each key but the first is opened alone first if other modules are
    /// loaded, since nobody else acts at once. While a command runs, the clock that decides about
    /// expiry stands still, so the second time none of them expires. (Only a module that answers with
    /// a SET to a time in the past can get round this.)
    fn open_strings<N: Deref<Target = ServerString>>(
        &'s self,
        names: &'s [N],
    ) -> Result<SmallVec<[OpenString<'s>; 2]>> {
        if is_redis_7_0() && has_other_modules() {
            for name in names.iter().skip(1) {
                drop(self.open(name));
            }
        }
        let mut strings = SmallVec::new();
        for name in names {
            let string = self.string_to_change_unexpired(name);
            strings.push(string.map_err(|error| error.about(name.as_bytes()))?);
        }
        Ok(strings)
    }
}

impl Started<'_, '_> {
    /// Announces a change that is made, or has the server make it.
    #[inline]
    pub fn finish(self) -> Result<()> {
        match self {
            Started::Made {
                store,
                name,
                event,
                expires,
            } => {
                store.announce(name, raw::REDISMODULE_NOTIFY_STRING, event);
                if expires {
                    store.notify(name, raw::REDISMODULE_NOTIFY_GENERIC, c"expire");
                }
                Ok(())
            }
            Started::Left {
                store,
                name,
                value,
                expiry,
            } => store.set_string(name, &value, expiry),
        }
    }
}
