//! Names for all parts of a document, from the counters of their prefixes.
//!
//! Names are found before anything is written, so the counters go on in memory. A document with two
//! chapters and a chunk takes three numbers of two prefixes, and [`keep`](Namer::keep) writes two counters:
//!
//! ```text
//!            before   now
//! ch:_seq        4      6     ch:risk:005, ch:summary:006
//! chunk:_seq     9     10     chunk:assets:010
//! ```

use std::collections::HashMap;

use super::keyspace::Keyspace;
use crate::families::naming::numbering::{NumberOptions, Numbering};
use crate::families::naming::numbers::{Counters, Last, Numberless};
use crate::server::store::{MAX_COUNT, Store, Writer};
use crate::server::{Error, Result, ServerString};
use keyns_core::key_type::KeyType;
use keyns_core::naming::key_name::Prefix;

/// Takes names one after the other. Nothing is written before [`keep`](Namer::keep).
pub struct Namer<'a> {
    keyspace: &'a Keyspace<'a>,
    options: NumberOptions,
    max_skips: u64,
    counts: Vec<Counts>,
    buffer: Vec<u8>,
}

/// The counters of one prefix.
struct Counts {
    prefix: Vec<u8>,
    counters: Counters,
    before: u64,
    now: u64,
    has_slugs: bool,
    /// The counters of those slugs that were given a number.
    slugs: HashMap<Vec<u8>, u64>,
}

impl<'a> Namer<'a> {
    pub fn new(keyspace: &'a Keyspace<'a>, options: NumberOptions, max_skips: u64) -> Namer<'a> {
        Namer {
            keyspace,
            options,
            max_skips,
            counts: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// The next name under `prefix` with this slug for which `keys` finds all keys free.
    pub fn take<K>(
        &mut self,
        prefix: &Prefix,
        slug: &[u8],
        keys: impl Fn(ServerString) -> Result<Option<K>>,
    ) -> Result<K> {
        let index = self.counts_of(prefix)?;
        let Some(counts) = self.counts.get_mut(index) else {
            return Err(Error::Server { call: "a counter" });
        };
        let last = counts.last(self.keyspace.store, self.options.numbering, slug)?;
        let wanted = Numberless {
            prefix: *prefix,
            slug,
            options: self.options,
            max_skips: self.max_skips,
        };
        let counters = &counts.counters;
        let (number, keys) =
            wanted.first_free(last, counters, &mut self.buffer, |number, name| {
                match number <= MAX_COUNT {
                    true => keys(name),
                    false => Err(Error::CounterOverflow {
                        key: counters.of_prefix.as_bytes().to_vec(),
                    }),
                }
            })?;
        counts.advance(self.options.numbering, slug, number);
        Ok(keys)
    }

    /// The index of a prefix's counters, which are read on first use.
    fn counts_of(&mut self, prefix: &Prefix) -> Result<usize> {
        let mut known = self.counts.iter();
        if let Some(index) = known.position(|counts| counts.prefix == prefix.as_bytes()) {
            return Ok(index);
        }
        let Keyspace { store, caller, .. } = self.keyspace;
        let counters = Counters::of(prefix, self.options.numbering, caller, &mut self.buffer)?;
        store.exists_as(&counters.of_prefix, KeyType::String)?;
        let before = store.count(&counters.of_prefix)?;
        self.counts.push(Counts {
            prefix: prefix.as_bytes().to_vec(),
            has_slugs: store.exists_as(&counters.of_slugs, KeyType::Hash)?,
            counters,
            before,
            now: before,
            slugs: HashMap::new(),
        });
        Ok(self.counts.len() - 1)
    }

    /// Writes the counters, so no name is given twice.
    pub fn keep(&self, writer: &mut Writer) -> Result<()> {
        for counts in &self.counts {
            let Counts { before, now, .. } = *counts;
            if now > before {
                let counter = &counts.counters.of_prefix;
                self.keyspace
                    .store
                    .add_to_count(counter, before, now - before)?;
            }
            let slugs = counts.slugs.iter();
            let changed: Vec<(ServerString, ServerString)> = slugs
                .map(|(slug, now)| (ServerString::new(slug), ServerString::of_number(*now)))
                .collect();
            let fields = changed.iter().map(|(slug, now)| (slug, now));
            writer.set_fields(&counts.counters.of_slugs, fields)?;
        }
        Ok(())
    }
}

impl Counts {
    /// The last numbers that were given to this slug and to all.
    fn last(&self, store: &Store, numbering: Numbering, slug: &[u8]) -> Result<Last> {
        let given = match numbering {
            Numbering::Global => None,
            Numbering::Slug => self.slugs.get(slug),
        };
        let of_slug = match (given, self.has_slugs) {
            (Some(now), _) => *now,
            (None, true) => store.field_count(&self.counters.of_slugs, slug)?,
            (None, false) => 0,
        };
        Ok(Last {
            of_prefix: self.now,
            of_slug,
        })
    }

    fn advance(&mut self, numbering: Numbering, slug: &[u8], number: u64) {
        match numbering {
            Numbering::Global => self.now = number,
            Numbering::Slug => drop(self.slugs.insert(slug.to_vec(), number)),
        }
    }
}
