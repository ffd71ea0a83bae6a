//! The regexes of many patterns: each text is compiled once, and their total size has a limit.

use super::pattern::Pattern;
use super::table::Table;
use super::value_regex::{Extent, Mistake, ValueRegex};
use super::{Error, Result};

/// What all regexes of a registry may take in memory, by the estimate of [`ValueRegex::memory`]. It may
/// only go up: what was accepted once has to load again.
pub const MAX_REGEXES_BYTES: usize = 64 << 20;

#[derive(Clone, Debug, Default)]
pub struct Regexes {
    known: Table<Known>,
    memory: usize,
}

#[derive(Clone, Debug)]
struct Known {
    regex: ValueRegex,
    /// How many placeholders have it.
    uses: usize,
}

impl Regexes {
    pub const fn new() -> Regexes {
        Regexes {
            known: Table::new(),
            memory: 0,
        }
    }

    /// The regex with this text, compiled if it is new.
    pub fn compile(&self, text: &str, extent: Extent) -> std::result::Result<ValueRegex, Mistake> {
        match self.known.get(extent.key(text).as_bytes()) {
            Some(known) => Ok(known.regex.clone()),
            None => ValueRegex::compile(text, extent),
        }
    }

    /// The known regex that equals this one.
    pub fn shared(&self, regex: &ValueRegex) -> Option<&ValueRegex> {
        let known = self.known.get(regex.key().as_bytes())?;
        Some(&known.regex)
    }

    /// Adds the regexes of a pattern.
    pub fn add(&mut self, pattern: &Pattern) {
        for regex in pattern.regexes() {
            let key = regex.key().as_bytes();
            match self.known.get_mut(key) {
                Some(known) => known.uses += 1,
                None => {
                    let regex = regex.clone();
                    self.memory += regex.memory();
                    self.known.insert(key, Known { regex, uses: 1 });
                }
            }
        }
    }

    /// Removes the regexes that no other pattern has.
    pub fn remove(&mut self, pattern: &Pattern) {
        for regex in pattern.regexes() {
            let key = regex.key().as_bytes();
            let Some(known) = self.known.get_mut(key) else {
                continue;
            };
            known.uses -= 1;
            if known.uses == 0 {
                self.memory -= regex.memory();
                self.known.remove(key);
            }
        }
    }

    /// An error if they exceed the limit.
    pub fn check(&self) -> Result<()> {
        match self.memory > MAX_REGEXES_BYTES {
            true => Err(Error::TooManyRegexes {
                limit: MAX_REGEXES_BYTES,
                got: self.memory,
            }),
            false => Ok(()),
        }
    }

    /// An error if they would exceed it with those of `added` in place of those of `removed`.
    pub fn check_change(&self, removed: Option<&Pattern>, added: &Pattern) -> Result<()> {
        if added.regexes().next().is_none() {
            return Ok(());
        }
        let mut changed = Regexes {
            known: self.some_of(removed.into_iter().chain([added])),
            memory: self.memory,
        };
        if let Some(removed) = removed {
            changed.remove(removed);
        }
        changed.add(added);
        changed.check()
    }

    /// Those that these patterns have, too.
    fn some_of<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> Table<Known> {
        let mut some = Table::new();
        for regex in patterns.flat_map(Pattern::regexes) {
            let key = regex.key().as_bytes();
            if let Some(known) = self.known.get(key) {
                some.insert(key, known.clone());
            }
        }
        some
    }
}
