//! Finds the namespace that a key was probably meant for, and its first mistake.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::trie::Node;
use super::work::Work;
use crate::namespaces::Namespace;
use crate::namespaces::segment::{Segment, split_first, split_value};
use crate::text::quoting::Quoted;

/// A namespace that a key almost belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near<'r, 'k> {
    pub namespace: &'r Namespace,
    /// The first placeholder whose value is missing or does not fit; `None` if literal text is missing or
    /// the key is too long.
    pub placeholder: Option<&'r str>,
    /// In printable ASCII.
    pub expected: Cow<'static, str>,
    /// The text of the key there; empty if the key ends before.
    pub got: &'k [u8],
}

/// The namespace with the fewest mistakes, and among several the most specific one. The key must contain
/// the literal text of its pattern, as far as the key goes, and have no mistake in its first segment.
///
/// As in [`find`](super::find), no node is visited twice, and the search returns nothing if the work runs
/// out.
pub fn nearest<'r, 'k>(root: &'r Node, key: &'k [u8], work: &mut Work) -> Option<Near<'r, 'k>> {
    let mut search = Search { work, found: None };
    let (first, rest) = split_first(key);
    if let Some(child) = root.literal(first) {
        search.visit(child, rest, Way::default().through(true, 0));
    }
    for (mixed, child) in root.mixed(first, search.work) {
        if search.work.run(first.len(), mixed.regex_steps(first.len())) && mixed.fits(first) {
            search.visit(child, rest, Way::default().through(false, 0));
        }
    }
    if search.work.is_spent() {
        return None;
    }
    let (namespace, way) = search.found?;
    explain(namespace, way.segments, key)
}

/// The way from the root to a node.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    segments: usize,
    literals: usize,
    mistakes: usize,
}

impl Way {
    fn through(self, is_literal: bool, mistakes: usize) -> Way {
        Way {
            segments: self.segments + 1,
            literals: self.literals + usize::from(is_literal),
            mistakes: self.mistakes + mistakes,
        }
    }

    /// The better way is less.
    fn rank(self) -> impl Ord {
        (self.mistakes, Reverse(self.literals))
    }
}

struct Search<'r, 'w> {
    work: &'w mut Work,
    found: Option<(&'r Namespace, Way)>,
}

impl<'r> Search<'r, '_> {
    fn visit(&mut self, node: &'r Node, rest: Option<&[u8]>, way: Way) {
        let Some(text) = rest else {
            return self.end_early(node, way);
        };
        if !self.work.look_at(text.len()) {
            return;
        }
        if let Some(namespace) = node.end() {
            let too_much = text.split(|&b| b == b':').count();
            self.offer(
                namespace,
                Way {
                    mistakes: way.mistakes + too_much,
                    ..way
                },
            );
        }
        if self
            .found
            .is_some_and(|(_, best)| way.mistakes > best.mistakes)
        {
            return;
        }
        let (segment, after) = split_first(text);
        if let Some(child) = node.literal(segment) {
            self.visit(child, after, way.through(true, 0));
        }
        for (mixed, child) in node.mixed(segment, self.work) {
            let steps = mixed.regex_steps(segment.len());
            if self.work.run(2 * segment.len(), steps) && mixed.split(segment, |_, _| true) {
                let mistakes = usize::from(!mixed.fits(segment));
                self.visit(child, after, way.through(false, mistakes));
            }
        }
        for (kind, child) in node.wholes() {
            let (value, rest) = split_value(kind, text);
            if !self.work.run(value.len(), kind.regex_steps(value.len())) {
                return;
            }
            let mistakes = usize::from(!kind.fits(value));
            self.visit(child, rest, way.through(false, mistakes));
        }
    }

    /// Continues behind the end of the key, to the nearest end of a pattern.
    fn end_early(&mut self, node: &'r Node, way: Way) {
        if let Some(namespace) = node.end() {
            return self.offer(namespace, way);
        }
        let work = &mut self.work;
        let nearest = node
            .children()
            .take_while(|_| work.take(1))
            .min_by_key(|(literal, child)| (child.shortest(), literal.is_none(), *literal));
        if let Some((literal, child)) = nearest {
            self.end_early(child, way.through(literal.is_some(), 1));
        }
    }

    fn offer(&mut self, namespace: &'r Namespace, way: Way) {
        if self.found.is_none_or(|(_, best)| way.rank() < best.rank()) {
            self.found = Some((namespace, way));
        }
    }
}

/// The first mistake of `key`, which is near to the form of the pattern with so many segments.
fn explain<'r, 'k>(
    namespace: &'r Namespace,
    segments: usize,
    key: &'k [u8],
) -> Option<Near<'r, 'k>> {
    let near = |placeholder, expected: Cow<'static, str>, got| Near {
        namespace,
        placeholder,
        expected,
        got,
    };
    let pattern = namespace.pattern();
    let form = pattern.forms().find(|form| form.len() == segments)?;
    let mut places = pattern.placeholders().iter();
    let mut rest = Some(key);
    for segment in form {
        let Some(text) = rest else {
            return Some(match segment {
                Segment::Literal(literal) => {
                    near(None, format!("'{}'", Quoted(literal)).into(), b"")
                }
                _ => {
                    let place = places.next()?;
                    near(Some(&place.name), place.kind.expected(), b"")
                }
            });
        };
        let mut wrong = None;
        rest = segment.split(text, |kind, value| {
            let place = places.next();
            if let Some(place) = place.filter(|_| wrong.is_none() && !kind.fits(value)) {
                wrong = Some(near(Some(&place.name), kind.expected(), value));
            }
            true
        })?;
        if wrong.is_some() {
            return wrong;
        }
    }
    Some(near(None, "the end of the key".into(), rest?))
}
