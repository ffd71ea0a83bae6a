//! The difference between a stored key and its desired content, which is all that has to be written.
//!
//! ```text
//! stored   a  b  c
//! wanted      b  c  d
//! missing           d      SADD, first: an empty set would be deleted for a moment
//! stale    a               SREM
//! ```

use std::collections::{HashMap, HashSet};

use super::text::Text;

/// What to add to a key, and what to remove.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference<M, O> {
    pub missing: Vec<M>,
    pub stale: Vec<O>,
}

impl<M, O> Difference<M, O> {
    /// Whether the key is up to date.
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

/// The fields of a hash that differ.
pub fn changed_fields<'n, S: Text + 'n>(
    wanted: impl Iterator<Item = (&'n S, &'n S)>,
    stored: impl Fn(&S) -> Option<S>,
) -> Vec<(&'n S, &'n S)> {
    let differs = |(field, value): &(&S, &S)| differs(stored(field).as_ref(), value);
    wanted.filter(differs).collect()
}

/// Whether a stored value differs from the desired one.
pub fn differs<S: Text>(stored: Option<&S>, wanted: &S) -> bool {
    stored.is_none_or(|stored| stored.bytes() != wanted.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &str) -> Vec<Vec<u8>> {
        words.split_whitespace().map(|word| word.into()).collect()
    }

    fn shown<'n>(texts: impl IntoIterator<Item = &'n Vec<u8>>) -> String {
        let texts = texts.into_iter().map(|text| String::from_utf8_lossy(text));
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_set_gets_what_it_lacks_and_loses_what_is_stale() {
        for (stored, wanted, missing, stale) in [
            ("", "", "", ""),
            ("a b c", "c a b", "", ""),
            ("a b c", "b c d", "d", "a"),
            ("", "a b", "a b", ""),
            ("a b", "", "", "a b"),
        ] {
            let (stored, wanted) = (texts(stored), texts(wanted));
            let difference = of_members(&stored, wanted.iter());
            assert_eq!(shown(difference.missing.iter().copied()), missing);
            assert_eq!(shown(difference.stale.iter().copied()), stale);
            assert_eq!(
                difference.is_empty(),
                missing.is_empty() && stale.is_empty()
            );
        }
    }

    #[test]
    fn a_sorted_set_keeps_who_is_in_its_place() {
        let stored = |words: &str, scores: &[f64]| -> Vec<(Vec<u8>, f64)> {
            texts(words).into_iter().zip(scores.to_vec()).collect()
        };
        for (stored, wanted, missing, stale) in [
            (stored("a b c", &[1.0, 2.0, 3.0]), "a b c", "", ""),
            (stored("a b c", &[1.0, 2.0, 3.0]), "a c", "c", "b"),
            (stored("a b", &[1.0, 2.0]), "x a b", "x a b", ""),
            (stored("a", &[1.5]), "a", "a", ""),
            (stored("a", &[f64::NAN]), "a", "a", ""),
            (stored("a b", &[1.0, 2.0]), "", "", "a b"),
        ] {
            let (wanted, score) = (texts(wanted), b"score".to_vec());
            let scored = wanted.iter().map(|member| (&score, member)).zip(1..);
            let difference = of_scores(&stored, scored);
            let names = difference.missing.iter().map(|(_, member)| *member);
            assert_eq!(shown(names), missing);
            assert_eq!(shown(difference.stale.iter().copied()), stale);
        }
    }

    #[test]
    fn only_fields_that_differ_are_written() {
        let (names, values) = (texts("kept changed new"), texts("1 2 3"));
        let stored = |field: &Vec<u8>| match &field[..] {
            b"kept" => Some(b"1".to_vec()),
            b"changed" => Some(b"1".to_vec()),
            _ => None,
        };
        let changed = changed_fields(names.iter().zip(&values), stored);
        assert_eq!(shown(changed.iter().map(|(name, _)| *name)), "changed new");
    }
}
