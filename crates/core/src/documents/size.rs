//! Limits what a call may write, before it writes.

use super::about::About;
use super::footprint::{DIGITS, Footprint};
use super::outline::Outline;
use super::slugs::Slugs;
use super::{Error, Result};
use crate::naming::key_name::Prefix;

/// What determines the length of names.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    pub prefix: Prefix<'a>,
    /// The document to be replaced.
    pub document: Option<&'a [u8]>,
    /// The digits that numbers are padded to.
    pub width: usize,
    pub with_slug_counters: bool,
}

/// The footprint of a document. `kept` has the lengths of existing names.
pub fn footprint<'a>(
    naming: Naming,
    outline: &'a Outline,
    slugs: &Slugs,
    about: &About,
    kept: impl Fn(usize) -> Option<usize>,
) -> Footprint<'a> {
    let scope = naming.prefix.scope().map_or(0, |scope| scope.len() + 1);
    let number = naming.width.max(DIGITS);
    let name = |kind: &[u8], slug: &[u8]| scope + kind.len() + slug.len() + number + 2;
    let elements = outline.elements.iter().zip(slugs.elements()).enumerate();
    let names = elements.map(|(index, (element, slug))| {
        kept(index).unwrap_or_else(|| name(element.kind.segment().as_bytes(), slug))
    });
    let document_name = match naming.document {
        Some(document) => document.len(),
        None => name(naming.prefix.kind(), slugs.document()),
    };
    let sets = |sets: &[Vec<u8>]| sets.iter().map(|set| scope + set.len()).collect();
    Footprint {
        outline,
        document_name,
        names: names.collect(),
        chunk_sets: sets(&about.chunk_sets),
        document_sets: sets(&about.document_sets),
        document_values: about.values_len(outline),
        with_siblings: about.with_siblings,
        with_slug_counters: naming.with_slug_counters,
    }
}

/// Any document may take this much, however short its text.
const LITTLE: usize = 32 << 20;
/// The most memory per byte of text. One-letter paragraphs under an ordinary prefix take 900 times
/// their text.
const TIMES_TEXT: usize = 1024;

/// The most memory for a document's keys.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// By the settings.
    bytes: usize,
    /// By its text: a few kilobytes must not take gigabytes.
    for_text: usize,
}

impl Allowed {
    pub fn new(bytes: usize, markdown: &[u8]) -> Allowed {
        Allowed {
            bytes,
            for_text: markdown.len().saturating_mul(TIMES_TEXT).max(LITTLE),
        }
    }

    /// The size of the whole document; an error if it exceeds the limits.
    pub fn check(&self, footprint: &Footprint) -> Result<usize> {
        let all = footprint.total();
        self.check_bytes(all)?;
        Ok(all)
    }

    fn check_bytes(&self, got: usize) -> Result<()> {
        if got > self.bytes {
            let limit = self.bytes;
            return Err(Error::TooMuchToWrite { limit, got });
        }
        if got > self.for_text {
            let limit = self.for_text;
            return Err(Error::TooMuchForText { limit, got });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::about::Said;
    use super::super::outline::Cut;
    use super::*;
    use crate::naming::slug::{Abbreviations, SlugOptions};

    #[test]
    fn names_are_as_long_as_they_will_be() {
        let source = "---\ntitle: Guide\ncategory: risk\ntags: [hedge]\n---\n# Risk\n\nAssets\n";
        let outline = Outline::of(source, &Cut::default()).unwrap();
        let (options, none) = (SlugOptions::default(), Abbreviations::default());
        let about = About::of(Said::default(), &outline, &options, &none);
        let slugs = Slugs::of(&outline, about.title, &options, &none, 0);
        let naming = |prefix: &'static [u8], document, width| Naming {
            prefix: Prefix::parse(prefix).unwrap(),
            document,
            width,
            with_slug_counters: false,
        };

        let of = footprint(naming(b"doc", None, 3), &outline, &slugs, &about, |_| None);
        // A number is taken to have eight digits, since nobody knows how far the counter is.
        assert_eq!(of.document_name, "doc:guide:00000001".len());
        let names = ["ch:risk:00000001", "chunk:assets:00000001"];
        assert_eq!(of.names, names.map(str::len));
        assert_eq!(of.document_sets, ["category:risk:docs".len()]);
        assert_eq!(of.chunk_sets, ["tag:hedge:chunks".len()]);

        let document = Some(&b"{acme}:doc:guide:001"[..]);
        let kept = |index| (index == 1).then_some(99);
        let naming = naming(b"{acme}:doc", document, 12);
        let of = footprint(naming, &outline, &slugs, &about, kept);
        assert_eq!(of.document_name, "{acme}:doc:guide:001".len());
        assert_eq!(of.names, ["{acme}:ch:risk:000000000001".len(), 99]);
        assert_eq!(of.chunk_sets, ["{acme}:tag:hedge:chunks".len()]);
    }

    #[test]
    fn a_document_may_take_what_the_settings_and_its_text_allow() {
        let text = vec![b'x'; 1 << 20];
        for (bytes, text, got, error) in [
            (1 << 40, &b""[..], LITTLE, None),
            (
                1 << 40,
                b"",
                LITTLE + 1,
                Some(Error::TooMuchForText {
                    limit: LITTLE,
                    got: LITTLE + 1,
                }),
            ),
            (1 << 40, &text, TIMES_TEXT << 20, None),
            // Where both are exceeded, the setting is named: it can be changed.
            (
                1000,
                b"",
                LITTLE + 1,
                Some(Error::TooMuchToWrite {
                    limit: 1000,
                    got: LITTLE + 1,
                }),
            ),
            (1000, b"", 1000, None),
        ] {
            assert_eq!(Allowed::new(bytes, text).check_bytes(got).err(), error);
        }
    }
}
