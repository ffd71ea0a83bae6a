//! KEYNS.INGESTMD: from the arguments to the reply.

use super::draft::Draft;
use super::keyspace::Keyspace;
use super::layout::Layout;
use super::plan::{Change, Plan};
use super::request::Request;
use super::{FAMILY, PARSE_THREAD_BYTES, WRITE};
use crate::server::{Call, Result, ServerString};
use keyns_core::documents::outline::{Kind, Outline};
use keyns_core::documents::{self, file_name};

/// The index of the Markdown among the arguments, the command's name being 0.
const MARKDOWN: usize = 2;

pub fn ingest(call: &Call) -> Result<()> {
    let request = Request::read(call)?;
    call.store().check_scope_slot(&request.prefix)?;
    let cut = request.cut;
    if request.markdown.len() > PARSE_THREAD_BYTES.size() && call.may_wait() {
        let parse = move |markdown: &[u8]| {
            let outline = Outline::of_bytes(markdown, &cut);
            Box::new(move |call: &Call| write_parsed(call, outline)) as _
        };
        let parse = Box::new(parse);
        return call.go_on_in_background(&FAMILY, &WRITE, MARKDOWN, parse);
    }
    WRITE.time(|| {
        let outline = Outline::of_bytes(request.markdown, &cut)?;
        write(call, &request, &outline)
    })
}

/// Continues after the worker has parsed the Markdown. The server may have changed meanwhile.
fn write_parsed(call: &Call, outline: documents::Result<Outline>) -> Result<()> {
    call.check_still_writable()?;
    let request = Request::read(call)?;
    let counter = ServerString::new(request.prefix.counter(&mut Vec::new()));
    call.store().check_here(&request.prefix)?;
    call.store().check_takes_writes(&counter)?;
    write(call, &request, &outline?)
}

/// Everything after the outline: names, checks, writes, reply.
fn write(call: &Call, request: &Request, outline: &Outline) -> Result<()> {
    let draft = Draft::of(request, outline)?;
    let store = call.store();
    store.check_here(&request.prefix)?;
    let keyspace = Keyspace::of(&store);
    let mut plan = Plan::make(&keyspace, request, &draft)?;
    plan.check()?;
    let change = plan.write()?;
    reply(call, request, &draft, &plan.layout, &change);
    Ok(())
}

fn reply(call: &Call, request: &Request, draft: &Draft, layout: &Layout, change: &Change) {
    let reply = call.reply();
    let of_replace: &[(&str, usize)] = match request.replace {
        None => &[],
        Some(_) => &[
            ("kept", change.kept),
            ("added", change.added),
            ("removed", change.removed),
        ],
    };
    // With REPLACE, such a text is an error.
    let is_file_name = file_name::is_alone_in(request.markdown);
    reply.map(8 + of_replace.len() + usize::from(is_file_name));
    reply.bulk(b"doc");
    reply.string(&layout.doc.own);
    for kind in Kind::ALL {
        reply.bulk(kind.plural().as_bytes());
        reply.integer(layout.count(kind) as i64);
    }
    reply.bulk(b"keys");
    reply.integer(change.keys as i64);
    reply.bulk(b"bytes");
    reply.integer(request.markdown.len() as i64);
    reply.bulk(b"conflicts");
    let conflicts = draft.slugs.conflicts(draft.outline);
    reply.array(conflicts.len());
    for slug in conflicts {
        reply.bulk(slug);
    }
    for (field, count) in of_replace {
        reply.bulk(field.as_bytes());
        reply.integer(*count as i64);
    }
    if is_file_name {
        reply.bulk(b"hint");
        reply.bulk(file_name::hint(layout.doc.own.as_bytes()).as_bytes());
    }
}
