//! Numbers in a slug: an identifier starts with a letter, so a number at its start is spelled.

use super::SlugOptions;
use crate::argument::Keyword;
use crate::naming::number_words;

/// Which numbers become words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// The one at the very start.
    Leading,
    /// Every one.
    All,
    /// None; a number at the start gets [`ESCAPE`] in front.
    None,
}

impl Keyword for Numbers {
    const WORDS: &'static [(&'static str, Numbers)] = &[
        ("LEADING", Numbers::Leading),
        ("ALL", Numbers::All),
        ("NONE", Numbers::None),
    ];
}

/// What a slug starts with whose first number stays in digits.
const ESCAPE: &[u8] = b"n_";

/// Numbers with more digits are read digit by digit.
pub const MAX_SPELLED_DIGITS: usize = 15;

/// Spells the numbers of `slug` as the options have it.
#[inline]
pub fn spell(slug: &mut Vec<u8>, scratch: &mut Vec<u8>, options: &SlugOptions) {
    let leading = slug.first().is_some_and(u8::is_ascii_digit);
    if leading || options.numbers == Numbers::All {
        spell_some(slug, scratch, options, leading);
    }
}

fn spell_some(slug: &mut Vec<u8>, scratch: &mut Vec<u8>, options: &SlugOptions, leading: bool) {
    scratch.clear();
    let mut rest = slug.as_slice();
    if leading {
        let digits;
        (digits, rest) = split_digits(rest);
        if options.numbers == Numbers::None || !push_spelled(digits, options, scratch) {
            scratch.clear();
            scratch.extend_from_slice(ESCAPE);
            scratch.extend_from_slice(digits);
        } else {
            separate(scratch, rest);
        }
    }
    if options.numbers == Numbers::All {
        spell_all(rest, options, scratch);
    } else {
        scratch.extend_from_slice(rest);
    }
    std::mem::swap(slug, scratch);
}

/// Whether a slug has a number that [`Numbers::All`] would spell.
pub fn has_spellable(slug: &[u8]) -> bool {
    slug.iter()
        .skip(escaped_number(slug))
        .any(u8::is_ascii_digit)
}

/// The length of the escaped number at the start of `slug`, 0 without one.
fn escaped_number(slug: &[u8]) -> usize {
    let Some(rest) = slug.strip_prefix(ESCAPE) else {
        return 0;
    };
    match split_digits(rest).0.len() {
        0 => 0,
        digits => ESCAPE.len() + digits,
    }
}

fn spell_all(mut rest: &[u8], options: &SlugOptions, out: &mut Vec<u8>) {
    while let Some((&byte, after)) = rest.split_first() {
        if byte.is_ascii_digit() {
            let digits;
            (digits, rest) = split_digits(rest);
            if out.last().is_some_and(|&last| last != b'_') {
                out.push(b'_');
            }
            push_words(digits, options, out);
            separate(out, rest);
        } else {
            out.push(byte);
            rest = after;
        }
    }
}

/// Appends the words of a leading number; `false` where they alone are longer than the slug may be.
fn push_spelled(digits: &[u8], options: &SlugOptions, out: &mut Vec<u8>) -> bool {
    // No digit has a word shorter than three letters, so this is too long without spelling it.
    if digits.len() > MAX_SPELLED_DIGITS && digits.len() * 3 > options.max_len {
        return false;
    }
    push_words(digits, options, out);
    out.len() <= options.max_len
}

fn push_words(digits: &[u8], options: &SlugOptions, out: &mut Vec<u8>) {
    let leading_zero = digits.len() > 1 && digits.first() == Some(&b'0');
    if leading_zero || digits.len() > MAX_SPELLED_DIGITS {
        number_words::spell_digits(digits, options.lang, out);
    } else {
        let number = digits
            .iter()
            .fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
        number_words::spell(number, options.lang, out);
    }
}

fn separate(out: &mut Vec<u8>, rest: &[u8]) {
    if rest.first().is_some_and(|&next| next != b'_') {
        out.push(b'_');
    }
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}
