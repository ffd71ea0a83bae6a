//! `INFO keyns`.

use std::ffi::{CStr, CString, c_int};

use redis_module::raw::{RedisModuleCtx, RedisModuleInfoCtx};

use super::module::loaded;
use super::{entry, log};

/// Registers the module's section of `INFO`.
pub fn register(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: `ctx` is the one the server loads us with, and the function lives as long as we do.
    unsafe { api!(RedisModule_RegisterInfoFunc(ctx, Some(report))) == 0 }
}

unsafe extern "C" fn report(info: *mut RedisModuleInfoCtx, _for_crash_report: c_int) {
    entry::callback("INFO", (), || {
        let Some(module) = loaded() else {
            return;
        };
        let section = Section(info);
        section.start();
        for (field, value) in module.about {
            section.text(field, value);
        }
        for family in module.families {
            let (name, usage) = (family.name, &family.usage);
            section.named_number(&format!("{name}_calls"), usage.calls.get());
            section.named_number(&format!("{name}_errors"), usage.errors.get());
        }
        for family in module.families {
            (family.info)(&section);
            for (field, counter) in family.counters {
                section.number(field, counter.get());
            }
        }
        section.number(c"panics", entry::PANICS.get());
    });
}

/// The module's section of `INFO`.
pub struct Section(*mut RedisModuleInfoCtx);

// In all of these the pointer is the server's, for the time of the callback, and it copies strings.
impl Section {
    fn start(&self) {
        // SAFETY: see above; an empty name makes this the section called like the module.
        unsafe { api!(RedisModule_InfoAddSection(self.0, c"".as_ptr())) };
    }

    fn text(&self, field: &CStr, value: &str) {
        let Ok(value) = CString::new(value) else {
            return log::warning_anywhere("an INFO field contains a NUL byte");
        };
        // SAFETY: see above.
        unsafe {
            api!(RedisModule_InfoAddFieldCString(
                self.0,
                field.as_ptr(),
                value.as_ptr()
            ))
        };
    }

    pub fn number(&self, field: &CStr, value: u64) {
        // SAFETY: see above.
        unsafe {
            api!(RedisModule_InfoAddFieldULongLong(
                self.0,
                field.as_ptr(),
                value
            ))
        };
    }

    fn named_number(&self, field: &str, value: u64) {
        if let Ok(field) = CString::new(field) {
            self.number(&field, value);
        }
    }
}
