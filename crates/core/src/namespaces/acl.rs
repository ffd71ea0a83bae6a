//! The users of namespaces as rules for the server's ACL.

use std::collections::{BTreeMap, BTreeSet};

use super::pattern::Pattern;
use super::registry::Registry;
use super::segment::Segment;

/// The globs of a user's keys.
#[derive(Default)]
struct Keys {
    /// Those of the namespaces that the user owns.
    written: BTreeSet<String>,
    /// Those of the namespaces that the user reads.
    read: BTreeSet<String>,
}

/// One `ACL SETUSER` line for each user who owns or reads a namespace, sorted. It takes `commands`
/// away from the user: those that change the namespaces, and with them the rules for all keys.
pub fn acl<'c>(registry: &Registry, commands: impl IntoIterator<Item = &'c str>) -> String {
    let mut users: BTreeMap<&str, Keys> = BTreeMap::new();
    for namespace in registry.iter() {
        let globs = globs_of(namespace.pattern());
        for reader in namespace.readers() {
            let keys = users.entry(reader).or_default();
            keys.read.extend(globs.iter().cloned());
        }
        if let Some(owner) = namespace.owner() {
            users.entry(owner).or_default().written.extend(globs);
        }
    }
    let taken: String = commands
        .into_iter()
        .map(|command| format!(" -{}", command.to_ascii_lowercase()))
        .collect();
    let mut lines = String::new();
    for (user, keys) in users {
        lines += &format!("ACL SETUSER {user} resetkeys");
        for glob in &keys.written {
            lines += &format!(" ~{glob}");
        }
        // An owner may read these already.
        for glob in keys.read.difference(&keys.written) {
            lines += &format!(" %R~{glob}");
        }
        lines += &taken;
        lines.push('\n');
    }
    lines
}

/// The globs that match all keys of the pattern. The server's `*` also matches `:`, so a placeholder at
/// the end covers the optional part.
pub(super) fn globs_of(pattern: &Pattern) -> Vec<String> {
    let mut globs: Vec<String> = pattern.forms().map(glob).collect();
    if globs.first().is_some_and(|short| short.ends_with('*')) {
        globs.truncate(1);
    }
    globs
}

/// Literals contain no character with a meaning in globs.
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
