//! Suggests the key that a wrong one probably means.

use std::borrow::Cow;

use super::trie::Node;
use super::work::Work;
use crate::namespaces::mend::Mending;
use crate::namespaces::segment::{Mixed, split_first, split_value};
use crate::naming::check::with_colons;
use crate::naming::kinds::differs_by_one;
use crate::naming::number_words::Lang;

/// Longer keys are not typed by hand.
const MAX_MENDED_BYTES: usize = 1024;
/// Among more literals than this, the search does not try one that is a letter off.
const MAX_COMPARED: usize = 1000;
/// How often the spellings read a segment, and how many times longer mending a value takes than reading
/// it: slugs are made of words.
const LOOKS_AT_A_LITERAL: usize = 8;
const LOOKS_AT_A_VALUE: usize = 64;
/// How many spellings of a value a regex has to match.
const RUNS_OF_A_REGEX: usize = 6;
/// In a literal shorter than this, a wrong letter leaves too little to guess.
const MIN_GUESSED_LEN: usize = 3;

/// The keys that `key` probably means, the likeliest first: mended segment by segment, as it is and with
/// `:` for other separators.
pub fn candidates(root: &Node, key: &[u8], lang: Lang, work: &mut Work) -> Vec<Vec<u8>> {
    if key.len() > MAX_MENDED_BYTES {
        return Vec::new();
    }
    let mut mending = Mending::new(lang);
    let separated = [b":/|".as_slice(), b":/|."].map(|separators| with_colons(key, separators));
    let variants = std::iter::once(key).chain(separated.iter().map(Vec::as_slice));
    variants
        .filter_map(|variant| mend(root, variant, &mut mending, work))
        .collect()
}

/// The key of some pattern that differs from `key` in the fewest segments.
fn mend(root: &Node, key: &[u8], mending: &mut Mending, work: &mut Work) -> Option<Vec<u8>> {
    let mut search = Search {
        mending,
        work,
        key: Vec::with_capacity(key.len() + 8),
        found: None,
    };
    search.visit(root, Some(key), 0);
    let Search { found, work, .. } = search;
    found.filter(|_| !work.is_spent()).map(|(_, key)| key)
}

struct Search<'m> {
    mending: &'m mut Mending,
    work: &'m mut Work,
    /// The mended segments on the way to the current node, each with a `:` behind it.
    key: Vec<u8>,
    found: Option<(usize, Vec<u8>)>,
}

impl Search<'_> {
    fn visit(&mut self, node: &Node, rest: Option<&[u8]>, changes: usize) {
        // Among several with as many changes, the first is the most specific.
        if self
            .found
            .as_ref()
            .is_some_and(|(best, _)| changes >= *best)
        {
            return;
        }
        let Some(text) = rest else {
            if node.end().is_some() {
                let key = self.key.strip_suffix(b":").unwrap_or_default();
                self.found = Some((changes, key.to_vec()));
            }
            return;
        };
        let (segment, rest) = split_first(text);
        if !self.work.look_at(LOOKS_AT_A_LITERAL * segment.len()) {
            return;
        }
        if let Some((literal, child)) = meant_literal(node, segment, self.work) {
            let changed = usize::from(literal != segment);
            self.go(literal, child, rest, changes + changed);
        }
        for (mixed, child) in node.mixed(segment, self.work) {
            let steps = RUNS_OF_A_REGEX * mixed.regex_steps(segment.len());
            if !self.work.run(LOOKS_AT_A_VALUE * segment.len(), steps) {
                return;
            }
            if let Some(mended) = self.mend_mixed(mixed, segment) {
                let changed = usize::from(mended != segment);
                self.go(&mended, child, rest, changes + changed);
            }
        }
        for (kind, child) in node.wholes() {
            let (value, rest) = split_value(kind, text);
            let steps = RUNS_OF_A_REGEX * kind.regex_steps(value.len());
            if !self.work.run(LOOKS_AT_A_VALUE * value.len(), steps) {
                return;
            }
            if let Some(mended) = self.mending.mend(kind, value) {
                let changed = usize::from(matches!(mended, Cow::Owned(_)));
                self.go(&mended, child, rest, changes + changed);
            }
        }
    }

    fn go(&mut self, segment: &[u8], child: &Node, rest: Option<&[u8]>, changes: usize) {
        let before = self.key.len();
        self.key.extend_from_slice(segment);
        self.key.push(b':');
        self.visit(child, rest, changes);
        self.key.truncate(before);
    }

    fn mend_mixed(&mut self, mixed: &Mixed, segment: &[u8]) -> Option<Vec<u8>> {
        let mut mended = mixed.prefix.to_vec();
        let mut literals = mixed.holes.iter();
        let all = mixed.split(segment, |kind, value| {
            let literal = literals.next().map(|(_, literal)| literal);
            match (self.mending.mend(kind, value), literal) {
                (Some(value), Some(literal)) => {
                    mended.extend_from_slice(&value);
                    mended.extend_from_slice(literal);
                    true
                }
                _ => false,
            }
        });
        all.then_some(mended)
    }
}

/// The literal of a node that a segment is or probably means: in another case, with other hyphens, or the
/// only one that is a letter off.
fn meant_literal<'n>(
    node: &'n Node,
    segment: &[u8],
    work: &mut Work,
) -> Option<(&'n [u8], &'n Node)> {
    if node.literal_count() == 0 {
        return None;
    }
    let lower = segment.to_ascii_lowercase();
    let replaced = |from: u8, to: u8| -> Vec<u8> {
        let bytes = lower.iter();
        bytes.map(|&b| if b == from { to } else { b }).collect()
    };
    let spellings = [
        segment.to_vec(),
        lower.clone(),
        replaced(b'-', b'_'),
        replaced(b'_', b'-'),
    ];
    let spelled = spellings
        .iter()
        .find_map(|spelling| node.literal_entry(spelling));
    spelled.or_else(|| {
        if node.literal_count() > MAX_COMPARED || !work.take(node.literal_count()) {
            return None;
        }
        let mut near = node.literals().filter(|(literal, _)| {
            literal.len() >= MIN_GUESSED_LEN && differs_by_one(literal, segment)
        });
        near.next().filter(|_| near.next().is_none())
    })
}
