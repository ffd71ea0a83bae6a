//! The words of a folded text, joined by `_`.

use super::{
    Abbreviations, Numbers, Shorten, SlugOptions,
    abbreviations::MAX_KEY_BYTES,
    fold::{EURO, unmarked},
    numbers::MAX_SPELLED_DIGITS,
    shorten::trim_end,
};

/// What a byte of folded text does. Bytes that stand in a slug map to themselves in lower case,
/// which are all greater than these.
const VANISHES: u8 = 0;
const SEPARATES: u8 = 1;
const SYMBOL: u8 = 2;
const POINT: u8 = 3;
const FIRST_SLUG_BYTE: u8 = b'0';

static BYTES: [u8; 256] = byte_table();

#[allow(clippy::indexing_slicing)] // Runs in the compiler, where a wrong index is an error.
const fn byte_table() -> [u8; 256] {
    let mut table = [VANISHES; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = byte as u8;
        table[byte] = match ascii {
            b'a'..=b'z' | b'0'..=b'9' => ascii,
            b'A'..=b'Z' => ascii.to_ascii_lowercase(),
            EURO.. if unmarked(ascii).is_ascii_alphanumeric() => {
                unmarked(ascii).to_ascii_lowercase()
            }
            b'\t'..=b'\r' | b' ' | b'-' | b'_' | b'/' => SEPARATES,
            b'&' | b'%' | EURO | b'$' | b'@' | b'#' | b'+' | b'=' | b'<' | b'>' => SYMBOL,
            b'.' | b',' => POINT,
            _ => VANISHES,
        };
        byte += 1;
    }
    table
}

#[inline]
fn class(byte: u8) -> u8 {
    BYTES.get(usize::from(byte)).copied().unwrap_or(VANISHES)
}

/// Whether words end at this byte.
#[inline]
pub fn is_separator(byte: u8) -> bool {
    class(byte) == SEPARATES
}

/// Whether this byte may belong to a number.
#[inline]
pub fn is_point(byte: u8) -> bool {
    class(byte) == POINT
}

/// Whether this byte can become a word.
#[inline]
pub fn is_symbol(byte: u8) -> bool {
    class(byte) == SYMBOL
}

/// What the first words of most texts need.
const ROOM_FOR_WORDS: usize = 96;

/// Appends the words of `text` to the empty `slug`, as many as can matter.
pub fn collect(text: &[u8], options: &SlugOptions, dictionary: &Abbreviations, slug: &mut Vec<u8>) {
    let mut words = Words {
        symbols: options.symbols,
        dictionary: options.expand_abbreviations.then_some(dictionary),
        drop_stop_words: options.content && !options.keep_stop_words,
        slug,
        len: 0,
        word: 0,
        words_left: match options.content {
            true => options.words,
            false => usize::MAX,
        },
        // Cut and Word look no further than the limit, and what a leading number may lose when it
        // is spelled (`10000000000000`, `ten_trillion`).
        enough: match (options.shorten, options.numbers) {
            (Shorten::Vowels, _) | (_, Numbers::All) => usize::MAX,
            _ => options.max_len.saturating_add(MAX_SPELLED_DIGITS),
        },
        all_words: Vec::with_capacity(match options.content && !options.keep_stop_words {
            true => ROOM_FOR_WORDS.min(text.len()),
            false => 0,
        }),
    };
    words.read(text);
    if words.drop_stop_words && words.len == 0 {
        words.drop_stop_words = false;
        words.read(text);
    }
    let len = words.len;
    slug.truncate(len);
    trim_end(slug);
}

struct Words<'a> {
    symbols: bool,
    dictionary: Option<&'a Abbreviations>,
    drop_stop_words: bool,
    /// Its first `len` bytes are finished words, each with `_` behind it, and the one being read.
    /// Behind them there is always room for what is left of the text, so that reading it never
    /// has to look whether there is.
    slug: &'a mut Vec<u8>,
    len: usize,
    /// Where in `slug` the word being read starts.
    word: usize,
    /// How many words there may still be.
    words_left: usize,
    /// The length past which nothing more is needed.
    enough: usize,
    /// The finished words with the stop words among them, where those are dropped.
    all_words: Vec<u8>,
}

