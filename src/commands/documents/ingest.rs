//! KEYNS.INGESTMD: from the arguments to the reply.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use super::keys::{self, Below, DocumentKeys, PartKeys};
use super::layout::{About, Layout, Section, Words};
use super::namer::Namer;
use super::replace::{Change, Replacement};
use crate::commands::naming::check_length;
use crate::commands::numbering::{self, NumberOptions};
use crate::commands::slug_options;
use crate::core::calendar::DateTime;
use crate::core::key_name::Prefix;
use crate::core::outline::{Cut, Kind, Outline, weight};
use crate::core::slug::{SlugMaker, SlugOptions};
use crate::core::{Error, Result};
use crate::server::config::{self, Settings};
use crate::server::metrics::Family;
use crate::server::store::{Access, Caller, Store, Type, Writer};
use crate::server::{Call, Given, Name};

/// The bounds of `MAXCHUNK`. A part must have room for a character, and better for a word.
const MAX_CHUNK: RangeInclusive<usize> = 16..=512 << 20;

/// Which argument the Markdown is, counted from the command's name.
const MARKDOWN: usize = 2;

/// What a call asks for.
struct Request<'a> {
    prefix: Prefix<'a>,
    markdown: &'a [u8],
    title: Option<&'a [u8]>,
    file: Option<&'a [u8]>,
    replace: Option<&'a [u8]>,
    with_siblings: bool,
    cut: Cut,
    slug: SlugOptions,
    numbers: NumberOptions,
}

impl<'a> Request<'a> {
    fn read(call: &'a Call, settings: &Settings) -> Result<Request<'a>> {
        let mut args = call.args();
        let prefix = keys::document_prefix(args.required()?)?;
        let markdown = args.required()?;
        let mut request = Request {
            prefix,
            markdown,
            title: None,
            file: None,
            replace: None,
            with_siblings: false,
            cut: Cut {
                max_elements: settings.max_elements,
                ..Cut::default()
            },
            slug: slug_options::defaults(settings),
            numbers: NumberOptions::default(),
        };
        let mut given = Given::default();
        while let Some(word) = args.next() {
            if word.eq_ignore_ascii_case(b"TITLE") {
                given.once("TITLE")?;
                request.title = Some(args.value_of("TITLE")?);
            } else if word.eq_ignore_ascii_case(b"FILE") {
                given.once("FILE")?;
                request.file = Some(args.value_of("FILE")?);
            } else if word.eq_ignore_ascii_case(b"REPLACE") {
                given.once("REPLACE")?;
                request.replace = Some(args.value_of("REPLACE")?);
            } else if word.eq_ignore_ascii_case(b"CHUNK") {
                given.once("CHUNK")?;
                request.cut.by_section = args.choice_of("CHUNK", "BLOCK or SECTION", by_section)?;
            } else if word.eq_ignore_ascii_case(b"MAXCHUNK") {
                given.once("MAXCHUNK")?;
                request.cut.max_chunk = Some(args.size_of("MAXCHUNK", MAX_CHUNK)?);
            } else if word.eq_ignore_ascii_case(b"SIBLINGS") {
                given.once("SIBLINGS")?;
                request.with_siblings = true;
            } else if !numbering::read(word, &mut args, &mut given, &mut request.numbers)?
                && !slug_options::read(word, &mut args, &mut given, &mut request.slug)?
            {
                return Err(Error::syntax(word));
            }
        }
        request.check(settings)?;
        Ok(request)
    }

    fn check(&self, settings: &Settings) -> Result<()> {
        let limit = settings.max_document_bytes;
        if self.markdown.len() > limit {
            return Err(Error::TooLong {
                what: "markdown",
                config: "keyns.max-document-bytes",
                limit,
                got: self.markdown.len(),
            });
        }
        check_markup(self.markdown, limit / BYTES_PER_MARKUP)?;
        check_length("TITLE", self.title.unwrap_or_default(), settings)?;
        check_length("FILE", self.file.unwrap_or_default(), settings)?;
        if let Some(name) = self.replace
            && keys::prefix_of(name) != Some(self.prefix)
        {
            return Err(Error::OtherPrefix { key: name.to_vec() });
        }
        Ok(())
    }
}

/// How many bytes of the largest document there must be for one character of markup.
const BYTES_PER_MARKUP: usize = 4;

/// An error if the Markdown would take out of all proportion much memory to read.
fn check_markup(markdown: &[u8], limit: usize) -> Result<()> {
    if markdown.len() <= limit {
        return Ok(());
    }
    match weight::markup(markdown) {
        got if got > limit => Err(Error::TooMuchMarkup { limit, got }),
        _ => Ok(()),
    }
}

fn by_section(word: &[u8]) -> Option<bool> {
    match word.to_ascii_uppercase().as_slice() {
        b"BLOCK" => Some(false),
        b"SECTION" => Some(true),
        _ => None,
    }
}

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
        return call.go_on_in_background(Family::Documents, MARKDOWN, Box::new(parse));
    }
    let outline = Outline::of_bytes(request.markdown, &cut)?;
    write(call, settings, &request, &outline)
}

