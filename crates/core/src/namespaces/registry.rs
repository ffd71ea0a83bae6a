//! All namespaces, and which of them a key belongs to.

mod by_length;
mod find;
mod load;
mod mixed_edges;
mod nearest;
mod removal;
mod rivals;
mod suggest;
mod trie;
mod work;

use std::sync::Arc;

use super::build::Building;
use super::definition::Namespace;
use super::json;
use super::pattern::Values;
use super::regexes::Regexes;
use super::table::Table;
use crate::namespaces::{Error, Result};
use crate::naming::check;
use crate::naming::kinds::Kinds;
use crate::naming::number_words::Lang;
pub use load::{Allowance, Difference, Existing};
pub use nearest::Near;
use rivals::{Changes, Rivals};
use trie::Node;
pub use work::{Help, Work};

/// The namespaces of a server.
///
/// ```
/// use keyns_core::namespaces::{Draft, Namespace, Registry};
///
/// let mut registry = Registry::new();
/// for (name, pattern) in [("by_id", "user:<id:int>"), ("by_mail", "user:<mail>")] {
///     let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
///     let draft = Draft { name, pattern, ..Draft::default() };
///     registry.add(Namespace::new(&draft).unwrap()).unwrap();
/// }
/// assert_eq!(registry.find(b"user:42").unwrap().namespace.name(), "by_id");
/// assert_eq!(registry.find(b"user:a@b.c").unwrap().namespace.name(), "by_mail");
/// assert!(registry.find(b"user").is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    by_name: Table<Entry>,
    /// The same namespaces by their patterns.
    root: Node,
    changes: Changes,
    regexes: Regexes,
}

#[derive(Debug)]
struct Entry {
    namespace: Arc<Namespace>,
    rivals: Rivals,
}

impl Clone for Entry {
    fn clone(&self) -> Entry {
        Entry::of(&self.namespace)
    }
}

impl Entry {
    fn of(namespace: &Arc<Namespace>) -> Entry {
        Entry {
            namespace: Arc::clone(namespace),
            rivals: Rivals::default(),
        }
    }
}

/// Compares the namespaces, not how often they have changed.
impl PartialEq for Registry {
    fn eq(&self, other: &Registry) -> bool {
        self.root == other.root
    }
}

impl Eq for Registry {}

/// A key's namespace, and the values of its placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match<'r, 'k> {
    pub namespace: &'r Namespace,
    pub values: Values<'k>,
}

impl Registry {
    pub const fn new() -> Registry {
        Registry {
            by_name: Table::new(),
            root: Node::new(),
            changes: Changes::none(),
            regexes: Regexes::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, name: &[u8]) -> Option<&Namespace> {
        self.by_name.get(name).map(|entry| &*entry.namespace)
    }

    /// Sorted by name.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Namespace> {
        let sorted = self.sorted().into_iter();
        sorted.map(|(_, entry)| &*entry.namespace)
    }

