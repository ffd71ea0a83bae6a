//! Folds any bytes to ASCII text with the same words.
//!
//! The result keeps the case of letters, which identifies abbreviations, and marks what was not ASCII
//! before, so `VáR` does not pass for one.

use deunicode::deunicode_char;
use lazy_static::lazy_static;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Set in each byte of folded text that was not ASCII before.
pub const MARK: u8 = 0x80;
/// Stands for `€`.
pub const EURO: u8 = MARK;
/// Stands for a character that vanishes.
const VANISHED: u8 = MARK | 1;

/// The ASCII of a byte of folded text.
#[inline]
pub const fn unmarked(byte: u8) -> u8 {
    byte & !MARK
}

/// Writes `text` over `out` in ASCII without marks: invalid UTF-8 dropped, composed, letters and
/// digits transliterated. White space and dashes stay; what else is not ASCII vanishes.
pub fn fold_to_ascii(text: &[u8], out: &mut Vec<u8>) {
    fold(text, out);
    out.retain(|&byte| byte != EURO && byte != VANISHED);
    for byte in out {
        *byte = unmarked(*byte);
    }
}

/// As [`fold_to_ascii`], with marks.
pub fn fold(text: &[u8], out: &mut Vec<u8>) {
    out.clear();
    if fold_simple(text, out) {
        return;
    }
    out.clear();
    match str::from_utf8(text) {
        Ok(text) => fold_str(text, out),
        Err(_) => {
            let valid: String = text.utf8_chunks().map(|chunk| chunk.valid()).collect();
            fold_str(&valid, out);
        }
    }
}

/// Folds text without characters above U+02FF, which needs no composition: the Latin languages. `false`
/// if the text has others.
fn fold_simple(text: &[u8], out: &mut Vec<u8>) -> bool {
    let two_byte_chars = &*TWO_BYTE_CHARS;
    let mut rest = text;
    loop {
        let (ascii, other) = rest.split_at(ascii_len(rest));
        out.extend_from_slice(ascii);
        let [lead @ 0xC2..=0xCB, next @ 0x80..=0xBF, after @ ..] = other else {
            return other.is_empty();
        };
        let char = usize::from(lead & 0x1F) << 6 | usize::from(next & 0x3F);
        if let Some(folded) = two_byte_chars.get(char - FIRST_TWO_BYTE_CHAR) {
            // Copying all and truncating is cheaper than copying just enough.
            let len = out.len() + usize::from(folded.len);
            out.extend_from_slice(&folded.bytes);
            out.truncate(len);
        }
        rest = after;
    }
}

/// How many bytes of ASCII `text` starts with.
fn ascii_len(text: &[u8]) -> usize {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let (words, tail) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let high = u64::from_le_bytes(*word) & HIGH_BITS;
        if high != 0 {
            return index * 8 + high.trailing_zeros() as usize / 8;
        }
    }
    let in_tail = tail.iter().position(|b| !b.is_ascii());
    words.len() * 8 + in_tail.unwrap_or(tail.len())
}

fn fold_str(text: &str, out: &mut Vec<u8>) {
    // Below U+0300, whose first byte is 0xCC, nothing composes with what stands before it.
    let may_compose = text.bytes().any(|b| b >= 0xCC);
    if may_compose && is_nfc_quick(text.chars()) != IsNormalized::Yes {
        fold_chars(text.nfc(), out);
    } else {
        fold_chars(text.chars(), out);
    }
}

fn fold_chars(chars: impl Iterator<Item = char>, out: &mut Vec<u8>) {
    let two_byte_chars = &*TWO_BYTE_CHARS;
    for char in chars {
        if char.is_ascii() {
            out.push(char as u8);
            continue;
        }
        let index = (char as usize).wrapping_sub(FIRST_TWO_BYTE_CHAR);
        match two_byte_chars.get(index) {
            Some(folded) => out.extend_from_slice(folded.as_bytes()),
            None => fold_char(char, |byte| out.push(byte)),
        }
    }
}

const FIRST_TWO_BYTE_CHAR: usize = 0x80;
const END_OF_TWO_BYTE_CHARS: usize = 0x800;

lazy_static! {
    /// The characters of Latin, Greek, Cyrillic, Hebrew and Arabic, folded once.
    static ref TWO_BYTE_CHARS: [Folded; END_OF_TWO_BYTE_CHARS - FIRST_TWO_BYTE_CHAR] =
        std::array::from_fn(|index| {
            let char = char::from_u32((index + FIRST_TWO_BYTE_CHAR) as u32);
            char.map(Folded::of).unwrap_or_default()
        });
}

/// What one character folds to, in a size that makes the table small.
#[derive(Clone, Copy, Default)]
struct Folded {
    bytes: [u8; 7],
    len: u8,
}

impl Folded {
    fn of(char: char) -> Folded {
        let mut folded = Folded::default();
        fold_char(char, |byte| {
            if let Some(slot) = folded.bytes.get_mut(usize::from(folded.len)) {
                *slot = byte;
                folded.len += 1;
            }
        });
        folded
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes
            .get(..usize::from(self.len))
            .unwrap_or(&self.bytes)
    }
}

