//! KEYNS.INGESTMD: from the arguments to the reply.

use super::create;
use super::layout::{About, Layout, Words};
use super::namer::Namer;
use super::names::Naming;
use super::replace::{Change, Replacement};
use super::request::Request;
use super::size::{self, Allowed};
use super::{
    FAMILY, MAX_DOCUMENT_BYTES, MAX_ELEMENTS, MAX_SIBLINGS, MAX_WRITE_BYTES, PARSE_THREAD_BYTES,
    WRITE,
};
use crate::families::naming::{ABBREVIATIONS, MAX_SKIPS};
use crate::server::Result;
use crate::server::UnixTime;
use crate::server::store::Writer;
use crate::server::{Call, ServerString};
use keyns_core::documents;
use keyns_core::documents::footprint::Kept;
use keyns_core::documents::limits::{self, Limits};
use keyns_core::documents::outline::{Kind, Outline};
use keyns_core::documents::slugs::Slugs;
use keyns_core::naming::slug::SlugMaker;

/// Which argument the Markdown is, counted from the command's name.
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

/// Goes on after the worker has read the Markdown. Meanwhile the server may have changed.
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
    let title = title_of(request, outline);
    let now = UnixTime::of_command().seconds();
    let slugs = Slugs::of(outline, title, &request.slug, &ABBREVIATIONS.get(), now);
    let about = about(request, outline, title);
    let limits = Limits {
        document_bytes: MAX_DOCUMENT_BYTES.size(),
        elements: MAX_ELEMENTS.size(),
        siblings: MAX_SIBLINGS.size(),
    };
    let tags = about.chunk_sets.len();
    limits::check_weight(outline, tags, request.with_siblings, limits)?;
    let allowed = Allowed::new(MAX_WRITE_BYTES.size(), request.markdown);

    let store = call.store();
    store.check_here(&request.prefix)?;
    let caller = store.caller();
    let words = Words::new();
    let old = request.replace.map(|doc| {
        let markdown = request.markdown;
        Replacement::of(&store, &caller, &words, doc, outline, markdown)
    });
    let old = old.transpose()?;
    match &old {
        None => {
            let size = size::of(request, outline, &slugs, &about, |_| None);
            size::check(&store, &size, allowed, |_| false, &Kept::default())?;
        }
        Some(old) => {
            let kept = |index| old.kept_name_len(index);
            let size = size::of(request, outline, &slugs, &about, kept);
            old.check_size(&size, &about, allowed)?;
        }
    }
    let mut naming = Naming {
        request,
        slugs: &slugs,
        store: &store,
        caller: &caller,
        namer: Namer::new(&store, &caller, request.numbers, MAX_SKIPS.get()),
    };
    let layout = |keys| {
        Layout::new(
            request.prefix,
            request.markdown,
            outline,
            about,
            keys,
            &words,
        )
    };
    let mut writer = Writer::new(&store)?;
    let (layout, change) = match old {
        None => {
            let layout = layout(naming.name_all(outline)?);
            create::check_shared_sets(&store, &caller, &layout)?;
            naming.namer.keep(&mut writer)?;
            let keys = create::write_all(&layout, &mut writer)?;
            let change = Change {
                keys,
                ..Change::default()
            };
            (layout, change)
        }
        Some(old) => {
            let layout = layout(naming.name_new(outline, &old)?);
            old.check(&layout)?;
            create::check_shared_sets(&store, &caller, &layout)?;
            naming.namer.keep(&mut writer)?;
            let change = old.write(&layout, &mut writer)?;
            (layout, change)
        }
    };
    reply(call, request, &layout, &slugs, &change);
    Ok(())
}

/// TITLE, else that of the front matter, else the file's name, else the first chapter's.
fn title_of<'a>(request: &Request<'a>, outline: &'a Outline) -> &'a [u8] {
    let in_front_matter = outline.front_matter.title.as_deref().map(str::as_bytes);
    let of_chapter = outline.first_title().map(str::as_bytes);
    request
        .title
        .or(in_front_matter)
        .or(request.file.and_then(file_stem))
        .or(of_chapter)
        .unwrap_or_default()
}

/// A file's name without its folder and its extension.
fn file_stem(path: &[u8]) -> Option<&[u8]> {
    let name = path.rsplit(|&b| b == b'/' || b == b'\\').next()?;
    let dot = name.iter().rposition(|&b| b == b'.').filter(|&dot| dot > 0);
    let stem = name.get(..dot.unwrap_or(name.len()))?;
    (!stem.trim_ascii().is_empty()).then_some(stem)
}

fn about<'a>(request: &Request<'a>, outline: &Outline, title: &'a [u8]) -> About<'a> {
    let abbreviations = ABBREVIATIONS.get();
    let mut maker = SlugMaker::new();
    let mut sets = |family: &str, labels: &[String], members: &str| {
        let mut sets: Vec<Vec<u8>> = Vec::new();
        for label in labels {
            let slug = maker.slug(label.as_bytes(), &request.slug, &abbreviations);
            let set = slug.map(|slug| [family.as_bytes(), slug, members.as_bytes()].join(&b':'));
            sets.extend(set.filter(|set| !sets.contains(set)));
        }
        sets
    };
    let front_matter = &outline.front_matter;
    let mut document_sets = sets("category", &front_matter.categories, "docs");
    document_sets.extend(sets("author", &front_matter.authors, "docs"));
    About {
        title,
        file: request.file,
        document_sets,
        chunk_sets: sets("tag", &front_matter.tags, "chunks"),
        with_siblings: request.with_siblings,
    }
}

fn reply(call: &Call, request: &Request, layout: &Layout, slugs: &Slugs, change: &Change) {
    let reply = call.reply();
    let of_replace: &[(&str, usize)] = match request.replace {
        None => &[],
        Some(_) => &[
            ("kept", change.kept),
            ("added", change.added),
            ("removed", change.removed),
        ],
    };
    reply.map(8 + of_replace.len());
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
    let conflicts = slugs.conflicts(layout.outline());
    reply.array(conflicts.len());
    for slug in conflicts {
        reply.bulk(slug);
    }
    for (field, count) in of_replace {
        reply.bulk(field.as_bytes());
        reply.integer(*count as i64);
    }
}
