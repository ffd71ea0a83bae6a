//! Namespaces, and the keys that they describe.

mod definitions;
mod dry_run;
mod errors;
mod files;
mod forgetting;
mod keys;
mod lasting;
mod programs;
mod readers;
mod regexes;
mod rights;
mod texts;
mod work;
