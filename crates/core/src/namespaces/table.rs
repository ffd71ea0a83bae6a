//! A hash table by short texts.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use smallvec::SmallVec;

/// Values by texts. Short texts, which most are, are stored inline. An empty table takes no memory.
///
/// The seed of the hash is random, although only those who may define namespaces could cause
/// collisions: a look-up adds nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<V>(Option<Box<Map<V>>>);

type Map<V> = HashMap<SmallVec<[u8; 16]>, V, RandomState>;

impl<V> Table<V> {
    pub const fn new() -> Table<V> {
        Table(None)
    }

    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |map| map.len())
    }

    pub fn get(&self, text: &[u8]) -> Option<&V> {
        self.0.as_ref()?.get(text)
    }

    pub fn get_mut(&mut self, text: &[u8]) -> Option<&mut V> {
        self.0.as_mut()?.get_mut(text)
    }

    /// Like [`get`](Table::get), with the table's own copy of the text.
    pub fn entry(&self, text: &[u8]) -> Option<(&[u8], &V)> {
        let (text, value) = self.0.as_ref()?.get_key_value(text)?;
        Some((text, value))
    }

    /// In no order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &V)> {
        let entries = self.0.iter().flat_map(|map| map.iter());
        entries.map(|(text, value)| (text.as_slice(), value))
    }

    /// In no order.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.0.into_iter().flat_map(|map| map.into_values())
    }

    /// Returns the previous value.
    pub fn insert(&mut self, text: &[u8], value: V) -> Option<V> {
        let map = self.0.get_or_insert_default();
        map.insert(SmallVec::from_slice(text), value)
    }

    pub fn remove(&mut self, text: &[u8]) -> Option<V> {
        let removed = self.0.as_mut()?.remove(text);
        self.0.take_if(|map| map.is_empty());
        removed
    }
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table::new()
    }
}
