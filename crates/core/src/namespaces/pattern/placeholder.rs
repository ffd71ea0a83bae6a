//! What is between `<` and `>`: `id`, `id:int`, `path...`, `attr:/[a-z_]+/`, `path...:/.+/`.

use super::parse::{is_printable, mistake};
use crate::namespaces::Result;
use crate::namespaces::regexes::Regexes;
use crate::namespaces::value_regex::{Extent, MAX_REGEX_BYTES, ValueRegex};
use crate::namespaces::value_type::ValueType;
use crate::text::quoting::quoted;

/// What separates a name from its regex.
const REGEX: &str = ":/";

/// Splits the inside of a placeholder, at this column, from the text behind its `>`. `None` if the `>`
/// is missing. In a regex `<` and `>` have no meaning; it ends at the first `/` without a `\` in front.
pub fn split(rest: &str, column: usize) -> Result<Option<(&str, &str)>> {
    let Some(end) = rest.find(['>', '<']) else {
        return Ok(None);
    };
    let end = match rest.get(..end).and_then(|inner| inner.find(REGEX)) {
        Some(colon) => end_of_regex(rest, colon + REGEX.len(), column)?,
        None => end,
    };
    let inner = rest.get(..end).zip(rest.get(end..));
    Ok(inner.and_then(|(inner, behind)| Some((inner, behind.strip_prefix('>')?))))
}

/// Where the `>` is behind the regex that starts here.
fn end_of_regex(rest: &str, start: usize, column: usize) -> Result<usize> {
    let column_of = |at: usize| column + chars_before(rest, at);
    let mut is_escaped = false;
    for (at, char) in rest.char_indices().skip_while(|(at, _)| *at < start) {
        match char {
            '/' if !is_escaped => {
                let behind = at + 1;
                return match rest.get(behind..).is_some_and(|rest| rest.starts_with('>')) {
                    true => Ok(behind),
                    false => mistake(column_of(at), "'/' in a regex is written '\\/'"),
                };
            }
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    mistake(column_of(start) - 1, "a regex must end with '/>'")
}

/// Parses the text between `<` and `>`.
pub fn read<'t>(inner: &'t str, column: usize, regexes: &Regexes) -> Result<(&'t str, ValueType)> {
    if let Some((name, regex)) = inner.split_once(REGEX) {
        let column = column + chars_before(inner, name.len() + REGEX.len());
        let regex = regex.strip_suffix('/').unwrap_or(regex);
        let compile = |extent| compile(regex, extent, column, regexes);
        return Ok(match name.strip_suffix("...") {
            Some(name) => (name, ValueType::RestRegex(compile(Extent::Rest)?)),
            None => (name, ValueType::Regex(compile(Extent::Segment)?)),
        });
    }
    if let Some(name) = inner.strip_suffix("...") {
        return match name.find(':') {
            Some(at) => mistake(column + at, "'...' takes no type"),
            None => Ok((name, ValueType::Rest)),
        };
    }
    let Some((name, kind)) = inner.split_once(':') else {
        return Ok((inner, ValueType::Text));
    };
    match ValueType::named(kind) {
        Some(kind) => Ok((name, kind)),
        None => {
            let expected = ValueType::NAMES;
            let reason = format!("unknown type '{}', expected {expected}", quoted(kind));
            mistake(column + name.chars().count() + 1, reason)
        }
    }
}

fn compile(text: &str, extent: Extent, column: usize, regexes: &Regexes) -> Result<ValueRegex> {
    if text.is_empty() {
        return mistake(column, "a regex is empty");
    }
    if text.len() > MAX_REGEX_BYTES {
        let got = text.len();
        let reason = format!("a regex has at most {MAX_REGEX_BYTES} bytes, got {got}");
        return mistake(column, reason);
    }
    // As in literal text, so you can quote a pattern, print it and put it into Markdown.
    for (at, char) in text.chars().enumerate() {
        let code = char as u32;
        let is_quote = matches!(char, '"' | '\'' | '`');
        if is_quote || char.is_whitespace() || !is_printable(char) {
            let reason = match char.is_ascii() {
                true => format!("this character in a regex is written '\\x{code:02x}'"),
                false => format!("the character U+{code:04X} is not allowed"),
            };
            return mistake(column + at, reason);
        }
    }
    regexes
        .compile(text, extent)
        .or_else(|wrong| mistake(column + chars_before(text, wrong.at), wrong.reason))
}

fn chars_before(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).chars().count()
}
