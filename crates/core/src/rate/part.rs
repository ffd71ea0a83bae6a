//! The format in which the state of a limit is stored.
//!
//! A state is a row of parts, one for each limit and perhaps one for a block, followed by the rings
//! of the sliding windows. Every part starts with eight bytes, lowest bits first:
//!
//! ```text
//! | time, 51 bits | code, 6 bits | check, 5 bits | version, 2 bits |
//! ```
//!
//! The code says what kind of part it is and how many bytes follow. The check tells states from
//! foreign strings; inverted, it says that another part follows. All numbers are little-endian.

use super::bucket::{Taken, Tokens};
use super::fixed::Counted;
use super::limit::Algorithm;
use super::sliding::{Edit, Log, Span, UNIT};
use super::width::Width;
use super::{Bytes, Moment};

/// The state of one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'s> {
    Bucket(Taken),
    Fixed(Counted),
    Sliding(Log<'s>),
}

/// The next state of one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<'s> {
    Bucket(Taken),
    Fixed(Counted),
    Sliding(Edit<'s>),
}

/// A part as it is stored; the rings of sliding windows come after all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Bucket(Taken),
    Fixed(Counted),
    Sliding(Moment, Span),
    Blocked(Moment),
}

/// Whether a part is the last. Without this, a state that was cut between two parts would be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Last,
    Before,
}

impl Place {
    /// The place of a part that is followed by this many.
    pub fn before(parts: usize) -> Place {
        match parts {
            0 => Place::Last,
            _ => Place::Before,
        }
    }
}

/// The bytes that every part starts with.
const HEAD: usize = 8;
/// The longest part.
pub(super) const MAX_PART: usize = HEAD + 16;
/// The first version is 3, because no ASCII text has a byte with these bits.
const VERSION: u64 = 3;

const CODE_AT: u32 = Moment::BITS;
const CHECK_AT: u32 = 57;
const VERSION_AT: u32 = 62;
/// All bits of the check.
const INVERTED: u64 = 31 << CHECK_AT;

// The codes. A bucket's is 3 * (fraction bits / 3) + the index of its width.
const MAX_FRACTION_BITS: u32 = 51;
const FIXED_SHORT: u64 = 54;
const FIXED_LONG: u64 = 55;
const SLIDING: u64 = 56;
const BLOCKED: u64 = 57;

impl Written {
    /// Reads the first part of `bytes`, and returns its length and whether it is the last.
    pub fn read(bytes: &[u8]) -> Option<(Written, usize, Place)> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let head = u64::from_le_bytes(*head);
        let code = (head >> CODE_AT) & 63;
        let (width, len) = width_of(code)?;
        let body = rest.get(..len)?;
        let number = number(body);
        let place = match head ^ with_check(head & ((1 << CHECK_AT) - 1), number) {
            0 => Place::Last,
            INVERTED => Place::Before,
            _ => return None,
        };
        let at = Moment::from_bits(head);
        let part = match code {
            FIXED_SHORT | FIXED_LONG => Written::Fixed(Counted {
                at,
                count: number as u64,
                width,
            }),
            SLIDING => Written::Sliding(at, span(number)?),
            BLOCKED if number == 0 => Written::Blocked(at),
            BLOCKED => return None,
            _ => Written::Bucket(Taken {
                at,
                tokens: Tokens {
                    raw: number,
                    bits: (code / 3 * 3) as u32,
                },
                width,
            }),
        };
        Some((part, HEAD + len, place))
    }

    pub fn write(&self, place: Place, out: &mut Bytes) {
        match *self {
            Written::Bucket(Taken { at, tokens, width }) => {
                let fraction = u64::from(tokens.bits.min(MAX_FRACTION_BITS) / 3);
                write(out, place, at, 3 * fraction + width as u64, tokens.raw);
            }
            Written::Fixed(Counted { at, count, width }) => {
                let code = match width {
                    Width::Four => FIXED_SHORT,
                    _ => FIXED_LONG,
                };
                write(out, place, at, code, count.into());
            }
            Written::Sliding(at, Span { slots, head, live }) => {
                let places = [slots, head, live].map(u128::from);
                let number = places[0] | places[1] << 32 | places[2] << 64;
                write(out, place, at, SLIDING, number);
            }
            Written::Blocked(until) => write(out, place, until, BLOCKED, 0),
        }
    }
}

impl Part<'_> {
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Part::Bucket(_) => Algorithm::Bucket,
            Part::Fixed(_) => Algorithm::Fixed,
            Part::Sliding(_) => Algorithm::Sliding,
        }
    }
}

impl<'s> Part<'s> {
    /// The next state if nothing changes.
    pub fn unchanged(self) -> Next<'s> {
        match self {
            Part::Bucket(taken) => Next::Bucket(taken),
            Part::Fixed(counted) => Next::Fixed(counted),
            Part::Sliding(log) => Next::Sliding(Edit {
                log,
                at: log.newest,
                gone: 0,
                kept: log.span.live,
                added: 0,
            }),
        }
    }
}

/// The width of a part's number, and how many bytes follow its head.
fn width_of(code: u64) -> Option<(Width, usize)> {
    let width = match code {
        0..FIXED_SHORT => match code % 3 {
            0 => Width::Four,
            1 => Width::Eight,
            _ => Width::Sixteen,
        },
        FIXED_SHORT | BLOCKED => Width::Four,
        FIXED_LONG => Width::Eight,
        SLIDING => return Some((Width::Sixteen, 12)),
        _ => return None,
    };
    Some((width, width.bytes()))
}

fn write(out: &mut Bytes, place: Place, at: Moment, code: u64, number: u128) {
    let mut head = with_check(at.to_bits() | code << CODE_AT, number);
    if place == Place::Before {
        head ^= INVERTED;
    }
    out.extend_from_slice(&head.to_le_bytes());
    let len = width_of(code).map_or(0, |(_, len)| len);
    out.extend_from_slice(number.to_le_bytes().get(..len).unwrap_or_default());
}

/// The number that follows a head.
fn number(bytes: &[u8]) -> u128 {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return u32::from_le_bytes(bytes).into();
    }
    let mut all = [0; 16];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    u128::from_le_bytes(all)
}

fn span(number: u128) -> Option<Span> {
    let [slots, head, live] = [number, number >> 32, number >> 64].map(|n| n as u32);
    let is_ring = live <= slots && (head < slots || head == 0);
    is_ring.then_some(Span { slots, head, live })
}

/// Adds version and check to a head. The odd factor carries every bit of head and body into the
/// check, and the addition keeps zeros from being a valid part.
fn with_check(head: u64, body: u128) -> u64 {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let body = (body as u64).rotate_left(29) ^ ((body >> 64) as u64).rotate_left(7);
    let mixed = (head ^ body).wrapping_add(MIX).wrapping_mul(MIX);
    let check = (mixed ^ mixed >> 32).wrapping_mul(MIX) >> 59;
    head | check << CHECK_AT | VERSION << VERSION_AT
}

/// The bytes of a ring.
pub(super) fn ring_len(span: &Span) -> usize {
    span.slots as usize * UNIT
}
