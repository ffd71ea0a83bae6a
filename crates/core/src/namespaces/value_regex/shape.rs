//! Properties of a regex that need no run.
//!
//! ```text
//! v[0-9]+(a|bc)?      fixed    v      what every value has
//!                     longest         there is none
//!                     states   7      v [0-9] + a b c |
//!                     sample   v0a    the first of everything
//! ```

use regex_syntax::hir::{Capture, Class, Hir, HirKind, Repetition};

use super::Extent;

/// No look-up could pay for more.
const MAX_STATES: usize = 1000;

pub struct Shape {
    /// How many bytes of literal text every value has.
    pub fixed: usize,
    /// The length of the longest value, if it is bounded.
    pub longest: Option<usize>,
    /// An estimate of its states when compiled.
    pub states: usize,
    /// A probable value.
    pub sample: Option<Box<str>>,
}

impl Shape {
    /// `None` if no value matches: one that is not empty, and in a segment has no `:`.
    pub fn of(regex: &Hir, extent: Extent) -> Option<Shape> {
        let longest = regex.properties().maximum_len();
        let sample = sample(regex, extent)?;
        (longest != Some(0)).then(|| Shape {
            fixed: fixed(regex),
            longest,
            states: states(regex).min(MAX_STATES),
            sample: String::from_utf8(sample).ok().map(Into::into),
        })
    }
}

fn fixed(regex: &Hir) -> usize {
    match regex.kind() {
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => 0,
        HirKind::Repetition(Repetition { min, sub, .. }) => {
            fixed(sub).saturating_mul(*min as usize)
        }
        HirKind::Capture(Capture { sub, .. }) => fixed(sub),
        HirKind::Concat(parts) => parts.iter().map(fixed).fold(0, usize::saturating_add),
        HirKind::Alternation(ways) => ways.iter().map(fixed).min().unwrap_or(0),
    }
}

fn states(regex: &Hir) -> usize {
    match regex.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => 1,
        // Each character has up to four bytes.
        HirKind::Class(Class::Unicode(class)) => class.ranges().len().saturating_mul(4),
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let times = max.unwrap_or((*min).max(1)).max(1) as usize;
            states(sub).saturating_add(1).saturating_mul(times)
        }
        HirKind::Capture(Capture { sub, .. }) => states(sub).saturating_add(2),
        HirKind::Concat(parts) => parts.iter().map(states).fold(0, usize::saturating_add),
        HirKind::Alternation(ways) => ways.iter().map(states).fold(1, usize::saturating_add),
    }
}

/// A text of this extent that it matches, if `^`, `\b` and the like are where they can hold. `None`
/// if there is no such text.
fn sample(regex: &Hir, extent: Extent) -> Option<Vec<u8>> {
    match regex.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(Vec::new()),
        HirKind::Literal(literal) => {
            let fits = extent == Extent::Rest || !literal.0.contains(&b':');
            fits.then(|| literal.0.to_vec())
        }
        HirKind::Class(class) => sample_of_class(class),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let times = (*min).max(1).min(max.unwrap_or(u32::MAX)) as usize;
            match sample(sub, extent) {
                Some(text) => Some(text.repeat(times)),
                None if *min == 0 => Some(Vec::new()),
                None => None,
            }
        }
        HirKind::Capture(Capture { sub, .. }) => sample(sub, extent),
        HirKind::Concat(parts) => {
            let texts: Option<Vec<_>> = parts.iter().map(|part| sample(part, extent)).collect();
            texts.map(|texts| texts.concat())
        }
        HirKind::Alternation(ways) => ways.iter().find_map(|way| sample(way, extent)),
    }
}

/// A letter or a digit if possible, otherwise anything except `:`.
fn sample_of_class(class: &Class) -> Option<Vec<u8>> {
    let has = |byte: &u8| match class {
        Class::Bytes(class) => {
            let mut ranges = class.iter();
            ranges.any(|range| (range.start()..=range.end()).contains(byte))
        }
        // `b|c` becomes this.
        Class::Unicode(class) => {
            let mut ranges = class.iter();
            byte.is_ascii()
                && ranges.any(|range| (range.start()..=range.end()).contains(&char::from(*byte)))
        }
    };
    let nice = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z');
    let mut all = nice.chain(b'!'..=b'~').chain(0..=255);
    match all.find(|byte| *byte != b':' && has(byte)) {
        Some(byte) => Some(vec![byte]),
        None => match class {
            Class::Unicode(class) => {
                let range = class.iter().find(|range| range.start() != ':')?;
                Some(range.start().to_string().into_bytes())
            }
            Class::Bytes(_) => None,
        },
    }
}
