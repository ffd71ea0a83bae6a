//! The outline of a Markdown document: its sections and chunks, each with its exact bytes.
//!
//! Blocks come from pulldown-cmark. Only those at the level of the document count: a heading inside
//! a quote or a list is content. Everything between two blocks (blank lines, link definitions,
//! rules) belongs to the one before, so that all spans in their order are the whole source.

mod containers;
mod quirks;
mod split;
pub mod weight;

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use self::split::Seams;
use super::front_matter::{self, FrontMatter};
use super::{Error, Result};

/// A heading's title is at most this long; its source has all of it. Every chunk carries the titles
/// above it, so without a limit one long heading could multiply a document.
pub const MAX_TITLE_BYTES: usize = 512;

/// How much of a chunk's plain text its slug is made from: more than enough for its few words.
pub const MAX_LABEL_BYTES: usize = 256;

/// What to reckon with; most elements are longer.
const BYTES_PER_ELEMENT: usize = 128;

/// What an element of a document is. The headings are sections by their level.
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

/// How a document is cut.
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

/// A document taken apart.
///
/// ```
/// use keyns::core::outline::{Cut, Kind, Outline};
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
    /// The bytes in front of the first element, which are the document's own.
    pub head: Range<usize>,
    /// In reading order.
    pub elements: Vec<Element>,
    labels: String,
}

impl Outline {
    /// Takes Markdown apart, which must be UTF-8.
    pub fn of_bytes(source: &[u8], cut: &Cut) -> Result<Outline> {
        let source = std::str::from_utf8(source).map_err(|error| Error::NotUtf8 {
            at: error.valid_up_to(),
        })?;
        Outline::of(source, cut)
    }

    /// Takes Markdown apart.
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

/// Collects elements from the events of the parser.
struct Builder<'a> {
    source: &'a str,
    cut: &'a Cut,
    elements: Vec<Element>,
    labels: String,
    /// The headings that are open, outermost first.
    headings: Vec<usize>,
    has_nul: bool,
    /// How many bytes the label of the last element may still grow by.
    label_room: usize,
    /// Where what is known of the last block ends.
    block_end: usize,
    seams: Seams,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, cut: &'a Cut) -> Builder<'a> {
        Builder {
            source,
            cut,
            elements: Vec::with_capacity(source.len() / BYTES_PER_ELEMENT),
            labels: String::with_capacity(source.len() / 2),
            headings: Vec::new(),
            has_nul: memchr(0, source.as_bytes()).is_some(),
            label_room: 0,
            block_end: 0,
            seams: Seams::default(),
        }
    }

    /// Reads the content, which starts at this byte of the source.
    fn read(&mut self, start: usize) -> Result<()> {
        const OPTIONS: Options = Options::ENABLE_TABLES
            .union(Options::ENABLE_STRIKETHROUGH)
            .union(Options::ENABLE_TASKLISTS);
        let content = quirks::mend(self.source.get(start..).unwrap_or_default());
        let mut depth = 0_usize;
        let mut is_empty = false;
        for (event, range) in Parser::new_ext(&content, OPTIONS).into_offset_iter() {
            let range = start + range.start..start + range.end;
            let ends_block = match event {
                Event::Start(_) => false,
                // The parser has lists end behind the definitions that follow them.
                Event::End(TagEnd::List(_) | TagEnd::Item) => is_empty,
                Event::Rule => depth > 0,
                _ => true,
            };
            if ends_block {
                self.block_end = range.end;
            }
            is_empty = matches!(event, Event::Start(_));
            match event {
                Event::Start(tag) => {
                    match depth {
                        0 => self.open(&tag, self.line_start(range.start))?,
                        1 if self.cut.max_chunk.is_some() => self.note_seam(&tag, &range),
                        _ => {}
                    }
                    if depth > 0 && !is_inline(&tag.to_end()) {
                        self.label(" ");
                    }
                    depth += 1;
                }
                Event::End(tag) => {
                    depth = depth.saturating_sub(1);
                    if !is_inline(&tag) {
                        self.label(" ");
                    }
                    if depth == 0 {
                        self.seams.end_block(range.end);
                    }
                }
                Event::Text(text) | Event::Code(text) => self.label(&text),
                Event::SoftBreak | Event::HardBreak => self.label(" "),
                Event::Html(html) => self.label(&words_of_html(&html)),
                // Rules are no chunks; inline HTML and check boxes are no text; no other is enabled.
                _ => {}
            }
        }
        self.finish(self.source.len())?;
        while let Some(heading) = self.headings.pop() {
            self.end_section(heading);
        }
        Ok(())
    }

