//! Whether a more specific namespace can claim a key that was built for another one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::trie::Node;
use crate::namespaces::Namespace;
use crate::namespaces::segment::Segment;

/// How often a registry has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes(u64);

impl Changes {
    pub const fn none() -> Changes {
        Changes(0)
    }

    pub fn add(&mut self) {
        self.0 += 1;
    }
}

/// Remembers whether a namespace has rivals until the registry changes: searching for them takes as long
/// as finding the namespace of a key, and most have none.
#[derive(Debug, Default)]
pub struct Rivals(AtomicU64);

impl Rivals {
    /// Whether a key of `namespace` can belong to another one. `true` also if finding out would take
    /// long.
    pub fn may_exist(&self, namespace: &Namespace, root: &Node, changes: Changes) -> bool {
        // A registry with a namespace has changed at least once, so 0 means unknown.
        let answer = |may_exist: bool| changes.0 << 1 | u64::from(may_exist);
        let known = self.0.load(Ordering::Relaxed);
        if known == answer(false) || known == answer(true) {
            return known == answer(true);
        }
        let mut forms = namespace.pattern().forms();
        let may_exist = forms.any(|form| may_go_elsewhere(root, form));
        self.0.store(answer(may_exist), Ordering::Relaxed);
        may_exist
    }
}

/// Whether the way of a key with this form may end elsewhere: see [`find`](super::find).
fn may_go_elsewhere(root: &Node, form: &[Segment]) -> bool {
    let is_literal = |segment: &&Segment| matches!(segment, Segment::Literal(_));
    let all_literals = form.iter().filter(is_literal).count();
    let (mut node, mut literals) = (root, 0);
    for segment in form {
        let is_fork = match segment {
            // Other literals mean other keys, and placeholders must make up for this one.
            Segment::Literal(_) => literals + node.most_behind_holes() > all_literals,
            Segment::Whole(_) | Segment::Mixed(_) => node.children().nth(1).is_some(),
        };
        match node.child(segment) {
            Some(child) if !is_fork => node = child,
            _ => return true,
        }
        literals += usize::from(matches!(segment, Segment::Literal(_)));
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::namespaces::Registry;
    use crate::namespaces::tests::registry;

    /// Whether the first of the namespaces may have rivals.
    fn may_exist(registry: &Registry) -> bool {
        let entry = registry.by_name.get(b"n0").unwrap();
        let (namespace, root) = (&entry.namespace, &registry.root);
        entry.rivals.may_exist(namespace, root, registry.changes)
    }

    #[test]
    fn a_rival_has_a_way_of_its_own_from_a_shared_node() {
        for others in [
            &["lock:<name>:owner", "locks:<name>"][..],
            &["l<a>:held"],
            &["{<tenant>}:<name>"],
        ] {
            let registry = registry(&[&["lock:<name>"], others].concat());
            assert!(!may_exist(&registry), "{others:?}");
        }
        for other in ["lock:all", "lock:<id:int>", "lock:x<id>", "l<a>:<b>:c:d"] {
            let registry = registry(&["lock:<name>", other]);
            assert!(may_exist(&registry), "{other}");
        }
        // In the optional part.
        let registry = registry(&["lock:<name>[:<field>]", "lock:<name>:owner"]);
        assert!(may_exist(&registry));
    }

    #[test]
    fn rivals_come_and_go() {
        let mut registry = registry(&["lock:<name>", "lock:all"]);
        assert!(may_exist(&registry));
        let rival = registry.remove(b"n1").unwrap();
        assert!(!may_exist(&registry));
        registry.add((*rival).clone()).unwrap();
        assert!(may_exist(&registry));
        assert!(may_exist(&registry.clone()));
    }
}
