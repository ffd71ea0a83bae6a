//! The hashes of a document and of its parts.
//!
//! ```text
//! HSET doc:guide:001     type document  title Guide  bytes 1840  xxh3 5f0c…  tags risk
//!                        chapters 2  …  chunks 9  _sets tag:risk:chunks
//! HSET ch:risk:001       type chapter  level 1  doc doc:guide:001  parent doc:guide:001
//!                        position 1  offset 0  length 8  title Risk  source "# Risk\n\n"
//! HSET chunk:assets:001  type chunk  level 1  doc doc:guide:001  parent ch:risk:001
//!                        position 2  offset 8  length 9  path ["Risk"]  block paragraph
//!                        text "Assets.\n\n"
//! ```

use std::ops::Range;
use std::rc::Rc;

use xxhash_rust::xxh3::xxh3_64;

use super::{Layout, number};
use crate::documents::fields::{DOCUMENT, Fields, META, SETS, SIBLINGS, Value};
use crate::documents::keys::PartKeys;
use crate::documents::outline::{Element, Kind};
use crate::documents::text::Text;

impl<'a, S: Text> Layout<'a, S> {
    /// The hash of the document.
    pub fn document_fields(&self) -> Vec<(S, S)> {
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

    /// Calls `each` with the hash of every element, in reading order.
    pub fn for_each_part<'n, E>(
        &'n self,
        mut each: impl FnMut(usize, &PartKeys<S>, &Fields<'n, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut fields = Fields::new();
        // Chunks under the same headings share their path.
        let mut path: Option<(&Element, Rc<S>)> = None;
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
                let title = S::of(self.outline.label(element).as_bytes());
                fields.push((&words.title, Value::Own(title)));
                let source = S::of(self.bytes(&element.span));
                fields.push((&words.source, Value::Own(source)));
            }
            each(index, keys, &fields)?;
        }
        Ok(())
    }

    fn common_fields<'n>(&'n self, index: usize, element: &Element, fields: &mut Fields<'n, S>) {
        let (words, values) = (self.words, &self.values);
        let kind = values.kinds.get(element.kind as usize);
        let level = values.levels.get(usize::from(element.level));
        let parent = element.parent.and_then(|parent| self.parts.get(parent));
        let parent = parent.map_or(&self.doc.own, |parent| &parent.own);
        let shared = [
            (&words.kind, kind),
            (&words.level, level),
            (&words.doc, Some(&self.doc.own)),
            (&words.parent, Some(parent)),
            (&words.position, values.positions.get(index)),
        ];
        let shared = shared
            .into_iter()
            .filter_map(|(field, value)| Some((field, value?)));
        fields.extend(shared.map(|(field, value)| (field, Value::Shared(value))));
        fields.push((&words.offset, Value::Own(number(element.span.start))));
        fields.push((&words.length, Value::Own(number(element.span.len()))));
    }

    fn chunk_fields<'n>(&'n self, element: &Element, fields: &mut Fields<'n, S>) {
        let words = self.words;
        if let Some(block) = self.values.blocks.get(element.block as usize) {
            fields.push((&words.block, Value::Shared(block)));
        }
        let text = S::of(&element.text(self.source));
        fields.push((&words.text, Value::Own(text)));
        for (field, count) in [
            (&words.tail, element.tail),
            (&words.header, element.repeated.len()),
        ] {
            if count > 0 {
                fields.push((field, Value::Own(number(count))));
            }
        }
    }

    /// The titles above an element, as a JSON array.
    fn path(&self, element: &Element) -> S {
        let path = self.outline.path(element);
        // Strings can always be written as JSON.
        S::of(&serde_json::to_vec(&path).unwrap_or_default())
    }

    fn bytes(&self, span: &Range<usize>) -> &'a [u8] {
        self.source.get(span.clone()).unwrap_or_default()
    }
}

fn field<S: Text>(name: &str, value: &[u8]) -> (S, S) {
    (S::of(name.as_bytes()), S::of(value))
}
