//! The mixed segments that may follow in a trie.
//!
//! ```text
//! a<p:hex>c<q>n17-<r>z      prefix  a      by the beginning of a key's segment
//!                           suffix  z      by its end
//!                           inner   n17-   by any part between, where many are alike so far
//! ```
//!
//! Patterns that start differently cost nothing, and a look-up separates patterns that differ in one
//! text.

use smallvec::SmallVec;

use super::by_length::ByLength;
use super::trie::Node;
use super::work::Work;
use crate::namespaces::segment::Mixed;
use crate::namespaces::table::Table;

/// Mixed segments with the nodes behind them: by the text in front of the first placeholder, and
/// then by that behind the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MixedEdges(ByLength<ByLength<Alike>>);

/// Segments with the same text in front and behind.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Alike {
    /// Up to [`FEW`], sorted by how specific they are.
    Few(Vec<Edge>),
    /// By their longest text between two placeholders; each list is sorted too.
    Many {
        count: usize,
        by_inner: ByLength<Vec<Edge>>,
    },
}

/// Up to this many, trying each one is as fast as finding out which to try.
const FEW: usize = 16;

type Edge = (Mixed, Box<Node>);

/// The candidates for a segment.
pub type Candidates<'n> = SmallVec<[(&'n Mixed, &'n Node); 2]>;

impl MixedEdges {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        let alike = self.0.values().flat_map(ByLength::values);
        alike.flat_map(Alike::edges).map(|(_, node)| &**node)
    }

    /// The candidates whose texts `segment` contains, the most specific first. Incomplete if the work
    /// runs out.
    pub fn candidates(&self, segment: &[u8], work: &mut Work) -> Candidates<'_> {
        let mut found = SmallVec::new();
        if let Some(tails) = self.0.empty_text() {
            with_tail_of(tails, segment, work, &mut found);
        }
        for (len, heads) in self.0.tables() {
            let Some((head, rest)) = segment.split_at_checked(len) else {
                break;
            };
            if !work.look_at(len) {
                break;
            }
            if let Some(tails) = heads.get(head) {
                with_tail_of(tails, rest, work, &mut found);
            }
        }
        if found.len() > 1 {
            found.sort_by_key(|(mixed, _)| *mixed);
        }
        found
    }

    pub fn get(&self, mixed: &Mixed) -> Option<&Node> {
        let alike = self.0.get(&mixed.prefix)?.get(mixed.suffix())?;
        let edges = alike.list(mixed)?;
        let (_, node) = edges.get(place(edges, mixed).ok()?)?;
        Some(node)
    }

    pub fn get_mut(&mut self, mixed: &Mixed) -> Option<&mut Node> {
        let alike = self.0.get_mut(&mixed.prefix)?.get_mut(mixed.suffix())?;
        let edges = alike.list_mut(mixed)?;
        let at = place(edges, mixed).ok()?;
        edges.get_mut(at).map(|(_, node)| &mut **node)
    }

    pub fn take(&mut self, mixed: &Mixed) -> Option<Box<Node>> {
        let tails = self.0.get_mut(&mixed.prefix)?;
        let alike = tails.get_mut(mixed.suffix())?;
        let node = alike.take(mixed);
        if alike.is_empty() {
            tails.remove(mixed.suffix());
        }
        if tails.is_empty() {
            self.0.remove(&mixed.prefix);
        }
        node
    }

    /// Adds a node for a new segment.
    pub fn put(&mut self, mixed: &Mixed, node: Box<Node>) {
        let edge = (mixed.clone(), node);
        let Some(tails) = self.0.get_mut(&mixed.prefix) else {
            let mut tails = ByLength::default();
            tails.insert(mixed.suffix(), Alike::Few(vec![edge]));
            return self.0.insert(&mixed.prefix, tails);
        };
        match tails.get_mut(mixed.suffix()) {
            Some(alike) => alike.put(edge),
            None => tails.insert(mixed.suffix(), Alike::Few(vec![edge])),
        }
    }
}

/// Adds the candidates whose last text `rest` ends with.
fn with_tail_of<'n>(
    tails: &'n ByLength<Alike>,
    rest: &[u8],
    work: &mut Work,
    found: &mut Candidates<'n>,
) {
    // A value has at least one byte.
    let mut add = |len: usize, alike: &dyn Fn(&[u8]) -> Option<&'n Alike>| {
        let at = rest.len().checked_sub(len).filter(|at| *at > 0);
        let Some((middle, tail)) = at.and_then(|at| rest.split_at_checked(at)) else {
            return false;
        };
        let goes_on = work.look_at(len);
        if let Some(alike) = alike(tail).filter(|_| goes_on) {
            alike.add_candidates(middle, work, found);
        }
        goes_on
    };
    if !add(0, &|_| tails.empty_text()) {
        return;
    }
    for (len, table) in tails.tables() {
        if !add(len, &|tail| table.get(tail)) {
            return;
        }
    }
}

