//! The keys of each owner as rules for the server's ACL.

use std::collections::{BTreeMap, BTreeSet};

use super::pattern::Pattern;
use super::registry::Registry;
use super::segment::Segment;

/// One `ACL SETUSER` line for each owner, sorted. Namespaces without an owner are in none.
pub fn acl(registry: &Registry) -> String {
    let mut owners: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for namespace in registry.iter() {
        if let Some(owner) = namespace.owner() {
            let globs = owners.entry(owner).or_default();
            globs.extend(globs_of(namespace.pattern()));
        }
    }
    let mut lines = String::new();
    for (owner, globs) in owners {
        lines += &format!("ACL SETUSER {owner} resetkeys");
        for glob in globs {
            lines += &format!(" ~{glob}");
        }
        lines.push('\n');
    }
    lines
}

/// What matches all keys of the pattern. The server's `*` matches a `:` too, so that one behind a
/// placeholder at the end covers the optional part.
pub(super) fn globs_of(pattern: &Pattern) -> Vec<String> {
    let mut globs: Vec<String> = pattern.forms().map(glob).collect();
    if globs.first().is_some_and(|short| short.ends_with('*')) {
        globs.truncate(1);
    }
    globs
}

/// Literals have no character that a glob reads in its own way.
fn glob(form: &[Segment]) -> String {
    let segment = |segment: &Segment| match segment {
        Segment::Literal(text) => String::from_utf8_lossy(text).into_owned(),
        Segment::Whole(_) => "*".to_owned(),
        Segment::Mixed(mixed) => {
            let mut text = String::from_utf8_lossy(&mixed.prefix).into_owned();
            for (_, literal) in &mixed.holes {
                text.push('*');
                text += &String::from_utf8_lossy(literal);
            }
            text
        }
    };
    let segments: Vec<String> = form.iter().map(segment).collect();
    segments.join(":")
}