    /// The names of all namespaces, sorted.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.sorted().into_iter().map(|(name, _)| name)
    }

    /// Sorts by the names in the table, which are adjacent in memory. Fetching them from the namespaces
    /// would cost a cache miss for each comparison.
    fn sorted(&self) -> Vec<(&[u8], &Entry)> {
        let mut sorted: Vec<_> = self.by_name.iter().collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        sorted
    }

    /// An error if a namespace with this name would exceed the limit.
    pub fn check_room(&self, name: &str, limit: usize) -> Result<()> {
        let got = self.len() + 1;
        match got > limit && self.get(name.as_bytes()).is_none() {
            true => Err(Error::TooManyNamespaces { limit, got }),
            false => Ok(()),
        }
    }

    /// Adds a namespace, or replaces the one with its name. An error if its pattern cannot be
    /// distinguished from that of another.
    pub fn add(&mut self, mut namespace: Namespace) -> Result<()> {
        self.check_addition(&namespace)?;
        namespace.share(&self.regexes);
        let before = self.get(namespace.name().as_bytes());
        // With the same pattern it takes the same place in the trie.
        if before.is_some_and(|before| before.pattern() != namespace.pattern()) {
            self.remove(namespace.name().as_bytes());
        }
        self.insert(Arc::new(namespace));
        Ok(())
    }

    /// An error if [`add`](Registry::add) would fail.
    pub fn check_addition(&self, namespace: &Namespace) -> Result<()> {
        match self.conflict(namespace) {
            None => {
                let before = self.get(namespace.name().as_bytes());
                let before = before.map(Namespace::pattern);
                self.regexes.check_change(before, namespace.pattern())
            }
            Some(other) => Err(Error::SamePattern {
                name: namespace.name().to_owned(),
                other: other.name().to_owned(),
            }),
        }
    }

    /// Adds a namespace that conflicts with no other.
    fn insert(&mut self, namespace: Arc<Namespace>) {
        self.changes.add();
        for form in namespace.pattern().forms() {
            self.root.insert(form, &namespace);
        }
        self.regexes.add(namespace.pattern());
        let name = namespace.name().as_bytes();
        if let Some(before) = self.by_name.insert(name, Entry::of(&namespace)) {
            self.regexes.remove(before.namespace.pattern());
        }
    }

    /// The example of a namespace, unless it is a key of another one.
    pub fn example(&self, namespace: &Namespace, help: &mut Help) -> Option<String> {
        let example = namespace.pattern().example()?;
        let key = example.as_bytes();
        let owner = help
            .look(key, |work| self.find_within(key, work))?
            .namespace;
        std::ptr::eq(owner, namespace).then_some(example)
    }

    /// The JSON from which [`load`](Registry::load) makes the same registry.
    pub fn to_json(&self) -> String {
        json::write(self)
    }

    /// Another namespace whose pattern shares a form with this one's.
    fn conflict(&self, namespace: &Namespace) -> Option<&Namespace> {
        let forms = namespace.pattern().forms();
        let mut others = forms.filter_map(|form| self.root.at(form));
        others.find(|other| other.name() != namespace.name())
    }

    /// The most specific namespace whose pattern matches `key`. `None` also if the search is
    /// [too much work](Registry::find_within).
    pub fn find<'r, 'k>(&'r self, key: &'k [u8]) -> Option<Match<'r, 'k>> {
        self.find_within(key, &mut Work::on(key))
    }

    /// The same; afterwards, `work` tells whether the search was cut short.
    pub fn find_within<'r, 'k>(&'r self, key: &'k [u8], work: &mut Work) -> Option<Match<'r, 'k>> {
        find::best(&self.root, key, work)
    }

    /// For a key without a namespace, the nearest one and what is wrong with the key. `None` if no
    /// namespace starts like it.
    pub fn nearest<'r, 'k>(&'r self, key: &'k [u8], help: &mut Help) -> Option<Near<'r, 'k>> {
        match self.find(key) {
            Some(_) => None,
            None => help.look(key, |work| nearest::nearest(&self.root, key, work)),
        }
    }

    /// For a key without a namespace, the nearest key that has one, if one was probably meant.
    pub fn suggest(
        &self,
        key: &[u8],
        kinds: &Kinds,
        lang: Lang,
        help: &mut Help,
    ) -> Option<Vec<u8>> {
        if self.find(key).is_some() {
            return None;
        }
        let mended = help.look(key, |work| suggest::candidates(&self.root, key, lang, work));
        let mended = mended.into_iter();
        let by_convention = || check::suggest(key, kinds, lang);
        let mut keys = mended.chain(std::iter::once_with(by_convention).flatten());
        keys.find(|key| self.find(key).is_some())
    }

    /// Appends the key of a namespace with these values to `key`, and returns the namespace. An error
    /// if the key would belong to another, more specific one.
    pub fn build(
        &self,
        name: &[u8],
        values: &[impl AsRef<[u8]>],
        building: &mut Building,
        key: &mut Vec<u8>,
    ) -> Result<&Namespace> {
        let Some(Entry { namespace, rivals }) = self.by_name.get(name) else {
            return Err(Error::NoNamespace {
                name: name.to_vec(),
            });
        };
        let start = key.len();
        namespace.pattern().build(values, building, key)?;
        if !rivals.may_exist(namespace, &self.root, self.changes) {
            return Ok(namespace);
        }
        let built = key.get(start..).unwrap_or_default();
        let mut work = Work::on(built);
        let owner = self.find_within(built, &mut work);
        let error = match owner.map(|found| found.namespace) {
            _ if work.is_spent() => Error::TooManyAlike {
                key: built.to_vec(),
            },
            Some(owner) if !std::ptr::eq(owner, &**namespace) => Error::OtherNamespace {
                key: built.to_vec(),
                name: owner.name().to_owned(),
            },
            _ => return Ok(namespace),
        };
        key.truncate(start);
        Err(error)
    }
}