impl Words<'_> {
    fn read(&mut self, text: &[u8]) {
        let mut number = Number::default();
        let mut source_of_word = 0;
        let mut at = 0;
        // Each byte of the text makes at most one of the slug, and its end one more `_`.
        self.slug.resize(self.len + text.len() + 1, 0);
        loop {
            at += self.copy_slug_bytes(text.get(at..).unwrap_or_default());
            let Some(&byte) = text.get(at) else {
                self.end_word(text.get(source_of_word..).unwrap_or_default());
                return;
            };
            let ends_word = match class(byte) {
                SEPARATES => true,
                SYMBOL => self.symbols && !self.is_in_abbreviation(text, source_of_word, at),
                POINT => number.separates_at(text, at),
                _ => false,
            };
            if ends_word {
                self.end_word(text.get(source_of_word..at).unwrap_or_default());
                source_of_word = at + 1;
                if class(byte) == SYMBOL {
                    self.push_words(symbol_words(byte));
                }
                if self.words_left == 0 || self.len > self.enough {
                    return;
                }
            }
            at += 1;
        }
    }

    /// Whether the symbol at `at`, in a word that starts at `start`, belongs to an abbreviation, as
    /// in `R&D`. Looks no further than abbreviations are long.
    #[cold]
    fn is_in_abbreviation(&self, text: &[u8], start: usize, at: usize) -> bool {
        let before = trim_front(text.get(start..at).unwrap_or_default());
        let Some(dictionary) = self.dictionary.filter(|_| !before.is_empty()) else {
            return false;
        };
        let ahead = text.get(at..).unwrap_or_default();
        let near = ahead.get(..=MAX_KEY_BYTES).unwrap_or(ahead);
        let end = match near.iter().position(|&b| is_separator(b)) {
            Some(end) => end,
            None if near.len() == ahead.len() => near.len(),
            None => return false,
        };
        let after = trim_back(ahead.get(..end).unwrap_or_default());
        let word = text.get(at - before.len()..at + after.len());
        !after.is_empty() && word.is_some_and(|word| dictionary.expand(word).is_some())
    }

    /// Takes over the bytes at the start of `text` that can stand in a slug, and counts them.
    fn copy_slug_bytes(&mut self, text: &[u8]) -> usize {
        let room = self.slug.get_mut(self.len..).unwrap_or_default();
        let mut copied = 0;
        for (to, &byte) in room.iter_mut().zip(text) {
            let class = class(byte);
            if class < FIRST_SLUG_BYTE {
                break;
            }
            *to = class;
            copied += 1;
        }
        self.len += copied;
        copied
    }

    /// Finishes the word being read, whose text is `source`, by its long form if it has one.
    fn end_word(&mut self, source: &[u8]) {
        if self.len == self.word {
            return;
        }
        if let Some(dictionary) = self.dictionary
            && let Some(long_form) = dictionary.expand(trim(source))
            && !self.stands_right_before(long_form)
        {
            self.len = self.word;
            self.push_words(long_form);
        } else {
            self.finish_word();
        }
    }

    fn push_words(&mut self, words: &[u8]) {
        let room = self.slug.len() + words.len() + 1;
        self.slug.resize(room, 0);
        for word in words.split(|&b| b == b'_') {
            if self.words_left > 0 {
                self.copy_slug_bytes(word);
                self.finish_word();
            }
        }
    }

    fn finish_word(&mut self) {
        let word = self.slug.get(self.word..self.len).unwrap_or_default();
        if self.drop_stop_words {
            self.all_words.extend_from_slice(word);
            self.all_words.push(b'_');
            if is_stop_word(word) {
                self.len = self.word;
                return;
            }
        }
        if let Some(behind) = self.slug.get_mut(self.len) {
            *behind = b'_';
            self.len += 1;
        }
        self.word = self.len;
        self.words_left -= 1;
    }

    /// Whether the words before the one being read are those of `long_form`.
    fn stands_right_before(&self, long_form: &[u8]) -> bool {
        let finished = match self.drop_stop_words {
            true => &self.all_words,
            false => self.slug.get(..self.word).unwrap_or_default(),
        };
        let mut before = finished.rsplit(|&b| b == b'_').skip(1);
        let mut long_form = long_form.rsplit(|&b| b == b'_');
        long_form.all(|word| before.next() == Some(word))
    }
}

