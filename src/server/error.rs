//! Why a call fails, with the code by which clients distinguish errors.
//!
//! Families word the mistakes of their callers, which become an `ERR`. Errors about keys, users,
//! memory and replication are here, with the server's own codes.

use std::ffi::CStr;

use keyns_core::Mistake;
use keyns_core::text::quoting::{Printable, Quoted};

pub type Result<T> = std::result::Result<T, Error>;

/// The client reads its [`Display`](std::fmt::Display) after the [`code`](Error::code): ASCII only,
/// with every byte that the caller sent escaped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A mistake of the caller.
    #[error("{0}")]
    Mistake(Box<dyn Mistake>),

    /// The same, with a more specific code than `ERR`.
    #[error("{mistake}")]
    Coded {
        code: &'static str,
        mistake: Box<dyn Mistake>,
    },

    /// The key holds another type.
    #[error("Operation against a key holding the wrong kind of value")]
    WrongType,

    /// A derived key holds another type.
    #[error("Operation against a key holding the wrong kind of value: '{}'", Quoted(.key))]
    WrongTypeOf { key: Vec<u8> },

    /// The caller may not use a key that the call needs.
    #[error("No permissions to access the key '{}'", Quoted(.key))]
    NoPermission { key: Vec<u8> },

    /// The caller lost a permission while the call waited.
    #[error("the user lost permission for this command while it waited")]
    NotAllowed,

    /// A derived key may be in another slot than the prefix.
    #[error("cluster mode needs a hash tag in the prefix, as in {{app}}:doc")]
    NoHashTag,

    /// A slot is moving between two nodes, so this node cannot tell whether a key exists.
    #[error("the slot is moving to another node, and this node does not have all of its keys")]
    SlotMoves,

    /// Writes were paused while a call was waiting.
    #[error("writes are paused; nothing was written")]
    Paused,

    /// The server became a replica while a call was waiting.
    #[error("You can't write against a read only replica.")]
    ReadOnly,

    /// The server no longer accepts writes, for the reason that it gives.
    #[error("{}", Printable(.reason.as_bytes()))]
    NoWrites { code: &'static str, reason: String },

    /// The server ran out of memory while a call was waiting.
    #[error("command not allowed when used memory > 'maxmemory'.")]
    OutOfMemory,

    /// The server has not enough memory left for something.
    #[error(
        "command not allowed when used memory > 'maxmemory': {what} needs about {got} bytes, but only {free} are left"
    )]
    NoRoom {
        what: &'static str,
        free: u64,
        got: usize,
    },

    /// A key in which the module keeps its own state.
    #[error("'{}' is reserved: KEYNS keeps its own state there", Quoted(.key))]
    Reserved { key: Vec<u8> },

    /// A counter whose value is not a count.
    #[error("the counter '{}' does not hold a non-negative integer", Quoted(.key))]
    NotACount { key: Vec<u8> },

    /// A counter at its maximum.
    #[error("the counter '{}' would overflow", Quoted(.key))]
    CounterOverflow { key: Vec<u8> },

    /// A key whose value should be an integer.
    #[error("'{}' does not hold an integer", Quoted(.key))]
    NotAnInteger { key: Vec<u8> },

    /// A key with more members than its owner can have.
    #[error("'{}' has {got} members; {owner} has at most {limit} ({config})", Quoted(.key))]
    StoredMembers {
        key: Vec<u8>,
        owner: &'static str,
        config: &'static str,
        limit: usize,
        got: usize,
    },

    /// A key with a longer text than its owner can have.
    #[error("'{}' has {what} of {got} bytes; {owner} has at most {limit}", Quoted(.key))]
    StoredBytes {
        key: Vec<u8>,
        what: &'static str,
        owner: &'static str,
        limit: usize,
        got: usize,
    },

    /// A plain command that the module needs, and that an operator has renamed.
    #[error("this command needs {name}, which the server does not have (renamed?)")]
    NoCommand { name: &'static str },

    /// A module argument that names no config.
    #[error("unknown config '{}'", Quoted(.name))]
    UnknownConfig { name: Vec<u8> },

    /// A module argument with a value that its config refuses.
    #[error("keyns.{} must be {expected}, got '{}'", .name.to_string_lossy(), Quoted(.got))]
    ConfigArgument {
        name: &'static CStr,
        expected: String,
        got: Vec<u8>,
    },

    /// The server refused a call that passed every check; the caller cannot fix it.
    #[error("the server refused {call}")]
    Server { call: &'static str },
}

impl Error {
    /// The first word of the reply.
    pub fn code(&self) -> &'static str {
        match self {
            Error::WrongType | Error::WrongTypeOf { .. } => "WRONGTYPE",
            Error::ReadOnly => "READONLY",
            Error::OutOfMemory | Error::NoRoom { .. } => "OOM",
            Error::NoPermission { .. } | Error::NotAllowed => "NOPERM",
            Error::SlotMoves | Error::Paused => "TRYAGAIN",
            Error::NoWrites { code, .. } | Error::Coded { code, .. } => code,
            _ => "ERR",
        }
    }

    /// A mistake that is a lack of permission.
    pub fn not_permitted(mistake: impl Mistake) -> Error {
        Error::Coded {
            code: "NOPERM",
            mistake: Box::new(mistake),
        }
    }

    /// Adds the key to the message, for a key that the caller did not name.
    pub fn about(self, key: &[u8]) -> Error {
        match self {
            Error::WrongType => Error::WrongTypeOf { key: key.to_vec() },
            error => error,
        }
    }
}

impl<E: Mistake> From<E> for Error {
    fn from(mistake: E) -> Error {
        Error::Mistake(Box::new(mistake))
    }
}
