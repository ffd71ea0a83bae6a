//! What identifies the elements of a text and the parts of a stored document, to find those that are
//! the same.
//!
//! A title identifies a section. A block identifies a chunk, without the blank lines and definitions
//! that follow it, and whatever its line endings.

use std::borrow::Cow;

use super::matching::Item;
use super::outline::{Kind, Outline};
use crate::text::decimal;

/// What identifies the elements of an outline.
pub fn new_items(outline: &Outline, source: &[u8]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::with_capacity(outline.elements.len());
    for element in &outline.elements {
        let parent = element.parent.and_then(|parent| items.get(parent));
        let kind = element.kind as u8;
        items.push(match element.kind {
            Kind::Chunk => Item::new(kind, &content(&element.text(source), element.tail), parent),
            _ => Item::new(kind, outline.label(element).as_bytes(), parent),
        });
    }
    items
}

/// What identifies a stored chunk, by the values of its fields.
pub fn stored_chunk(text: &[u8], tail: Option<&[u8]>, parent: Option<&Item>) -> Item {
    let tail = tail.and_then(decimal::parse);
    let tail = tail.and_then(|tail| usize::try_from(tail).ok());
    Item::new(Kind::Chunk as u8, &content(text, tail.unwrap_or(0)), parent)
}

/// What identifies a stored section.
pub fn stored_section(kind: Kind, title: &[u8], parent: Option<&Item>) -> Item {
    Item::new(kind as u8, title, parent)
}

/// A part that has lost its content, and matches nothing.
pub fn lost(name: &[u8], parent: Option<&Item>) -> Item {
    Item::new(u8::MAX, name, parent)
}

/// What identifies a chunk: its block without what follows it, whatever its line endings.
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

#[cfg(test)]
mod tests {
    use super::super::outline::Cut;
    use super::*;

    #[test]
    fn a_chunk_is_its_block_alone() {
        for (text, tail, block) in [
            ("Text.\n\n", 0, "Text."),
            ("Text.\n\n[a]: b\n", 9, "Text."),
            ("one\r\ntwo\rthree\r\n\r\n", 0, "one\ntwo\nthree"),
            ("\r\r\nx\n\r", 0, "\n\nx"),
            ("short", 99, ""),
            ("", 0, ""),
        ] {
            let got = content(text.as_bytes(), tail);
            assert_eq!(got, block.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn what_is_stored_of_an_element_is_found_again() {
        let source = "# A\r\n\r\nText.\r\n\r\n[a]: b\r\n";
        let outline = Outline::of(source, &Cut::default()).unwrap();
        let new = new_items(&outline, source.as_bytes());
        let section = stored_section(Kind::Chapter, b"A", None);
        let chunk = stored_chunk(b"Text.\n\n[a]: b\n", Some(b"9"), Some(&section));
        assert_eq!(new, [section, chunk]);
        assert_ne!(stored_section(Kind::Paragraph, b"A", None), section);
        assert_ne!(lost(b"ch:a:001", None), section);
    }

    #[test]
    fn a_forged_tail_only_makes_another_chunk() {
        let plain = stored_chunk(b"Text.", None, None);
        for tail in ["", "x", "-1", "99999999999999999999"] {
            assert_eq!(stored_chunk(b"Text.", Some(tail.as_bytes()), None), plain);
        }
        assert_ne!(stored_chunk(b"Text.", Some(b"3"), None), plain);
    }
}
