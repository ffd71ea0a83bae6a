//! Namespaces, and the keys that they describe.

mod definitions;
mod errors;
mod files;
mod keys;
mod lasting;
mod programs;
mod regexes;
mod rights;
mod texts;
mod work;
