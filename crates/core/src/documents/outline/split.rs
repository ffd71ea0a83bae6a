//! Splitting long chunks at the best place available.

use std::ops::Range;

use super::{Block, floor_char_boundary};

/// The natural places to split a chunk.
#[derive(Debug, Default)]
pub struct Seams {
    /// Starts of list items and of the blocks of a section, in their order.
    between: Vec<usize>,
    tables: Vec<Table>,
}

#[derive(Debug)]
struct Table {
    header: Range<usize>,
    rows: Range<usize>,
}

impl Seams {
    /// A block of a section starts here.
    pub fn before_block(&mut self, start: usize) {
        self.between.push(start);
    }

    /// An item of a list starts here.
    pub fn before_item(&mut self, start: usize) {
        self.between.push(start);
    }

    /// A table starts here, with its header.
    pub fn table_head(&mut self, start: usize) {
        self.tables.push(Table {
            header: start..start,
            rows: start..start,
        });
    }

    /// A row of the last table starts here.
    pub fn table_row(&mut self, start: usize) {
        if let Some(table) = self.tables.last_mut()
            && table.header.is_empty()
        {
            table.header.end = start;
            table.rows = start..start;
        }
    }

    /// The last block ends here.
    pub fn end_block(&mut self, end: usize) {
        if let Some(table) = self.tables.last_mut()
            && table.rows.is_empty()
            && !table.header.is_empty()
        {
            table.rows.end = end;
        }
    }

    /// The header that a part starting here repeats, unless it is too long.
    fn header_for(&self, start: usize, max: usize) -> Range<usize> {
        let table = self.tables.partition_point(|t| t.rows.end <= start);
        match self.tables.get(table) {
            Some(Table { header, rows }) if rows.contains(&start) && header.len() <= max / 2 => {
                header.clone()
            }
            _ => 0..0,
        }
    }
}

/// A part of a split chunk.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    pub span: Range<usize>,
    pub repeated: Range<usize>,
}

/// Splits a span of the source into pieces of at most `max` bytes, repeated headers included. Only
/// white space at the end, which no piece could be made of, may be too much.
pub fn split(
    source: &str,
    span: &Range<usize>,
    block: Block,
    max: usize,
    seams: &Seams,
) -> Vec<Piece> {
    let text = source.get(span.clone()).unwrap_or_default();
    // The last start of a piece that is more than white space.
    let last_start = span.start + text.trim_end().len();
    let blank = span.end - last_start;
    // White space at the end counts, unless there is too much of it.
    let end = if blank <= max / 4 {
        span.end
    } else {
        last_start
    };
    let mut pieces = Vec::new();
    let mut start = span.start;
    loop {
        let repeated = match pieces.is_empty() {
            true => 0..0,
            false => seams.header_for(start, max),
        };
        let room = max - repeated.len();
        if end.saturating_sub(start) <= room {
            pieces.push(Piece {
                span: start..span.end,
                repeated,
            });
            return pieces;
        }
        let limit = (start + room).min(last_start.saturating_sub(1));
        let cut = best_cut(source, start..limit, block, seams);
        pieces.push(Piece {
            span: start..cut,
            repeated,
        });
        start = cut;
    }
}

/// The last of the best places to cut within `window`, behind its start.
fn best_cut(source: &str, window: Range<usize>, block: Block, seams: &Seams) -> usize {
    let text = source.get(window.start..).unwrap_or_default();
    let (text, rest) = split_between_characters(text, window.len());
    let seam = || {
        let behind = seams.between.partition_point(|&seam| seam <= window.end);
        let seam = *seams.between.get(behind.checked_sub(1)?)?;
        (seam > window.start).then(|| seam - window.start)
    };
    let cut = seam().or_else(|| match block {
        Block::Paragraph | Block::Heading => after_sentence(text).or_else(|| after_line(text)),
        _ => after_line(text).or_else(|| after_sentence(text)),
    });
    let cut = cut
        .or_else(|| after_white_space(text))
        .unwrap_or_else(|| after_character(text, rest));
    window.start + cut
}

/// At most `len` bytes, and what follows them. The two characters of a line's ending count as one.
fn split_between_characters(text: &str, len: usize) -> (&str, &str) {
    let len = floor_char_boundary(text, len);
    let (before, behind) = text.split_at_checked(len).unwrap_or((text, ""));
    match before.strip_suffix('\r') {
        Some(line) if behind.starts_with('\n') => {
            text.split_at_checked(line.len()).unwrap_or((text, ""))
        }
        _ => (before, behind),
    }
}

fn after_line(text: &str) -> Option<usize> {
    text.rfind(['\n', '\r']).map(|at| at + 1)
}

fn after_sentence(text: &str) -> Option<usize> {
    const ENDS: [char; 4] = ['.', '!', '?', '\u{2026}'];
    // Chinese and Japanese sentences end without a space.
    const WIDE_ENDS: [char; 3] = ['\u{3002}', '\u{ff01}', '\u{ff1f}'];
    let mut end = text.len();
    let mut behind_is_space = false;
    for (at, c) in text.char_indices().rev() {
        if WIDE_ENDS.contains(&c) || (behind_is_space && ENDS.contains(&c)) {
            return Some(end);
        }
        behind_is_space = c.is_whitespace();
        if !behind_is_space {
            end = at;
        }
    }
    None
}

fn after_white_space(text: &str) -> Option<usize> {
    let at = text.rfind(char::is_whitespace)?;
    text.get(at..)?.chars().next().map(|c| at + c.len_utf8())
}

/// At least one character, even if it does not fit.
fn after_character(text: &str, rest: &str) -> usize {
    match text.len() {
        0 if rest.starts_with("\r\n") => 2,
        0 => rest.chars().next().map_or(1, char::len_utf8),
        len => len,
    }
}
