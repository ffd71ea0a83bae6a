//! Text to slug: `[a-z][a-z0-9_]+`, the part of a key a person reads.
//!
//! A slug is made in one pass over ASCII ([`words`]). Text with other letters is folded to ASCII
//! first ([`fold`]); numbers ([`numbers`]) and the length ([`shorten`]) are settled at the end.
//! What a slug looks like is an API: [`TABLE_VERSION`] changes whenever any text gets another slug.

mod abbreviations;
mod fold;
mod numbers;
mod plain;
mod shorten;
mod words;

pub use abbreviations::Abbreviations;
pub use fold::fold_to_ascii;
pub use numbers::Numbers;
pub use shorten::Shorten;

use super::number_words::Lang;

/// The rules and tables behind every slug, as `INFO keyns` shows them.
pub const TABLE_VERSION: &str = "1-deunicode-1.6.2";

/// The bounds of `MAXLEN`.
pub const MIN_MAX_LEN: usize = 2;
pub const MAX_MAX_LEN: usize = 512;
pub const DEFAULT_MAX_LEN: usize = 30;

/// The bounds of `WORDS`.
pub const MIN_WORDS: usize = 1;
pub const MAX_WORDS: usize = 16;
pub const DEFAULT_WORDS: usize = 4;

/// How a text becomes a slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlugOptions {
    /// Content mode: drop stop words and keep the first `words` words.
    pub content: bool,
    pub words: usize,
    /// Content mode keeps stop words.
    pub keep_stop_words: bool,
    pub lang: Lang,
    pub numbers: Numbers,
    /// Symbols such as `&` become words instead of vanishing.
    pub symbols: bool,
    pub expand_abbreviations: bool,
    pub max_len: usize,
    pub shorten: Shorten,
}

impl Default for SlugOptions {
    fn default() -> Self {
        SlugOptions {
            content: false,
            words: DEFAULT_WORDS,
            keep_stop_words: false,
            lang: Lang::De,
            numbers: Numbers::Leading,
            symbols: false,
            expand_abbreviations: true,
            max_len: DEFAULT_MAX_LEN,
            shorten: Shorten::Cut,
        }
    }
}

/// Makes slugs, and reuses its memory.
///
/// ```
/// use keyns_core::naming::slug::{Abbreviations, SlugMaker, SlugOptions};
///
/// let mut maker = SlugMaker::default();
/// let dictionary = Abbreviations::default();
/// let options = SlugOptions::default();
/// let slug = maker.slug("3D Druck für Anfänger".as_bytes(), &options, &dictionary);
/// assert_eq!(slug, Some(&b"drei_d_druck_fuer_anfaenger"[..]));
/// assert_eq!(maker.slug(b"!?", &options, &dictionary), None);
/// ```
#[derive(Debug, Default)]
pub struct SlugMaker {
    slug: Vec<u8>,
    folded: Vec<u8>,
    scratch: Vec<u8>,
}

/// Buffers that one unusually long text made larger than this are given back.
const KEPT_CAPACITY: usize = 16 * 1024;

impl SlugMaker {
    pub const fn new() -> SlugMaker {
        SlugMaker {
            slug: Vec::new(),
            folded: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The slug of `text`, or `None` if the text has none.
    pub fn slug(
        &mut self,
        text: &[u8],
        options: &SlugOptions,
        dictionary: &Abbreviations,
    ) -> Option<&[u8]> {
        self.slug.clear();
        if is_own_slug(text, options) {
            self.slug.extend_from_slice(text);
            return Some(&self.slug);
        }
        let text = if text.is_ascii() {
            text
        } else {
            fold::fold(text, &mut self.folded);
            &self.folded
        };
        if !plain::collect(text, options, dictionary, &mut self.slug) {
            words::collect(text, options, dictionary, &mut self.slug);
        }
        numbers::spell(&mut self.slug, &mut self.scratch, options);
        shorten::shorten(
            &mut self.slug,
            &mut self.scratch,
            options.max_len,
            options.shorten,
        );
        let capacity = self.slug.capacity() + self.folded.capacity() + self.scratch.capacity();
        if capacity > 3 * KEPT_CAPACITY {
            self.give_back();
        }
        // By now every byte is a slug byte, and the first is not a digit.
        debug_assert!(self.slug.len() < 2 || is_slug(&self.slug));
        (self.slug.len() >= 2).then_some(&self.slug)
    }

    #[cold]
    fn give_back(&mut self) {
        self.folded.clear();
        self.scratch.clear();
        for buffer in [&mut self.slug, &mut self.folded, &mut self.scratch] {
            buffer.shrink_to(KEPT_CAPACITY);
        }
    }

    /// A name for a text without a slug: what is wrong with it, and when it arrived.
    pub fn stand_in(
        &mut self,
        text: &[u8],
        timestamp: &str,
        max_len: usize,
        shorten: Shorten,
    ) -> &[u8] {
        self.slug.clear();
        self.slug.extend_from_slice(reason(text).as_bytes());
        self.slug.push(b'_');
        self.slug.extend_from_slice(timestamp.as_bytes());
        shorten::shorten(&mut self.slug, &mut self.scratch, max_len, shorten);
        &self.slug
    }
}

/// Why a text has no slug.
fn reason(text: &[u8]) -> &'static str {
    const SHORT: usize = 3;
    let text: String = text.utf8_chunks().map(|chunk| chunk.valid()).collect();
    let text = text.trim();
    if text.is_empty() {
        "empty_content"
    } else if text.chars().count() < SHORT || text.chars().any(char::is_alphanumeric) {
        "short_content"
    } else {
        "special_chars_only"
    }
}

/// Whether `text` has the form of a slug: `[a-z][a-z0-9_]+`.
pub fn is_slug(text: &[u8]) -> bool {
    match text {
        [first, rest @ ..] if !rest.is_empty() => {
            first.is_ascii_lowercase() && rest.iter().all(|&b| is_slug_byte(b))
        }
        _ => false,
    }
}

fn is_slug_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Whether a call with these options could have returned `text`. Such a text stays as it is, which makes
/// every slug its own slug: content mode would otherwise count the words of a spelled number again, or
/// find a stop word in what a cut left over.
fn is_own_slug(text: &[u8], options: &SlugOptions) -> bool {
    text.len() <= options.max_len
        && is_slug(text)
        && text.last() != Some(&b'_')
        && !text.windows(2).any(|pair| pair == b"__")
        && (options.numbers != Numbers::All || !numbers::has_spellable(text))
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

#[cfg(test)]
fn make(text: &[u8], options: &SlugOptions) -> Option<String> {
    SlugMaker::default()
        .slug(text, options, &Abbreviations::default())
        .map(|slug| String::from_utf8(slug.to_vec()).unwrap())
}
