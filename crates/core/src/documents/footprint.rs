//! Estimates the memory for a document's keys before any of them is created.
//!
//! An element's name is stored in many places, so a long prefix or many siblings can take far more
//! memory than the text. For `a`, a one-letter chunk of a chapter among 255 siblings:
//!
//! ```text
//! chunk:a:001              hash: type, level, doc, parent, position, offset, length, path, block, text
//! chunk:a:001:next         string: the name of the next element
//! chunk:a:001:previous     string: the name of the one before
//! chunk:a:001:siblings     set                 its own name in those of its 254 siblings
//! ch:x:001:children        set                 its name
//! …:all_descendants        set                 its name, in the chapter's and in the document's
//! …:sequence               sorted set          its name, in the chapter's and in the document's
//! level:chunk:chunks       set                 its name; and once more for every tag
//! ```
//!
//! Everything is charged to the element whose name it is, so existing elements can be left out. The sum
//! is an upper bound of what servers report as `used_memory`, because they pack small values.

use super::outline::{Element, Kind, Outline};

/// An entry of a table: 24 bytes and its share of the table, rounded up by the allocator.
const ENTRY: usize = 48;
/// A key's entry in the database, and the object that holds its value.
const KEY: usize = ENTRY + 16;
/// An empty hash, set or sorted set.
const COLLECTION: usize = 112;
/// A node of a sorted set's list, in addition to an entry.
const SCORED: usize = 56;
/// A field whose name and value have up to nine characters: a number, a word.
const SHORT_FIELD: usize = ENTRY + 2 * 16;
/// `:all_descendants`, the longest of the relations.
const RELATION: usize = 16;
/// The assumed digits of a number in a name. A few more make little difference.
pub const DIGITS: usize = 8;

/// The memory of a string of this length: the server adds a header, and the allocator has sizes in
/// steps of 16 bytes, then of an eighth of the next power of two.
fn string(len: usize) -> usize {
    const HEADER: usize = 6;
    let len = len.saturating_add(HEADER);
    let step = match len {
        0..=128 => 16,
        _ => len.checked_next_power_of_two().map_or(16, |next| next / 8),
    };
    len.checked_next_multiple_of(step).unwrap_or(len)
}

fn key(len: usize) -> usize {
    KEY + string(len)
}

fn member(len: usize) -> usize {
    ENTRY + string(len)
}

fn field(value: usize) -> usize {
    ENTRY + 16 + string(value)
}

/// A document that is to be written.
#[derive(Debug)]
pub struct Footprint<'a> {
    pub outline: &'a Outline,
    /// The length of the document's name.
    pub document_name: usize,
    /// The lengths of the elements' names.
    pub names: Vec<usize>,
    /// The lengths of the names of shared sets: those of all chunks, and those of the document.
    pub chunk_sets: Vec<usize>,
    pub document_sets: Vec<usize>,
    /// The length of the values that only the document's hash has.
    pub document_values: usize,
    pub with_siblings: bool,
    /// Whether each slug has a counter of its own.
    pub with_slug_counters: bool,
}

/// What already exists of a document.
#[derive(Debug, Default)]
pub struct Kept {
    /// How many of the sets of chunks.
    pub chunk_sets: usize,
    /// How many members the sets of siblings have.
    pub sibling_members: usize,
}

