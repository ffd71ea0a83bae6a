//! What a document looks like in keys: every field, member and string that is to be there.

use std::ops::Range;
use std::rc::Rc;

use xxhash_rust::xxh3::xxh3_64;

use super::keys::{self, Below, DocumentKeys, Members, PartKeys};
use crate::server::Result;
use crate::server::ServerString;
use keyns_core::documents::outline::{Block, Element, Kind, Outline};
use keyns_core::naming::key_name::Prefix;

macro_rules! words {
    ($($field:ident = $text:literal,)*) => {
        /// Names of fields, which are the same in every document.
        pub struct Words {
            $(pub $field: ServerString,)*
        }

        impl Words {
            pub fn new() -> Words {
                Words {
                    $($field: ServerString::new($text.as_bytes()),)*
                }
            }
        }
    };
}

words! {
    kind = "type",
    title = "title",
    level = "level",
    doc = "doc",
    parent = "parent",
    position = "position",
    offset = "offset",
    length = "length",
    source = "source",
    text = "text",
    block = "block",
    path = "path",
    tail = "tail",
    header = "header",
}

/// In front of the names of fields that front matter is free to choose.
pub const META: &str = "meta.";
/// What `type` is in the hash of a document.
pub const DOCUMENT: &[u8] = b"document";
/// The field with the shared sets a document is in, without their scope, separated by spaces.
pub const SETS: &str = "_sets";
/// The field that says that there are keys of siblings.
pub const SIBLINGS: &str = "_siblings";

/// What a document is besides its outline.
pub struct About<'a> {
    pub title: &'a [u8],
    pub file: Option<&'a [u8]>,
    /// The sets it is in by its front matter, without their scope: `category:risk:docs`.
    pub document_sets: Vec<Vec<u8>>,
    /// The sets its chunks are in by its front matter: `tag:risk:chunks`.
    pub chunk_sets: Vec<Vec<u8>>,
    pub with_siblings: bool,
}

impl About<'_> {
    fn sets(&self) -> Vec<Vec<u8>> {
        [&self.document_sets[..], &self.chunk_sets].concat()
    }

    /// How long the values of [`Layout::document_fields`] are that can be long, with the names of
    /// fields that front matter chose.
    pub fn values_len(&self, outline: &Outline) -> usize {
        let front_matter = &outline.front_matter;
        let labels = [
            &front_matter.authors,
            &front_matter.categories,
            &front_matter.tags,
        ];
        let labels = labels.into_iter().flatten().map(|label| label.len() + 2);
        let meta = front_matter.meta.iter();
        let meta = meta.map(|(name, value)| META.len() + name.len() + value.len());
        let sets = self.document_sets.iter().chain(&self.chunk_sets);
        let sets = sets.map(|set| set.len() + 1);
        self.title.len()
            + self.file.map_or(0, <[u8]>::len)
            + outline.head.len()
            + labels.chain(meta).chain(sets).sum::<usize>()
    }
}

/// A document in keys.
pub struct Layout<'a> {
    prefix: Prefix<'a>,
    source: &'a [u8],
    outline: &'a Outline,
    about: About<'a>,
    pub doc: DocumentKeys,
    /// One for each element of the outline.
    pub parts: Vec<PartKeys>,
    words: &'a Words,
    values: Values,
}

/// Values that occur in many fields.
struct Values {
    kinds: [ServerString; Kind::ALL.len()],
    blocks: [ServerString; Block::ALL.len()],
    levels: [ServerString; 7],
    /// From 1 on.
    positions: Vec<ServerString>,
}

impl Values {
    fn new(parts: usize) -> Values {
        let word = |word: &str| ServerString::new(word.as_bytes());
        Values {
            kinds: Kind::ALL.map(|kind| word(kind.word())),
            blocks: Block::ALL.map(|block| word(block.word())),
            levels: [0, 1, 2, 3, 4, 5, 6].map(ServerString::of_number),
            positions: (1..=parts as u64).map(ServerString::of_number).collect(),
        }
    }
}

/// A value of a field.
pub enum Value<'n> {
    Own(ServerString),
    Shared(&'n ServerString),
    Counted(Rc<ServerString>),
}

impl Value<'_> {
    pub fn name(&self) -> &ServerString {
        match self {
            Value::Own(name) => name,
            Value::Shared(name) => name,
            Value::Counted(name) => name,
        }
    }
}

/// The fields of one hash.
pub type Fields<'n> = Vec<(&'n ServerString, Value<'n>)>;

/// A section, or the document itself, and what is below.
pub struct Section<'n> {
    /// `None` for the document.
    pub index: Option<usize>,
    pub below: &'n Below,
    /// All that is below, which is one run in reading order.
    pub run: Range<usize>,
}

