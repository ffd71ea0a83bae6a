//! Whether a more specific namespace can claim a key that was built for another one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::trie::Node;
use crate::core::namespace::Namespace;
use crate::core::namespace::segment::Segment;
use crate::core::namespace::value_type::ValueType;

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

/// Whether a namespace has rivals, as long as the registry does not change: looking for them takes
/// as long as finding the namespace of a key, and most have none.
#[derive(Debug, Default)]
pub struct Rivals(AtomicU64);

impl Rivals {
    /// Whether some key of `namespace` can belong to another one. `true` also where that would take
    /// long to tell.
    pub fn may_exist(&self, namespace: &Namespace, root: &Node, changes: Changes) -> bool {
        // A registry with a namespace has changed at least once, so that 0 is no answer.
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
    for (index, segment) in form.iter().enumerate() {
        let is_fork = match segment {
            // Other literals are other keys, and placeholders must make up for this one.
            Segment::Literal(_) => literals + node.most_behind_holes() > all_literals,
            // What is behind a date can be taken for its hour, and then the whole way is another.
            Segment::Whole(ValueType::Date) if index + 1 < form.len() => true,
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