    /// The start of the line that a block of the document starts in: only blanks are in front.
    fn line_start(&self, at: usize) -> usize {
        let before = self.source.get(..at).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).len()
    }

    fn open(&mut self, tag: &Tag, start: usize) -> Result<()> {
        let (kind, block, level) = match tag {
            Tag::Heading { level, .. } => {
                let level = *level as u8;
                (Kind::of_heading(level), Block::Heading, level)
            }
            Tag::List(_) => (Kind::Chunk, Block::List, 0),
            Tag::CodeBlock(_) => (Kind::Chunk, Block::Code, 0),
            Tag::Table(_) => (Kind::Chunk, Block::Table, 0),
            Tag::BlockQuote(_) => (Kind::Chunk, Block::Quote, 0),
            Tag::HtmlBlock => (Kind::Chunk, Block::Html, 0),
            _ => (Kind::Chunk, Block::Paragraph, 0),
        };
        if kind != Kind::Chunk || !self.cut.by_section {
            return self.push(kind, block, level, start);
        }
        match self.elements.last() {
            Some(last) if last.kind == Kind::Chunk => {
                self.seams.before_block(start);
                Ok(())
            }
            _ => self.push(kind, Block::Section, 0, start),
        }
    }

    /// Ends the last element and adds one. `level` is that of a heading, or 0.
    fn push(&mut self, kind: Kind, block: Block, level: u8, start: usize) -> Result<()> {
        self.finish(start)?;
        if level > 0 {
            while let Some(heading) = self
                .headings
                .pop_if(|&mut heading| self.elements.get(heading).is_some_and(|e| e.level >= level))
            {
                self.end_section(heading);
            }
        }
        let heading = self.headings.last().copied();
        let above = heading.and_then(|index| self.elements.get(index));
        let index = self.elements.len();
        let parent = match above {
            // A heading of level 4 to 6 is a chunk, which has nothing below it.
            Some(above) if above.kind == Kind::Chunk => above.parent,
            _ => heading,
        };
        let element = Element {
            kind,
            block,
            level: level.max(above.map_or(0, |above| above.level)),
            parent,
            heading,
            span: start..start,
            tail: 0,
            repeated: 0..0,
            end: index + 1,
            label: self.labels.len()..self.labels.len(),
        };
        self.add(element)?;
        self.label_room = match level {
            0 => MAX_LABEL_BYTES,
            _ => MAX_TITLE_BYTES,
        };
        if level > 0 {
            self.headings.push(index);
        }
        Ok(())
    }

    fn add(&mut self, element: Element) -> Result<()> {
        if self.elements.len() >= self.cut.max_elements {
            return Err(Error::TooManyElements {
                limit: self.cut.max_elements,
            });
        }
        self.elements.push(element);
        Ok(())
    }

    /// Everything so far is below this heading, now that it closes.
    fn end_section(&mut self, heading: usize) {
        let end = self.elements.len();
        if let Some(element) = self.elements.get_mut(heading)
            && element.kind != Kind::Chunk
        {
            element.end = end;
        }
    }

    /// Ends the last element, and splits it where it is too long.
    fn finish(&mut self, end: usize) -> Result<()> {
        let seams = std::mem::take(&mut self.seams);
        let Some(last) = self.elements.last_mut() else {
            return Ok(());
        };
        last.label = trim_label(&mut self.labels, last.label.start);
        last.span.end = end;
        if last.kind != Kind::Chunk {
            return Ok(());
        }
        let rest = self.source.get(self.block_end..end).unwrap_or_default();
        if !rest.trim().is_empty() {
            last.tail = rest.len();
        }
        let Some(max_chunk) = self.cut.max_chunk.filter(|&max| last.span.len() > max) else {
            return Ok(());
        };
        let whole = last.clone();
        let pieces = split::split(self.source, &whole.span, whole.block, max_chunk, &seams);
        for (index, piece) in pieces.into_iter().enumerate() {
            let tail = whole.tail.saturating_sub(end - piece.span.end);
            let tail = tail.min(piece.span.len());
            if index == 0 {
                if let Some(first) = self.elements.last_mut() {
                    (first.span, first.tail) = (piece.span, tail);
                }
                continue;
            }
            let start = self.labels.len();
            self.label_room = MAX_LABEL_BYTES;
            let text = self.source.get(piece.span.clone()).unwrap_or_default();
            self.label(text.trim_start());
            let label = trim_label(&mut self.labels, start);
            self.add(Element {
                span: piece.span,
                repeated: piece.repeated,
                tail,
                end: self.elements.len() + 1,
                label,
                ..whole.clone()
            })?;
        }
        Ok(())
    }

    /// Adds text to the label of the last element, as far as there is room.
    #[inline]
    fn label(&mut self, text: &str) {
        if self.label_room > 0 {
            self.push_label(text);
        }
    }

    fn push_label(&mut self, text: &str) {
        let text = match self.has_nul && text.contains('\0') {
            true => Cow::Owned(text.replace('\0', "\u{fffd}")),
            false => Cow::Borrowed(text),
        };
        let end = floor_char_boundary(&text, self.label_room);
        self.labels.push_str(text.get(..end).unwrap_or_default());
        self.label_room = match end < text.len() {
            true => 0,
            false => self.label_room - end,
        };
    }

    /// Notes where a list or a table may be split.
    fn note_seam(&mut self, tag: &Tag, range: &Range<usize>) {
        match tag {
            Tag::Item => self.seams.before_item(self.line_start(range.start)),
            Tag::TableHead => self.seams.table_head(self.line_start(range.start)),
            Tag::TableRow => self.seams.table_row(self.line_start(range.start)),
            _ => {}
        }
    }
}

/// Takes the white space off the last label, which starts here.
fn trim_label(labels: &mut String, start: usize) -> Range<usize> {
    let label = labels.get(start..).unwrap_or_default();
    let end = start + label.trim_end().len();
    let start = end - label.trim().len();
    labels.truncate(end);
    start..end
}

/// The last place up to `at` where no character is cut.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let up_to = at.min(text.len());
    (0..=up_to)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Whether this is a part of a line of text, with no space around it.
fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

/// HTML with its punctuation as spaces, which leaves words to make a slug of.
fn words_of_html(html: &str) -> String {
    html.replace(['<', '>', '/', '=', '"', '\''], " ")
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
