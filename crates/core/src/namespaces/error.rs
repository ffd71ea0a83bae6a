//! Errors about namespaces and the keys they build.

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

    /// An invalid name, owner, reader or description.
    #[error("{option} must be {expected}, got '{}'", Quoted(.got))]
    NotA {
        option: &'static str,
        expected: &'static str,
        got: Vec<u8>,
    },

    /// The user whose rights apply to everybody who does not log in.
    #[error("{option} must not be 'default'")]
    DefaultUser { option: &'static str },

    /// A class whose keys must expire, without a TTL.
    #[error("CLASS {class} needs a TTL")]
    ClassNeedsTtl { class: &'static str },

    /// A class whose keys must not expire, with a TTL.
    #[error("CLASS {class} must have no TTL, got {got}")]
    ClassWithTtl { class: &'static str, got: u64 },

    #[error("READERS must be at most {limit} names, got {got}")]
    TooManyReaders { limit: usize, got: usize },

    /// Names of users are ASCII.
    #[error("READERS has '{reader}' twice")]
    ReaderTwice { reader: String },

    #[error("READERS must not have the owner '{owner}', who may read and write")]
    OwnerAsReader { owner: String },

    /// Two namespaces whose patterns share a form.
    #[error("the pattern of '{}' cannot be distinguished from that of '{}'", Quoted(.name.as_bytes()), Quoted(.other.as_bytes()))]
    SamePattern { name: String, other: String },

    /// A load without REPLACE that would change a namespace.
    #[error("namespace '{}' already has another definition (REPLACE replaces it)", Quoted(.name.as_bytes()))]
    OtherDefinition { name: String },

    #[error("this would make {got} namespaces, the limit is {limit} (keyns.max-namespaces)")]
    TooManyNamespaces { limit: usize, got: usize },

    /// Regexes that would take too much memory in total.
    #[error("the regexes of all namespaces would take {got} bytes, the limit is {limit}")]
    TooManyRegexes { limit: usize, got: usize },

    #[error("no such namespace '{}'", Quoted(.name))]
    NoNamespace { name: Vec<u8> },

    #[error("missing value for <{placeholder}>")]
    ValueMissing { placeholder: String },

    #[error("the pattern takes at most {limit} value{}, got {got}", if *.limit == 1 { "" } else { "s" })]
    TooManyValues { limit: usize, got: usize },

    /// Values for a pattern that is literal text only. The hint is ASCII.
    #[error("the pattern has no placeholders and takes no values, got {got}: {hint}")]
    NoPlaceholders { got: usize, hint: String },

    /// A value that does not fit its placeholder.
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

    /// A value that would make the key read differently.
    #[error("<{placeholder}> must not contain '{}' in this pattern, got '{}'", Quoted(.literal), Quoted(.got))]
    ValueContains {
        placeholder: String,
        literal: Vec<u8>,
        got: Vec<u8>,
    },

    /// A value longer than the caller allows.
    #[error("<{placeholder}> must be at most {limit} bytes, got {got}")]
    ValueTooLong {
        placeholder: String,
        limit: usize,
        got: usize,
    },

    /// A key that a more specific namespace claims.
    #[error("'{}' would belong to the namespace '{}'", Quoted(.key), Quoted(.name.as_bytes()))]
    OtherNamespace { key: Vec<u8>, name: String },

    /// A key that starts like so many patterns that the look-up stopped.
    #[error("too many patterns start like the key '{}' to find its namespace", Quoted(.key))]
    TooManyAlike { key: Vec<u8> },

    /// A text that is not JSON, or not JSON of namespaces. The reason is ASCII.
    #[error("JSON: {reason}")]
    Json { reason: String },

    /// A mistake in one of several definitions; `entry` is its name, or its place. Both are ASCII.
    #[error("namespace {entry}: {reason}")]
    Entry { entry: String, reason: String },

    /// A file of namespaces that cannot be read. The reason is ASCII.
    #[error("namespaces file '{}': {reason}", Quoted(.path))]
    File { path: Vec<u8>, reason: String },

    /// The caller may not write all keys of a namespace that the call would change.
    #[error("No permissions to write all keys of the namespace '{}': '~{}'", Quoted(.namespace.as_bytes()), Quoted(.glob.as_bytes()))]
    NotPermitted { namespace: String, glob: String },
}

impl Mistake for Error {}
