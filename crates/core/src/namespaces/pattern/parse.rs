//! Parses patterns, and reports every mistake with a sentence and a column.

use smallvec::SmallVec;

use super::{
    MAX_PATTERN_BYTES, MAX_PLACEHOLDERS, MAX_SEGMENTS, Pattern, Placeholder, placeholder, spelling,
};
use crate::namespaces::regexes::Regexes;
use crate::namespaces::segment::{Mixed, Segment};
use crate::namespaces::value_type::ValueType;
use crate::namespaces::{Error, Result};
use crate::text::quoting::quoted;

const MAX_NAME_LEN: usize = 32;
const EMPTY: &str = "a segment is empty";

pub fn parse(text: &[u8], regexes: &Regexes) -> Result<Pattern> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(Error::PatternTooLong {
            limit: MAX_PATTERN_BYTES,
            got: text.len(),
        });
    }
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let valid = text.get(..error.valid_up_to()).unwrap_or_default();
            let column = String::from_utf8_lossy(valid).chars().count() + 1;
            return mistake(column, "this is not valid UTF-8");
        }
    };
    Parser::new(text, regexes).parse()
}

pub(super) fn mistake<T>(column: usize, reason: impl Into<String>) -> Result<T> {
    Err(Error::Pattern {
        column,
        reason: reason.into(),
    })
}

struct Parser<'t> {
    text: &'t str,
    /// The regexes that are compiled already.
    regexes: &'t Regexes,
    /// What is left to read, and the column where it starts.
    rest: &'t str,
    column: usize,
    segments: Vec<Segment>,
    placeholders: Vec<Placeholder>,
    open: Open,
    has_braces: bool,
    /// Where the optional part starts, and how many segments and placeholders are in front of it.
    optional: Option<Optional>,
}

/// The segment that is being read.
#[derive(Default)]
struct Open {
    column: usize,
    prefix: String,
    holes: Vec<(ValueType, String)>,
    /// The column of a `{` that waits for its `}`.
    brace: Option<usize>,
}

struct Optional {
    column: usize,
    segments: usize,
    placeholders: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, regexes: &'t Regexes) -> Parser<'t> {
        Parser {
            text,
            regexes,
            rest: text,
            column: 1,
            segments: Vec::new(),
            placeholders: Vec::new(),
            open: Open::at(1),
            has_braces: false,
            optional: None,
        }
    }

    fn parse(mut self) -> Result<Pattern> {
        while let Some((column, char)) = self.next() {
            match char {
                ':' if self.open.is_empty() && !self.segments.is_empty() => {
                    let reason = spelling::behind_colons(self.rest);
                    let reason = reason.unwrap_or_else(|| EMPTY.to_owned());
                    return mistake(column, reason);
                }
                ':' => self.end_segment()?,
                '<' => self.placeholder(column)?,
                '>' => return mistake(column, "'>' without '<'"),
                '[' => self.open_optional(column)?,
                ']' => self.close_optional(column)?,
                _ => self.literal(column, char)?,
            }
        }
        if let Some(optional) = self.optional.as_ref().filter(|_| !self.text.ends_with(']')) {
            return mistake(optional.column, "'[' is not closed");
        }
        if self.optional.is_none() {
            self.end_segment()?;
        }
        let (required, required_values) = match &self.optional {
            Some(optional) => (optional.segments, optional.placeholders),
            None => (self.segments.len(), self.placeholders.len()),
        };
        Ok(Pattern {
            text: self.text.into(),
            segments: self.segments.into(),
            required: required as u16,
            placeholders: self.placeholders.into(),
            required_values: required_values as u16,
            has_braces: self.has_braces,
        })
    }

    fn next(&mut self) -> Option<(usize, char)> {
        let mut chars = self.rest.chars();
        let char = chars.next()?;
        self.rest = chars.as_str();
        self.column += 1;
        Some((self.column - 1, char))
    }

    fn literal(&mut self, column: usize, char: char) -> Result<()> {
        if char.is_whitespace() {
            return mistake(column, "white space is not allowed");
        }
        if !is_printable(char) {
            let code = char as u32;
            return mistake(column, format!("the character U+{code:04X} is not allowed"));
        }
        if matches!(char, '"' | '\'' | '`' | '\\' | '*' | '?') {
            return mistake(column, format!("the character {char} is not allowed"));
        }
        let last = self.open.text().chars().next_back();
        match (char, self.open.brace) {
            ('{', Some(first)) => {
                let meant = spelling::in_double_braces(self.rest).filter(|_| last == Some('{'));
                return match meant {
                    Some(reason) => mistake(first, reason),
                    None => mistake(column, "'{' inside '{}'"),
                };
            }
            ('{', None) => {
                self.open.brace = Some(column);
                self.has_braces = true;
            }
            ('}', None) => return mistake(column, "'}' without '{'"),
            ('}', Some(_)) if last == Some('{') => {
                return mistake(column, "'{}' with nothing in it");
            }
            ('}', Some(_)) => self.open.brace = None,
            _ => {}
        }
        self.open.text().push(char);
        Ok(())
    }

