//! Quoting a caller's bytes in messages, as printable ASCII.

use std::fmt;

/// The most bytes of a caller's value that a message repeats.
const QUOTED_BYTES: usize = 64;

/// A caller's bytes: escaped to printable ASCII and cut to a readable length.
pub struct Quoted<'a>(pub &'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..QUOTED_BYTES).unwrap_or(self.0);
        write!(f, "{}", shown.escape_ascii())?;
        if shown.len() < self.0.len() {
            write!(f, "...")?;
        }
        Ok(())
    }
}

/// Like [`Quoted`], for a whole message that contains a caller's bytes: its quotes stay.
pub struct Printable<'a>(pub &'a [u8]);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.split(|&b| b == b'\'').enumerate() {
            let quote = if index > 0 { "'" } else { "" };
            write!(f, "{quote}{}", Quoted(part))?;
        }
        Ok(())
    }
}

/// A key as you type it in redis-cli.
pub fn word(key: &[u8]) -> String {
    let is_plain = |b: &u8| b.is_ascii_graphic() && !b"\"'\\".contains(b);
    match !key.is_empty() && key.iter().all(is_plain) {
        true => key.escape_ascii().to_string(),
        false => format!("\"{}\"", key.escape_ascii()),
    }
}

/// [`Quoted`] as a string, for a message that is built elsewhere.
pub fn quoted(text: &str) -> String {
    Quoted(text.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_printable_and_short() {
        let hostile: Vec<u8> = (0..=255).collect();
        for text in [
            Quoted(&hostile).to_string(),
            Printable(&hostile).to_string(),
        ] {
            assert!(text.is_ascii());
            assert!(!text.bytes().any(|b| b.is_ascii_control()));
            assert!(text.len() < 600, "{text}");
        }
    }
}
