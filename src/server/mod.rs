//! The safe API over the server: the only place with `unsafe` code. It knows families only through
//! [`Family`].
//!
//! A command sees its [`Call`] (arguments and reply) and the [`Store`] (keys). Events and timers,
//! which have no client, see a [`Context`]. Settings are [`config`]s. State that outlives a call and
//! may change during one is a [`snapshot`]. The other files make these safe.

#[macro_use]
mod api;
mod alloc;
mod args;
mod call;
mod caller;
mod clock;
pub mod config;
mod context;
pub mod counters;
mod entry;
mod error;
pub mod events;
mod family;
mod info;
mod leaving;
mod log;
mod module;
mod module_data;
mod options;
mod register;
mod reply;
mod server_info;
pub mod snapshot;
pub mod spec;
pub mod store;
mod string;
mod waiting;
mod worker;

pub use args::Args;
pub use call::Call;
pub use caller::Rules;
pub use clock::UnixTime;
pub use context::Context;
pub use entry::enter;
#[cfg(feature = "panic-command")]
pub use entry::panic_in;
pub use error::{Error, Result};
pub use family::Family;
pub use info::Section;
pub use module::{Loading, Module, load, unload, version};
pub use module_data::{ModuleData, can_be_left_out};
pub use options::{Opt, Options, Word, choose};
pub use redis_module::raw::{RedisModuleCtx, RedisModuleString};
pub use register::has_acl_categories;
pub use reply::Reply;
pub use store::{OpenString, Store};
pub use string::{KeyArgument, ServerString};
pub use waiting::waiting;
