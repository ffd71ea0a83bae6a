//! The mixed segments that may follow in a trie.

use smallvec::SmallVec;

use super::table::Table;
use super::trie::Node;
use crate::core::namespace::segment::Mixed;

/// Mixed segments with the nodes behind them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MixedEdges(Vec<Group>);

/// Those with one length of text in front of the first placeholder, and one behind the last. A key's
/// segment is looked up once for each pair of lengths, however many there are with it: `v<n:int>` and
/// `w<n:int>` cost no more than one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    prefix_len: usize,
    suffix_len: usize,
    /// By the text in front and behind; sorted by how specific they are.
    edges: Table<Vec<Edge>>,
}

type Edge = (Mixed, Box<Node>);

/// Those that a segment may be of.
pub type Candidates<'n> = SmallVec<[(&'n Mixed, &'n Node); 2]>;

impl MixedEdges {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        let tables = self.0.iter().flat_map(|group| group.edges.iter());
        tables.flat_map(|(_, edges)| edges.iter().map(|(_, node)| &**node))
    }

    /// Those whose outer text `segment` has, the most specific first.
    pub fn candidates(&self, segment: &[u8]) -> Candidates<'_> {
        let mut found = SmallVec::new();
        for group in &self.0 {
            if let Some(edges) = group.with_text_of(segment) {
                found.extend(edges.iter().map(|(mixed, node)| (mixed, &**node)));
            }
        }
        if found.len() > 1 {
            found.sort_by_key(|(mixed, _)| *mixed);
        }
        found
    }

    pub fn get(&self, mixed: &Mixed) -> Option<&Node> {
        let group = self.0.get(self.place(mixed).ok()?)?;
        let edges = group.edges.get(&outer_text(mixed))?;
        let at = edges
            .binary_search_by_key(&mixed, |(other, _)| other)
            .ok()?;
        edges.get(at).map(|(_, node)| &**node)
    }

    pub fn take(&mut self, mixed: &Mixed) -> Option<Box<Node>> {
        let place = self.place(mixed).ok()?;
        let group = self.0.get_mut(place)?;
        let mut edges = group.edges.remove(&outer_text(mixed))?;
        let at = edges.binary_search_by_key(&mixed, |(other, _)| other);
        let taken = at.ok().map(|at| edges.remove(at).1);
        if !edges.is_empty() {
            group.edges.insert(&outer_text(mixed), edges);
        }
        if group.edges.len() == 0 {
            self.0.remove(place);
        }
        taken
    }

    /// Puts a node where there is none.
    pub fn put(&mut self, mixed: &Mixed, node: Box<Node>) {
        let place = self.place(mixed).unwrap_or_else(|place| {
            self.0.insert(place, Group::of(mixed));
            place
        });
        if let Some(group) = self.0.get_mut(place) {
            let text = outer_text(mixed);
            let mut edges = group.edges.remove(&text).unwrap_or_default();
            let at = edges.partition_point(|(other, _)| other < mixed);
            edges.insert(at, (mixed.clone(), node));
            group.edges.insert(&text, edges);
        }
    }

    /// Where the segment's group is, or where it belongs.
    fn place(&self, mixed: &Mixed) -> Result<usize, usize> {
        let lengths = (mixed.prefix.len(), mixed.suffix().len());
        self.0
            .binary_search_by_key(&lengths, |group| (group.prefix_len, group.suffix_len))
    }
}

impl Group {
    fn of(mixed: &Mixed) -> Group {
        Group {
            prefix_len: mixed.prefix.len(),
            suffix_len: mixed.suffix().len(),
            edges: Table::new(),
        }
    }

    fn with_text_of(&self, segment: &[u8]) -> Option<&[Edge]> {
        let value = segment
            .len()
            .checked_sub(self.prefix_len + self.suffix_len)?;
        // A value has one byte at least.
        if value == 0 {
            return None;
        }
        let prefix = segment.get(..self.prefix_len)?;
        let suffix = segment.get(self.prefix_len + value..)?;
        let edges = match (prefix, suffix) {
            (text, []) | ([], text) => self.edges.get(text),
            _ => self.edges.get(&joined(prefix, suffix)),
        };
        edges.map(Vec::as_slice)
    }
}

fn outer_text(mixed: &Mixed) -> SmallVec<[u8; 32]> {
    joined(&mixed.prefix, mixed.suffix())
}

/// No two pairs of the same lengths give the same text.
fn joined(prefix: &[u8], suffix: &[u8]) -> SmallVec<[u8; 32]> {
    let mut text = SmallVec::from_slice(prefix);
    text.extend_from_slice(suffix);
    text
}
