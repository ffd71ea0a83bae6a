//! What tells the elements of a text apart, and the parts of a stored document, so that those that
//! are the same can be found.

use keyns_core::key_type::KeyType;
use std::borrow::Cow;
use std::collections::HashMap;

use super::layout::Words;
use super::stored::Stored;
use crate::server::Result;
use crate::server::ServerString;
use crate::server::store::Store;
use keyns_core::documents::matching::Item;
use keyns_core::documents::outline::{Element, Kind, Outline};
use keyns_core::text::decimal;

/// What tells the elements of an outline apart.
pub fn new_items(outline: &Outline, source: &[u8]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::with_capacity(outline.elements.len());
    for element in &outline.elements {
        let parent = element.parent.and_then(|parent| items.get(parent));
        let kind = element.kind as u8;
        items.push(match element.kind {
            Kind::Chunk => Item::new(kind, &chunk_content(element, source), parent),
            _ => Item::new(kind, outline.label(element).as_bytes(), parent),
        });
    }
    items
}

fn chunk_content(element: &Element, source: &[u8]) -> Vec<u8> {
    let bytes = |span: &std::ops::Range<usize>| source.get(span.clone()).unwrap_or_default();
    let text = [bytes(&element.repeated), bytes(&element.span)].concat();
    content(&text, element.tail).into_owned()
}

/// What tells a chunk from others: its block alone, without what follows it, whatever its lines
/// end in.
fn content(text: &[u8], tail: usize) -> Cow<'_, [u8]> {
    let end = text.len().saturating_sub(tail);
    let block = text.get(..end).unwrap_or_default().trim_ascii_end();
    match block.contains(&b'\r') {
        true => Cow::Owned(with_line_feeds(block)),
        false => Cow::Borrowed(block),
    }
}

fn with_line_feeds(block: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(block.len());
    let mut bytes = block.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.peek() == Some(&b'\n') => {}
            b'\r' => lines.push(b'\n'),
            _ => lines.push(byte),
        }
    }
    lines
}

/// What tells the parts of a stored document apart.
pub fn stored_items(store: &Store, stored: &Stored, words: &Words) -> Result<Vec<Item>> {
    let mut items: Vec<Item> = Vec::with_capacity(stored.parts.len());
    let mut indices: HashMap<&[u8], usize> = HashMap::with_capacity(stored.parts.len());
    for (index, part) in stored.parts.iter().enumerate() {
        let fields = match store.type_of(&part.name) {
            Some(KeyType::Hash) => store.fields(&part.name)?,
            _ => None,
        };
        let get = |field: &ServerString| fields.as_ref().and_then(|fields| fields.get(field));
        let parent = get(&words.parent);
        let parent = parent.and_then(|parent| indices.get(parent.as_bytes()).copied());
        let parent = parent.and_then(|parent| items.get(parent));
        let kind = part.kind as u8;
        let shown = match part.kind {
            Kind::Chunk => get(&words.text),
            _ => get(&words.title),
        };
        items.push(match (&shown, part.kind) {
            (Some(text), Kind::Chunk) => {
                let tail = get(&words.tail).and_then(|tail| decimal::parse(tail.as_bytes()));
                let tail = tail
                    .and_then(|tail| usize::try_from(tail).ok())
                    .unwrap_or(0);
                Item::new(kind, &content(text.as_bytes(), tail), parent)
            }
            (Some(title), _) => Item::new(kind, title.as_bytes(), parent),
            // A part that lost its content is nothing that is still there.
            (None, _) => Item::new(u8::MAX, part.name.as_bytes(), parent),
        });
        indices.insert(part.name.as_bytes(), index);
    }
    Ok(items)
}
