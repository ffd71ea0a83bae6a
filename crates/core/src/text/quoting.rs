//! A caller's bytes in a sentence: printable ASCII, whatever they are.

use std::fmt;

/// How many bytes of a caller's value a sentence repeats.
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

/// A sentence with bytes of a caller in it: the same, with its quotes as they are.
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

/// [`Quoted`] for a sentence that is put together elsewhere.
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