/// Goes on after the worker has read the Markdown. Meanwhile the server may have changed.
fn resume(call: &Call, outline: Result<Outline>) -> Result<()> {
    call.check_still_writable()?;
    let settings = config::current();
    let request = Request::read(call, &settings)?;
    let counter = Name::new(request.prefix.counter(&mut Vec::new()));
    call.store().check_here(&request.prefix)?;
    call.store().check_takes_writes(&counter)?;
    write(call, settings, &request, &outline?)
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
    check_weight(request, outline, about.chunk_sets.len(), &settings)?;
    let max_skips = settings.max_skips;
    // From here on others may be told of what we do, and change the settings.
    drop(settings);

    let store = call.store();
    store.check_here(&request.prefix)?;
    let caller = store.caller();
    let words = Words::new();
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
    let (layout, change) = match request.replace {
        None => {
            let layout = layout(naming.name_all(outline)?);
            check_shared_sets(&store, &caller, &layout)?;
            naming.namer.keep(&mut writer)?;
            let keys = write_all(&layout, &mut writer)?;
            let change = Change {
                keys,
                ..Change::default()
            };
            (layout, change)
        }
        Some(doc) => {
            let markdown = request.markdown;
            let old = Replacement::of(&store, &caller, &words, doc, outline, markdown)?;
            let layout = layout(naming.name_new(outline, &old)?);
            old.check(&layout)?;
            check_shared_sets(&store, &caller, &layout)?;
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

/// How many members of sets there may be for tags and siblings, by the number of elements.
const MEMBERS_PER_ELEMENT: usize = 10;

/// How much the paths of all chunks may take, by the size of a document.
const PATHS_PER_DOCUMENT: usize = 16;

/// An error if what is written would be out of all proportion to the document: these are the places
/// where it is repeated.
fn check_weight(
    request: &Request,
    outline: &Outline,
    tags: usize,
    settings: &Settings,
) -> Result<()> {
    let chunks = outline.elements.iter().filter(|e| e.kind == Kind::Chunk);
    let mut members = tags * chunks.count();
    if request.with_siblings {
        let children = outline.children();
        if let Some(&got) = children.iter().max()
            && got > settings.max_siblings
        {
            let limit = settings.max_siblings;
            return Err(Error::TooManySiblings { limit, got });
        }
        members += children.iter().map(|count| count * count).sum::<usize>();
    }
    let limit = MEMBERS_PER_ELEMENT * settings.max_elements;
    if members > limit {
        let got = members;
        return Err(Error::TooManyMembers { limit, got });
    }
    let got = outline.paths_len();
    let limit = PATHS_PER_DOCUMENT * settings.max_document_bytes;
    if got > limit {
        return Err(Error::PathsTooLong { limit, got });
    }
    Ok(())
}

/// The slugs of a document and of all its elements.
struct Slugs {
    bytes: Vec<u8>,
    /// Where each ends, the document's first.
    ends: Vec<usize>,
}

impl Slugs {
    fn of(
        outline: &Outline,
        title: &[u8],
        options: &SlugOptions,
        settings: &Settings,
        now: i64,
    ) -> Slugs {
        let now = DateTime::from_unix(now).compact();
        let mut slugs = Slugs {
            bytes: Vec::new(),
            ends: Vec::with_capacity(outline.elements.len() + 1),
        };
        let for_chunks = SlugOptions {
            content: true,
            ..*options
        };
        let mut maker = SlugMaker::new();
        let elements = outline.elements.iter().map(|element| match element.kind {
            Kind::Chunk => (outline.label(element).as_bytes(), &for_chunks),
            _ => (outline.label(element).as_bytes(), options),
        });
        for (text, options) in std::iter::once((title, options)).chain(elements) {
            let slug = match maker.slug(text, options, &settings.abbreviations) {
                Some(slug) => slug,
                None => maker.stand_in(text, &now, options.max_len, options.shorten),
            };
            slugs.bytes.extend_from_slice(slug);
            slugs.ends.push(slugs.bytes.len());
        }
        slugs
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let slug = self.bytes.get(start..end).unwrap_or_default();
            start = end;
            slug
        })
    }

    fn document(&self) -> &[u8] {
        self.iter().next().unwrap_or_default()
    }

    /// Those of the elements, in reading order.
    fn elements(&self) -> impl Iterator<Item = &[u8]> {
        self.iter().skip(1)
    }

    /// Those that occur in more than one kind, the document's included.
    fn conflicts(&self, outline: &Outline) -> Vec<&[u8]> {
        let mut seen: HashMap<&[u8], Option<Kind>> = HashMap::with_capacity(self.ends.len());
        let mut conflicts: Vec<&[u8]> = Vec::new();
        let kinds = outline.elements.iter().map(|element| Some(element.kind));
        let mut known = HashSet::new();
        for (slug, kind) in self.iter().zip(std::iter::once(None).chain(kinds)) {
            let first = *seen.entry(slug).or_insert(kind);
            if first != kind && known.insert(slug) {
                conflicts.push(slug);
            }
        }
        conflicts
    }
}

/// Finds keys for a document and its parts.
struct Naming<'a> {
    request: &'a Request<'a>,
    slugs: &'a Slugs,
    store: &'a Store<'a>,
    caller: &'a Caller,
    namer: Namer<'a>,
}

