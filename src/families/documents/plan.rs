//! The plan of a call of KEYNS.INGESTMD: made, checked, and only then written.
//!
//! ```text
//! make     the old document is read and compared, sizes are checked, names are found
//! check    the caller may write every key, and each has the right type
//! write    the counters, then every difference
//! ```
//!
//! Every mistake of the caller or in stored keys is found before the first write.

use super::MAX_WRITE_BYTES;
use super::create;
use super::draft::Draft;
use super::keyspace::Keyspace;
use super::layout::Layout;
use super::namer::Namer;
use super::names::Naming;
use super::replace::Predecessor;
use super::request::Request;
use crate::families::naming::MAX_SKIPS;
use crate::families::naming::numbering::Numbering;
use crate::server::Result;
use crate::server::store::Writer;
use keyns_core::documents::size::{self, Allowed};

/// A document that is to be written.
pub struct Plan<'a> {
    keyspace: &'a Keyspace<'a>,
    pub layout: Layout<'a>,
    namer: Namer<'a>,
    /// The document that it replaces.
    old: Option<Predecessor<'a>>,
    writer: Writer<'a>,
}

/// What a call has done.
#[derive(Default)]
pub struct Change {
    /// How many keys were written.
    pub keys: u64,
    /// How many elements stay, are new, and are gone.
    pub kept: usize,
    pub added: usize,
    pub removed: usize,
}

impl<'a> Plan<'a> {
    /// Reads the replaced document, if any, checks that the new one fits, and finds its names.
    pub fn make(
        keyspace: &'a Keyspace<'a>,
        request: &Request<'a>,
        draft: &'a Draft<'a>,
    ) -> Result<Plan<'a>> {
        let old = request.replace.map(|doc| {
            let (outline, markdown) = (draft.outline, request.markdown);
            Predecessor::find(keyspace, doc, outline, markdown)
        });
        let old = old.transpose()?;
        check_size(keyspace, request, draft, old.as_ref())?;
        let writer = Writer::new(keyspace.store)?;
        let mut naming = Naming {
            request,
            draft,
            keyspace,
            namer: Namer::new(keyspace, request.numbers, MAX_SKIPS.get()),
        };
        let keys = match &old {
            None => naming.name_all()?,
            Some(old) => naming.name_new(&old.replacement)?,
        };
        let layout = Layout::new(
            request.prefix,
            request.markdown,
            draft.outline,
            &draft.about,
            keys,
            &keyspace.words,
        );
        Ok(Plan {
            keyspace,
            layout,
            namer: naming.namer,
            old,
            writer,
        })
    }

    /// An error unless the caller may write everything.
    pub fn check(&self) -> Result<()> {
        if let Some(old) = &self.old {
            old.check(&self.layout)?;
        }
        create::check_shared_sets(self.keyspace, &self.layout)
    }

    pub fn write(&mut self) -> Result<Change> {
        self.namer.keep(&mut self.writer)?;
        match &self.old {
            None => create::write_all(&self.layout, &mut self.writer),
            Some(old) => old.write(&self.layout, &mut self.writer),
        }
    }
}

/// An error if the document exceeds the limits, or its new part the memory that the server has left.
fn check_size(
    keyspace: &Keyspace,
    request: &Request,
    draft: &Draft,
    old: Option<&Predecessor>,
) -> Result<()> {
    let naming = size::Naming {
        prefix: request.prefix,
        document: request.replace,
        width: request.numbers.width,
        with_slug_counters: request.numbers.numbering == Numbering::Slug,
    };
    let name_len = |index| old?.name_len(index);
    let Draft {
        outline,
        about,
        slugs,
    } = draft;
    let footprint = size::footprint(naming, outline, slugs, about, name_len);
    let allowed = Allowed::new(MAX_WRITE_BYTES.size(), request.markdown);
    let all = allowed.check(&footprint)?;
    let growth = match old {
        None => all,
        Some(old) => old.growth(&footprint, about)?,
    };
    keyspace.store.check_room("the document", growth)
}
