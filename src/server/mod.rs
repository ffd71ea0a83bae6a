//! Everything that touches the server: the only place with `unsafe` code.
//!
//! Commands see [`Call`] (arguments, reply, clock), [`Store`](store::Store) (keys) and
//! [`config`]; the rest is what makes those safe.

#[macro_use]
mod api;
mod alloc;
mod args;
mod background;
mod call;
mod caller;
pub mod config;
mod events;
mod guard;
mod hashes;
mod info;
mod leaving;
mod log;
mod memory;
pub mod metrics;
mod module;
mod name;
mod reader;
mod register;
pub mod registry;
mod reply;
mod scan;
mod server_info;
mod slots;
pub mod spec;
pub mod store;
mod strings;
mod tracking;
mod writer;

pub use args::{Args, Given, integer_within};
pub use call::Call;
pub use guard::enter;
pub use module::{Module, load, unload};
pub use name::Name;
pub use redis_module::raw::{RedisModuleCtx, RedisModuleString};
pub use reply::Reply;
pub use store::Store;
pub use strings::OpenString;
