//! What can be wrong with a namespace, or with a key that is built by one.

use std::borrow::Cow;

use crate::text::quoting::Quoted;
use crate::{Mistake, argument};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Argument(#[from] argument::Error),

    /// A mistake in a pattern; columns count characters, from 1. The reason is ASCII.
    #[error("PATTERN at column {column}: {reason}")]
    Pattern { column: usize, reason: String },

    #[error("PATTERN must be at most {limit} bytes, got {got}")]
    PatternTooLong { limit: usize, got: usize },

    /// A namespace's name, or a text about it, that cannot be one.
    #[error("{option} must be {expected}, got '{}'", Quoted(.got))]
    NotA {
        option: &'static str,
        expected: &'static str,
        got: Vec<u8>,
    },

    /// A class of keys that must expire, without a time for it.
    #[error("CLASS {class} needs a TTL")]
    ClassNeedsTtl { class: &'static str },

    /// A class of keys that must not expire, with a time for it.
    #[error("CLASS {class} must have no TTL, got {got}")]
    ClassWithTtl { class: &'static str, got: u64 },

    /// Two namespaces whose patterns have the same keys.
    #[error("the pattern of '{}' cannot be told apart from that of '{}'", Quoted(.name.as_bytes()), Quoted(.other.as_bytes()))]
    SamePattern { name: String, other: String },

    /// A namespace that is there already, and is another one.
    #[error("namespace '{}' has another definition already (REPLACE replaces it)", Quoted(.name.as_bytes()))]
    OtherDefinition { name: String },

    #[error("there would be {got} namespaces, more than {limit} (keyns.max-namespaces)")]
    TooManyNamespaces { limit: usize, got: usize },

    /// Regexes that would take too much memory together.
    #[error("the regexes of all namespaces would take {got} bytes, more than {limit}")]
    TooManyRegexes { limit: usize, got: usize },

    #[error("there is no namespace '{}'", Quoted(.name))]
    NoNamespace { name: Vec<u8> },

    #[error("the value of <{placeholder}> is missing")]
    ValueMissing { placeholder: String },

    #[error("the pattern takes at most {limit} values, got {got}")]
    TooManyValues { limit: usize, got: usize },

    /// A value that its placeholder cannot take.
    #[error("<{placeholder}> must be {expected}, got '{}'", Quoted(.got))]
    BadValue {
        placeholder: String,
        expected: Cow<'static, str>,
        got: Vec<u8>,
    },

    /// A value that the regex of its placeholder does not match. The regex is ASCII.
    #[error("<{placeholder}> must match {regex}, got '{}'", Quoted(.got))]
    NoMatch {
        placeholder: String,
        regex: String,
        got: Vec<u8>,
    },

    /// A value with which the key would be read in another way.
    #[error("<{placeholder}> must not contain '{}' in this pattern, got '{}'", Quoted(.literal), Quoted(.got))]
    ValueContains {
        placeholder: String,
        literal: Vec<u8>,
        got: Vec<u8>,
    },

    /// A value past the length that the caller allows.
    #[error("<{placeholder}> must be at most {limit} bytes, got {got}")]
    ValueTooLong {
        placeholder: String,
        limit: usize,
        got: usize,
    },

    /// A key that a more specific namespace claims.
    #[error("'{}' would be a key of the namespace '{}'", Quoted(.key), Quoted(.name.as_bytes()))]
    OtherNamespace { key: Vec<u8>, name: String },

    /// So many patterns start like a key that it cannot be told whose it is.
    #[error("too many patterns start like the key '{}' to tell whose it is", Quoted(.key))]
    TooManyAlike { key: Vec<u8> },

    /// A text that is no JSON, or no JSON of namespaces. The reason is ASCII.
    #[error("JSON: {reason}")]
    Json { reason: String },

    /// A mistake in one of several definitions; `entry` is its name, or its place. Both are ASCII.
    #[error("namespace {entry}: {reason}")]
    Entry { entry: String, reason: String },

    /// A file of namespaces that cannot be read. The reason is ASCII.
    #[error("namespaces file '{}': {reason}", Quoted(.path))]
    File { path: Vec<u8>, reason: String },

    /// The caller may not write all keys of a namespace that would be changed.
    #[error("No permissions to write all keys of the namespace '{}': '~{}'", Quoted(.namespace.as_bytes()), Quoted(.glob.as_bytes()))]
    NotPermitted { namespace: String, glob: String },
}

impl Mistake for Error {}