impl<'a> Layout<'a> {
    pub fn new(
        prefix: Prefix<'a>,
        source: &'a [u8],
        outline: &'a Outline,
        about: About<'a>,
        (doc, parts): (DocumentKeys, Vec<PartKeys>),
        words: &'a Words,
    ) -> Layout<'a> {
        Layout {
            prefix,
            source,
            outline,
            about,
            values: Values::new(parts.len()),
            doc,
            parts,
            words,
        }
    }

    pub fn outline(&self) -> &'a Outline {
        self.outline
    }

    /// Every element with its keys, in reading order.
    pub fn elements(&self) -> impl Iterator<Item = (&Element, &PartKeys)> {
        self.outline.elements.iter().zip(&self.parts)
    }

    /// The hash of the document.
    pub fn document_fields(&self) -> Vec<(ServerString, ServerString)> {
        let front_matter = &self.outline.front_matter;
        let mut fields = vec![
            field("type", DOCUMENT),
            field("title", self.about.title),
            field("bytes", self.source.len().to_string().as_bytes()),
            field("xxh3", format!("{:016x}", xxh3_64(self.source)).as_bytes()),
        ];
        for (name, labels) in [
            ("author", &front_matter.authors),
            ("category", &front_matter.categories),
            ("tags", &front_matter.tags),
        ] {
            if !labels.is_empty() {
                fields.push(field(name, labels.join(", ").as_bytes()));
            }
        }
        for (name, value) in &front_matter.meta {
            fields.push(field(&format!("{META}{name}"), value.as_bytes()));
        }
        fields.extend(self.about.file.map(|file| field("file", file)));
        for kind in Kind::ALL {
            let count = self.count(kind).to_string();
            fields.push(field(kind.plural(), count.as_bytes()));
        }
        let head = self.bytes(&self.outline.head);
        if !head.is_empty() {
            fields.push(field("source", head));
        }
        let sets = self.about.sets();
        if !sets.is_empty() {
            fields.push(field(SETS, &sets.join(&b' ')));
        }
        if self.about.with_siblings {
            fields.push(field(SIBLINGS, b"1"));
        }
        fields
    }

    /// How many elements are of this kind.
    pub fn count(&self, kind: Kind) -> usize {
        let elements = self.outline.elements.iter();
        elements.filter(|element| element.kind == kind).count()
    }

    /// Calls `each` with the hash of every element, in reading order.
    pub fn for_each_part<'n>(
        &'n self,
        mut each: impl FnMut(usize, &PartKeys, &Fields<'n>) -> Result<()>,
    ) -> Result<()> {
        let mut fields = Fields::new();
        // Chunks that stand under the same headings share their path.
        let mut path: Option<(&Element, Rc<ServerString>)> = None;
        for (index, (element, keys)) in self.elements().enumerate() {
            fields.clear();
            self.common_fields(index, element, &mut fields);
            if element.kind == Kind::Chunk {
                let shared = match &path {
                    Some((last, path)) if self.outline.same_path(last, element) => path.clone(),
                    _ => Rc::new(self.path(element)),
                };
                fields.push((&self.words.path, Value::Counted(shared.clone())));
                path = Some((element, shared));
                self.chunk_fields(element, &mut fields);
            } else {
                let words = self.words;
                let title = ServerString::new(self.outline.label(element).as_bytes());
                fields.push((&words.title, Value::Own(title)));
                let source = ServerString::new(self.bytes(&element.span));
                fields.push((&words.source, Value::Own(source)));
            }
            each(index, keys, &fields)?;
        }
        Ok(())
    }

    fn common_fields<'n>(&'n self, index: usize, element: &Element, fields: &mut Fields<'n>) {
        let (words, values) = (self.words, &self.values);
        let kind = values.kinds.get(element.kind as usize);
        let level = values.levels.get(usize::from(element.level));
        let parent = element.parent.and_then(|parent| self.parts.get(parent));
        let shared = [
            (&words.kind, kind),
            (&words.level, level),
            (&words.doc, Some(&self.doc.own)),
            (
                &words.parent,
                Some(parent.map_or(&self.doc.own, |p| &p.own)),
            ),
            (&words.position, values.positions.get(index)),
        ];
        let shared = shared
            .into_iter()
            .filter_map(|(field, value)| Some((field, value?)));
        fields.extend(shared.map(|(field, value)| (field, Value::Shared(value))));
        for (field, number) in [
            (&words.offset, element.span.start),
            (&words.length, element.span.len()),
        ] {
            fields.push((field, Value::Own(ServerString::of_number(number as u64))));
        }
    }

    fn chunk_fields<'n>(&'n self, element: &Element, fields: &mut Fields<'n>) {
        let words = self.words;
        if let Some(block) = self.values.blocks.get(element.block as usize) {
            fields.push((&words.block, Value::Shared(block)));
        }
        let text = self.bytes(&element.span);
        let text = match element.repeated.is_empty() {
            true => ServerString::new(text),
            false => ServerString::new(&[self.bytes(&element.repeated), text].concat()),
        };
        fields.push((&words.text, Value::Own(text)));
        for (field, number) in [
            (&words.tail, element.tail),
            (&words.header, element.repeated.len()),
        ] {
            if number > 0 {
                fields.push((field, Value::Own(ServerString::of_number(number as u64))));
            }
        }
    }

    fn path(&self, element: &Element) -> ServerString {
        let path = self.outline.path(element);
        // Strings can always be written as JSON.
        ServerString::new(&serde_json::to_vec(&path).unwrap_or_default())
    }

    fn bytes(&self, span: &Range<usize>) -> &'a [u8] {
        self.source.get(span.clone()).unwrap_or_default()
    }

    /// The document and all sections that have something below them.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        let document = Section {
            index: None,
            below: &self.doc.below,
            run: 0..self.parts.len(),
        };
        let sections = self.elements().enumerate();
        let sections = sections.filter_map(|(index, (element, keys))| {
            Some(Section {
                index: Some(index),
                below: keys.below.as_ref()?,
                run: index + 1..element.end,
            })
        });
        std::iter::once(document).chain(sections)
    }

    /// The names of a run of elements.
    pub fn names(&self, run: &Range<usize>) -> impl Iterator<Item = &ServerString> {
        let parts = self.parts.get(run.clone()).unwrap_or_default();
        parts.iter().map(|part| &part.own)
    }

    /// The positions of a run of elements, with their names, from the last to the first: the
    /// server looks for the place of each among the earlier ones, and finds it at once this way.
    pub fn positions(
        &self,
        run: &Range<usize>,
    ) -> impl Iterator<Item = (&ServerString, &ServerString)> {
        let positions = self.values.positions.get(run.clone()).unwrap_or_default();
        let parts = self.parts.get(run.clone()).unwrap_or_default();
        let names = parts.iter().map(|part| &part.own);
        positions.iter().zip(names).rev()
    }

    /// The names of the direct children.
    pub fn children<'n>(&'n self, section: &Section<'n>) -> impl Iterator<Item = &'n ServerString> {
        self.children_keys(section).map(|keys| &keys.own)
    }

    /// Every direct child's `siblings` with the names of its siblings, where they are wanted. An
    /// only child has none.
    pub fn siblings<'n>(
        &'n self,
        section: &Section<'n>,
    ) -> impl Iterator<Item = (&'n ServerString, impl Iterator<Item = &'n ServerString>)> {
        let children: Vec<&PartKeys> = match self.about.with_siblings {
            true => self.children_keys(section).collect(),
            false => Vec::new(),
        };
        let children = Rc::new(children);
        let count = children.len();
        (0..count)
            .filter(move |_| count > 1)
            .filter_map(move |child| {
                let key = children.get(child)?.siblings.as_ref()?;
                let children = children.clone();
                let others = (0..count).filter(move |&other| other != child);
                Some((
                    key,
                    others.filter_map(move |other| Some(&children.get(other)?.own)),
                ))
            })
    }

    /// The `siblings` of an only child, which has none.
    pub fn without_siblings<'n>(&'n self, section: &Section<'n>) -> Option<&'n ServerString> {
        let mut children = self.children_keys(section);
        let only = children.next()?;
        match children.next() {
            None => only.siblings.as_ref(),
            Some(_) => None,
        }
    }

    fn children_keys<'n>(&'n self, section: &Section<'n>) -> impl Iterator<Item = &'n PartKeys> {
        let (index, run) = (section.index, section.run.clone());
        let elements = self.outline.elements.get(run.clone()).unwrap_or_default();
        let parts = self.parts.get(run).unwrap_or_default();
        let elements = elements.iter().zip(parts);
        elements.filter_map(move |(element, keys)| (element.parent == index).then_some(keys))
    }

    /// Every `next` and `previous` with its value.
    pub fn neighbours(&self) -> impl Iterator<Item = (&ServerString, &ServerString)> {
        let pairs = self.parts.iter().zip(self.parts.iter().skip(1));
        pairs.flat_map(|(one, other)| [(&one.next, &other.own), (&other.previous, &one.own)])
    }

    /// The sets that the document shares with others, and who of it is in them.
    pub fn shared_sets(&self) -> Vec<(ServerString, Members)> {
        let sets = self.about.sets();
        keys::shared_sets(&self.prefix, |kind| self.count(kind) > 0, &sets)
    }

    /// The names that are in such a set.
    pub fn members(&self, members: Members) -> Vec<&ServerString> {
        match members {
            Members::Document => vec![&self.doc.own],
            Members::Parts(kind) => self
                .elements()
                .filter(|(element, _)| element.kind == kind)
                .map(|(_, keys)| &keys.own)
                .collect(),
        }
    }
}

fn field(name: &str, value: &[u8]) -> (ServerString, ServerString) {
    (ServerString::new(name.as_bytes()), ServerString::new(value))
}
