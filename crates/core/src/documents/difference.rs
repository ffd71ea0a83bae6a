//! What has to be written so that a key becomes what it should be, and nothing else.
//!
//! ```text
//! stored   a  b  c
//! wanted      b  c  d
//! missing           d      SADD, first: a set without members would be gone for a moment
//! stale    a               SREM
//! ```

use std::collections::{HashMap, HashSet};

use super::text::Text;

/// What to put into a key, and what to take out.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference<M, O> {
    pub missing: Vec<M>,
    pub stale: Vec<O>,
}

impl<M, O> Difference<M, O> {
    /// Whether the key is what it should be.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.stale.is_empty()
    }
}

/// Of a set.
pub fn of_members<'n, 'o, S: Text>(
    stored: &'o [S],
    wanted: impl Iterator<Item = &'n S>,
) -> Difference<&'n S, &'o S> {
    let mut stale: HashSet<&[u8]> = stored.iter().map(S::bytes).collect();
    let missing = wanted.filter(|new| !stale.remove(new.bytes())).collect();
    let stored = stored.iter();
    Difference {
        missing,
        stale: stored.filter(|old| stale.contains(old.bytes())).collect(),
    }
}

/// Of a sorted set. Each wanted member comes with its score, as a text and as a number.
pub fn of_scores<'n, 'o, S: Text>(
    stored: &'o [(S, f64)],
    wanted: impl Iterator<Item = ((&'n S, &'n S), usize)>,
) -> Difference<(&'n S, &'n S), &'o S> {
    let mut stale: HashMap<&[u8], f64> = stored
        .iter()
        .map(|(member, score)| (member.bytes(), *score))
        .collect();
    let missing = wanted
        .filter(|((_, member), score)| stale.remove(member.bytes()) != Some(*score as f64))
        .map(|(scored, _)| scored)
        .collect();
    let stored = stored.iter().map(|(member, _)| member);
    Difference {
        missing,
        stale: stored
            .filter(|old| stale.contains_key(old.bytes()))
            .collect(),
    }
}

/// Those fields of a hash that are not as they should be.
pub fn changed_fields<'n, S: Text + 'n>(
    wanted: impl Iterator<Item = (&'n S, &'n S)>,
    stored: impl Fn(&S) -> Option<S>,
) -> Vec<(&'n S, &'n S)> {
    let differs = |(field, value): &(&S, &S)| differs(stored(field).as_ref(), value);
    wanted.filter(differs).collect()
}

/// Whether a stored value is not the one that it should be.
pub fn differs<S: Text>(stored: Option<&S>, wanted: &S) -> bool {
    stored.is_none_or(|stored| stored.bytes() != wanted.bytes())
}