    fn placeholder(&mut self, column: usize) -> Result<()> {
        let Some((inner, behind)) = placeholder::split(self.rest, column + 1)? else {
            return mistake(column, "'<' is not closed");
        };
        self.rest = behind;
        self.column += inner.chars().count() + 1;

        if self.segments.is_empty() && self.open.is_empty() {
            return mistake(column, "a pattern must start with literal text");
        }
        if self.open.ends_in_hole() {
            return mistake(column, "two placeholders need literal text between them");
        }
        let (name, kind) = placeholder::read(inner, column + 1, self.regexes)?;
        self.check_name(name, column + 1)?;
        if kind.spans_segments() {
            let alone = self.open.is_empty() && matches!(self.peek(), None | Some(':' | '[' | ']'));
            if !alone {
                let reason = format!("'<{}>' must be a segment of its own", quoted(inner));
                return mistake(column, reason);
            }
        }
        if kind.is_rest() && !matches!(self.rest, "" | "]") {
            return mistake(
                self.column,
                format!("nothing may follow '<{}>'", quoted(inner)),
            );
        }
        self.placeholders.push(Placeholder {
            name: name.into(),
            kind: kind.clone(),
        });
        self.open.holes.push((kind, String::new()));
        Ok(())
    }

    fn check_name(&self, name: &str, column: usize) -> Result<()> {
        if name.is_empty() {
            return mistake(column, "a placeholder needs a name");
        }
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.len() <= MAX_NAME_LEN
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !is_name {
            let reason = format!(
                "a placeholder's name must be 1 to {MAX_NAME_LEN} of [a-z0-9_] and start with a letter, got '{}'",
                quoted(name)
            );
            return mistake(column, reason);
        }
        if self.placeholders.iter().any(|known| *known.name == *name) {
            return mistake(column, format!("the placeholder '{name}' appears twice"));
        }
        if self.placeholders.len() == MAX_PLACEHOLDERS {
            let reason = format!("a pattern has at most {MAX_PLACEHOLDERS} placeholders");
            return mistake(column, reason);
        }
        Ok(())
    }

    fn open_optional(&mut self, column: usize) -> Result<()> {
        if self.optional.is_some() {
            return mistake(column, "'[' inside '[]'");
        }
        if self.segments.is_empty() && self.open.is_empty() {
            return mistake(column, "a pattern must start with literal text");
        }
        if self.peek() != Some(':') {
            return mistake(column + 1, "an optional part must start with ':'");
        }
        // The `:` ends the segment in front of the optional part.
        self.next();
        self.end_segment()?;
        self.optional = Some(Optional {
            column,
            segments: self.segments.len(),
            placeholders: self.placeholders.len(),
        });
        Ok(())
    }

    fn close_optional(&mut self, column: usize) -> Result<()> {
        let Some(optional) = &self.optional else {
            return mistake(column, "']' without '['");
        };
        if optional.placeholders == self.placeholders.len() {
            let reason = "an optional part needs a placeholder";
            return mistake(optional.column, reason);
        }
        if !self.rest.is_empty() {
            return mistake(self.column, "nothing may follow the optional part");
        }
        self.end_segment()
    }

    fn end_segment(&mut self) -> Result<()> {
        let next = Open::at(self.column);
        let open = std::mem::replace(&mut self.open, next);
        if open.is_empty() {
            return mistake(open.column, EMPTY);
        }
        if let Some(column) = open.brace {
            return mistake(column, "'{' is not closed in its segment");
        }
        if self.segments.len() == MAX_SEGMENTS {
            let reason = format!("a pattern has at most {MAX_SEGMENTS} segments");
            return mistake(open.column, reason);
        }
        let column = open.column;
        let segment = open.into_segment();
        let behind_date = self.segments.last() == Some(&Segment::Whole(ValueType::Date));
        if behind_date && !is_no_hour(&segment) {
            let reason =
                "a date must be followed by literal text that cannot be an hour or a minute";
            return mistake(column, reason);
        }
        self.segments.push(segment);
        Ok(())
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }
}

impl Open {
    fn at(column: usize) -> Open {
        Open {
            column,
            ..Open::default()
        }
    }

    fn is_empty(&self) -> bool {
        self.prefix.is_empty() && self.holes.is_empty()
    }

    fn ends_in_hole(&self) -> bool {
        self.holes.last().is_some_and(|(_, text)| text.is_empty())
    }

    /// The literal text that is being read.
    fn text(&mut self) -> &mut String {
        match self.holes.last_mut() {
            Some((_, text)) => text,
            None => &mut self.prefix,
        }
    }

    fn into_segment(self) -> Segment {
        let prefix = self.prefix.into_bytes();
        match self.holes.as_slice() {
            [] => Segment::Literal(SmallVec::from_slice(&prefix)),
            [(kind, behind)] if prefix.is_empty() && behind.is_empty() => {
                Segment::Whole(kind.clone())
            }
            _ => {
                let holes = self.holes.into_iter();
                Segment::Mixed(Mixed {
                    prefix: prefix.into(),
                    holes: holes
                        .map(|(kind, text)| (kind, text.into_bytes().into()))
                        .collect(),
                })
            }
        }
    }
}

/// Whether a segment behind a date cannot be an hour or a minute.
fn is_no_hour(segment: &Segment) -> bool {
    match segment {
        Segment::Literal(text) => !matches!(text.as_slice(), [b'0'..=b'9', b'0'..=b'9']),
        Segment::Whole(_) => false,
        // The placeholder adds at least one character.
        Segment::Mixed(mixed) => !matches!(*mixed.prefix, [] | [b'0'..=b'9']),
    }
}

/// Whether a character is visible. Rust escapes invisible ones in debug output; the letter in front lets
/// combining accents pass.
pub(super) fn is_printable(char: char) -> bool {
    let text = format!("a{char}");
    matches!(char, '"' | '\'' | '\\') || text.escape_debug().eq(text.chars())
}
