//! The patterns of all namespaces, segment by segment.
//!
//! Every form of a pattern is a way from the root to a node with a namespace at its end. Patterns
//! that start alike share the way. Two patterns with the same way have the same keys, and are the
//! only ones that no rule can tell apart.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;
use smallvec::SmallVec;

use crate::core::namespace::Namespace;
use crate::core::namespace::segment::{Mixed, Segment};
use crate::core::namespace::value_type::ValueType;

/// All patterns that start with the segments in front of it.
///
/// Going through many namespaces costs what memory costs, so a node is no larger than a cache line
/// and has in itself what most nodes need: one placeholder, or a table of literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Whose pattern ends here.
    end: Option<Arc<Namespace>>,
    literals: Option<Box<Literals>>,
    mixed: Option<Box<MixedGroups>>,
    /// By type, the most specific first.
    wholes: SmallVec<[(ValueType, Box<Node>); 1]>,
    /// How many placeholders the pattern has that ends here, with those of the optional part.
    placeholders: u16,
    /// How many literal segments the best of the patterns has from here on.
    most_literals: u16,
    /// The same of those that go on with a placeholder.
    most_behind_holes: u16,
    /// How many segments the shortest of the patterns has from here on; of none, the most there are.
    shortest: u16,
}

/// Found by a hash. Its seed is a random one, though nobody can make it collide who may not define
/// namespaces: looking up adds nothing.
type Literals = HashMap<SmallVec<[u8; 16]>, Box<Node>, RandomState>;

/// By the lengths of the text in front of the first placeholder and behind the last. A key's segment
/// is looked up once for each pair of lengths, however many segments there are with it: `v<n:int>`
/// and `w<n:int>` cost no more than one of them.
type MixedGroups = BTreeMap<(usize, usize), Vec<MixedEdge>>;

/// Sorted by prefix, suffix and the segment itself.
type MixedEdge = (Mixed, Box<Node>);

const NO_END: u16 = u16::MAX;

impl Node {
    pub const fn new() -> Node {
        Node {
            end: None,
            literals: None,
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

    /// Of the pattern that ends here.
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
        self.literals.as_ref()?.get(segment).map(AsRef::as_ref)
    }

    /// The literal segment that equals `segment`, and the node behind it.
    pub fn literal_entry(&self, segment: &[u8]) -> Option<(&[u8], &Node)> {
        let (literal, node) = self.literals.as_ref()?.get_key_value(segment)?;
        Some((literal, node))
    }

    /// All literal segments that may follow, in no order.
    pub fn literals(&self) -> impl Iterator<Item = (&[u8], &Node)> {
        let map = self.literals.iter().flat_map(|map| map.iter());
        map.map(|(segment, node)| (&**segment, &**node))
    }

    pub fn literal_count(&self) -> usize {
        self.literals.as_ref().map_or(0, |map| map.len())
    }

    pub fn has_mixed(&self) -> bool {
        self.mixed.is_some()
    }

    /// The nodes behind the mixed segments whose outer text `segment` has, the most specific first.
    pub fn mixed(&self, segment: &[u8]) -> SmallVec<[(&Mixed, &Node); 2]> {
        let mut found = SmallVec::new();
        for (lengths, edges) in self.mixed.iter().flat_map(|groups| groups.iter()) {
            if let Some((prefix, suffix)) = outer_text(segment, *lengths) {
                found.extend(with_outer_text(edges, prefix, suffix));
            }
        }
        if found.len() > 1 {
            found.sort_by_key(|(mixed, _)| *mixed);
        }
        found
    }

    /// The nodes behind a placeholder that has its segment for itself, the most specific first.
    pub fn wholes(&self) -> impl Iterator<Item = (ValueType, &Node)> {
        self.wholes.iter().map(|(kind, node)| (*kind, &**node))
    }

    /// All nodes behind this one, each with the literal segment that leads there, if one does.
    pub fn children(&self) -> impl Iterator<Item = (Option<&[u8]>, &Node)> {
        let literals = self.literals().map(|(text, node)| (Some(text), node));
        let mixed = self.mixed.iter().flat_map(|groups| groups.values());
        let mixed = mixed.flatten().map(|(_, node)| (None, &**node));
        let wholes = self.wholes().map(|(_, node)| (None, node));
        literals.chain(mixed).chain(wholes)
    }

    /// Whose pattern has this form.
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
        let mut child = self.take(first).unwrap_or_else(|| Box::new(Node::new()));
        child.insert(rest, namespace);
        self.measure(matches!(first, Segment::Literal(_)), &child);
        self.put(first, child);
    }

