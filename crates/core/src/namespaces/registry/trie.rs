//! The patterns of all namespaces, segment by segment.
//!
//! Every form of a pattern is a way from the root to a node with a namespace at its end. Patterns that
//! start alike share the way. Two patterns with the same way match the same keys; only these cannot be
//! distinguished.

use std::sync::Arc;

use smallvec::SmallVec;

use super::mixed_edges::{Candidates, MixedEdges};
use super::work::Work;
use crate::namespaces::Namespace;
use crate::namespaces::segment::Segment;
use crate::namespaces::table::Table;
use crate::namespaces::value_type::ValueType;

/// All patterns that start with the segments in front of it.
///
/// Cache misses dominate a search among many namespaces, so a node fits a cache line and stores inline
/// what most nodes need: one placeholder, or a table of literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The namespace whose pattern ends here.
    end: Option<Arc<Namespace>>,
    literals: Table<Box<Node>>,
    mixed: Option<Box<MixedEdges>>,
    /// By type, the most specific first.
    wholes: SmallVec<[(ValueType, Box<Node>); 1]>,
    /// How many placeholders the pattern that ends here has, including the optional part.
    placeholders: u16,
    /// The most literal segments of a pattern from here on.
    most_literals: u16,
    /// The same among patterns that continue with a placeholder.
    most_behind_holes: u16,
    /// The segments of the shortest pattern from here on; without a pattern, the maximum.
    shortest: u16,
}

const NO_END: u16 = u16::MAX;

struct Measures {
    most_literals: u16,
    shortest: u16,
}