/// Hands what `char` folds to, byte by byte, to `emit`.
fn fold_char(char: char, mut emit: impl FnMut(u8)) {
    let mut marked = |text: &[u8]| text.iter().for_each(|&byte| emit(byte | MARK));
    match char {
        'ä' => marked(b"ae"),
        'ö' => marked(b"oe"),
        'ü' => marked(b"ue"),
        'ß' => marked(b"ss"),
        'Ä' => marked(b"Ae"),
        'Ö' => marked(b"Oe"),
        'Ü' => marked(b"Ue"),
        'ẞ' => marked(b"Ss"),
        '€' => emit(EURO),
        _ if char.is_whitespace() => emit(b' '),
        _ if is_dash(char) => emit(b'-'),
        _ if is_letter(char) => transliterate(char, emit),
        _ => match deunicode_char(char) {
            // Decimal digits of any script, superscripts and the like, but not fractions: one half
            // is not twelve.
            Some(digits) if char.is_numeric() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                marked(digits.as_bytes());
            }
            _ => emit(VANISHED),
        },
    }
}

/// Letters in circles and squares are symbols, although Unicode calls them alphabetic.
fn is_letter(char: char) -> bool {
    char.is_alphabetic() && !matches!(char, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}')
}

/// Letters are looked up in lower case, where the table is the more careful one, and get their
/// case back.
fn transliterate(char: char, mut emit: impl FnMut(u8)) {
    let mut capital = char.is_uppercase();
    for lower in char.to_lowercase() {
        let ascii;
        let answer = if lower.is_ascii() {
            ascii = [lower as u8];
            ascii.as_slice()
        } else {
            deunicode_char(lower).unwrap_or_default().as_bytes()
        };
        for &byte in answer {
            if byte == b' ' {
                emit(b' ');
            } else if byte.is_ascii_alphanumeric() {
                let byte = if capital {
                    byte.to_ascii_uppercase()
                } else {
                    byte
                };
                emit(byte | MARK);
                capital = false;
            }
        }
    }
}

/// The characters of Unicode's category Pd that are not ASCII.
fn is_dash(char: char) -> bool {
    matches!(
        char,
        '\u{58A}' | '\u{5BE}' | '\u{1400}' | '\u{1806}' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2E17}'
                | '\u{2E1A}'
                | '\u{2E3A}'
                | '\u{2E3B}'
                | '\u{2E40}'
                | '\u{2E5D}'
                | '\u{301C}'
                | '\u{3030}'
                | '\u{30A0}'
                | '\u{FE31}'
                | '\u{FE32}'
                | '\u{FE58}'
                | '\u{FE63}'
                | '\u{FF0D}'
                | '\u{10D6E}'
                | '\u{10EAD}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &[u8]) -> String {
        let mut out = Vec::new();
        fold_to_ascii(text, &mut out);
        out.iter().map(|&b| b as char).collect()
    }

    #[test]
    fn the_table_says_what_the_rule_says() {
        for (index, folded) in TWO_BYTE_CHARS.iter().enumerate() {
            let char = char::from_u32((index + FIRST_TWO_BYTE_CHAR) as u32).unwrap();
            let mut expected = Vec::new();
            fold_char(char, |byte| expected.push(byte));
            assert_eq!(folded.as_bytes(), expected, "{char:?}");
        }
        assert_eq!(
            TWO_BYTE_CHARS.len(),
            END_OF_TWO_BYTE_CHARS - FIRST_TWO_BYTE_CHAR
        );
    }

    #[test]
    fn nothing_but_ascii_and_the_euro_comes_out() {
        let mut out = Vec::new();
        for char in '\0'..=char::MAX {
            if !char.is_ascii() {
                fold_char(char, |byte| out.push(byte));
            }
        }
        assert!(
            out.iter().all(|&b| unmarked(b).is_ascii_alphanumeric()
                || matches!(b, b' ' | b'-' | EURO | VANISHED))
        );
    }

    #[test]
    fn composed_and_decomposed_text_agree() {
        assert_eq!(fold("u\u{308}ber".as_bytes()), "ueber");
        assert_eq!(fold("e\u{301}te\u{301}".as_bytes()), "ete");
    }

    #[test]
    fn invalid_bytes_vanish_even_between_a_letter_and_its_accent() {
        assert_eq!(fold(b"a\xff\xcc\x88b\xc3"), "aeb");
    }

    #[test]
    fn scripts_fold_with_their_spaces() {
        assert_eq!(fold("北京".as_bytes()), "Bei Jing ");
        assert_eq!(fold("Ωμέγα ½ x² ٣".as_bytes()), "Omega  x2 3");
    }

    #[test]
    fn symbols_and_emoji_vanish() {
        assert_eq!(fold("a🚀b™c’d\u{AD}e\u{200B}f€".as_bytes()), "abcdef");
        assert_eq!(fold("Ⓜ 🅰 ⓐ".as_bytes()), "  ");
    }
}