impl Alike {
    fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (few, many) = match self {
            Alike::Few(edges) => (Some(edges), None),
            Alike::Many { by_inner, .. } => (None, Some(by_inner.values())),
        };
        few.into_iter().chain(many.into_iter().flatten()).flatten()
    }

    fn is_empty(&self) -> bool {
        self.edges().next().is_none()
    }

    /// Adds the candidates whose inner text is in `middle`, the part of a segment between prefix and
    /// suffix.
    fn add_candidates<'n>(&'n self, middle: &[u8], work: &mut Work, found: &mut Candidates<'n>) {
        let mut add = |edges: &'n [Edge], work: &mut Work| {
            // Sorting them takes steps, too.
            if edges.len() == 1 || work.take(4 * edges.len()) {
                found.extend(edges.iter().map(|(mixed, node)| (mixed, &**node)));
            }
        };
        let by_inner = match self {
            Alike::Few(edges) => return add(edges, work),
            Alike::Many { by_inner, .. } => by_inner,
        };
        if let Some(edges) = by_inner.empty_text() {
            add(edges, work);
        }
        // Both sides have a value of at least one byte.
        let inside = middle.get(1..middle.len().saturating_sub(1));
        for (len, table) in by_inner.tables() {
            for edges in parts_in(table, len, inside.unwrap_or_default(), work) {
                add(edges, work);
            }
        }
    }

    /// Where a segment is, or belongs.
    fn list(&self, mixed: &Mixed) -> Option<&Vec<Edge>> {
        match self {
            Alike::Few(edges) => Some(edges),
            Alike::Many { by_inner, .. } => by_inner.get(mixed.inner()),
        }
    }

    fn list_mut(&mut self, mixed: &Mixed) -> Option<&mut Vec<Edge>> {
        match self {
            Alike::Few(edges) => Some(edges),
            Alike::Many { by_inner, .. } => by_inner.get_mut(mixed.inner()),
        }
    }

    fn put(&mut self, edge: Edge) {
        match self {
            Alike::Few(edges) => {
                put_sorted(edges, edge);
                if edges.len() > FEW {
                    *self = Alike::many(std::mem::take(edges));
                }
            }
            Alike::Many { count, by_inner } => {
                *count += 1;
                let inner: SmallVec<[u8; 32]> = SmallVec::from_slice(edge.0.inner());
                match by_inner.get_mut(&inner) {
                    Some(edges) => put_sorted(edges, edge),
                    None => by_inner.insert(&inner, vec![edge]),
                }
            }
        }
    }

    fn many(edges: Vec<Edge>) -> Alike {
        let mut many = Alike::Many {
            count: 0,
            by_inner: ByLength::default(),
        };
        for edge in edges {
            many.put(edge);
        }
        many
    }

    fn take(&mut self, mixed: &Mixed) -> Option<Box<Node>> {
        let edges = self.list_mut(mixed)?;
        let at = place(edges, mixed).ok()?;
        let (_, node) = edges.remove(at);
        let is_last = edges.is_empty();
        if let Alike::Many { count, by_inner } = self {
            if is_last {
                by_inner.remove(mixed.inner());
            }
            *count -= 1;
            if *count <= FEW {
                let mut edges: Vec<Edge> =
                    std::mem::take(by_inner).into_values().flatten().collect();
                edges.sort_by(|(one, _), (other, _)| one.cmp(other));
                *self = Alike::Few(edges);
            }
        }
        Some(node)
    }
}

/// The values in `table` whose texts, all of this length, are somewhere in `text`, each once.
fn parts_in<'n, V>(
    table: &'n Table<V>,
    len: usize,
    text: &[u8],
    work: &mut Work,
) -> SmallVec<[&'n V; 4]> {
    let mut found: SmallVec<[&V; 4]> = SmallVec::new();
    let parts = text.windows(len);
    if work.take(parts.len() * (1 + len / 16)) {
        found.extend(parts.filter_map(|part| table.get(part)));
    }
    found.sort_unstable_by_key(|value| std::ptr::from_ref::<V>(*value));
    found.dedup_by_key(|value| std::ptr::from_ref::<V>(*value));
    found
}

/// Where in a sorted list a segment is, or belongs.
fn place(edges: &[Edge], mixed: &Mixed) -> Result<usize, usize> {
    edges.binary_search_by_key(&mixed, |(other, _)| other)
}

fn put_sorted(edges: &mut Vec<Edge>, edge: Edge) {
    let (Ok(at) | Err(at)) = place(edges, &edge.0);
    edges.insert(at, edge);
}