/// `source` without the punctuation around it.
fn trim(source: &[u8]) -> &[u8] {
    trim_back(trim_front(source))
}

fn trim_front(mut source: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = source
        && class(*first) < FIRST_SLUG_BYTE
    {
        source = rest;
    }
    source
}

fn trim_back(mut source: &[u8]) -> &[u8] {
    while let [rest @ .., last] = source
        && class(*last) < FIRST_SLUG_BYTE
    {
        source = rest;
    }
    source
}

fn symbol_words(symbol: u8) -> &'static [u8] {
    match symbol {
        b'&' => b"and",
        b'%' => b"prozent",
        EURO => b"euro",
        b'$' => b"dollar",
        b'@' => b"at",
        b'#' => b"hash",
        b'+' => b"plus",
        b'=' => b"equals",
        b'<' => b"less_than",
        _ => b"greater_than",
    }
}

fn is_stop_word(word: &[u8]) -> bool {
    matches!(
        word,
        // German
        b"der" | b"die" | b"das" | b"den" | b"dem" | b"des" | b"und" | b"oder" | b"ist" | b"sind"
            | b"ein" | b"eine" | b"einen" | b"einem" | b"einer" | b"eines" | b"zu" | b"zum"
            | b"zur" | b"von" | b"vom" | b"mit" | b"fuer" | b"auf" | b"in" | b"im" | b"an"
            | b"am" | b"bei" | b"beim" | b"ueber" | b"unter"
        // English
            | b"the" | b"and" | b"or" | b"is" | b"are" | b"a" | b"to" | b"of" | b"with"
            | b"for" | b"on" | b"at" | b"by" | b"over" | b"under"
    )
}

/// A number with points in it, as far as it has been looked at.
#[derive(Default)]
struct Number {
    /// The end of its thousands groups: points before it join, those behind it separate.
    joined_to: usize,
    /// The end of all of it.
    end: usize,
}

impl Number {
    /// Whether the point or comma at `at` stands between two numbers. In exact thousands groups it
    /// joins (`1.000`), and next to anything but digits it vanishes.
    fn separates_at(&mut self, text: &[u8], at: usize) -> bool {
        if at >= self.end {
            let digits_before = text
                .iter()
                .take(at)
                .rev()
                .take_while(|b| b.is_ascii_digit())
                .count();
            if digits_before == 0 || digits_at(text, at + 1) == 0 {
                return false;
            }
            self.joined_to = thousands_end(text, at - digits_before, at);
            self.end = at;
            while text.get(self.end).is_some_and(|&b| is_point(b))
                && digits_at(text, self.end + 1) > 0
            {
                self.end += 1 + digits_at(text, self.end + 1);
            }
        }
        at >= self.joined_to
    }
}

/// The end of the thousands groups of the number at `start`, whose first point is at `point`; or
/// `start`, if these are no exact groups.
fn thousands_end(text: &[u8], start: usize, point: usize) -> usize {
    let leading_zero = text.get(start) == Some(&b'0');
    if leading_zero || point - start > 3 {
        return start;
    }
    let separator = text.get(point);
    let mut end = point;
    while text.get(end) == separator {
        match digits_at(text, end + 1) {
            3 => end += 4,
            // A point behind the last group ends a sentence, digits of another count none of it.
            0 => break,
            _ => return start,
        }
    }
    end
}

fn digits_at(text: &[u8], at: usize) -> usize {
    text.iter()
        .skip(at)
        .take_while(|b| b.is_ascii_digit())
        .count()
}
