//! Why a call fails, with the word by which clients tell errors apart.
//!
//! What a caller did wrong is worded by the family that it is about, and becomes an `ERR`. What the
//! server is to say of keys, users, memory and replication is here, with the code that it has for that.

use std::ffi::CStr;

use keyns_core::Mistake;
use keyns_core::text::quoting::{Printable, Quoted};

pub type Result<T> = std::result::Result<T, Error>;

/// Its [`Display`](std::fmt::Display) is what the client reads after the [`code`](Error::code): ASCII
/// only, with every byte the caller sent escaped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What the caller did wrong.
    #[error("{0}")]
    Mistake(Box<dyn Mistake>),

    /// The same, where clients know a better word for it than `ERR`.
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

    /// The caller may no longer make a call that waited.
    #[error("this user may no longer run this command")]
    NotAllowed,

    /// A derived key that cannot be in the prefix's slot.
    #[error("cluster mode needs a hash tag in the prefix, as in {{app}}:doc")]
    NoHashTag,

    /// A slot on its way between two nodes, of which nobody can tell whether it has a key.
    #[error("the slot moves to another node, and not all of its keys are here")]
    SlotMoves,

    /// Writes were paused while a call was waiting.
    #[error("writes are paused, and nothing was written")]
    Paused,

    /// The server turned into a replica while a call was waiting.
    #[error("You can't write against a read only replica.")]
    ReadOnly,

    /// The server takes no writes any more, for a reason that it gives.
    #[error("{}", Printable(.reason.as_bytes()))]
    NoWrites { code: &'static str, reason: String },

    /// The server ran out of memory while a call was waiting.
    #[error("command not allowed when used memory > 'maxmemory'.")]
    OutOfMemory,

    /// Something for which the server has not enough memory left.
    #[error(
        "command not allowed when used memory > 'maxmemory': {what} would take about {got} bytes, and {free} are left"
    )]
    NoRoom {
        what: &'static str,
        free: u64,
        got: usize,
    },

    /// A key in which the module keeps its own state.
    #[error("'{}' is reserved: KEYNS keeps its own state there", Quoted(.key))]
    Reserved { key: Vec<u8> },

    /// A counter that holds no count.
    #[error("the counter '{}' does not hold an integer from 0 on", Quoted(.key))]
    NotACount { key: Vec<u8> },

    /// A counter that cannot go on.
    #[error("the counter '{}' would overflow", Quoted(.key))]
    CounterOverflow { key: Vec<u8> },

    /// A key whose value should be an integer.
    #[error("'{}' does not hold an integer", Quoted(.key))]
    NotAnInteger { key: Vec<u8> },

    /// A key with more members than what it belongs to ever has.
    #[error("'{}' has {got} members; {owner} has at most {limit} ({config})", Quoted(.key))]
    StoredMembers {
        key: Vec<u8>,
        owner: &'static str,
        config: &'static str,
        limit: usize,
        got: usize,
    },

    /// A key with a longer text in it than what it belongs to ever has.
    #[error("'{}' has {what} of {got} bytes; {owner} has at most {limit}", Quoted(.key))]
    StoredBytes {
        key: Vec<u8>,
        what: &'static str,
        owner: &'static str,
        limit: usize,
        got: usize,
    },

    /// A plain command that the module needs, and that somebody has renamed.
    #[error("the server has no command {name}, which this one needs")]
    NoCommand { name: &'static str },

    /// A module argument that names no config.
    #[error("there is no config '{}'", Quoted(.name))]
    UnknownConfig { name: Vec<u8> },

    /// A module argument that its config cannot take.
    #[error("keyns.{} must be {expected}, got '{}'", .name.to_string_lossy(), Quoted(.got))]
    ConfigArgument {
        name: &'static CStr,
        expected: String,
        got: Vec<u8>,
    },

    /// The server refused a call that passed every check; nothing the caller can mend.
    #[error("the server refused {call}")]
    Server { call: &'static str },
}

impl Error {
    /// The word in front of the message.
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

    /// A mistake that clients know as a lack of rights.
    pub fn not_permitted(mistake: impl Mistake) -> Error {
        Error::Coded {
            code: "NOPERM",
            mistake: Box::new(mistake),
        }
    }

    /// The same about a key that the caller did not name, so that the message has to.
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
