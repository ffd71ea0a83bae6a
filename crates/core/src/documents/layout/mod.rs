//! The keys of a document: every field, member and string that should exist.
//!
//! An outline is a list of elements in reading order, each with its parent. Everything below a section
//! is one run of the list, so no set has to be searched for:
//!
//! ```text
//! index  element                    run     children     sequence
//!   -    doc:guide:001              0..5    0, 4         0 1 2 3 4
//!   0      ch:risk:001              1..4    1, 2         1 2 3
//!   1        chunk:assets:001
//!   2        para:volatility:001    3..4    3            3
//!   3          chunk:measure:001
//!   4      ch:summary:002           5..5
//! ```
//!
//! Names are used in many places. Each is created once, in the form that the writer needs ([`Text`]), and
//! borrowed everywhere else.

mod hashes;
#[cfg(test)]
pub(super) mod tests;

use std::ops::Range;
use std::rc::Rc;

use super::about::About;
use super::fields::Words;
use super::keys::{Below, DocumentKeys, PartKeys};
use super::outline::{Block, Element, Kind, Outline};
use super::shared_sets::{Members, shared_sets};
use super::text::Text;
use crate::naming::key_name::Prefix;
use crate::text::decimal::{self, MAX_DIGITS};

/// A document in keys.
pub struct Layout<'a, S> {
    prefix: Prefix<'a>,
    source: &'a [u8],
    outline: &'a Outline,
    about: &'a About<'a>,
    pub doc: DocumentKeys<S>,
    /// One for each element of the outline.
    pub parts: Vec<PartKeys<S>>,
    words: &'a Words<S>,
    values: Values<S>,
}

/// Values that occur in many fields.
struct Values<S> {
    kinds: [S; Kind::ALL.len()],
    blocks: [S; Block::ALL.len()],
    levels: [S; 7],
    /// From 1 on.
    positions: Vec<S>,
}

impl<S: Text> Values<S> {
    fn new(parts: usize) -> Values<S> {
        let word = |word: &str| S::of(word.as_bytes());
        Values {
            kinds: Kind::ALL.map(|kind| word(kind.word())),
            blocks: Block::ALL.map(|block| word(block.word())),
            levels: [0, 1, 2, 3, 4, 5, 6].map(number),
            positions: (1..=parts).map(number).collect(),
        }
    }
}

/// A number in decimal.
fn number<S: Text>(number: usize) -> S {
    S::of(decimal::format(number as u64, &mut [0; MAX_DIGITS]))
}

/// A section, or the document itself, and what is below.
pub struct Section<'n, S> {
    /// `None` for the document.
    pub index: Option<usize>,
    pub below: &'n Below<S>,
    /// All that is below, which is one run in reading order.
    pub run: Range<usize>,
}

