//! Front matter: the YAML or TOML block at the start of a document.

mod toml;
mod yaml;

use super::{Error, Result};

/// The most bytes between the markers. Longer front matter is data rather than a description, and the
/// YAML parser may need 200 times as much memory.
pub const MAX_BYTES: usize = 64 * 1024;

/// The most tags, authors or categories of one document: each of them becomes a key.
pub const MAX_LABELS: usize = 64;

/// The content of front matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    pub title: Option<String>,
    pub authors: Vec<String>,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
    /// Every other scalar, by its name in lower case.
    pub meta: Vec<(String, String)>,
}

/// Reads the front matter of `source`, and returns it with the byte at which the content starts.
/// Without front matter, that is the first byte after a byte order mark.
///
/// ```
/// use keyns_core::documents::front_matter;
///
/// let source = "---\ntitle: Intro\nTags: rust, redis\ndate: 2024-05-01\n---\n# Intro\n";
/// let (matter, start) = front_matter::read(source).unwrap();
/// assert_eq!(matter.title.as_deref(), Some("Intro"));
/// assert_eq!(matter.tags, ["rust", "redis"]);
/// assert_eq!(matter.meta, [("date".to_string(), "2024-05-01".to_string())]);
/// assert_eq!(&source[start..], "# Intro\n");
/// ```
pub fn read(source: &str) -> Result<(FrontMatter, usize)> {
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let none = (FrontMatter::default(), source.len() - text.len());
    let Some(block) = Block::find(text) else {
        return Ok(none);
    };
    if block.body.len() > MAX_BYTES {
        return Err(wrong(1, format!("longer than {MAX_BYTES} bytes")));
    }
    let matter = match block.syntax {
        Syntax::Yaml => match yaml::read(block.body)? {
            Some(matter) => matter,
            None => return Ok(none),
        },
        Syntax::Toml => FrontMatter {
            title: toml::title(block.body),
            ..FrontMatter::default()
        },
    };
    Ok((matter, source.len() - block.content.len()))
}

#[derive(Clone, Copy)]
enum Syntax {
    Yaml,
    Toml,
}

impl Syntax {
    fn opened_by(line: &str) -> Option<Syntax> {
        match marker(line) {
            "---" => Some(Syntax::Yaml),
            "+++" => Some(Syntax::Toml),
            _ => None,
        }
    }

    fn is_closed_by(self, line: &str) -> bool {
        match self {
            Syntax::Yaml => matches!(marker(line), "---" | "..."),
            Syntax::Toml => marker(line) == "+++",
        }
    }
}

/// A line without the blanks that may follow a marker.
fn marker(line: &str) -> &str {
    line.trim_end_matches([' ', '\t'])
}

/// A closed block: what is between the markers, and what comes after them.
struct Block<'a> {
    syntax: Syntax,
    body: &'a str,
    content: &'a str,
}

impl<'a> Block<'a> {
    fn find(text: &'a str) -> Option<Block<'a>> {
        let mut rest = text;
        let syntax = Syntax::opened_by(take_line(&mut rest)?)?;
        let inside = rest;
        loop {
            let body_len = inside.len() - rest.len();
            if syntax.is_closed_by(take_line(&mut rest)?) {
                return Some(Block {
                    syntax,
                    body: inside.get(..body_len)?,
                    content: rest,
                });
            }
        }
    }
}

/// Removes the first line from `rest`, and returns it without its line ending.
fn take_line<'a>(rest: &mut &'a str) -> Option<&'a str> {
    if rest.is_empty() {
        return None;
    }
    let end = rest.bytes().position(|b| matches!(b, b'\n' | b'\r'));
    let (line, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    *rest = after
        .strip_prefix("\r\n")
        .or_else(|| after.strip_prefix(['\n', '\r']))
        .unwrap_or(after);
    Some(line)
}

/// A title or label as stored: trimmed, without NUL; `None` if nothing is left.
fn label(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.replace('\0', "\u{fffd}"))
}

/// The error for `line`; line 1 is the opening marker.
fn wrong(line: usize, reason: impl Into<String>) -> Error {
    Error::FrontMatter {
        line,
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests;
