//! KEYNS.EXPORTMD.

use super::keys;
use super::layout::Words;
use super::stored::document_fields;
use super::within::{OWNER, Within};
use crate::server::store::{Access, Fields};
use crate::server::{self, Call, Result, ServerString};
use keyns_core::documents::Error;
use keyns_core::documents::outline::Kind;
use keyns_core::naming::key_name::{KeyName, relation};
use keyns_core::text::decimal;

pub fn export(call: &Call) -> Result<()> {
    let doc = ServerString::new(call.args().required()?);
    let store = call.store();
    keys::check_place(&store, "dockey", &doc)?;
    let within = Within::current();
    let caller = store.caller();
    let words = Words::new();
    let Some(document) = document_fields(&store, &doc, &words)? else {
        call.reply().null();
        return Ok(());
    };
    let size = document.get(&ServerString::new(b"bytes"));
    let size = size
        .and_then(|size| decimal::parse(size.as_bytes()))
        .unwrap_or(0);
    // Only a hint, since anybody may have changed the field; the source itself decides.
    const LARGEST_HINT: usize = 8 << 20;
    let size = usize::try_from(size).unwrap_or(0).min(LARGEST_HINT);
    let mut source = Source {
        markdown: Vec::with_capacity(size),
        limit: within.source,
    };
    if let Some(head) = document.get(&words.source) {
        source.push(&doc, head.as_bytes())?;
    }
    let parts = Kind::ALL.iter().filter_map(|kind| {
        let count = document.get(&ServerString::new(kind.plural().as_bytes()))?;
        usize::try_from(decimal::parse(count.as_bytes())?).ok()
    });
    let parts: usize = parts.sum();
    drop(document);

    let sequence = ServerString::new(relation(doc.as_bytes(), "sequence", &mut Vec::new()));
    caller.check(&sequence, Access::Read)?;
    let reads = store.reads();
    reads.add(&sequence);
    let members = store.members_in_order(&sequence, &within.members())?;
    if members.len() != parts {
        return Err(Error::SequenceIncomplete {
            key: sequence.as_bytes().to_vec(),
            expected: parts,
            got: members.len(),
        }
        .into());
    }
    for (part, _) in members {
        caller.check(&part, Access::Read)?;
        reads.add(&part);
        let fields = store.fields(&part)?.ok_or_else(|| missing(&part))?;
        source.push_part(&part, &fields, &words)?;
    }
    call.reply().bulk(&source.markdown);
    Ok(())
}

/// The Markdown assembled so far.
struct Source {
    markdown: Vec<u8>,
    limit: usize,
}

impl Source {
    /// Appends the content of a key. An error if the total is more than any document has.
    fn push(&mut self, key: &ServerString, text: &[u8]) -> Result<()> {
        let got = self.markdown.len().saturating_add(text.len());
        if got > self.limit {
            return Err(server::Error::StoredBytes {
                key: key.as_bytes().to_vec(),
                owner: OWNER,
                what: "text for a source",
                limit: self.limit,
                got,
            });
        }
        self.markdown.extend_from_slice(text);
        Ok(())
    }

    /// Appends the source of one part.
    fn push_part(&mut self, part: &ServerString, fields: &Fields, words: &Words) -> Result<()> {
        let is_chunk = KeyName::parse(part.as_bytes())
            .is_some_and(|name| name.kind == Kind::Chunk.segment().as_bytes());
        if !is_chunk {
            let source = fields.get(&words.source).ok_or_else(|| missing(part))?;
            return self.push(part, source.as_bytes());
        }
        let text = fields.get(&words.text).ok_or_else(|| missing(part))?;
        let header = fields.get(&words.header);
        let header = header.and_then(|header| decimal::parse(header.as_bytes()));
        let header = header
            .and_then(|header| usize::try_from(header).ok())
            .unwrap_or(0);
        self.push(part, text.as_bytes().get(header..).unwrap_or_default())
    }
}

fn missing(part: &ServerString) -> Error {
    Error::PartMissing {
        key: part.as_bytes().to_vec(),
    }
}
