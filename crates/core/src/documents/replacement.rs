//! Replacing a stored document: unchanged elements keep their keys.
//!
//! ```text
//! stored             new text
//! 0 ch:risk:001      0 "Risk"          is 0
//! 1 chunk:old:001    1 "new text"      is new
//! 2 chunk:same:002   2 "same"          is 2
//!                    1 is in no pair, so it is removed
//! ```

use std::collections::HashSet;

use super::keys::PartKeys;
use super::layout::Layout;
use super::matching::{Item, pairs};
use super::shared_sets::Members;
use super::stored::{Stored, StoredPart, names_of};
use super::text::Text;
use crate::key_type::KeyType;

/// About how many keys [`Replacement::for_stale_keys`] gives at once.
const KEYS_AT_ONCE: usize = 4000;

/// A stored document and what of it stays.
pub struct Replacement<S> {
    pub stored: Stored<S>,
    /// For each element of the new outline, which stored part it is.
    pairs: Vec<Option<usize>>,
    /// The stored parts that are gone from the new text.
    removed: Vec<usize>,
}

impl<S: Text> Replacement<S> {
    /// Matches the stored parts with the new elements.
    pub fn new(stored: Stored<S>, old: &[Item], new: &[Item]) -> Replacement<S> {
        let pairs = pairs(old, new);
        let kept: HashSet<usize> = pairs.iter().flatten().copied().collect();
        let parts = 0..stored.parts.len();
        Replacement {
            removed: parts.filter(|index| !kept.contains(index)).collect(),
            pairs,
            stored,
        }
    }

    /// The stored part that the element with this index matches.
    pub fn old(&self, index: usize) -> Option<&StoredPart<S>> {
        self.stored.parts.get((*self.pairs.get(index)?)?)
    }

    pub fn is_kept(&self, index: usize) -> bool {
        self.pairs.get(index).is_some_and(Option::is_some)
    }

    /// The parts that stay, in the order of the new text.
    pub fn kept(&self) -> impl Iterator<Item = &StoredPart<S>> {
        let kept = self.pairs.iter().flatten();
        kept.filter_map(|&index| self.stored.parts.get(index))
    }

    /// The parts that go.
    pub fn removed(&self) -> impl Iterator<Item = &StoredPart<S>> {
        let parts = self.removed.iter();
        parts.filter_map(|&index| self.stored.parts.get(index))
    }

    /// The keys of the element with this index, if it was there before.
    pub fn kept_keys(&self, index: usize, with_siblings: bool) -> Option<PartKeys<S>> {
        let part = self.old(index)?;
        let name = S::of(part.name.bytes());
        Some(PartKeys::of(
            name,
            part.kind,
            with_siblings,
            &mut Vec::new(),
        ))
    }

    /// Calls `each` with keys that go, some at a time: those of removed parts, and siblings that are
    /// no longer wanted. All of them at once could take much more memory than the document.
    pub fn for_stale_keys<E>(
        &self,
        layout: &Layout<S>,
        mut each: impl FnMut(&[(S, KeyType)]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut buffer = Vec::new();
        let mut stale = Vec::new();
        for part in self.removed() {
            stale.extend(self.stored.keys_of(part, &mut buffer).into_typed());
            if stale.len() >= KEYS_AT_ONCE {
                each(&stale)?;
                stale.clear();
            }
        }
        if self.stored.has_siblings {
            for (index, keys) in layout.parts.iter().enumerate() {
                if self.is_kept(index) && keys.siblings.is_none() {
                    let siblings = PartKeys::siblings_of(keys.own.bytes(), &mut buffer);
                    stale.push((siblings, KeyType::Set));
                }
            }
        }
        each(&stale)
    }

    /// The names to remove from a shared set, which the new document may use too. Names that the new
    /// document has stay: a new part may have the name of one that was lost.
    pub fn leaving(&self, members: Members, set_stays: bool, new: &HashSet<&[u8]>) -> Vec<&S> {
        match (members, set_stays) {
            (_, false) => self.stored.members(members),
            (Members::Document, true) => Vec::new(),
            (Members::Parts(kind), true) => {
                let gone = self
                    .removed()
                    .filter(|part| !new.contains(part.name.bytes()));
                names_of(gone, kind).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests;
