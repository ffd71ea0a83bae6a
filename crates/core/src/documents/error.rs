//! What can be wrong with a document: its text, its size, and what is stored of it.

use crate::text::quoting::{Printable, Quoted};
use crate::{Mistake, argument, naming};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Argument(#[from] argument::Error),

    #[error(transparent)]
    Naming(#[from] naming::Error),

    #[error("markdown is not valid UTF-8 at byte {at}")]
    NotUtf8 { at: usize },

    /// Front matter that cannot be read; lines count from 1, the opening marker's.
    #[error("front matter, line {line}: {}", Printable(.reason.as_bytes()))]
    FrontMatter { line: usize, reason: String },

    /// A line of quotes in lists in quotes that only an attacker writes.
    #[error("line {line} of the markdown may be in more than {limit} containers")]
    TooManyContainers { line: usize, limit: usize },

    #[error("the document has more than {limit} elements (keyns.max-elements)")]
    TooManyElements { limit: usize },

    /// More elements side by side than may know each other.
    #[error(
        "SIBLINGS allows at most {limit} children of one section, got {got} (keyns.max-siblings)"
    )]
    TooManySiblings { limit: usize, got: usize },

    /// A document whose tags and siblings would make too many members of sets.
    #[error(
        "tags and siblings may make at most {limit} members of sets, got {got} (10 times keyns.max-elements)"
    )]
    TooManyMembers { limit: usize, got: usize },

    /// A document whose headings, repeated with every chunk, would take too much.
    #[error(
        "the titles above all chunks may have at most {limit} bytes, got {got} (16 times keyns.max-document-bytes)"
    )]
    PathsTooLong { limit: usize, got: usize },

    /// A document that is more markup than text.
    #[error(
        "markdown may have at most {limit} characters of markup, got {got} (a quarter of keyns.max-document-bytes)"
    )]
    TooMuchMarkup { limit: usize, got: usize },

    #[error(
        "the document would take about {got} bytes in keys, more than {limit} (keyns.max-write-bytes)"
    )]
    TooMuchToWrite { limit: usize, got: usize },

    #[error(
        "the document would take about {got} bytes in keys, more than {limit} for a text of this length"
    )]
    TooMuchForText { limit: usize, got: usize },

    /// A prefix whose kind is that of a part of a document.
    #[error("prefix must not end in '{}', the kind of a document's parts", Quoted(.kind))]
    KindOfAPart { kind: Vec<u8> },

    /// A whole name where a prefix should be.
    #[error("prefix must be as in doc or {{acme}}:doc, got the name '{}', which REPLACE takes", Quoted(.prefix))]
    PrefixIsName { prefix: Vec<u8> },

    /// A document of another prefix than the one it is to be replaced under.
    #[error("REPLACE must name a document of the same prefix, got '{}'", Quoted(.key))]
    OtherPrefix { key: Vec<u8> },

    /// A key that should be a document, and is something else or nothing.
    #[error("there is no document '{}'", Quoted(.key))]
    NotADocument { key: Vec<u8> },

    #[error("the document's part '{}' is missing", Quoted(.key))]
    PartMissing { key: Vec<u8> },

    /// A document whose sequence is not that of all its parts.
    #[error("'{}' must have {expected} members, got {got}", Quoted(.key))]
    SequenceIncomplete {
        key: Vec<u8>,
        expected: usize,
        got: usize,
    },

    /// A stored document with more fields of front matter than there can be.
    #[error("'{}' has {got} fields from front matter; a document has at most {limit}", Quoted(.key))]
    StoredFields {
        key: Vec<u8>,
        limit: usize,
        got: usize,
    },

    /// A stored document that says that it is in more sets than any is.
    #[error("the field _sets of '{}' names {got} sets; a document has at most {limit}", Quoted(.key))]
    StoredSets {
        key: Vec<u8>,
        limit: usize,
        got: usize,
    },
}

impl Mistake for Error {}
