//! YAML front matter, read event by event: nothing is nested, expanded or recursed into.

use std::collections::HashSet;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};

use super::{Error, FrontMatter, MAX_LABELS, Result, label, take_line, wrong};

/// The deepest nesting, the top mapping being the first level.
pub(super) const MAX_DEPTH: usize = 32;

/// The most tokens in one block, give or take those between them.
///
/// The parser keeps every token inside brackets until it knows whether the whole is a key, and
/// then moves them all to make room for that key, at each of up to 255 levels. 64 KB of nested
/// keys take it 35 ms and 24 MB; this many tokens take 8 ms, hardly more than 64 KB of any YAML.
pub(super) const MAX_TOKENS: usize = 8 * 1024;

/// How much of a key an error repeats.
const QUOTED_CHARS: usize = 32;

/// Reads the text between the markers; `None` if it is content between two rules.
pub(super) fn read(body: &str) -> Result<Option<FrontMatter>> {
    refuse_several_documents(body)?;
    refuse_many_tokens(body)?;
    let mut matter = FrontMatter::default();
    let mut events = Events::of(body);
    loop {
        let (event, line) = events.next()?;
        match event {
            Event::StreamEnd => return Ok(Some(matter)),
            Event::MappingStart(..) => read_mapping(&mut events, &mut matter)?,
            Event::SequenceStart(..) => return Err(wrong(line, "must be a mapping, not a list")),
            Event::Scalar(..) if !is_null(&event) => return Ok(None),
            _ => {}
        }
    }
}

/// Refuses directives and all markers of documents. A line that is nothing but a marker has ended
/// the front matter already.
fn refuse_several_documents(body: &str) -> Result<()> {
    let mut rest = body;
    let mut number = 1;
    while let Some(line) = take_line(&mut rest) {
        number += 1;
        let after_marker = line.strip_prefix("---").or(line.strip_prefix("..."));
        if line.starts_with('%') || after_marker.is_some_and(|rest| rest.starts_with([' ', '\t'])) {
            return Err(wrong(number, "must be one document without directives"));
        }
    }
    Ok(())
}

/// Refuses too many tokens, counted by the characters that start or end one inside brackets.
fn refuse_many_tokens(body: &str) -> Result<()> {
    let count = |these: &[u8]| body.bytes().filter(|b| these.contains(b)).count();
    if count(b",[]{}:?&*!#") + count(b"\"'") / 2 > MAX_TOKENS {
        let reason = format!("more than {MAX_TOKENS} brackets, commas, colons and quotes");
        return Err(wrong(1, reason));
    }
    Ok(())
}

fn read_mapping(events: &mut Events, matter: &mut FrontMatter) -> Result<()> {
    let mut names = HashSet::new();
    loop {
        let (event, line) = events.next()?;
        let name = match event {
            Event::MappingEnd => return Ok(()),
            Event::Scalar(name, ..) => name.to_ascii_lowercase(),
            _ => return Err(wrong(line, "a key must be a scalar")),
        };
        if name.is_empty() {
            return Err(wrong(line, "a key must not be empty"));
        }
        if !names.insert(name.clone()) {
            return Err(wrong(line, format!("{} is given twice", shortened(&name))));
        }
        put(name, events.value()?, matter)?;
    }
}

fn put(name: String, value: Value, matter: &mut FrontMatter) -> Result<()> {
    let labels = match name.as_str() {
        "title" => {
            matter.title = value.scalar().and_then(|title| label(&title));
            return Ok(());
        }
        "tag" | "tags" => &mut matter.tags,
        "author" | "authors" => &mut matter.authors,
        "category" | "categories" => &mut matter.categories,
        _ => {
            matter.meta.extend(value.scalar().map(|text| (name, text)));
            return Ok(());
        }
    };
    let is_split = !value.is_list && name.starts_with("tag");
    for (text, line) in value.scalars {
        // A scalar is one name, which may contain commas, or a comma-separated list of tags.
        for part in text.split(|c| is_split && c == ',') {
            let Some(label) = label(part).filter(|label| !labels.contains(label)) else {
                continue;
            };
            if labels.len() == MAX_LABELS {
                return Err(wrong(line, format!("more than {MAX_LABELS} of {name}")));
            }
            labels.push(label);
        }
    }
    Ok(())
}

/// The scalars of a value, with their lines: itself, or those of a list. Nulls, empty ones and
/// whatever is nested deeper are left out.
struct Value {
    is_list: bool,
    scalars: Vec<(String, usize)>,
}

impl Value {
    fn scalar(self) -> Option<String> {
        let mut scalars = self.scalars.into_iter().filter(|_| !self.is_list);
        scalars.next().map(|(text, _)| text)
    }
}

/// The parser's events. Deep nesting and aliases are errors.
struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
    depth: usize,
}

impl<'a> Events<'a> {
    fn of(body: &'a str) -> Events<'a> {
        Events {
            parser: Parser::new_from_str(body),
            depth: 0,
        }
    }

    /// The next event, and its line.
    fn next(&mut self) -> Result<(Event<'a>, usize)> {
        let (event, span) = match self.parser.next_event() {
            Some(Ok(event)) => event,
            Some(Err(error)) => return Err(scan_error(&error)),
            None => return Err(wrong(1, "unexpected end")),
        };
        let line = span.start.line() + 1;
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(wrong(
                        line,
                        format!("nested deeper than {MAX_DEPTH} levels"),
                    ));
                }
            }
            Event::MappingEnd | Event::SequenceEnd => self.depth = self.depth.saturating_sub(1),
            Event::Alias(_) => return Err(wrong(line, "an alias is not allowed")),
            _ => {}
        }
        Ok((event, line))
    }

    /// Reads one value to its end.
    fn value(&mut self) -> Result<Value> {
        let outside = self.depth;
        let (mut event, mut line) = self.next()?;
        let is_list = matches!(event, Event::SequenceStart(..));
        let level = outside + usize::from(is_list);
        let mut scalars = Vec::new();
        loop {
            let is_kept = self.depth == level && !is_null(&event);
            match event {
                Event::Scalar(text, ..) if is_kept && !text.is_empty() => {
                    scalars.push((text.into_owned(), line));
                }
                _ => {}
            }
            if self.depth == outside {
                return Ok(Value { is_list, scalars });
            }
            (event, line) = self.next()?;
        }
    }
}

fn is_null(event: &Event) -> bool {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, _, None) => {
            matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL")
        }
        _ => false,
    }
}

/// The parser's error, without its context.
fn scan_error(error: &ScanError) -> Error {
    let info = error.info();
    let reason = match info.split_once(", ") {
        Some((doing, found)) if doing.starts_with("while ") => found,
        _ => info,
    };
    wrong(error.marker().line() + 1, reason)
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or_default()),
        None => name.to_string(),
    }
}
