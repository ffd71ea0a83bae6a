//! Reads the members of a set and the fields of a hash one by one, without copying all of them.

use std::ffi::c_void;

use redis_module::raw::{RedisModuleKey, RedisModuleString};

use super::Key;
use crate::server::{ServerString, string};

/// Called with a member and a way to keep it; returns whether to continue.
type Visit<'v> = dyn FnMut(&[u8], &dyn Fn() -> ServerString) -> bool + 'v;

/// Receives each member from the server.
struct Visitor<'v> {
    visit: &'v mut Visit<'v>,
    goes_on: bool,
}

// `self.key` is open, and nothing else runs in the server while a method does.
impl Key<'_> {
    /// How many members, fields or bytes its value has.
    pub(super) fn len(&self) -> usize {
        // SAFETY: see above.
        unsafe { api!(RedisModule_ValueLength(self.key)) }
    }

    /// Calls `visit` with each member of a set or field of a hash. It must not touch any key.
    pub(super) fn for_each<'v>(&self, visit: &'v mut Visit<'v>) {
        let mut visitor = Visitor {
            visit,
            goes_on: true,
        };
        let data = (&raw mut visitor).cast::<c_void>();
        // SAFETY: see above; the visitor outlives the scan, and the cursor is ours.
        unsafe {
            let cursor = api!(RedisModule_ScanCursorCreate());
            while visitor.goes_on
                && api!(RedisModule_ScanKey(self.key, cursor, Some(tell), data)) != 0
            {}
            api!(RedisModule_ScanCursorDestroy(cursor));
        }
    }
}

/// Passes a member to the visitor.
unsafe extern "C" fn tell(
    _key: *mut RedisModuleKey,
    member: *mut RedisModuleString,
    _value: *mut RedisModuleString,
    data: *mut c_void,
) {
    // SAFETY: the server passes back the visitor, which nobody else uses meanwhile, and a string
    // that lives until this returns.
    let (visitor, bytes) = unsafe { (&mut *data.cast::<Visitor>(), string::bytes(member)) };
    if visitor.goes_on {
        // SAFETY: a string that is held is ours to free.
        let keep = || unsafe {
            ServerString::from_raw(api!(RedisModule_HoldString(std::ptr::null_mut(), member)))
        };
        visitor.goes_on = (visitor.visit)(bytes, &keep);
    }
}
