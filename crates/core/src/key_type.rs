//! The types of values that a server has under keys.

use crate::argument;

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
    const ALL: [KeyType; 6] = [
        KeyType::String,
        KeyType::Hash,
        KeyType::List,
        KeyType::Set,
        KeyType::SortedSet,
        KeyType::Stream,
    ];

    /// The type with this name, in any case.
    pub fn parse(word: &[u8]) -> argument::Result<KeyType> {
        let mut all = KeyType::ALL.into_iter();
        let found = all.find(|key_type| key_type.name().as_bytes().eq_ignore_ascii_case(word));
        found.ok_or_else(|| argument::Error::NotOneOf {
            option: "TYPE",
            allowed: "string, hash, list, set, zset or stream",
            got: word.to_vec(),
        })
    }

    /// As the server's TYPE says it.
    pub fn name(self) -> &'static str {
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

/// What a server has under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// `None` for a type that no namespace can ask for.
    pub key_type: Option<KeyType>,
    pub expires: bool,
}
