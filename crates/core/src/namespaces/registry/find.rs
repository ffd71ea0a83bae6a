//! Finds the most specific pattern that matches a key.

use super::Match;
use super::trie::Node;
use super::work::Work;
use crate::namespaces::segment::split_first;
use crate::namespaces::value_type::{ValueType, meant};
use crate::namespaces::{Values, date};

/// The namespace of `key`: the one with the most literal segments, and among several the more specific
/// one in the first segment in which they differ.
///
/// The search walks down the trie, the most specific branch first. Among patterns with equally many
/// literal segments the first match is the right one; the search visits others only if they can have
/// more. Each node has one way to it and a date has one length, so no node is visited twice. The patterns
/// that start like the key and the allowed work bound the time. If the work runs out, the search returns
/// nothing, since the next pattern might have been the best.
pub fn best<'r, 'k>(root: &'r Node, key: &'k [u8], work: &mut Work) -> Option<Match<'r, 'k>> {
    let mut search = Search::with(work);
    search.visit(root, Some(key), 0);
    let Search { found, work, .. } = search;
    found.filter(|_| !work.is_spent())
}

struct Search<'r, 'k, 'w> {
    work: &'w mut Work,
    found: Option<Match<'r, 'k>>,
    /// The number of literal segments of the best match.
    literals: usize,
    /// The values on the way to the current node.
    values: Values<'k>,
    #[cfg(test)]
    visits: usize,
}

impl<'r, 'k, 'w> Search<'r, 'k, 'w> {
    fn with(work: &'w mut Work) -> Search<'r, 'k, 'w> {
        Search {
            work,
            found: None,
            literals: 0,
            values: Values::new(),
            #[cfg(test)]
            visits: 0,
        }
    }

    fn visit(&mut self, node: &'r Node, rest: Option<&'k [u8]>, literals: usize) {
        #[cfg(test)]
        {
            self.visits += 1;
        }
        let Some(text) = rest else {
            return self.end(node, literals);
        };
        let (segment, rest) = split_first(text);
        if !self.work.look_at(segment.len()) {
            return;
        }
        if self.may_gain(literals + node.most_literals())
            && let Some(child) = node.literal(segment)
        {
            self.visit(child, rest, literals + 1);
        }
        if self.may_gain(literals + node.most_behind_holes()) {
            self.visit_mixed(node, segment, rest, literals);
        }
        for (kind, child) in node.wholes() {
            if !self.may_gain(literals + node.most_behind_holes()) {
                return;
            }
            let (value, rest) = match kind {
                ValueType::Rest | ValueType::RestRegex(_) => (text, None),
                ValueType::Date => date::split(text).unwrap_or((b"", None)),
                _ => (segment, rest),
            };
            if self.work.run(value.len(), kind.regex_steps(value.len())) && kind.fits(value) {
                self.values.push(Some(meant(kind, value)));
                self.visit(child, rest, literals);
                self.values.pop();
            }
        }
    }

    /// Whether a pattern with this many literal segments would be better.
    fn may_gain(&self, literals: usize) -> bool {
        self.found.is_none() || literals > self.literals
    }

    fn visit_mixed(
        &mut self,
        node: &'r Node,
        segment: &'k [u8],
        rest: Option<&'k [u8]>,
        literals: usize,
    ) {
        let before = self.values.len();
        for (mixed, child) in node.mixed(segment, self.work) {
            if !self.work.look_at(segment.len()) {
                return;
            }
            let fits = mixed.split(segment, |kind, value| {
                self.values.push(Some(meant(kind, value)));
                self.work.take(kind.regex_steps(value.len())) && kind.fits(value)
            });
            if fits {
                self.visit(child, rest, literals);
            }
            self.values.truncate(before);
        }
    }

    fn end(&mut self, node: &'r Node, literals: usize) {
        if let Some(namespace) = node.end()
            && self.may_gain(literals)
        {
            let mut values = Values::from_slice(&self.values);
            values.resize(node.placeholders(), None);
            self.found = Some(Match { namespace, values });
            self.literals = literals;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespaces::Registry;
    use crate::namespaces::tests::registry;

    const DEPTH: u32 = 4;
    const TYPES: [&str; 4] = [":hex", ":slug", ":path", ""];

    /// All rows of types that `ab` is a value of, each with this behind it.
    fn hostile(tail: &str) -> Vec<String> {
        let row = |n: usize| -> String {
            let digits = (0..DEPTH).map(|place| n / TYPES.len().pow(place) % TYPES.len());
            let holes = digits.enumerate();
            holes
                .map(|(at, digit)| format!(":<p{at}{}>", TYPES[digit]))
                .collect()
        };
        let rows = (0..TYPES.len().pow(DEPTH)).map(row);
        rows.map(|holes| format!("a{holes}{tail}")).collect()
    }

    fn visits(registry: &Registry, key: &str) -> (bool, usize) {
        let mut work = Work::on(key.as_bytes());
        let mut search = Search::with(&mut work);
        search.visit(&registry.root, Some(key.as_bytes()), 0);
        (search.found.is_some(), search.visits)
    }

    #[test]
    fn no_node_is_looked_at_twice() {
        let registry = registry(&hostile(":x"));
        let nodes = (0..=DEPTH)
            .map(|depth| TYPES.len().pow(depth))
            .sum::<usize>();
        // All branches fit, and all fail at the very end.
        assert_eq!(visits(&registry, "a:ab:ab:ab:ab:y"), (false, nodes + 1));
        // The first that fits ends the search.
        let way = DEPTH as usize + 3;
        assert_eq!(visits(&registry, "a:ab:ab:ab:ab:x"), (true, way));
    }

    #[test]
    fn others_do_not_matter() {
        let mut patterns = hostile("");
        patterns.extend((0..1000).map(|n| format!("user{n}:<id:int>:<attribute>")));
        let registry = registry(&patterns);
        assert_eq!(visits(&registry, "user7:42:name"), (true, 4));
        assert_eq!(visits(&registry, "user7:x:name"), (false, 2));
    }
}