    /// Removes the end of this form, and what led there only.
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
        let mut measured = Node::new();
        for (literal, child) in self.children() {
            measured.measure(literal.is_some(), child);
        }
        self.most_literals = measured.most_literals;
        self.most_behind_holes = measured.most_behind_holes;
        (self.shortest, self.placeholders) = match self.end {
            Some(_) => (0, self.placeholders),
            None => (measured.shortest, 0),
        };
    }

    /// Takes the patterns through `child` into account.
    fn measure(&mut self, is_literal: bool, child: &Node) {
        let literals = child.most_literals + u16::from(is_literal);
        self.most_literals = self.most_literals.max(literals);
        if !is_literal {
            self.most_behind_holes = self.most_behind_holes.max(literals);
        }
        self.shortest = self.shortest.min(child.shortest.saturating_add(1));
    }

    fn child(&self, segment: &Segment) -> Option<&Node> {
        match segment {
            Segment::Literal(text) => self.literal(text),
            Segment::Whole(kind) => {
                let at = self.wholes.binary_search_by_key(kind, |(kind, _)| *kind);
                self.wholes.get(at.ok()?).map(|(_, node)| &**node)
            }
            Segment::Mixed(mixed) => {
                let edges = self.mixed.as_ref()?.get(&lengths(mixed))?;
                let at = place(edges, mixed).ok()?;
                edges.get(at).map(|(_, node)| &**node)
            }
        }
    }

    fn take(&mut self, segment: &Segment) -> Option<Box<Node>> {
        match segment {
            Segment::Literal(text) => {
                let node = self.literals.as_mut()?.remove(&**text);
                self.literals.take_if(|literals| literals.is_empty());
                node
            }
            Segment::Whole(kind) => {
                let at = self.wholes.binary_search_by_key(kind, |(kind, _)| *kind);
                Some(self.wholes.remove(at.ok()?).1)
            }
            Segment::Mixed(mixed) => {
                let groups = self.mixed.as_mut()?;
                let edges = groups.get_mut(&lengths(mixed))?;
                let (_, node) = edges.remove(place(edges, mixed).ok()?);
                if edges.is_empty() {
                    groups.remove(&lengths(mixed));
                }
                self.mixed.take_if(|groups| groups.is_empty());
                Some(node)
            }
        }
    }

    /// Puts a node where there is none.
    fn put(&mut self, segment: &Segment, node: Box<Node>) {
        match segment {
            Segment::Literal(text) => {
                let literals = self.literals.get_or_insert_default();
                literals.insert(SmallVec::from_slice(text), node);
            }
            Segment::Whole(kind) => {
                let at = self.wholes.partition_point(|(other, _)| other < kind);
                self.wholes.insert(at, (*kind, node));
            }
            Segment::Mixed(mixed) => {
                let groups = self.mixed.get_or_insert_default();
                let edges = groups.entry(lengths(mixed)).or_default();
                let (Ok(at) | Err(at)) = place(edges, mixed);
                edges.insert(at, (mixed.clone(), node));
            }
        }
    }
}

impl Default for Node {
    fn default() -> Node {
        Node::new()
    }
}

fn lengths(mixed: &Mixed) -> (usize, usize) {
    (mixed.prefix.len(), mixed.suffix().len())
}

/// Where the segment is among `edges`, or where it belongs.
fn place(edges: &[MixedEdge], mixed: &Mixed) -> Result<usize, usize> {
    let key = (&*mixed.prefix, mixed.suffix(), mixed);
    edges.binary_search_by(|(other, _)| (&*other.prefix, other.suffix(), other).cmp(&key))
}

/// The text of these lengths at both ends of a segment, if something is left between for a value.
fn outer_text(segment: &[u8], (prefix, suffix): (usize, usize)) -> Option<(&[u8], &[u8])> {
    let value = segment.len().checked_sub(prefix + suffix)?;
    let suffix_at = prefix + value;
    let outer = (segment.get(..prefix)?, segment.get(suffix_at..)?);
    (value > 0).then_some(outer)
}

fn with_outer_text<'n>(
    edges: &'n [MixedEdge],
    prefix: &[u8],
    suffix: &[u8],
) -> impl Iterator<Item = (&'n Mixed, &'n Node)> {
    let compare = |mixed: &Mixed| (&*mixed.prefix, mixed.suffix()).cmp(&(prefix, suffix));
    let first = edges.partition_point(|(mixed, _)| compare(mixed).is_lt());
    let behind = edges.get(first..).unwrap_or_default().iter();
    let same = behind.take_while(move |(mixed, _)| compare(mixed).is_eq());
    same.map(|(mixed, node)| (mixed, &**node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_no_larger_than_a_cache_line() {
        assert!(size_of::<Node>() <= 64, "{}", size_of::<Node>());
    }
}
