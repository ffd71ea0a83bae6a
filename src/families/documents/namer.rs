//! Names for all parts of a document, from the counters of their prefixes.

use keyns_core::key_type::KeyType;
use std::collections::HashMap;

use crate::families::naming::numbering::{NumberOptions, Numbering};
use crate::server::store::{Access, Caller, MAX_COUNT, Store, Writer};
use crate::server::{Error, Result, ServerString};
use keyns_core::naming;
use keyns_core::naming::key_name::Prefix;

/// Takes names one after the other. Nothing is written before [`keep`](Namer::keep).
pub struct Namer<'a> {
    store: &'a Store<'a>,
    caller: &'a Caller<'a>,
    options: NumberOptions,
    max_skips: u64,
    counters: Vec<Counter>,
    buffer: Vec<u8>,
}

/// The numbers of one prefix.
struct Counter {
    prefix: Vec<u8>,
    key: ServerString,
    before: u64,
    now: u64,
    slugs_key: ServerString,
    has_slugs: bool,
    /// What the counters of slugs are now, of those that gave a number.
    slugs: HashMap<Vec<u8>, u64>,
}

impl<'a> Namer<'a> {
    pub fn new(
        store: &'a Store<'a>,
        caller: &'a Caller<'a>,
        options: NumberOptions,
        max_skips: u64,
    ) -> Namer<'a> {
        Namer {
            store,
            caller,
            options,
            max_skips,
            counters: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// The next name under `prefix` with this slug of which `keys` makes free keys.
    pub fn take<K>(
        &mut self,
        prefix: &Prefix,
        slug: &[u8],
        keys: impl Fn(ServerString) -> Result<Option<K>>,
    ) -> Result<K> {
        let index = self.counter_of(prefix)?;
        let Some(counter) = self.counters.get_mut(index) else {
            return Err(Error::Server { call: "a counter" });
        };
        let of_slug = counter.of_slug(self.store, self.options.numbering, slug)?;
        let mut last = match self.options.numbering {
            Numbering::Global => counter.now.max(of_slug),
            Numbering::Slug => counter.before.max(of_slug),
        };
        for _ in 0..=self.max_skips {
            last = last
                .checked_add(1)
                .filter(|&next| next <= MAX_COUNT)
                .ok_or_else(|| Error::CounterOverflow {
                    key: counter.key.as_bytes().to_vec(),
                })?;
            let name = prefix.name(slug, last, self.options.width, &mut self.buffer);
            if let Some(keys) = keys(ServerString::new(name))? {
                counter.advance(self.options.numbering, slug, last);
                return Ok(keys);
            }
        }
        let too_many = naming::Error::TooManySkips {
            limit: self.max_skips,
            key: counter.key.as_bytes().to_vec(),
        };
        Err(too_many.into())
    }

    fn counter_of(&mut self, prefix: &Prefix) -> Result<usize> {
        let known = self
            .counters
            .iter()
            .position(|c| c.prefix == prefix.as_bytes());
        if let Some(index) = known {
            return Ok(index);
        }
        let key = ServerString::new(prefix.counter(&mut self.buffer));
        let slugs_key = ServerString::new(prefix.slug_counters(&mut self.buffer));
        let (access, slugs_access) = match self.options.numbering {
            Numbering::Global => (Access::Update, Access::Read),
            Numbering::Slug => (Access::Read, Access::Update),
        };
        self.caller.check(&key, access)?;
        self.caller.check(&slugs_key, slugs_access)?;
        self.store.exists_as(&key, KeyType::String)?;
        let before = self.store.count(&key)?;
        self.counters.push(Counter {
            prefix: prefix.as_bytes().to_vec(),
            has_slugs: self.store.exists_as(&slugs_key, KeyType::Hash)?,
            key,
            before,
            now: before,
            slugs_key,
            slugs: HashMap::new(),
        });
        Ok(self.counters.len() - 1)
    }

    /// Writes the counters, so that no name is taken again.
    pub fn keep(&self, writer: &mut Writer) -> Result<()> {
        for counter in &self.counters {
            if counter.now > counter.before {
                let by = counter.now - counter.before;
                self.store.add_to_count(&counter.key, counter.before, by)?;
            }
            let slugs = counter.slugs.iter();
            let changed: Vec<(ServerString, ServerString)> = slugs
                .map(|(slug, now)| (ServerString::new(slug), ServerString::of_number(*now)))
                .collect();
            let fields = changed.iter().map(|(slug, now)| (slug, now));
            writer.set_fields(&counter.slugs_key, fields)?;
        }
        Ok(())
    }
}

impl Counter {
    /// The last number that this slug's own counter has given.
    fn of_slug(&self, store: &Store, numbering: Numbering, slug: &[u8]) -> Result<u64> {
        if numbering == Numbering::Slug
            && let Some(now) = self.slugs.get(slug)
        {
            return Ok(*now);
        }
        match self.has_slugs {
            true => store.field_count(&self.slugs_key, slug),
            false => Ok(0),
        }
    }

    fn advance(&mut self, numbering: Numbering, slug: &[u8], number: u64) {
        match numbering {
            Numbering::Global => self.now = number,
            Numbering::Slug => drop(self.slugs.insert(slug.to_vec(), number)),
        }
    }
}
