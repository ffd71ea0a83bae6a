//! A family of commands: the one thing that the server's side knows of it.

use std::ffi::CStr;
use std::{fmt, ptr};

use super::Result;
use super::config::Config;
use super::counters::{Counter, Usage};
use super::info::Section;
use super::module::Loading;
use super::spec::Command;

/// Commands that belong together, and all that they need of the server. A family that has nothing to
/// say about a part leaves it to [`Family::named`].
pub struct Family {
    /// As `INFO keyns` has it, and with `-` for `_` the page in `docs/commands`.
    pub name: &'static str,
    pub commands: &'static [&'static Command],
    pub configs: &'static [&'static dyn Config],
    /// Fields of `INFO keyns`, after those of [`info`](Family::info).
    pub counters: &'static [(&'static CStr, &'static Counter)],
    /// Adds fields to `INFO keyns` that are no counters. Must not wait for anybody: the server asks for
    /// its report of a crash, too.
    pub info: fn(&Section),
    /// Called when the configs are set. What it does must be undone by [`unload`](Family::unload).
    pub load: fn(&mut Loading) -> Result<()>,
    /// Gives back what is kept in memory. Also called after a load that failed.
    pub unload: fn(),
    pub usage: Usage,
}

impl Family {
    /// A family with a name only.
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