impl<'a, S: Text> Layout<'a, S> {
    pub fn new(
        prefix: Prefix<'a>,
        source: &'a [u8],
        outline: &'a Outline,
        about: &'a About<'a>,
        (doc, parts): (DocumentKeys<S>, Vec<PartKeys<S>>),
        words: &'a Words<S>,
    ) -> Layout<'a, S> {
        Layout {
            prefix,
            source,
            outline,
            about,
            values: Values::new(parts.len()),
            doc,
            parts,
            words,
        }
    }

    /// Every element with its keys, in reading order.
    fn elements(&self) -> impl Iterator<Item = (&Element, &PartKeys<S>)> {
        self.outline.elements.iter().zip(&self.parts)
    }

    /// How many elements are of this kind.
    pub fn count(&self, kind: Kind) -> usize {
        let elements = self.outline.elements.iter();
        elements.filter(|element| element.kind == kind).count()
    }

    /// The document and all its sections, also those that have nothing below them.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_, S>> {
        let document = Section {
            index: None,
            below: &self.doc.below,
            run: 0..self.parts.len(),
        };
        let sections = self.elements().enumerate();
        let sections = sections.filter_map(|(index, (element, keys))| {
            Some(Section {
                index: Some(index),
                below: keys.below.as_ref()?,
                run: index + 1..element.end,
            })
        });
        std::iter::once(document).chain(sections)
    }

    /// The names of a run of elements.
    pub fn names(&self, run: &Range<usize>) -> impl Iterator<Item = &S> {
        let parts = self.parts.get(run.clone()).unwrap_or_default();
        parts.iter().map(|part| &part.own)
    }

    /// The positions of a run of elements, with their names, from the last to the first: the
    /// server looks for the place of each among the earlier ones, and finds it at once this way.
    pub fn positions(&self, run: &Range<usize>) -> impl Iterator<Item = (&S, &S)> {
        let positions = self.values.positions.get(run.clone()).unwrap_or_default();
        let parts = self.parts.get(run.clone()).unwrap_or_default();
        let names = parts.iter().map(|part| &part.own);
        positions.iter().zip(names).rev()
    }

    /// The names of the direct children.
    pub fn children<'n>(&'n self, section: &Section<'n, S>) -> impl Iterator<Item = &'n S> {
        self.children_keys(section).map(|keys| &keys.own)
    }

    /// Every direct child's `siblings` with the names of its siblings, where they are wanted. An
    /// only child has none.
    pub fn siblings<'n>(
        &'n self,
        section: &Section<'n, S>,
    ) -> impl Iterator<Item = (&'n S, impl Iterator<Item = &'n S>)> {
        let children: Vec<&PartKeys<S>> = match self.about.with_siblings {
            true => self.children_keys(section).collect(),
            false => Vec::new(),
        };
        let children = Rc::new(children);
        let count = children.len();
        (0..count)
            .filter(move |_| count > 1)
            .filter_map(move |child| {
                let key = children.get(child)?.siblings.as_ref()?;
                let children = children.clone();
                let others = (0..count).filter(move |&other| other != child);
                Some((
                    key,
                    others.filter_map(move |other| Some(&children.get(other)?.own)),
                ))
            })
    }

    /// The `siblings` of an only child, which has none.
    pub fn without_siblings<'n>(&'n self, section: &Section<'n, S>) -> Option<&'n S> {
        let mut children = self.children_keys(section);
        let only = children.next()?;
        match children.next() {
            None => only.siblings.as_ref(),
            Some(_) => None,
        }
    }

    fn children_keys<'n>(
        &'n self,
        section: &Section<'n, S>,
    ) -> impl Iterator<Item = &'n PartKeys<S>> {
        let (index, run) = (section.index, section.run.clone());
        let elements = self.outline.elements.get(run.clone()).unwrap_or_default();
        let parts = self.parts.get(run).unwrap_or_default();
        let elements = elements.iter().zip(parts);
        elements.filter_map(move |(element, keys)| (element.parent == index).then_some(keys))
    }

    /// Every `next` and `previous` with its value.
    pub fn neighbours(&self) -> impl Iterator<Item = (&S, &S)> {
        let pairs = self.parts.iter().zip(self.parts.iter().skip(1));
        pairs.flat_map(|(one, other)| [(&one.next, &other.own), (&other.previous, &one.own)])
    }

    /// The `previous` of the first element and the `next` of the last, which are not there.
    pub fn ends(&self) -> impl Iterator<Item = &S> {
        let first = self.parts.first().map(|first| &first.previous);
        let last = self.parts.last().map(|last| &last.next);
        first.into_iter().chain(last)
    }

    /// The sets that the document shares with others, and who of it is in them.
    pub fn shared_sets(&self) -> Vec<(S, Members)> {
        let sets = self.about.sets();
        shared_sets(&self.prefix, |kind| self.count(kind) > 0, &sets)
    }

    /// The names that are in such a set.
    pub fn members(&self, members: Members) -> Vec<&S> {
        match members {
            Members::Document => vec![&self.doc.own],
            Members::Parts(kind) => self
                .elements()
                .filter(|(element, _)| element.kind == kind)
                .map(|(_, keys)| &keys.own)
                .collect(),
        }
    }
}
