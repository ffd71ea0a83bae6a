//! `INFO keyns`.

use std::ffi::{CString, c_int};

use redis_module::raw::{RedisModuleCtx, RedisModuleInfoCtx};

use super::metrics::{
    BLOCKED, DEDUP, DOCUMENT_DROP, DOCUMENT_WRITE, Family, Hold, LOCKS, LOOK_UPS_CUT, PANICS,
    REVISIONS, Rulings,
};
use super::{background, guard, log, registry};
use crate::core::rate::Algorithm;
use crate::core::slug::TABLE_VERSION;

/// Has the server ask us for our section.
pub fn register(ctx: *mut RedisModuleCtx) -> bool {
    // SAFETY: `ctx` is the one the server loads us with, and the function lives as long as we do.
    unsafe { api!(RedisModule_RegisterInfoFunc(ctx, Some(report))) == 0 }
}

unsafe extern "C" fn report(info: *mut RedisModuleInfoCtx, _for_crash_report: c_int) {
    guard::callback("INFO", (), || {
        let section = Section(info);
        section.start();
        section.text("version", env!("CARGO_PKG_VERSION"));
        section.text("slug_table", TABLE_VERSION);
        for family in Family::ALL {
            let counts = family.counts();
            section.number(&format!("{}_calls", family.name()), counts.calls.get());
            section.number(&format!("{}_errors", family.name()), counts.errors.get());
        }
        section.number("documents_parsing", background::waiting() as u64);
        for (name, hold) in [("write", &DOCUMENT_WRITE), ("drop", &DOCUMENT_DROP)] {
            let Hold { last, longest } = hold;
            section.number(&format!("documents_{name}_last_usec"), last.get());
            section.number(&format!("documents_{name}_longest_usec"), longest.get());
        }
        for algorithm in Algorithm::ALL {
            let name = algorithm.keyword().to_ascii_lowercase();
            let Rulings { allowed, denied } = Rulings::of(algorithm);
            section.number(&format!("rate_limits_{name}_allowed"), allowed.get());
            section.number(&format!("rate_limits_{name}_denied"), denied.get());
        }
        section.number("rate_limits_blocked", BLOCKED.get());
        section.number("namespaces", registry::count().unwrap_or(0) as u64);
        section.number("namespaces_lookups_cut", LOOK_UPS_CUT.get());
        for (name, repeats) in [("dedup", &DEDUP), ("revision", &REVISIONS)] {
            section.number(&format!("coordination_{name}_hits"), repeats.hits.get());
            section.number(&format!("coordination_{name}_misses"), repeats.misses.get());
        }
        for (name, count) in [
            ("taken", &LOCKS.taken),
            ("refused", &LOCKS.refused),
            ("extended", &LOCKS.extended),
            ("released", &LOCKS.released),
            ("not_held", &LOCKS.not_held),
        ] {
            section.number(&format!("coordination_locks_{name}"), count.get());
        }
        section.number("panics", PANICS.get());
    });
}

struct Section(*mut RedisModuleInfoCtx);

impl Section {
    fn start(&self) {
        // SAFETY: the pointer is the server's, for the time of the callback; an empty name makes
        // this the section called like the module.
        unsafe { api!(RedisModule_InfoAddSection(self.0, c"".as_ptr())) };
    }

    fn text(&self, field: &str, value: &str) {
        match (CString::new(field), CString::new(value)) {
            (Ok(field), Ok(value)) => {
                // SAFETY: as in `start`; the server copies both strings.
                unsafe {
                    api!(RedisModule_InfoAddFieldCString(
                        self.0,
                        field.as_ptr(),
                        value.as_ptr()
                    ))
                };
            }
            _ => log::warning_anywhere("a field of INFO has a NUL byte in it"),
        }
    }

    fn number(&self, field: &str, value: u64) {
        if let Ok(field) = CString::new(field) {
            // SAFETY: as in `text`.
            unsafe {
                api!(RedisModule_InfoAddFieldULongLong(
                    self.0,
                    field.as_ptr(),
                    value
                ))
            };
        }
    }
}
