//! The most specific pattern that a key has.

use super::trie::Node;
use crate::core::namespace::segment::split_first;
use crate::core::namespace::value_type::ValueType;
use crate::core::namespace::{Namespace, date};

/// The namespace of `key`: the one with most literal segments, and of several the one that is more
/// specific in the first segment in which they differ.
///
/// The way goes down the trie, the most specific branch first, so that of several with equally many
/// literal segments the first that is found is the right one; the others are looked at only if they
/// can have more. Every node has one way to it, and a date one length, so that no node is looked at
/// twice: the time is bounded by the patterns that start like the key, whatever the key.
pub fn best<'r>(root: &'r Node, key: &[u8]) -> Option<&'r Namespace> {
    let mut search = Search::default();
    search.visit(root, Some(key), 0);
    search.found
}

#[derive(Default)]
struct Search<'r> {
    found: Option<&'r Namespace>,
    /// The literal segments of what was found.
    literals: usize,
    #[cfg(test)]
    visits: usize,
}

impl<'r> Search<'r> {
    fn visit(&mut self, node: &'r Node, rest: Option<&[u8]>, literals: usize) {
        #[cfg(test)]
        {
            self.visits += 1;
        }
        if self.found.is_some() && literals + node.most_literals() <= self.literals {
            return;
        }
        let Some(text) = rest else {
            return self.end(node, literals);
        };
        let (segment, rest) = split_first(text);
        if let Some(child) = node.literal(segment) {
            self.visit(child, rest, literals + 1);
        }
        for (mixed, child) in node.mixed(segment) {
            if mixed.fits(segment) {
                self.visit(child, rest, literals);
            }
        }
        for (kind, child) in node.wholes() {
            match kind {
                ValueType::Date => {
                    if let Some((_, rest)) = date::split(text) {
                        self.visit(child, rest, literals);
                    }
                }
                ValueType::Rest if kind.fits(text) => self.visit(child, None, literals),
                ValueType::Rest => {}
                _ if kind.fits(segment) => self.visit(child, rest, literals),
                _ => {}
            }
        }
    }

    fn end(&mut self, node: &'r Node, literals: usize) {
        if let Some(namespace) = node.end()
            && (self.found.is_none() || literals > self.literals)
        {
            self.found = Some(namespace);
            self.literals = literals;
        }
    }
}
