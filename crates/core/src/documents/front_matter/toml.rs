//! TOML front matter stays text; only a plain title is read from it.

use std::str::Chars;

use super::{label, take_line};

/// The title, if one line before the first table is `title = "..."` or `title = '...'`.
pub(super) fn title(body: &str) -> Option<String> {
    let mut rest = body;
    while let Some(line) = take_line(&mut rest) {
        if line.trim_start().starts_with('[') {
            return None;
        }
        if let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("title")
        {
            return label(&string(value.trim())?);
        }
    }
    None
}

/// A string followed by nothing but a comment.
fn string(value: &str) -> Option<String> {
    let (text, after) = match value.strip_prefix('"') {
        Some(rest) => basic(rest)?,
        None => {
            let (text, after) = value.strip_prefix('\'')?.split_once('\'')?;
            (text.to_string(), after)
        }
    };
    let after = after.trim_start();
    (after.is_empty() || after.starts_with('#')).then_some(text)
}

/// The string that ends at the next quote, and what follows it.
fn basic(text: &str) -> Option<(String, &str)> {
    let mut chars = text.chars();
    let mut string = String::new();
    loop {
        match chars.next()? {
            '"' => return Some((string, chars.as_str())),
            '\\' => string.push(escaped(&mut chars)?),
            other => string.push(other),
        }
    }
}

fn escaped(chars: &mut Chars) -> Option<char> {
    match chars.next()? {
        same @ ('"' | '\\') => Some(same),
        't' => Some('\t'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        'u' => code_point(chars, 4),
        'U' => code_point(chars, 8),
        _ => None,
    }
}

fn code_point(chars: &mut Chars, digits: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + chars.next()?.to_digit(16)?;
    }
    char::from_u32(code)
}