#[cfg(test)]
thread_local! {
    static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How often this thread has visited a child to measure its parent.
#[cfg(test)]
pub fn looks() -> usize {
    LOOKS.get()
}

impl Node {
    pub const fn new() -> Node {
        Node {
            end: None,
            literals: Table::new(),
            mixed: None,
            wholes: SmallVec::new_const(),
            placeholders: 0,
            most_literals: 0,
            most_behind_holes: 0,
            shortest: NO_END,
        }
    }

    pub fn end(&self) -> Option<&Namespace> {
        self.end.as_deref()
    }

    /// The number of placeholders of the pattern that ends here.
    pub fn placeholders(&self) -> usize {
        self.placeholders.into()
    }

    pub fn most_literals(&self) -> usize {
        self.most_literals.into()
    }

    pub fn most_behind_holes(&self) -> usize {
        self.most_behind_holes.into()
    }

    pub fn shortest(&self) -> usize {
        self.shortest.into()
    }

    /// The node behind a literal segment.
    pub fn literal(&self, segment: &[u8]) -> Option<&Node> {
        self.literals.get(segment).map(AsRef::as_ref)
    }

    /// The literal segment that equals `segment`, and the node behind it.
    pub fn literal_entry(&self, segment: &[u8]) -> Option<(&[u8], &Node)> {
        let (literal, node) = self.literals.entry(segment)?;
        Some((literal, node))
    }

    /// All literal segments that may follow, in no order.
    pub fn literals(&self) -> impl Iterator<Item = (&[u8], &Node)> {
        self.literals.iter().map(|(text, node)| (text, &**node))
    }

    pub fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// The nodes behind the mixed segments whose texts `segment` has, the most specific first.
    pub fn mixed(&self, segment: &[u8], work: &mut Work) -> Candidates<'_> {
        let mixed = self.mixed.as_ref();
        mixed.map_or_else(Candidates::new, |mixed| mixed.candidates(segment, work))
    }

    /// The nodes behind a placeholder that fills its segment, the most specific first.
    pub fn wholes(&self) -> impl Iterator<Item = (&ValueType, &Node)> {
        self.wholes.iter().map(|(kind, node)| (kind, &**node))
    }

    /// All nodes behind this one, each with the literal segment that leads there, if one does.
    pub fn children(&self) -> impl Iterator<Item = (Option<&[u8]>, &Node)> {
        let literals = self.literals().map(|(text, node)| (Some(text), node));
        literals.chain(self.hole_nodes().map(|node| (None, node)))
    }

    /// The nodes behind a segment with a placeholder.
    fn hole_nodes(&self) -> impl Iterator<Item = &Node> {
        let mixed = self.mixed.iter().flat_map(|mixed| mixed.nodes());
        mixed.chain(self.wholes().map(|(_, node)| node))
    }

    /// The namespace whose pattern has this form.
    pub fn at(&self, form: &[Segment]) -> Option<&Namespace> {
        let mut segments = form.iter();
        segments.try_fold(self, Node::child)?.end()
    }

    pub fn insert(&mut self, form: &[Segment], namespace: &Arc<Namespace>) {
        let Some((first, rest)) = form.split_first() else {
            self.end = Some(Arc::clone(namespace));
            self.placeholders = namespace.pattern().placeholders().len() as u16;
            self.shortest = 0;
            return;
        };
        if self.child(first).is_none() {
            self.put(first, Box::new(Node::new()));
        }
        let Some(child) = self.child_mut(first) else {
            return;
        };
        child.insert(rest, namespace);
        let measures = child.measures();
        self.measure(matches!(first, Segment::Literal(_)), measures);
    }

    /// Removes the end of this form, and the nodes that lead only there.
    pub fn remove(&mut self, form: &[Segment]) {
        match form.split_first() {
            None => self.end = None,
            Some((first, rest)) => {
                let mut child = self.take(first);
                if let Some(child) = &mut child {
                    child.remove(rest);
                }
                if let Some(child) = child.filter(|child| child.shortest < NO_END) {
                    self.put(first, child);
                }
            }
        }
        self.measure_again();
    }

    /// Measures what is left. Removing a pattern never improves a number, so the search ends at the first
    /// children that are as good, which is soon if many are alike.
    fn measure_again(&mut self) {
        let holes = self.hole_nodes().map(|node| (false, node));
        let literals = self.literals().map(|(_, node)| (true, node));
        let mut measured = Node::new();
        for (is_literal, child) in holes.chain(literals) {
            measured.measure(is_literal, child.measures());
            let is_as_short = self.end.is_some() || measured.shortest == self.shortest;
            if is_as_short
                && measured.most_literals == self.most_literals
                && measured.most_behind_holes == self.most_behind_holes
            {
                break;
            }
        }
        self.most_literals = measured.most_literals;
        self.most_behind_holes = measured.most_behind_holes;
        (self.shortest, self.placeholders) = match self.end {
            Some(_) => (0, self.placeholders),
            None => (measured.shortest, 0),
        };
    }

    /// The numbers that a parent needs.
    fn measures(&self) -> Measures {
        Measures {
            most_literals: self.most_literals,
            shortest: self.shortest,
        }
    }

    /// Includes the patterns through a child.
    fn measure(&mut self, is_literal: bool, child: Measures) {
        #[cfg(test)]
        LOOKS.set(LOOKS.get() + 1);
        let literals = child.most_literals + u16::from(is_literal);
        self.most_literals = self.most_literals.max(literals);
        if !is_literal {
            self.most_behind_holes = self.most_behind_holes.max(literals);
        }
        self.shortest = self.shortest.min(child.shortest.saturating_add(1));
    }

    /// The node behind a segment of a pattern.
    pub fn child(&self, segment: &Segment) -> Option<&Node> {
        match segment {
            Segment::Literal(text) => self.literal(text),
            Segment::Whole(kind) => {
                let at = self.wholes.binary_search_by(|(other, _)| other.cmp(kind));
                self.wholes.get(at.ok()?).map(|(_, node)| &**node)
            }
            Segment::Mixed(mixed) => self.mixed.as_ref()?.get(mixed),
        }
    }

    fn child_mut(&mut self, segment: &Segment) -> Option<&mut Node> {
        match segment {
            Segment::Literal(text) => self.literals.get_mut(text).map(AsMut::as_mut),
            Segment::Whole(kind) => {
                let at = self.wholes.binary_search_by(|(other, _)| other.cmp(kind));
                self.wholes.get_mut(at.ok()?).map(|(_, node)| &mut **node)
            }
            Segment::Mixed(mixed) => self.mixed.as_mut()?.get_mut(mixed),
        }
    }

    fn take(&mut self, segment: &Segment) -> Option<Box<Node>> {
        match segment {
            Segment::Literal(text) => self.literals.remove(text),
            Segment::Whole(kind) => {
                let at = self.wholes.binary_search_by(|(other, _)| other.cmp(kind));
                Some(self.wholes.remove(at.ok()?).1)
            }
            Segment::Mixed(mixed) => {
                let node = self.mixed.as_mut()?.take(mixed);
                self.mixed.take_if(|mixed| mixed.is_empty());
                node
            }
        }
    }

    /// Adds a node for a new segment.
    fn put(&mut self, segment: &Segment, node: Box<Node>) {
        match segment {
            Segment::Literal(text) => {
                self.literals.insert(text, node);
            }
            Segment::Whole(kind) => {
                let at = self.wholes.partition_point(|(other, _)| other < kind);
                self.wholes.insert(at, (kind.clone(), node));
            }
            Segment::Mixed(mixed) => self.mixed.get_or_insert_default().put(mixed, node),
        }
    }
}

impl Default for Node {
    fn default() -> Node {
        Node::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_no_larger_than_a_cache_line() {
        assert!(size_of::<Node>() <= 64, "{}", size_of::<Node>());
    }
}
