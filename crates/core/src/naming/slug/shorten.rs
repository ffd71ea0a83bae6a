//! Shortens slugs.

use crate::argument::Keyword;

/// What to give up when a slug is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shorten {
    /// Everything after the last character that fits.
    Cut,
    /// Everything after the last whole word that fits; like `Cut` if none does.
    Word,
    /// Vowels after the first character; like `Cut` if that is not enough.
    Vowels,
}

impl Keyword for Shorten {
    const WORDS: &'static [(&'static str, Shorten)] = &[
        ("CUT", Shorten::Cut),
        ("WORD", Shorten::Word),
        ("VOWELS", Shorten::Vowels),
    ];
}

/// Brings `slug` to at most `max_len` bytes, without `_` at its end.
#[inline]
pub fn shorten(slug: &mut Vec<u8>, scratch: &mut Vec<u8>, max_len: usize, how: Shorten) {
    if slug.len() > max_len {
        match how {
            Shorten::Cut => slug.truncate(max_len),
            Shorten::Word => slug.truncate(last_whole_word(slug, max_len)),
            Shorten::Vowels => {
                drop_vowels(slug, scratch);
                if scratch.len() <= max_len {
                    std::mem::swap(slug, scratch);
                } else {
                    slug.truncate(max_len);
                }
            }
        }
    }
    trim_end(slug);
}

/// Removes `_` from the end.
#[inline]
pub fn trim_end(slug: &mut Vec<u8>) {
    while slug.last() == Some(&b'_') {
        slug.pop();
    }
}

fn last_whole_word(slug: &[u8], max_len: usize) -> usize {
    // A `_` right behind the limit means that the last word fits. One letter is not a slug.
    slug.iter()
        .take(max_len + 1)
        .rposition(|&b| b == b'_')
        .filter(|&end| end >= 2)
        .unwrap_or(max_len)
}

fn drop_vowels(slug: &[u8], kept: &mut Vec<u8>) {
    kept.clear();
    for &byte in slug {
        let vowel = matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u') && !kept.is_empty();
        // A word of vowels leaves two `_` in a row.
        let doubled = byte == b'_' && kept.last() == Some(&b'_');
        if !vowel && !doubled {
            kept.push(byte);
        }
    }
    trim_end(kept);
}
