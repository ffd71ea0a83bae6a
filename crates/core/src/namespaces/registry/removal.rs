//! Removes namespaces.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::Registry;
use crate::namespaces::Namespace;

/// The names to remove.
pub(super) type Names<'n> = HashSet<&'n [u8], RandomState>;

/// Up to this many are removed one by one, which visits all that start alike each time. Rebuilding the
/// trie without them takes about fifty times as long as one such visit, however many go.
const A_FEW: usize = 32;

impl Registry {
    /// Removes the namespace with this name, if it exists.
    pub fn remove(&mut self, name: &[u8]) -> Option<Arc<Namespace>> {
        let removed = self.by_name.remove(name)?.namespace;
        self.changes.add();
        self.regexes.remove(removed.pattern());
        for form in removed.pattern().forms() {
            self.root.remove(form);
        }
        Some(removed)
    }

    /// Removes all with these names, and returns how many existed.
    pub fn remove_all<'n>(&mut self, names: impl Iterator<Item = &'n [u8]>) -> usize {
        let names: Names = names.filter(|name| self.get(name).is_some()).collect();
        if names.len() <= A_FEW {
            for name in &names {
                self.remove(name);
            }
        } else {
            *self = self.without(&names);
        }
        names.len()
    }

    /// The namespaces with other names, in a new trie: faster than removing many.
    pub(super) fn without(&self, names: &Names) -> Registry {
        let mut rest = Registry::new();
        for (name, entry) in self.by_name.iter() {
            if !names.contains(name) {
                rest.insert(Arc::clone(&entry.namespace));
            }
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::A_FEW;
    use crate::namespaces::registry::trie::looks;
    use crate::namespaces::{Draft, Namespace, Registry};

    fn namespace(number: usize, ttl: i64) -> Namespace {
        with_pattern(number, &format!("app:kind{number}:<id>"), ttl)
    }

    fn with_pattern(number: usize, pattern: &str, ttl: i64) -> Namespace {
        let name = format!("n{number}");
        let draft = Draft {
            name: name.as_bytes(),
            pattern: pattern.as_bytes(),
            ttl: Some(ttl),
            ..Draft::default()
        };
        Namespace::new(&draft).unwrap()
    }

    /// So many with patterns that start alike.
    fn alike(count: usize) -> Registry {
        let mut registry = Registry::new();
        for number in 0..count {
            registry.add(namespace(number, 1)).unwrap();
        }
        registry
    }

    fn remove(registry: &mut Registry, numbers: impl Iterator<Item = usize>) -> usize {
        let names: Vec<String> = numbers.map(|number| format!("n{number}")).collect();
        registry.remove_all(names.iter().map(String::as_bytes))
    }

    #[test]
    fn removing_all_takes_twice_as_long_for_twice_as_many() {
        let work = |count: usize| {
            let mut registry = alike(count);
            let before = looks();
            assert_eq!(remove(&mut registry, 0..count), count);
            assert_eq!(registry, Registry::new());
            looks() - before
        };
        let half = |count: usize| {
            let mut registry = alike(count);
            let before = looks();
            assert_eq!(remove(&mut registry, 0..count / 2), count / 2);
            looks() - before
        };
        assert!(work(4_000) <= 2 * work(2_000) + 10);
        assert!(half(4_000) <= 2 * half(2_000) + 10);
    }

    #[test]
    fn replacing_one_with_its_pattern_does_not_look_at_the_others() {
        let mut registry = alike(1_000);
        let before = looks();
        registry.add(namespace(7, 2)).unwrap();
        assert!(looks() - before <= 3, "{}", looks() - before);
        assert_eq!(registry.get(b"n7").unwrap().ttl(), Some(2));
        let found = registry.find(b"app:kind7:x").unwrap().namespace;
        assert_eq!(found.ttl(), Some(2));
        assert_eq!(registry.len(), 1_000);
    }

    #[test]
    fn replacing_one_with_another_pattern_looks_at_few_others_where_all_are_alike() {
        let mut registry = alike(1_000);
        let before = looks();
        registry.add(with_pattern(7, "app:new7:<id>", 1)).unwrap();
        assert!(looks() - before <= 10, "{}", looks() - before);
        assert!(registry.find(b"app:kind7:x").is_none());
    }

    #[test]
    fn whichever_goes_the_others_are_measured_as_if_it_had_never_been_there() {
        let patterns = [
            "a",
            "a:<x>",
            "a:b:c:d",
            "a:<x>:c:d:e",
            "a:x<n:int>:c",
            "a:y<n:int>",
            "a:b[:<z>]",
            "k<k:hex>:b:c",
            "{<t>}:b:c",
            "{<t>}:<x>",
            "b:<rest...>",
            "b:c:<x>:d",
            "s:<x>:p:q:r",
            "s:w:v:u",
            "s:z",
        ];
        let all_but = |left_out: usize| {
            let mut registry = Registry::new();
            for (number, pattern) in patterns.iter().enumerate() {
                if number != left_out {
                    registry.add(with_pattern(number, pattern, 1)).unwrap();
                }
            }
            registry
        };
        for (number, pattern) in patterns.iter().enumerate() {
            let mut registry = all_but(usize::MAX);
            assert_eq!(remove(&mut registry, [number].into_iter()), 1);
            assert_eq!(registry, all_but(number), "{pattern}");
        }
    }

    #[test]
    fn what_is_left_is_as_if_the_others_had_never_been_there() {
        for count in [1, A_FEW, A_FEW + 1, 99] {
            let mut registry = alike(100);
            // One of them twice, and one that is not there.
            let gone = (0..count).chain([0, 300]);
            assert_eq!(remove(&mut registry, gone), count);
            let mut expected = Registry::new();
            for number in count..100 {
                expected.add(namespace(number, 1)).unwrap();
            }
            assert_eq!(registry, expected);
            assert_eq!(registry.to_json(), expected.to_json());
        }
    }
}
