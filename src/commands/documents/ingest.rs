//! KEYNS.INGESTMD: from the arguments to the reply.

use super::create;
use super::layout::{About, Layout, Words};
use super::limits;
use super::namer::Namer;
use super::names::Naming;
use super::replace::{Change, Replacement};
use super::request::Request;
use super::size::{self, Allowed};
use super::slugs::Slugs;
use crate::core::Result;
use crate::core::footprint::Kept;
use crate::core::outline::{Kind, Outline};
use crate::core::slug::SlugMaker;
use crate::server::config::{self, Settings};
use crate::server::metrics::{DOCUMENT_WRITE, Family};
use crate::server::store::Writer;
use crate::server::{Call, Name};

/// Which argument the Markdown is, counted from the command's name.
const MARKDOWN: usize = 2;

pub fn ingest(call: &Call) -> Result<()> {
    let settings = config::current();
    let request = Request::read(call, &settings)?;
    call.store().check_scope_slot(&request.prefix)?;
    let cut = request.cut;
    if request.markdown.len() > settings.parse_thread_bytes && call.may_wait() {
        let parse = move |markdown: &[u8]| {
            let outline = Outline::of_bytes(markdown, &cut);
            Box::new(move |call: &Call| resume(call, outline)) as _
        };
        let parse = Box::new(parse);
        return call.go_on_in_background(Family::Documents, &DOCUMENT_WRITE, MARKDOWN, parse);
    }
    DOCUMENT_WRITE.time(|| {
        let outline = Outline::of_bytes(request.markdown, &cut)?;
        write(call, settings, &request, &outline)
    })
}

/// Goes on after the worker has read the Markdown. Meanwhile the server may have changed.
fn resume(call: &Call, outline: Result<Outline>) -> Result<()> {
    call.check_still_writable()?;
    let request = Request::read(call, &config::current())?;
    let counter = Name::new(request.prefix.counter(&mut Vec::new()));
    call.store().check_here(&request.prefix)?;
    call.store().check_takes_writes(&counter)?;
    write(call, config::current(), &request, &outline?)
}

/// Everything after the outline: names, checks, writes, reply.
fn write(
    call: &Call,
    settings: config::Current,
    request: &Request,
    outline: &Outline,
) -> Result<()> {
    let title = title_of(request, outline);
    let slugs = Slugs::of(outline, title, &request.slug, &settings, call.unix_time());
    let about = about(request, outline, title, &settings);
    limits::check_weight(request, outline, about.chunk_sets.len(), &settings)?;
    let max_skips = settings.max_skips;
    let allowed = Allowed::new(settings.max_write_bytes, request.markdown);
    // From here on others may be told of what we do, and change the settings.
    drop(settings);

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
        namer: Namer::new(&store, &caller, request.numbers, max_skips),
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

fn about<'a>(
    request: &Request<'a>,
    outline: &Outline,
    title: &'a [u8],
    settings: &Settings,
) -> About<'a> {
    let mut maker = SlugMaker::new();
    let mut sets = |family: &str, labels: &[String], members: &str| {
        let mut sets: Vec<Vec<u8>> = Vec::new();
        for label in labels {
            let slug = maker.slug(label.as_bytes(), &request.slug, &settings.abbreviations);
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
    reply.name(&layout.doc.own);
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
