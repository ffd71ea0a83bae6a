//! Matches the elements of a new text with those of the old one.
//!
//! Content identifies an element. If the same content occurs more than once, its place decides: first
//! the headings above it, then the order. Any matching leads to a correct document; a good one keeps as
//! many keys as possible. The time is linear for any edit.

use std::collections::HashMap;

use xxhash_rust::xxh3::Xxh3;

/// An element, as far as matching knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    content: u64,
    /// The content together with that of all sections above.
    place: u64,
}

impl Item {
    /// An element of this kind with this content, below `parent`.
    pub fn new(kind: u8, content: &[u8], parent: Option<&Item>) -> Item {
        let own = |seed: u64| {
            let mut hash = Xxh3::with_seed(seed);
            hash.update(&[kind]);
            hash.update(content);
            hash.digest()
        };
        // An element of the document itself needs a place too.
        let above = parent.map_or(1, |parent| parent.place);
        Item {
            content: own(0),
            place: own(above),
        }
    }
}

/// For each new item, the index of the old item it matches, if any. No old item is used twice.
///
/// ```
/// use keyns_core::documents::matching::{Item, pairs};
///
/// let text = |text: &str| Item::new(0, text.as_bytes(), None);
/// let old = [text("a"), text("b"), text("b")];
/// let new = [text("new"), text("b"), text("a"), text("b")];
/// assert_eq!(pairs(&old, &new), [None, Some(1), Some(0), Some(2)]);
/// ```
pub fn pairs(old: &[Item], new: &[Item]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; new.len()];
    let mut taken = vec![false; old.len()];
    for key in [|item: &Item| item.place, |item: &Item| item.content] {
        // The old items with the same key, as a chain from the first to the last.
        let mut first: HashMap<u64, usize> = HashMap::with_capacity(old.len());
        let mut following = vec![None; old.len()];
        for (index, item) in old.iter().enumerate().rev() {
            if taken.get(index) == Some(&false)
                && let Some(next) = following.get_mut(index)
            {
                *next = first.insert(key(item), index);
            }
        }
        for (item, pair) in new.iter().zip(&mut pairs) {
            if pair.is_some() {
                continue;
            }
            let Some(&index) = first.get(&key(item)) else {
                continue;
            };
            *pair = Some(index);
            if let Some(taken) = taken.get_mut(index) {
                *taken = true;
            }
            match following.get(index) {
                Some(&Some(next)) => first.insert(key(item), next),
                _ => first.remove(&key(item)),
            };
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: u8 = 1;
    const CHUNK: u8 = 2;

    fn chunk(text: &str, parent: Option<&Item>) -> Item {
        Item::new(CHUNK, text.as_bytes(), parent)
    }

    fn section(title: &str) -> Item {
        Item::new(SECTION, title.as_bytes(), None)
    }

    #[test]
    fn an_insertion_at_the_top_keeps_all_others() {
        let old: Vec<Item> = (0..50).map(|i| chunk(&i.to_string(), None)).collect();
        let mut new = vec![chunk("new", None)];
        new.extend(&old);
        let expected: Vec<Option<usize>> = std::iter::once(None).chain((0..50).map(Some)).collect();
        assert_eq!(pairs(&old, &new), expected);
    }

    #[test]
    fn equal_contents_are_told_apart_by_the_heading_above() {
        let (a, b) = (section("A"), section("B"));
        let old = [a, chunk("same", Some(&a)), b, chunk("same", Some(&b))];
        let new = [b, chunk("same", Some(&b)), a, chunk("same", Some(&a))];
        assert_eq!(pairs(&old, &new), [Some(2), Some(3), Some(0), Some(1)]);
    }

    #[test]
    fn a_renamed_heading_does_not_cost_what_is_below() {
        let (a, b) = (section("Intro"), section("Introduction"));
        let old = [a, chunk("x", Some(&a)), chunk("y", Some(&a))];
        let new = [b, chunk("x", Some(&b)), chunk("y", Some(&b))];
        assert_eq!(pairs(&old, &new), [None, Some(1), Some(2)]);
    }

    #[test]
    fn kinds_are_never_mixed() {
        let old = [Item::new(SECTION, b"x", None)];
        assert_eq!(pairs(&old, &[Item::new(CHUNK, b"x", None)]), [None]);
    }
}
