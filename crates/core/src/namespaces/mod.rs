//! Namespaces: named key patterns that build, check and parse keys.
//!
//! A [`Pattern`] is a list of segments ([`segment`]) with typed placeholders ([`value_type`]). The
//! [`Registry`] holds all namespaces of a server and finds the namespace of a key. The time for that
//! does not grow with the number of namespaces.

mod acl;
mod build;
mod check;
mod date;
mod definition;
mod error;
mod json;
mod markdown;
mod mend;
mod pattern;
mod regexes;
mod registry;
mod rights;
mod segment;
mod table;
mod value_regex;
mod value_type;

pub use acl::acl;
pub use build::Building;
pub use check::Report;
pub use definition::{Class, Draft, MAX_TTL, MIN_TTL, Namespace};
pub use error::{Error, Result};
pub use markdown::markdown;
pub use pattern::{
    MAX_PATTERN_BYTES, MAX_PLACEHOLDERS, MAX_SEGMENTS, Pattern, Placeholder, Values,
};
pub use regexes::MAX_REGEXES_BYTES;
pub use registry::{Allowance, Difference, Existing, Help, Match, Near, Registry, Work};
pub use rights::{Command, Rights};
pub use value_regex::{MAX_REGEX_BYTES, ValueRegex};
pub use value_type::ValueType;

#[cfg(test)]
mod tests;
