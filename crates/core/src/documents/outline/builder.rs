//! Elements from the events of the parser, one after the other.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::split::{self, Seams};
use super::{
    Block, Cut, Element, Error, Kind, MAX_LABEL_BYTES, MAX_TITLE_BYTES, Result,
    floor_char_boundary, quirks,
};

/// Bytes of text per element, for a first allocation; most elements are longer.
const BYTES_PER_ELEMENT: usize = 128;

/// Collects elements from the events of the parser.
pub struct Builder<'a> {
    source: &'a str,
    cut: &'a Cut,
    pub elements: Vec<Element>,
    pub labels: String,
    /// The headings that are open, outermost first.
    headings: Vec<usize>,
    has_nul: bool,
    /// How many bytes the label of the last element may still grow by.
    label_room: usize,
    /// The end of the last block as far as it is known.
    block_end: usize,
    seams: Seams,
}

impl<'a> Builder<'a> {
    pub fn new(source: &'a str, cut: &'a Cut) -> Builder<'a> {
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
    pub fn read(&mut self, start: usize) -> Result<()> {
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
                // The parser ends lists after the definitions that follow them.
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
                // Rules are not chunks; inline HTML and check boxes are not text; other events are disabled.
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

    /// Records where a list or a table may be split.
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
