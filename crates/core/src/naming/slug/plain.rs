//! The short way for plain headings, which most are: up to 64 bytes of letters, digits, separators
//! and punctuation, nothing to expand or to spell inside.
//!
//! The text is read sixteen bytes at a time into one bit per byte, so that where words start and
//! end is arithmetic on a few integers. It returns what [`words`](super::words) would, or nothing.

use wide::{CmpEq, CmpGt, CmpLt, i8x16};

use super::fold::MARK;
use super::words::{is_point, is_symbol};
use super::{Abbreviations, Numbers, SlugOptions, shorten::trim_end};

/// One bit per byte of a text in a `u64`.
const MAX_BYTES: usize = 64;
const LANES: usize = 16;

/// Appends the words of `text` to the empty `slug` and returns `true`; `false` if the text needs more.
#[inline]
pub fn collect(
    text: &[u8],
    options: &SlugOptions,
    dictionary: &Abbreviations,
    slug: &mut Vec<u8>,
) -> bool {
    let few_abbreviations = !options.expand_abbreviations || dictionary.has_inner_capitals();
    if text.len() > MAX_BYTES || options.content || !few_abbreviations {
        return false;
    }
    slug.extend_from_slice(&[0; MAX_BYTES]);
    let mut classes = Classes::default();
    if let (whole, Some(last)) = (text.as_chunks().0, text.last_chunk()) {
        for (index, chunk) in whole.iter().enumerate() {
            classes.read(chunk, index * LANES, slug);
        }
        // This may read some bytes again, with the same result.
        classes.read(last, text.len() - LANES, slug);
    } else {
        let mut padded = [0; LANES];
        for (to, from) in padded.iter_mut().zip(text) {
            *to = *from;
        }
        classes.read(&padded, 0, slug);
    }
    let Classes {
        slug_bytes,
        separators,
        capitals,
        digits,
    } = classes;
    let inner_capital = capitals & slug_bytes << 1 != 0;
    let others = !(slug_bytes | separators) & bits_below(text.len());
    if (inner_capital && options.expand_abbreviations)
        || (digits != 0 && options.numbers == Numbers::All)
        || (others != 0 && needs_words(text, others, digits, options))
    {
        slug.clear();
        return false;
    }
    close_gaps(slug, text.len(), slug_bytes, separators);
    trim_end(slug);
    true
}

/// Moves words together, with one `_` between two of them. A gap of one separator between two words is
/// right as it is; the others have to go.
#[inline]
fn close_gaps(slug: &mut Vec<u8>, text_len: usize, slug_bytes: u64, separators: u64) {
    let single_gaps = separators & slug_bytes << 1 & slug_bytes >> 1;
    let wrong_gaps = !(slug_bytes | single_gaps);
    let mut len = 0;
    let mut at = first_bit(slug_bytes, 0);
    while at < text_len {
        let end = first_bit(wrong_gaps, at).min(text_len);
        if at > len {
            slug.copy_within(at..end, len);
        }
        len += end - at;
        at = first_bit(slug_bytes, end);
        let gap = bits_below(at) & !bits_below(end);
        if let Some(behind) = slug.get_mut(len)
            && separators & gap != 0
        {
            *behind = b'_';
            len += 1;
        }
    }
    slug.truncate(len);
}

/// What the bytes of a text are, one bit for each.
#[derive(Default)]
struct Classes {
    slug_bytes: u64,
    separators: u64,
    capitals: u64,
    digits: u64,
}

impl Classes {
    /// Takes note of a chunk that starts at `at`, and writes it to the same place in `slug`: letters
    /// in lower case, and everything that is no letter and no digit as `_`.
    #[inline]
    fn read(&mut self, chunk: &[u8; LANES], at: usize, slug: &mut [u8]) {
        let all = |byte: u8| i8x16::splat(byte as i8);
        let bytes: i8x16 = bytemuck::cast(*chunk);
        let bytes = bytes & all(!MARK);
        let within = |v: i8x16, from: u8, to: u8| v.cmp_gt(all(from - 1)) & v.cmp_lt(all(to + 1));
        let lower = bytes | all(0x20);
        let letters = within(lower, b'a', b'z');
        let digits = within(bytes, b'0', b'9');
        let slug_bytes = letters | digits;
        let separators = bytes.cmp_eq(all(b' '))
            | bytes.cmp_eq(all(b'-'))
            | bytes.cmp_eq(all(b'_'))
            | bytes.cmp_eq(all(b'/'))
            | within(bytes, b'\t', b'\r');
        let capitals = letters & bytes.cmp_lt(all(b'a'));
        let bits = |v: i8x16| (v.move_mask() as u64 & 0xFFFF) << at;
        self.slug_bytes |= bits(slug_bytes);
        self.separators |= bits(separators);
        self.capitals |= bits(capitals);
        self.digits |= bits(digits);
        // Digits have the bit that makes letters small.
        let mapped: [u8; LANES] = bytemuck::cast(slug_bytes.blend(lower, all(b'_')));
        if let Some(to) = slug.get_mut(at..at + LANES) {
            to.copy_from_slice(&mapped);
        }
    }
}

/// Whether a byte that is neither a slug byte nor a separator does more than vanish.
fn needs_words(text: &[u8], mut others: u64, digits: u64, options: &SlugOptions) -> bool {
    while others != 0 {
        let at = others.trailing_zeros() as usize;
        let byte = text.get(at).copied().unwrap_or_default();
        if (options.symbols && is_symbol(byte)) || (digits != 0 && is_point(byte)) {
            return true;
        }
        others &= others - 1;
    }
    false
}

/// The first bit of `bits` at or behind `at`, 64 if there is none.
#[inline]
fn first_bit(bits: u64, at: usize) -> usize {
    (bits & !bits_below(at)).trailing_zeros() as usize
}

#[inline]
fn bits_below(at: usize) -> u64 {
    1u64.checked_shl(at as u32).unwrap_or(0).wrapping_sub(1)
}
