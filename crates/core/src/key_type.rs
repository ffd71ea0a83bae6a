//! The types of values that a server has under keys.

use crate::argument::{self, Keyword};

/// The types that keys can have in the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyType {
    String,
    Hash,
    List,
    Set,
    SortedSet,
    Stream,
}

impl KeyType {
    /// The type with this name, in any case.
    pub fn parse(word: &[u8]) -> argument::Result<KeyType> {
        KeyType::read("TYPE", word)
    }

    /// As the server's TYPE says it.
    pub const fn name(self) -> &'static str {
        match self {
            KeyType::String => "string",
            KeyType::Hash => "hash",
            KeyType::List => "list",
            KeyType::Set => "set",
            KeyType::SortedSet => "zset",
            KeyType::Stream => "stream",
        }
    }
}

impl Keyword for KeyType {
    const WORDS: &'static [(&'static str, KeyType)] = &[
        (KeyType::String.name(), KeyType::String),
        (KeyType::Hash.name(), KeyType::Hash),
        (KeyType::List.name(), KeyType::List),
        (KeyType::Set.name(), KeyType::Set),
        (KeyType::SortedSet.name(), KeyType::SortedSet),
        (KeyType::Stream.name(), KeyType::Stream),
    ];
}

/// What a server has under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// `None` for a type that no namespace can ask for.
    pub key_type: Option<KeyType>,
    pub expires: bool,
}
