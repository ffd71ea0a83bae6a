//! A family of commands: all that the server side knows about it.

use std::ffi::CStr;
use std::{fmt, ptr};

use super::Result;
use super::config::Config;
use super::counters::{Counter, Usage};
use super::info::Section;
use super::module::Loading;
use super::spec::Command;

/// Commands that belong together, and everything they need from the server. [`Family::named`]
/// provides the parts that a family does not define.
pub struct Family {
    /// The prefix of its fields in `INFO keyns` and, with `-` for `_`, its page in `docs/commands`.
    pub name: &'static str,
    pub commands: &'static [&'static Command],
    pub configs: &'static [&'static dyn Config],
    /// Fields of `INFO keyns`, after those of [`info`](Family::info).
    pub counters: &'static [(&'static CStr, &'static Counter)],
    /// Adds fields to `INFO keyns` that are not counters. Must not wait for anything: the server also
    /// calls this for its crash report.
    pub info: fn(&Section),
    /// Called after the configs are set. [`unload`](Family::unload) must undo it.
    pub load: fn(&mut Loading) -> Result<()>,
    /// Frees all memory. Also called after a failed load.
    pub unload: fn(),
    pub usage: Usage,
}

impl Family {
    /// A family with only a name.
    pub const fn named(name: &'static str) -> Family {
        Family {
            name,
            commands: &[],
            configs: &[],
            counters: &[],
            info: |_| {},
            load: |_| Ok(()),
            unload: || {},
            usage: Usage::new(),
        }
    }
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Each is a `static` of its own.
impl PartialEq for Family {
    fn eq(&self, other: &Family) -> bool {
        ptr::eq(self, other)
    }
}
