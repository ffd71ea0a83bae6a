//! Errors of documents: their text, their size, and what is stored of them.

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

    /// Invalid front matter; line 1 is the opening marker.
    #[error("front matter, line {line}: {}", Printable(.reason.as_bytes()))]
    FrontMatter { line: usize, reason: String },

    /// Deeply nested quotes and lists, which only an attacker writes.
    #[error("line {line} of the markdown may open more than {limit} nested quotes and lists")]
    TooManyContainers { line: usize, limit: usize },

    #[error("the document has more than {limit} elements (keyns.max-elements)")]
    TooManyElements { limit: usize },

    /// More children of a section than `SIBLINGS` allows.
    #[error("SIBLINGS allows at most {limit} children per section, got {got} (keyns.max-siblings)")]
    TooManySiblings { limit: usize, got: usize },

    /// Tags and siblings that would add too many members to sets.
    #[error(
        "tags and siblings may add at most {limit} set members, got {got} (10 times keyns.max-elements)"
    )]
    TooManyMembers { limit: usize, got: usize },

    /// Headings that would take too much memory, repeated with every chunk.
    #[error(
        "the paths of all chunks may take at most {limit} bytes, got {got} (16 times keyns.max-document-bytes)"
    )]
    PathsTooLong { limit: usize, got: usize },

    /// A document that is more markup than text.
    #[error(
        "markdown may contain at most {limit} markup characters, got {got} (a quarter of keyns.max-document-bytes)"
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

    /// A prefix with the kind of a document's parts.
    #[error("prefix must not end in '{}', which names parts of documents", Quoted(.kind))]
    KindOfAPart { kind: Vec<u8> },

    /// A whole name where a prefix should be.
    #[error("prefix must look like doc or {{acme}}:doc, got the name '{}' (REPLACE takes names)", Quoted(.prefix))]
    PrefixIsName { prefix: Vec<u8> },

    /// A document with another prefix than the call's.
    #[error("REPLACE must name a document with the same prefix, got '{}'", Quoted(.key))]
    OtherPrefix { key: Vec<u8> },

    /// The name of a file as the new text of a document, which would remove the stored text.
    #[error("REPLACE needs the new text, got the name of a file: send its content with redis-cli -X md KEYNS.INGESTMD doc md REPLACE {} <FILE", Quoted(.key))]
    ReplacedByFileName { key: Vec<u8> },

    /// A key that does not exist or is not a document.
    #[error("there is no document '{}'", Quoted(.key))]
    NotADocument { key: Vec<u8> },

    #[error("the document's part '{}' is missing", Quoted(.key))]
    PartMissing { key: Vec<u8> },

    /// A document whose sequence lacks parts.
    #[error("'{}' must have {expected} members, got {got}", Quoted(.key))]
    SequenceIncomplete {
        key: Vec<u8>,
        expected: usize,
        got: usize,
    },

    /// A stored document with more fields from front matter than KEYNS writes.
    #[error("'{}' has {got} fields from front matter; a document has at most {limit}", Quoted(.key))]
    StoredFields {
        key: Vec<u8>,
        limit: usize,
        got: usize,
    },

    /// A stored document that names more sets than KEYNS writes.
    #[error("the field _sets of '{}' names {got} sets; a document has at most {limit}", Quoted(.key))]
    StoredSets {
        key: Vec<u8>,
        limit: usize,
        got: usize,
    },
}

impl Mistake for Error {}
