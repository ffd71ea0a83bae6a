//! Values by texts, for finding those texts in longer ones.

use crate::namespaces::table::Table;

/// Values by texts, with one table per length. Finding them at the start of a text, at its end or
/// anywhere in it takes one look-up per length and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByLength<V> {
    /// The value of the empty text.
    empty: Option<V>,
    /// Sorted by length.
    tables: Vec<(usize, Table<V>)>,
}

impl<V> ByLength<V> {
    pub fn is_empty(&self) -> bool {
        self.empty.is_none() && self.tables.is_empty()
    }

    pub fn empty_text(&self) -> Option<&V> {
        self.empty.as_ref()
    }

    /// One table for each length except 0, the shortest first.
    pub fn tables(&self) -> impl Iterator<Item = (usize, &Table<V>)> {
        self.tables.iter().map(|(len, table)| (*len, table))
    }

    /// In no order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        let tables = self.tables.iter().flat_map(|(_, table)| table.iter());
        self.empty.iter().chain(tables.map(|(_, value)| value))
    }

    pub fn into_values(self) -> impl Iterator<Item = V> {
        let tables = self.tables.into_iter();
        let values = tables.flat_map(|(_, table)| table.into_values());
        self.empty.into_iter().chain(values)
    }

    pub fn get(&self, text: &[u8]) -> Option<&V> {
        match text {
            [] => self.empty.as_ref(),
            _ => self.tables.get(self.place(text).ok()?)?.1.get(text),
        }
    }

    pub fn get_mut(&mut self, text: &[u8]) -> Option<&mut V> {
        match text {
            [] => self.empty.as_mut(),
            _ => {
                let place = self.place(text).ok()?;
                self.tables.get_mut(place)?.1.get_mut(text)
            }
        }
    }

    /// Removes a value, and a table that is empty without it.
    pub fn remove(&mut self, text: &[u8]) -> Option<V> {
        if text.is_empty() {
            return self.empty.take();
        }
        let place = self.place(text).ok()?;
        let table = &mut self.tables.get_mut(place)?.1;
        let removed = table.remove(text);
        if table.len() == 0 {
            self.tables.remove(place);
        }
        removed
    }

    /// Adds a value under a new text.
    pub fn insert(&mut self, text: &[u8], value: V) {
        if text.is_empty() {
            self.empty = Some(value);
            return;
        }
        let place = self.place(text).unwrap_or_else(|place| {
            self.tables.insert(place, (text.len(), Table::new()));
            place
        });
        if let Some((_, table)) = self.tables.get_mut(place) {
            table.insert(text, value);
        }
    }

    /// Where the table for this length is, or where it belongs.
    fn place(&self, text: &[u8]) -> Result<usize, usize> {
        self.tables
            .binary_search_by_key(&text.len(), |(len, _)| *len)
    }
}

impl<V> Default for ByLength<V> {
    fn default() -> ByLength<V> {
        ByLength {
            empty: None,
            tables: Vec::new(),
        }
    }
}
