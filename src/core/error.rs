//! Every mistake a caller can make, worded once.

use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

/// How many bytes of a caller's value an error message repeats.
const QUOTED_BYTES: usize = 64;

/// A mistake in a call. Its [`Display`](fmt::Display) is what the client reads after the
/// [`code`](Error::code): ASCII only, with every byte the caller sent escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A word that is no option of the command, or an option without its value.
    Syntax { near: Vec<u8> },
    /// An option given twice.
    Repeated { option: &'static str },
    /// A value that should be a whole number and is not.
    NotAnInteger { option: &'static str, got: Vec<u8> },
    /// A number outside the range its option allows.
    OutOfRange {
        option: &'static str,
        min: i64,
        max: i64,
        got: i64,
    },
    /// A value that is none of the words its option knows.
    NotOneOf {
        option: &'static str,
        allowed: &'static str,
        got: Vec<u8>,
    },
    /// An argument past a configured size.
    TooLong {
        what: &'static str,
        config: &'static str,
        limit: usize,
        got: usize,
    },
    /// The start of derived keys, past the length any sensible one has.
    NameTooLong {
        what: &'static str,
        limit: usize,
        got: usize,
    },
    /// A prefix with nothing between two `:`, or nothing at all.
    EmptySegment { prefix: Vec<u8> },
    /// A derived key that cannot be in the prefix's slot.
    NoHashTag,
    /// A slot on its way between two nodes, of which nobody can tell whether it has a key.
    SlotMoves,
    /// Writes were paused while a call was waiting.
    Paused,
    /// The key holds another type.
    WrongType,
    /// A derived key holds another type.
    WrongTypeOf { key: Vec<u8> },
    /// The caller may not use a key that the call needs.
    NoPermission { key: Vec<u8> },
    /// The caller may not write all keys of a namespace that would be changed.
    NoPermissionForKeys { namespace: String, glob: String },
    /// The caller may no longer make a call that waited.
    NotAllowed,
    /// The server takes no writes any more, for a reason that it gives.
    NoWrites { code: &'static str, reason: String },
    /// A counter that holds no count.
    NotACount { key: Vec<u8> },
    /// A counter that cannot go on.
    CounterOverflow { key: Vec<u8> },
    /// Too many taken names in a row.
    TooManySkips { limit: u64, key: Vec<u8> },
    /// A configured abbreviation that cannot be used.
    Abbreviations { reason: String },
    /// A configured list of kinds that cannot be used.
    Kinds { got: Vec<u8> },
    /// A module argument that names no config.
    UnknownConfig { name: Vec<u8> },
    /// Markdown with a byte that is no UTF-8.
    NotUtf8 { at: usize },
    /// Front matter that cannot be read; lines count from 1, the opening marker's.
    FrontMatter { line: usize, reason: String },
    /// A line of quotes in lists in quotes that only an attacker writes.
    TooManyContainers { line: usize, limit: usize },
    /// A document in more pieces than are allowed.
    TooManyElements { limit: usize },
    /// More elements side by side than may know each other.
    TooManySiblings { limit: usize, got: usize },
    /// A prefix whose kind is that of a part of a document.
    KindOfAPart { kind: Vec<u8> },
    /// A whole name where a prefix should be.
    PrefixIsName { prefix: Vec<u8> },
    /// A key that should be a document, and is something else or nothing.
    NotADocument { key: Vec<u8> },
    /// A document that lost a part.
    PartMissing { key: Vec<u8> },
    /// A document whose sequence is not that of all its parts.
    SequenceIncomplete {
        key: Vec<u8>,
        expected: usize,
        got: usize,
    },
    /// A document whose tags and siblings would make too many members of sets.
    TooManyMembers { limit: usize, got: usize },
    /// A document whose headings, repeated with every chunk, would take too much.
    PathsTooLong { limit: usize, got: usize },
    /// A document that is more markup than text.
    TooMuchMarkup { limit: usize, got: usize },
    /// A document that would take too much memory in keys.
    TooMuchToWrite { limit: usize, got: usize },
    /// A document that would take too much memory in keys for so short a text.
    TooMuchForText { limit: usize, got: usize },
    /// A document for which the server has not enough memory left.
    NoRoom { free: u64, got: usize },
    /// A key of a stored document with more members than any document has.
    StoredMembers {
        key: Vec<u8>,
        limit: usize,
        got: usize,
    },
    /// A stored document with more fields of front matter than there can be.
    StoredFields {
        key: Vec<u8>,
        limit: usize,
        got: usize,
    },
    /// A key of a stored document with a longer text in it than any document has.
    StoredBytes {
        key: Vec<u8>,
        what: &'static str,
        limit: usize,
        got: usize,
    },
    /// A stored document that says that it is in more sets than any is.
    StoredSets {
        key: Vec<u8>,
        limit: usize,
        got: usize,
    },
    /// A document of another prefix than the one it is to be replaced under.
    OtherPrefix { key: Vec<u8> },
    /// The server turned into a replica while a call was waiting.
    ReadOnly,
    /// The server ran out of memory while a call was waiting.
    OutOfMemory,
    /// A plain command that the module needs, and that somebody has renamed.
    NoCommand { name: &'static str },
    /// Without this, the call says nothing.
    Missing { option: &'static str },
    /// Neither an integer nor within its bounds.
    NotWithin {
        option: &'static str,
        min: i64,
        max: i64,
        got: Vec<u8>,
    },
    /// Not a length of time.
    NotAPeriod {
        option: &'static str,
        max_days: u64,
        got: Vec<u8>,
    },
    /// More limits than one call takes.
    TooManyLimits { limit: usize },
    /// A request that no waiting would let pass.
    NeverAdmitted {
        cost: u64,
        algorithm: &'static str,
        most: u64,
    },
    /// A sliding window that would keep too many units.
    SlidingTooLarge { limit: u64, got: u64 },
    /// A bucket that would take too long to count with.
    FillsTooSlowly,
    /// A string that no rate limit wrote.
    NotARateLimit { key: Vec<u8> },
    /// A clock beyond what states can keep.
    ClockTooLate,
    /// A mistake in a pattern; columns count characters, from 1. The reason is ASCII.
    Pattern { column: usize, reason: String },
    /// A pattern past the length any sensible one has.
    PatternTooLong { limit: usize, got: usize },
    /// A namespace's name, or a text about it, that cannot be one.
    NotA {
        option: &'static str,
        expected: &'static str,
        got: Vec<u8>,
    },
    /// A class of keys that must expire, without a time for it.
    ClassNeedsTtl { class: &'static str },
    /// A class of keys that must not expire, with a time for it.
    ClassWithTtl { class: &'static str, got: u64 },
    /// Two namespaces whose patterns have the same keys.
    SamePattern { name: String, other: String },
    /// A namespace that is there already, and is another one.
    OtherDefinition { name: String },
    /// A file of namespaces that cannot be read. The reason is ASCII.
    NamespacesFile { path: Vec<u8>, reason: String },
    /// More namespaces than the settings allow.
    TooManyNamespaces { limit: usize, got: usize },
    /// A name that no namespace has.
    NoNamespace { name: Vec<u8> },
    /// A placeholder without a value.
    ValueMissing { placeholder: String },
    /// More values than placeholders.
    TooManyValues { limit: usize, got: usize },
    /// A value that its placeholder cannot take.
    BadValue {
        placeholder: String,
        expected: &'static str,
        got: Vec<u8>,
    },
    /// A value with which the key would be read in another way.
    ValueContains {
        placeholder: String,
        literal: Vec<u8>,
        got: Vec<u8>,
    },
    /// A value past the length that the caller allows.
    ValueTooLong {
        placeholder: String,
        limit: usize,
        got: usize,
    },
    /// A key that a more specific namespace claims.
    OtherNamespace { key: Vec<u8>, name: String },
    /// So many patterns start like a key that it cannot be told whose it is.
    TooManyAlike { key: Vec<u8> },
    /// A text that is no JSON, or no JSON of namespaces. The reason is ASCII.
    NamespacesJson { reason: String },
    /// A mistake in one of several definitions; `entry` is its name, or its place. Both are ASCII.
    NamespacesEntry { entry: String, reason: String },
    /// More keys than one call takes.
    TooManyKeys { limit: usize, got: usize },
    /// A lock without anybody to hold it.
    NoOwner,
    /// A key in which the module keeps its own state.
    Bookkeeping { key: Vec<u8> },
    /// A key whose value should be an integer.
    NotAnIntegerIn { key: Vec<u8> },
    /// A field whose value should be an integer.
    NotAnIntegerInField { key: Vec<u8>, field: &'static str },
    /// A range that ends before it starts.
    RangeBackwards { from: i64, to: i64 },
    /// A range of more buckets than one call reads.
    TooManyBuckets { limit: u64, got: u64 },
    /// Counters that make more than Redis can count.
    TotalOverflow { key: Vec<u8> },
    /// The server refused a call that passed every check; nothing the caller can mend.
    Server { call: &'static str },
}

impl Error {
    /// The word in front of the message by which clients tell errors apart.
    pub fn code(&self) -> &'static str {
        match self {
            Error::WrongType | Error::WrongTypeOf { .. } => "WRONGTYPE",
            Error::ReadOnly => "READONLY",
            Error::OutOfMemory | Error::NoRoom { .. } => "OOM",
            Error::NoPermission { .. } | Error::NoPermissionForKeys { .. } | Error::NotAllowed => {
                "NOPERM"
            }
            Error::NoWrites { code, .. } => code,
            Error::SlotMoves | Error::Paused => "TRYAGAIN",
            _ => "ERR",
        }
    }

    /// The same about a key that the caller did not name, so that the message has to.
    pub fn about(self, key: &[u8]) -> Error {
        match self {
            Error::WrongType => Error::WrongTypeOf { key: key.to_vec() },
            error => error,
        }
    }

    /// [`Error::Syntax`] at `word`.
    pub fn syntax(word: &[u8]) -> Error {
        Error::Syntax {
            near: word.to_vec(),
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Syntax { near } => write!(f, "syntax error near '{}'", Quoted(near)),
            Error::Repeated { option } => write!(f, "{option} is given twice"),
            Error::NotAnInteger { option, got } => {
                write!(f, "{option} must be an integer, got '{}'", Quoted(got))
            }
            Error::OutOfRange {
                option,
                min,
                max,
                got,
            } => write!(f, "{option} must be between {min} and {max}, got {got}"),
            Error::NotOneOf {
                option,
                allowed,
                got,
            } => write!(f, "{option} must be {allowed}, got '{}'", Quoted(got)),
            Error::TooLong {
                what,
                config,
                limit,
                got,
            } => write!(
                f,
                "{what} must be at most {limit} bytes, got {got} ({config})"
            ),
            Error::NameTooLong { what, limit, got } => {
                write!(f, "{what} must be at most {limit} bytes, got {got}")
            }
            Error::EmptySegment { prefix } => write!(
                f,
                "prefix must have no empty segment, as in doc or {{acme}}:doc, got '{}'",
                Quoted(prefix)
            ),
            Error::NoHashTag => {
                write!(
                    f,
                    "cluster mode needs a hash tag in the prefix, as in {{app}}:doc"
                )
            }
            Error::SlotMoves => {
                write!(
                    f,
                    "the slot moves to another node, and not all of its keys are here"
                )
            }
            Error::WrongType => {
                write!(f, "Operation against a key holding the wrong kind of value")
            }
            Error::WrongTypeOf { key } => write!(
                f,
                "Operation against a key holding the wrong kind of value: '{}'",
                Quoted(key)
            ),
            Error::NoPermission { key } => {
                write!(f, "No permissions to access the key '{}'", Quoted(key))
            }
            Error::NoPermissionForKeys { namespace, glob } => write!(
                f,
                "No permissions to write all keys of the namespace '{}': '~{}'",
                Quoted(namespace.as_bytes()),
                Quoted(glob.as_bytes())
            ),
            Error::NotAllowed => write!(f, "this user may no longer run this command"),
            Error::NoWrites { reason, .. } => write!(f, "{}", Printable(reason.as_bytes())),
            Error::NotACount { key } => write!(
                f,
                "the counter '{}' does not hold an integer from 0 on",
                Quoted(key)
            ),
            Error::CounterOverflow { key } => {
                write!(f, "the counter '{}' would overflow", Quoted(key))
            }
            Error::TooManySkips { limit, key } => write!(
                f,
                "the next {} names after the counter '{}' exist already (keyns.max-skips)",
                limit + 1,
                Quoted(key)
            ),
            Error::Abbreviations { reason } => write!(f, "keyns.abbreviations {reason}"),
            Error::Kinds { got } => write!(
                f,
                "keyns.kinds must be words of [a-z0-9_] that start with a letter, got '{}'",
                Quoted(got)
            ),
            Error::UnknownConfig { name } => {
                write!(f, "there is no config '{}'", Quoted(name))
            }
            Error::NotUtf8 { at } => write!(f, "markdown is not valid UTF-8 at byte {at}"),
            Error::FrontMatter { line, reason } => write!(
                f,
                "front matter, line {line}: {}",
                Printable(reason.as_bytes())
            ),
            Error::TooManyContainers { line, limit } => write!(
                f,
                "line {line} of the markdown may be in more than {limit} containers"
            ),
            Error::TooManyElements { limit } => write!(
                f,
                "the document has more than {limit} elements (keyns.max-elements)"
            ),
            Error::TooManySiblings { limit, got } => write!(
                f,
                "SIBLINGS allows at most {limit} children of one section, got {got} (keyns.max-siblings)"
            ),
            Error::KindOfAPart { kind } => write!(
                f,
                "prefix must not end in '{}', the kind of a document's parts",
                Quoted(kind)
            ),
            Error::PrefixIsName { prefix } => write!(
                f,
                "prefix must be as in doc or {{acme}}:doc, got the name '{}', which REPLACE takes",
                Quoted(prefix)
            ),
            Error::NotADocument { key } => write!(f, "there is no document '{}'", Quoted(key)),
            Error::PartMissing { key } => {
                write!(f, "the document's part '{}' is missing", Quoted(key))
            }
            Error::SequenceIncomplete { key, expected, got } => write!(
                f,
                "'{}' must have {expected} members, got {got}",
                Quoted(key)
            ),
            Error::TooManyMembers { limit, got } => write!(
                f,
                "tags and siblings may make at most {limit} members of sets, got {got} (10 times keyns.max-elements)"
            ),
            Error::PathsTooLong { limit, got } => write!(
                f,
                "the titles above all chunks may have at most {limit} bytes, got {got} (16 times keyns.max-document-bytes)"
            ),
            Error::TooMuchMarkup { limit, got } => write!(
                f,
                "markdown may have at most {limit} characters of markup, got {got} (a quarter of keyns.max-document-bytes)"
            ),
            Error::TooMuchToWrite { limit, got } => write!(
                f,
                "the document would take about {got} bytes in keys, more than {limit} (keyns.max-write-bytes)"
            ),
            Error::TooMuchForText { limit, got } => write!(
                f,
                "the document would take about {got} bytes in keys, more than {limit} for a text of this length"
            ),
            Error::NoRoom { free, got } => write!(
                f,
                "command not allowed when used memory > 'maxmemory': the document would take about {got} bytes, and {free} are left"
            ),
            Error::StoredMembers { key, limit, got } => write!(
                f,
                "'{}' has {got} members; a document has at most {limit} (keyns.max-elements)",
                Quoted(key)
            ),
            Error::StoredFields { key, limit, got } => write!(
                f,
                "'{}' has {got} fields from front matter; a document has at most {limit}",
                Quoted(key)
            ),
            Error::StoredBytes {
                key,
                what,
                limit,
                got,
            } => write!(
                f,
                "'{}' has {what} of {got} bytes; a document has at most {limit}",
                Quoted(key)
            ),
            Error::StoredSets { key, limit, got } => write!(
                f,
                "the field _sets of '{}' names {got} sets; a document has at most {limit}",
                Quoted(key)
            ),
            Error::OtherPrefix { key } => write!(
                f,
                "REPLACE must name a document of the same prefix, got '{}'",
                Quoted(key)
            ),
            Error::Paused => write!(f, "writes are paused, and nothing was written"),
            Error::ReadOnly => write!(f, "You can't write against a read only replica."),
            Error::OutOfMemory => {
                write!(f, "command not allowed when used memory > 'maxmemory'.")
            }
            Error::NoCommand { name } => {
                write!(f, "the server has no command {name}, which this one needs")
            }
            Error::Missing { option } => write!(f, "{option} must be given"),
            Error::NotWithin {
                option,
                min,
                max,
                got,
            } => write!(
                f,
                "{option} must be an integer between {min} and {max}, got '{}'",
                Quoted(got)
            ),
            Error::NotAPeriod {
                option,
                max_days,
                got,
            } => write!(
                f,
                "{option} must be 1ms to {max_days}d, as in 500ms, 10s, 1m, 2h or 7d, got '{}'",
                Quoted(got)
            ),
            Error::TooManyLimits { limit } => {
                write!(f, "one call takes at most {limit} limits")
            }
            Error::NeverAdmitted {
                cost,
                algorithm,
                most,
            } => write!(
                f,
                "COST must be at most {most}, which is all that the {algorithm} ever admits, got {cost}"
            ),
            Error::SlidingTooLarge { limit, got } => write!(
                f,
                "SLIDING max must be at most {limit}, got {got} (keyns.max-sliding)"
            ),
            Error::FillsTooSlowly => {
                write!(f, "a bucket must not take longer than 285000 years to fill")
            }
            Error::NotARateLimit { key } => write!(f, "not a rate limit: '{}'", Quoted(key)),
            Error::ClockTooLate => write!(f, "the server's clock is past the year 2090"),
            Error::Pattern { column, reason } => {
                write!(f, "PATTERN at column {column}: {reason}")
            }
            Error::PatternTooLong { limit, got } => {
                write!(f, "PATTERN must be at most {limit} bytes, got {got}")
            }
            Error::NotA {
                option,
                expected,
                got,
            } => write!(f, "{option} must be {expected}, got '{}'", Quoted(got)),
            Error::ClassNeedsTtl { class } => write!(f, "CLASS {class} needs a TTL"),
            Error::ClassWithTtl { class, got } => {
                write!(f, "CLASS {class} must have no TTL, got {got}")
            }
            Error::SamePattern { name, other } => write!(
                f,
                "the pattern of '{}' cannot be told apart from that of '{}'",
                Quoted(name.as_bytes()),
                Quoted(other.as_bytes())
            ),
            Error::OtherDefinition { name } => write!(
                f,
                "namespace '{}' has another definition already (REPLACE replaces it)",
                Quoted(name.as_bytes())
            ),
            Error::NamespacesFile { path, reason } => {
                write!(f, "namespaces file '{}': {reason}", Quoted(path))
            }
            Error::TooManyNamespaces { limit, got } => write!(
                f,
                "there would be {got} namespaces, more than {limit} (keyns.max-namespaces)"
            ),
            Error::NoNamespace { name } => {
                write!(f, "there is no namespace '{}'", Quoted(name))
            }
            Error::ValueMissing { placeholder } => {
                write!(f, "the value of <{placeholder}> is missing")
            }
            Error::TooManyValues { limit, got } => {
                write!(f, "the pattern takes at most {limit} values, got {got}")
            }
            Error::BadValue {
                placeholder,
                expected,
                got,
            } => write!(
                f,
                "<{placeholder}> must be {expected}, got '{}'",
                Quoted(got)
            ),
            Error::ValueContains {
                placeholder,
                literal,
                got,
            } => write!(
                f,
                "<{placeholder}> must not contain '{}' in this pattern, got '{}'",
                Quoted(literal),
                Quoted(got)
            ),
            Error::ValueTooLong {
                placeholder,
                limit,
                got,
            } => write!(
                f,
                "<{placeholder}> must be at most {limit} bytes, got {got}"
            ),
            Error::TooManyAlike { key } => write!(
                f,
                "too many patterns start like the key '{}' to tell whose it is",
                Quoted(key)
            ),
            Error::OtherNamespace { key, name } => write!(
                f,
                "'{}' would be a key of the namespace '{}'",
                Quoted(key),
                Quoted(name.as_bytes())
            ),
            Error::NamespacesJson { reason } => write!(f, "JSON: {reason}"),
            Error::NamespacesEntry { entry, reason } => {
                write!(f, "namespace {entry}: {reason}")
            }
            Error::TooManyKeys { limit, got } => {
                write!(f, "a call takes at most {limit} keys, got {got}")
            }
            Error::NoOwner => write!(f, "owner must not be empty"),
            Error::Bookkeeping { key } => write!(
                f,
                "'{}' is reserved: KEYNS keeps its own state there",
                Quoted(key)
            ),
            Error::NotAnIntegerIn { key } => {
                write!(f, "'{}' does not hold an integer", Quoted(key))
            }
            Error::NotAnIntegerInField { key, field } => write!(
                f,
                "the field {field} of '{}' does not hold an integer",
                Quoted(key)
            ),
            Error::RangeBackwards { from, to } => {
                write!(f, "from must not be after to, got {from} and {to}")
            }
            Error::TooManyBuckets { limit, got } => {
                write!(f, "the range has {got} buckets, more than {limit}")
            }
            Error::TotalOverflow { key } => {
                write!(f, "the total of '{}' would overflow", Quoted(key))
            }
            Error::Server { call } => write!(f, "the server refused {call}"),
        }
    }
}

/// A caller's text for a sentence that is put together elsewhere.
pub(in crate::core) fn quoted(text: &str) -> String {
    Quoted(text.as_bytes()).to_string()
}

/// A sentence with bytes of a caller in it: the same, with its quotes as they are.
pub(in crate::core) struct Printable<'a>(pub &'a [u8]);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.split(|&b| b == b'\'').enumerate() {
            let quote = if index > 0 { "'" } else { "" };
            write!(f, "{quote}{}", Quoted(part))?;
        }
        Ok(())
    }
}

/// A caller's bytes in a message: escaped to printable ASCII and cut to a readable length.
pub struct Quoted<'a>(pub &'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..QUOTED_BYTES).unwrap_or(self.0);
        write!(f, "{}", shown.escape_ascii())?;
        if shown.len() < self.0.len() {
            write!(f, "...")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_ascii_whatever_the_caller_sent() {
        let hostile: Vec<u8> = (0..=255).collect();
        let message = Error::syntax(&hostile).to_string();
        assert!(message.is_ascii());
        assert!(!message.bytes().any(|b| b.is_ascii_control()));
        assert!(message.len() < 400);
    }

    #[test]
    fn a_range_error_names_option_range_and_value() {
        let error = Error::OutOfRange {
            option: "WIDTH",
            min: 1,
            max: 12,
            got: 40,
        };
        assert_eq!(error.to_string(), "WIDTH must be between 1 and 12, got 40");
    }
}