impl Footprint<'_> {
    /// All of it.
    pub fn total(&self) -> usize {
        self.growth(|_| false, &Kept::default())
    }

    /// The part that is new, for a document that has some of the elements.
    pub fn growth(&self, is_kept: impl Fn(usize) -> bool, kept: &Kept) -> usize {
        let children = self.outline.children();
        let paths = self.outline.path_lens();
        // The number of sections around each element, including the document.
        let mut depths: Vec<usize> = Vec::with_capacity(self.names.len());
        let mut sum = self.document();
        // The memory of siblings of kept elements, and the number of members.
        let (mut kept_siblings, mut kept_members) = (0_usize, 0_usize);
        let elements = self.outline.elements.iter().zip(&self.names).zip(&paths);
        for (index, ((element, &name), &path)) in elements.enumerate() {
            let depth = match element.parent {
                None => 1,
                Some(parent) => depths.get(parent).map_or(1, |depth| depth + 1),
            };
            depths.push(depth);
            let in_section = element.parent.unwrap_or(self.names.len());
            let siblings = match (self.with_siblings, children.get(in_section)) {
                (true, Some(children)) => children.saturating_sub(1),
                _ => 0,
            };
            let members = siblings;
            let siblings = siblings
                .saturating_mul(member(name))
                .saturating_add(siblings.min(1) * (key(name + RELATION) + COLLECTION));
            let chunk_sets = match element.kind {
                Kind::Chunk => self.chunk_sets.len(),
                _ => 0,
            };
            let added = match is_kept(index) {
                true => {
                    kept_siblings = kept_siblings.saturating_add(siblings);
                    kept_members += members;
                    // Its headings and neighbours may have changed.
                    let sets = chunk_sets.saturating_sub(kept.chunk_sets);
                    path + element.tail + sets * member(name)
                }
                false => {
                    let own = self.element(element, name, path, depth);
                    own.saturating_add(siblings) + chunk_sets * member(name)
                }
            };
            sum = sum.saturating_add(added);
        }
        let missing = kept_members.saturating_sub(kept.sibling_members);
        let per_member = kept_siblings / kept_members.max(1);
        sum.saturating_add(missing.saturating_mul(per_member))
    }

    /// The document's own keys, and the sets it shares with others.
    fn document(&self) -> usize {
        // The most fields without front matter: see `Layout::document_fields`.
        const FIELDS: usize = 12;
        let front_matter = &self.outline.front_matter;
        let fields = FIELDS + front_matter.meta.len();
        let name = self.document_name;
        let own = key(name) + COLLECTION + fields * field(0) + string(self.document_values);
        let below = 3 * (key(name + RELATION) + COLLECTION);
        let sets = self.chunk_sets.iter().chain(&self.document_sets);
        let sets: usize = sets.map(|&set| key(set) + COLLECTION).sum();
        let levels = (Kind::ALL.len() + 1) * (key(name) + COLLECTION);
        let member_of = (self.document_sets.len() + 1) * member(name);
        own + below + sets + levels + member_of
    }

    /// The memory for an element without siblings and tags.
    fn element(&self, element: &Element, name: usize, path: usize, depth: usize) -> usize {
        const SHORT_FIELDS: usize = 5;
        let parent = element.parent.and_then(|parent| self.names.get(parent));
        let parent = *parent.unwrap_or(&self.document_name);
        let mut sum = key(name) + COLLECTION + SHORT_FIELDS * SHORT_FIELD;
        sum += field(self.document_name) + field(parent);
        sum += field(element.span.len() + element.repeated.len());
        sum += match element.kind {
            Kind::Chunk => field(path + 2) + 3 * SHORT_FIELD,
            _ => field(self.outline.label(element).len()),
        };
        sum += 2 * (key(name + RELATION) + string(name));
        if element.kind != Kind::Chunk {
            sum += 3 * (key(name + RELATION) + COLLECTION);
        }
        // Its section's `children`, the set of its level, and what is above it.
        sum += 2 * member(name) + depth * (2 * member(name) + SCORED);
        if self.with_slug_counters {
            sum += field(name);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::outline::Cut;
    use super::*;

    fn footprint(outline: &Outline, name: usize) -> Footprint<'_> {
        Footprint {
            outline,
            document_name: name,
            names: vec![name; outline.elements.len()],
            chunk_sets: Vec::new(),
            document_sets: Vec::new(),
            document_values: 0,
            with_siblings: false,
            with_slug_counters: false,
        }
    }

    fn outline(source: &str) -> Outline {
        Outline::of(source, &Cut::default()).unwrap()
    }

    #[test]
    fn strings_take_what_the_allocator_gives() {
        for (len, takes) in [(0, 16), (10, 16), (11, 32), (122, 128), (123, 160)] {
            assert_eq!(string(len), takes, "{len}");
        }
        assert_eq!(string(1000), 1024);
        assert_eq!(string(1100), 1280);
        assert!(string(usize::MAX) > 0);
    }

    #[test]
    fn a_name_weighs_as_often_as_it_stands_somewhere() {
        let outline = outline(&format!("# A\n\n{}", "a\n\n".repeat(99)));
        let (short, long) = (
            footprint(&outline, 20).total(),
            footprint(&outline, 1020).total(),
        );
        let places = (long - short) / 1000 / outline.elements.len();
        assert!((10..20).contains(&places), "{places}");
    }

    #[test]
    fn siblings_weigh_by_the_square() {
        let weight = |chunks: usize| {
            let outline = outline(&format!("# A\n\n{}", "a\n\n".repeat(chunks)));
            let with = Footprint {
                with_siblings: true,
                ..footprint(&outline, 40)
            };
            with.total() - footprint(&outline, 40).total()
        };
        assert_eq!(weight(1), 0);
        let members = weight(200) as f64 / weight(100) as f64;
        assert!((3.5..4.0).contains(&members), "{members}");
    }

    #[test]
    fn what_is_kept_weighs_nothing_but_its_headings() {
        let outline = outline("# A\n\na\n\nb\n\n## B\n\nc\n");
        let footprint = Footprint {
            with_siblings: true,
            chunk_sets: vec![10, 10],
            ..footprint(&outline, 40)
        };
        let all = Kept {
            chunk_sets: 2,
            sibling_members: 100,
        };
        let kept = footprint.growth(|_| true, &all);
        let tails: usize = outline.elements.iter().map(|element| element.tail).sum();
        assert_eq!(kept, footprint.document() + outline.paths_len() + tails);
        let without = Kept::default();
        assert!(footprint.growth(|_| true, &without) > kept + 3 * 2 * member(40));
        assert!(footprint.growth(|index| index != 1, &all) > kept);
        assert_eq!(
            footprint.total(),
            footprint.growth(|_| false, &Kept::default())
        );
    }
}
