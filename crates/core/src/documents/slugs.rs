//! Slugs for a document and its elements.

use std::collections::{HashMap, HashSet};

use super::outline::{Kind, Outline};
use crate::naming::slug::{Abbreviations, SlugMaker, SlugOptions};
use crate::text::calendar::DateTime;

/// The slugs of a document and of all its elements.
pub struct Slugs {
    bytes: Vec<u8>,
    /// Where each ends, the document's first.
    ends: Vec<usize>,
}

impl Slugs {
    /// Makes all slugs. `now`, in seconds since 1970, names texts without a slug.
    pub fn of(
        outline: &Outline,
        title: &[u8],
        options: &SlugOptions,
        abbreviations: &Abbreviations,
        now: i64,
    ) -> Slugs {
        let now = DateTime::from_unix(now).compact();
        let mut slugs = Slugs {
            bytes: Vec::new(),
            ends: Vec::with_capacity(outline.elements.len() + 1),
        };
        let for_chunks = SlugOptions {
            content: true,
            ..*options
        };
        let mut maker = SlugMaker::new();
        let elements = outline.elements.iter().map(|element| match element.kind {
            Kind::Chunk => (outline.label(element).as_bytes(), &for_chunks),
            _ => (outline.label(element).as_bytes(), options),
        });
        for (text, options) in std::iter::once((title, options)).chain(elements) {
            let slug = match maker.slug(text, options, abbreviations) {
                Some(slug) => slug,
                None => maker.stand_in(text, &now, options.max_len, options.shorten),
            };
            slugs.bytes.extend_from_slice(slug);
            slugs.ends.push(slugs.bytes.len());
        }
        slugs
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let slug = self.bytes.get(start..end).unwrap_or_default();
            start = end;
            slug
        })
    }

    /// The document's own.
    pub fn document(&self) -> &[u8] {
        self.iter().next().unwrap_or_default()
    }

    /// Those of the elements, in reading order.
    pub fn elements(&self) -> impl Iterator<Item = &[u8]> {
        self.iter().skip(1)
    }

    /// Those that occur in more than one kind, the document's included.
    pub fn conflicts(&self, outline: &Outline) -> Vec<&[u8]> {
        let mut seen: HashMap<&[u8], Option<Kind>> = HashMap::with_capacity(self.ends.len());
        let mut conflicts: Vec<&[u8]> = Vec::new();
        let kinds = outline.elements.iter().map(|element| Some(element.kind));
        let mut known = HashSet::new();
        for (slug, kind) in self.iter().zip(std::iter::once(None).chain(kinds)) {
            let first = *seen.entry(slug).or_insert(kind);
            if first != kind && known.insert(slug) {
                conflicts.push(slug);
            }
        }
        conflicts
    }
}
