//! Loads many namespaces at once, within what the caller may do.

use super::Registry;
use super::removal::Names;
use crate::argument::Keyword;
use crate::namespaces::rights::Rights;
use crate::namespaces::{Error, Namespace, Result, json};
use crate::text::quoting::quoted;

/// What a caller may do to the namespaces.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// How many there may be.
    pub namespaces: usize,
    pub rights: Rights,
    /// Whether patterns may contain placeholders of other languages, which are literal text here. What
    /// was accepted once has to load again; from a client they are a mistake.
    pub any_spelling: bool,
}

impl Allowance {
    /// For definitions that were accepted elsewhere or before.
    pub const UNLIMITED: Allowance = Allowance {
        namespaces: usize::MAX,
        rights: Rights::All,
        any_spelling: true,
    };

    /// An error about a placeholder that is written as in another language.
    pub fn check_spelling(&self, namespace: &Namespace) -> Result<()> {
        match self.any_spelling {
            true => Ok(()),
            false => namespace.pattern().check_spelling(),
        }
    }
}

/// What a load does to existing namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Keeps all: another definition of one of them is an error.
    Refuse,
    /// Replaces those with the same names.
    Replace,
    /// Removes all.
    Flush,
}

impl Keyword for Existing {
    const WORDS: &'static [(&'static str, Existing)] =
        &[("REPLACE", Existing::Replace), ("FLUSH", Existing::Flush)];
}

/// The names of the namespaces in which two registries differ, each list sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference<'r> {
    pub added: Vec<&'r str>,
    pub changed: Vec<&'r str>,
    pub removed: Vec<&'r str>,
}

impl Registry {
    /// Adds the namespaces of a JSON text, up to `limit` in total, and returns how many the text has. An
    /// error changes nothing.
    ///
    /// ```
    /// use keyns_core::namespaces::{Existing, Registry};
    ///
    /// let json = br#"{"namespaces": [{"name": "lock", "pattern": "lock:<name>", "ttl": 30}]}"#;
    /// let mut registry = Registry::new();
    /// assert_eq!(registry.load(json, Existing::Refuse, usize::MAX), Ok(1));
    /// assert_eq!(registry.get(b"lock").unwrap().ttl(), Some(30));
    /// ```
    pub fn load(&mut self, json: &[u8], existing: Existing, limit: usize) -> Result<usize> {
        let allowance = Allowance {
            namespaces: limit,
            ..Allowance::UNLIMITED
        };
        let (loaded, count) = self.loaded(json, existing, &allowance)?;
        *self = loaded;
        Ok(count)
    }

    /// What [`load`](Registry::load) would make of it for a caller with this allowance, and how many
    /// namespaces the text has. The caller needs rights on all keys of every namespace that is added,
    /// changed or removed.
    pub fn loaded(
        &self,
        json: &[u8],
        existing: Existing,
        allowance: &Allowance,
    ) -> Result<(Registry, usize)> {
        let loaded = json::read(json)?;
        for namespace in &loaded {
            let checked = allowance.check_spelling(namespace);
            checked.map_err(|error| Error::Entry {
                entry: format!("'{}'", quoted(namespace.name())),
                reason: error.to_string(),
            })?;
        }
        self.check_rights(&allowance.rights, &loaded, existing)?;
        let count = loaded.len();
        let mut next = match existing {
            Existing::Flush => Registry::new(),
            Existing::Refuse | Existing::Replace => {
                self.without(&loaded.iter().map(|new| new.name().as_bytes()).collect())
            }
        };
        let is_other = |namespace: &&Namespace| {
            let before = self.get(namespace.name().as_bytes());
            before.is_some_and(|before| before != *namespace)
        };
        if existing == Existing::Refuse
            && let Some(other) = loaded.iter().find(is_other)
        {
            return Err(Error::OtherDefinition {
                name: other.name().to_owned(),
            });
        }
        let (limit, got) = (allowance.namespaces, next.len() + count);
        if got > limit && got > self.len() {
            return Err(Error::TooManyNamespaces { limit, got });
        }
        for namespace in loaded {
            next.add(namespace)?;
        }
        Ok((next, count))
    }

    fn check_rights(
        &self,
        rights: &Rights,
        loaded: &[Namespace],
        existing: Existing,
    ) -> Result<()> {
        if matches!(rights, Rights::All) {
            return Ok(());
        }
        for namespace in loaded {
            rights.check(self.get(namespace.name().as_bytes()), Some(namespace))?;
        }
        if existing == Existing::Flush {
            let stay: Names = loaded.iter().map(|new| new.name().as_bytes()).collect();
            let gone = self
                .iter()
                .filter(|old| !stay.contains(old.name().as_bytes()));
            for namespace in gone {
                rights.check(Some(namespace), None)?;
            }
        }
        Ok(())
    }

    /// What would be different if `next` took its place.
    pub fn difference<'r>(&'r self, next: &'r Registry) -> Difference<'r> {
        let mut difference = Difference::default();
        for after in next.iter() {
            match self.get(after.name().as_bytes()) {
                None => difference.added.push(after.name()),
                Some(before) if before != after => difference.changed.push(after.name()),
                Some(_) => {}
            }
        }
        let gone = |before: &&Namespace| next.get(before.name().as_bytes()).is_none();
        let removed = self.iter().filter(gone).map(Namespace::name);
        difference.removed.extend(removed);
        difference
    }
}
