//! Namespaces, and what a server says of keys by them.

use std::collections::BTreeMap;

use crate::{Client, Value};

/// All that ship with the module.
pub const PRESETS: [&str; 5] = [
    "documents",
    "content",
    "projections",
    "campaigns",
    "general",
];

impl Client {
    /// Defines a namespace with options written in words without spaces.
    #[track_caller]
    pub fn define(&mut self, name: &str, pattern: &str, options: &str) {
        let mut args = vec!["KEYNS.NS.SET", name, "PATTERN", pattern];
        args.extend(options.split_whitespace());
        assert_eq!(self.call(&args).text(), "OK", "{name}: {pattern} {options}");
    }

    /// All namespaces as JSON.
    #[track_caller]
    pub fn namespaces(&mut self) -> String {
        self.run("KEYNS.NS.DUMP").text()
    }

    /// Has there be no namespaces.
    #[track_caller]
    pub fn forget_namespaces(&mut self) {
        let reply = self.call(&["KEYNS.NS.LOAD", &namespaces_json(&[]), "FLUSH"]);
        assert_eq!(reply, Value::Integer(0));
    }

    #[track_caller]
    pub fn namespace_names(&mut self) -> Vec<String> {
        texts(&self.run("KEYNS.NS.LIST"))
    }

    /// What KEYNS.CHECK says of a key.
    #[track_caller]
    pub fn check(&mut self, key: &str) -> BTreeMap<String, Value> {
        self.call(&["KEYNS.CHECK", key]).array()[0].fields()
    }

    /// The codes of what is wrong with a key.
    #[track_caller]
    pub fn problems(&mut self, key: &str) -> Vec<String> {
        texts(&self.check(key)["problems"])
    }
}

/// A JSON text with these namespaces and nothing else to them.
pub fn namespaces_json(namespaces: &[(&str, &str)]) -> String {
    let entry =
        |(name, pattern): &(&str, &str)| format!(r#"{{"name": "{name}", "pattern": "{pattern}"}}"#);
    let entries: Vec<String> = namespaces.iter().map(entry).collect();
    format!(r#"{{"namespaces": [{}]}}"#, entries.join(", "))
}

/// The texts of an array.
#[track_caller]
pub fn texts(reply: &Value) -> Vec<String> {
    reply.array().iter().map(Value::text).collect()
}