impl Naming<'_> {
    /// New names for everything.
    fn name_all(&mut self, outline: &Outline) -> Result<(DocumentKeys, Vec<PartKeys>)> {
        let (store, caller) = (self.store, self.caller);
        let buffer = RefCell::new(Vec::new());
        let doc = self
            .namer
            .take(&self.request.prefix, self.slugs.document(), |name| {
                let keys = DocumentKeys::of(name, &mut buffer.borrow_mut());
                Ok(is_free(store, caller, keys.typed())?.then_some(keys))
            })?;
        let parts = self.name_parts(outline, |_| None)?;
        Ok((doc, parts))
    }

    /// New names for what the old document does not have.
    fn name_new(
        &mut self,
        outline: &Outline,
        old: &Replacement,
    ) -> Result<(DocumentKeys, Vec<PartKeys>)> {
        let with_siblings = self.request.with_siblings;
        let parts = self.name_parts(outline, |index| old.kept_keys(index, with_siblings))?;
        Ok((old.document_keys(), parts))
    }

    fn name_parts(
        &mut self,
        outline: &Outline,
        mut known: impl FnMut(usize) -> Option<PartKeys>,
    ) -> Result<Vec<PartKeys>> {
        let (store, caller) = (self.store, self.caller);
        let with_siblings = self.request.with_siblings;
        let mut buffer = Vec::new();
        let prefixes = Kind::ALL.map(|kind| {
            let segment = kind.segment().as_bytes();
            self.request.prefix.beside(&[segment], &mut buffer).to_vec()
        });
        let buffer = RefCell::new(buffer);
        let mut parts = Vec::with_capacity(outline.elements.len());
        for (index, (element, slug)) in outline
            .elements
            .iter()
            .zip(self.slugs.elements())
            .enumerate()
        {
            if let Some(keys) = known(index) {
                parts.push(keys);
                continue;
            }
            let kind = element.kind;
            let prefix = prefixes.get(kind as usize).map_or(&[][..], Vec::as_slice);
            parts.push(self.namer.take(&Prefix::parse(prefix)?, slug, |name| {
                let keys = PartKeys::of(name, kind, with_siblings, &mut buffer.borrow_mut());
                Ok(is_free(store, caller, keys.typed())?.then_some(keys))
            })?);
        }
        Ok(parts)
    }
}

/// Whether a name is free that these keys belong to; an error unless the caller may create them.
fn is_free<'k>(
    store: &Store,
    caller: &Caller,
    keys: impl Iterator<Item = (&'k Name, Type)>,
) -> Result<bool> {
    let mut free = true;
    for (key, wanted) in keys {
        caller.check(key, Access::Create)?;
        free &= match wanted {
            // A name that is taken is no mistake, whatever it is taken by.
            Type::Hash => !store.exists(key),
            _ => !store.exists_as(key, wanted)?,
        };
    }
    Ok(free)
}

fn check_shared_sets(store: &Store, caller: &Caller, layout: &Layout) -> Result<()> {
    let sets = layout.shared_sets();
    let sets = sets.iter().map(|(set, _)| (set, Type::Set));
    keys::check(store, caller, sets, Access::Create)
}

/// Writes a document that is all new, and answers how many keys it has.
fn write_all(layout: &Layout, writer: &mut Writer) -> Result<u64> {
    let mut keys = 1 + layout.parts.len() as u64;
    let fields = layout.document_fields();
    writer.set_fields(
        &layout.doc.own,
        fields.iter().map(|(field, value)| (field, value)),
    )?;
    layout.for_each_part(|_, part, fields| {
        let fields = fields.iter().map(|(field, value)| (*field, value.name()));
        writer.set_fields(&part.own, fields)
    })?;
    for section in layout.sections().filter(|section| !section.run.is_empty()) {
        let Below {
            children,
            descendants,
            sequence,
        } = section.below;
        writer.add_members(children, layout.children(&section))?;
        writer.add_members(descendants, layout.names(&section.run))?;
        writer.set_scores(sequence, layout.positions(&section.run))?;
        keys += 3;
        keys += write_siblings(layout, &section, writer)?;
    }
    writer.set_strings(layout.neighbours())?;
    keys += layout.neighbours().count() as u64;
    for (set, members) in layout.shared_sets() {
        writer.add_members(&set, layout.members(members))?;
        keys += 1;
    }
    Ok(keys)
}

/// Writes who stands side by side in a section, where that is wanted.
fn write_siblings(layout: &Layout, section: &Section, writer: &mut Writer) -> Result<u64> {
    let mut keys = 0;
    for (key, siblings) in layout.siblings(section) {
        writer.add_members(key, siblings)?;
        keys += 1;
    }
    Ok(keys)
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
