//! The outline of a Markdown document: its sections and chunks, each with its exact bytes.
//!
//! Blocks come from pulldown-cmark. Only those at the level of the document count: a heading inside
//! a quote or a list is content. Everything between two blocks (blank lines, link definitions,
//! rules) belongs to the one before, so all spans in order are the whole source.

mod builder;
mod containers;
mod quirks;
mod split;
pub mod weight;

use std::borrow::Cow;
use std::ops::Range;

use self::builder::Builder;
use super::front_matter::{self, FrontMatter};
use super::{Error, Result};

/// A heading's title is at most this long; its source has all of it. Every chunk carries the titles
/// above it, so without a limit one long heading could multiply a document.
pub const MAX_TITLE_BYTES: usize = 512;

/// How much of a chunk's plain text its slug is made from: more than enough for its few words.
pub const MAX_LABEL_BYTES: usize = 256;

/// The kind of an element. Headings of level 1 to 3 are sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Chapter,
    Paragraph,
    Subparagraph,
    Chunk,
}

impl Kind {
    pub const ALL: [Kind; 4] = [
        Kind::Chapter,
        Kind::Paragraph,
        Kind::Subparagraph,
        Kind::Chunk,
    ];

    /// The segment in the names of such elements.
    pub fn segment(self) -> &'static str {
        match self {
            Kind::Chapter => "ch",
            Kind::Paragraph => "para",
            Kind::Subparagraph => "subpara",
            Kind::Chunk => "chunk",
        }
    }

    /// The word for such an element.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Chapter => "chapter",
            Kind::Paragraph => "paragraph",
            Kind::Subparagraph => "subparagraph",
            Kind::Chunk => "chunk",
        }
    }

    /// The word for many of them.
    pub fn plural(self) -> &'static str {
        match self {
            Kind::Chapter => "chapters",
            Kind::Paragraph => "paragraphs",
            Kind::Subparagraph => "subparagraphs",
            Kind::Chunk => "chunks",
        }
    }

    /// The kind with this segment.
    pub fn of_segment(segment: &[u8]) -> Option<Kind> {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.segment().as_bytes() == segment)
    }

    fn of_heading(level: u8) -> Kind {
        match level {
            1 => Kind::Chapter,
            2 => Kind::Paragraph,
            3 => Kind::Subparagraph,
            _ => Kind::Chunk,
        }
    }
}

/// What a chunk is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    Paragraph,
    Heading,
    List,
    Code,
    Table,
    Quote,
    Html,
    /// All blocks of a section.
    Section,
}

impl Block {
    pub const ALL: [Block; 8] = [
        Block::Paragraph,
        Block::Heading,
        Block::List,
        Block::Code,
        Block::Table,
        Block::Quote,
        Block::Html,
        Block::Section,
    ];

    /// The word for such a block.
    pub fn word(self) -> &'static str {
        match self {
            Block::Paragraph => "paragraph",
            Block::Heading => "heading",
            Block::List => "list",
            Block::Code => "code",
            Block::Table => "table",
            Block::Quote => "quote",
            Block::Html => "html",
            Block::Section => "section",
        }
    }
}

/// How a document is split into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// One chunk for all blocks of a section, instead of one for each.
    pub by_section: bool,
    /// Longer chunks are split.
    pub max_chunk: Option<usize>,
    pub max_elements: usize,
}

impl Default for Cut {
    fn default() -> Cut {
        Cut {
            by_section: false,
            max_chunk: None,
            max_elements: usize::MAX,
        }
    }
}

/// A section or a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    pub kind: Kind,
    pub block: Block,
    /// The level of the heading that it is or stands under, 0 before the first.
    pub level: u8,
    /// The index of the section it is in, `None` for the document itself.
    pub parent: Option<usize>,
    /// The index of the heading it stands under.
    heading: Option<usize>,
    /// Where it is in the source.
    pub span: Range<usize>,
    /// How many bytes at the end of the span are definitions and rules that follow the block, with
    /// the white space around them; 0 if only white space follows.
    pub tail: usize,
    /// The table header that a split-off part repeats, in the source.
    pub repeated: Range<usize>,
    /// One past the last element below it.
    pub end: usize,
    label: Range<usize>,
}

impl Element {
    /// The text of a chunk: its bytes in the source, after the table header that it repeats.
    pub fn text<'s>(&self, source: &'s [u8]) -> Cow<'s, [u8]> {
        let bytes = |span: &Range<usize>| source.get(span.clone()).unwrap_or_default();
        match self.repeated.is_empty() {
            true => Cow::Borrowed(bytes(&self.span)),
            false => Cow::Owned([bytes(&self.repeated), bytes(&self.span)].concat()),
        }
    }
}

/// A parsed document.
///
/// ```
/// use keyns_core::documents::outline::{Cut, Kind, Outline};
///
/// let source = "# Risk\n\nMeasure it.\n\n## Volatility\n";
/// let outline = Outline::of(source, &Cut::default()).unwrap();
/// let kinds: Vec<Kind> = outline.elements.iter().map(|e| e.kind).collect();
/// assert_eq!(kinds, [Kind::Chapter, Kind::Chunk, Kind::Paragraph]);
/// assert_eq!(outline.label(&outline.elements[2]), "Volatility");
/// assert_eq!(&source[outline.elements[1].span.clone()], "Measure it.\n\n");
/// ```
#[derive(Clone, Debug)]
pub struct Outline {
    pub front_matter: FrontMatter,
    /// The bytes before the first element, which belong to the document.
    pub head: Range<usize>,
    /// In reading order.
    pub elements: Vec<Element>,
    labels: String,
}

impl Outline {
    /// Parses Markdown, which must be UTF-8.
    pub fn of_bytes(source: &[u8], cut: &Cut) -> Result<Outline> {
        let source = std::str::from_utf8(source).map_err(|error| Error::NotUtf8 {
            at: error.valid_up_to(),
        })?;
        Outline::of(source, cut)
    }

    /// Parses Markdown.
    pub fn of(source: &str, cut: &Cut) -> Result<Outline> {
        containers::check(source)?;
        let (front_matter, start) = front_matter::read(source)?;
        let mut builder = Builder::new(source, cut);
        builder.read(start)?;
        Ok(Outline {
            front_matter,
            head: 0..builder
                .elements
                .first()
                .map_or(source.len(), |e| e.span.start),
            elements: builder.elements,
            labels: builder.labels,
        })
    }

    /// The title of a heading, or the plain text that a chunk starts with.
    pub fn label(&self, element: &Element) -> &str {
        self.labels.get(element.label.clone()).unwrap_or_default()
    }

    /// The title of the first chapter.
    pub fn first_title(&self) -> Option<&str> {
        let first = self.elements.iter().find(|e| e.kind == Kind::Chapter)?;
        Some(self.label(first))
    }

    /// The titles of the headings that an element stands under, outermost first.
    pub fn path(&self, element: &Element) -> Vec<&str> {
        let mut titles = Vec::new();
        let mut heading = element.heading;
        while let Some(above) = heading.and_then(|index| self.elements.get(index)) {
            titles.push(self.label(above));
            heading = above.heading;
        }
        titles.reverse();
        titles
    }

    /// Whether two elements stand under the same headings.
    pub fn same_path(&self, one: &Element, other: &Element) -> bool {
        one.heading == other.heading
    }
}

/// The last character boundary up to `at`.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let up_to = at.min(text.len());
    (0..=up_to)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
