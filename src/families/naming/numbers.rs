//! The number in a new name: one algorithm for KEYNS.MAKE, and for every part of a document that
//! KEYNS.INGESTMD writes.
//!
//! Two counters can number one prefix, so each avoids what the other has given out:
//!
//! ```text
//! doc:_seq              7      the last number of the prefix      NUMBERING GLOBAL adds to it
//! doc:_slugs   intro    9      the last number of this slug       NUMBERING SLUG adds to it
//!
//! doc:intro:010                the first name to try, after the larger of the two
//! doc:intro:011                … and so on, until one is free
//! ```

use keyns_core::naming::Error;
use keyns_core::naming::key_name::Prefix;

use super::numbering::{NumberOptions, Numbering};
use crate::server::store::{Access, Caller, Store};
use crate::server::{Result, ServerString};

/// The two counters of a prefix.
pub struct Counters {
    pub of_prefix: ServerString,
    /// A hash with a counter for each slug.
    pub of_slugs: ServerString,
}

impl Counters {
    /// An error unless the caller may read both and change the one that counts.
    pub fn of(
        prefix: &Prefix,
        numbering: Numbering,
        caller: &Caller,
        buffer: &mut Vec<u8>,
    ) -> Result<Counters> {
        let counters = Counters {
            of_prefix: ServerString::new(prefix.counter(buffer)),
            of_slugs: ServerString::new(prefix.slug_counters(buffer)),
        };
        let (of_prefix, of_slugs) = match numbering {
            Numbering::Global => (Access::Update, Access::Read),
            Numbering::Slug => (Access::Read, Access::Update),
        };
        caller.check(&counters.of_prefix, of_prefix)?;
        caller.check(&counters.of_slugs, of_slugs)?;
        Ok(counters)
    }
}

/// The last numbers that the two counters gave out.
#[derive(Clone, Copy)]
pub struct Last {
    pub of_prefix: u64,
    pub of_slug: u64,
}

impl Last {
    pub fn read(store: &Store, counters: &Counters, slug: &[u8]) -> Result<Last> {
        Ok(Last {
            of_prefix: store.count(&counters.of_prefix)?,
            of_slug: store.field_count(&counters.of_slugs, slug)?,
        })
    }

    /// Records that `number` was given out.
    pub fn advance(
        &self,
        store: &Store,
        counters: &Counters,
        numbering: Numbering,
        slug: &[u8],
        number: u64,
    ) -> Result<()> {
        let Last { of_prefix, of_slug } = *self;
        match numbering {
            Numbering::Global => {
                store.add_to_count(&counters.of_prefix, of_prefix, number - of_prefix)
            }
            Numbering::Slug => {
                let by = number - of_slug;
                store.add_to_field_count(&counters.of_slugs, slug, of_slug, by)
            }
        }
    }
}

/// A name without its number.
pub struct Numberless<'a> {
    pub prefix: Prefix<'a>,
    pub slug: &'a [u8],
    pub options: NumberOptions,
    /// How many existing names may be skipped.
    pub max_skips: u64,
}

impl Numberless<'_> {
    /// The first new number whose name is free, with what `take` returns for the name: `None` if it is
    /// taken.
    pub fn first_free<K>(
        &self,
        last: Last,
        counters: &Counters,
        buffer: &mut Vec<u8>,
        mut take: impl FnMut(u64, ServerString) -> Result<Option<K>>,
    ) -> Result<(u64, K)> {
        let last = last.of_prefix.max(last.of_slug);
        for number in (1..=self.max_skips + 1).filter_map(|step| last.checked_add(step)) {
            let name = self
                .prefix
                .name(self.slug, number, self.options.width, buffer);
            if let Some(taken) = take(number, ServerString::new(name))? {
                return Ok((number, taken));
            }
        }
        Err(Error::TooManySkips {
            limit: self.max_skips,
            key: counters.of_prefix.as_bytes().to_vec(),
        }
        .into())
    }
}
