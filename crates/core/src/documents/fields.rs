//! The fields in the hashes of a document and its parts.

use std::rc::Rc;

use super::text::Text;

macro_rules! words {
    ($($field:ident = $text:literal,)*) => {
        /// Names of fields that every document uses.
        pub struct Words<S> {
            $(pub $field: S,)*
        }

        impl<S: Text> Words<S> {
            #[allow(clippy::new_without_default)]
            pub fn new() -> Words<S> {
                Words {
                    $($field: S::of($text.as_bytes()),)*
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

impl<S> Words<S> {
    /// Fields that not every chunk has.
    pub fn optional(&self) -> [&S; 2] {
        [&self.tail, &self.header]
    }
}

/// The prefix of fields whose names come from front matter.
pub const META: &str = "meta.";
/// The `type` of a document.
pub const DOCUMENT: &[u8] = b"document";
/// The field with the shared sets a document is in, without their scope, separated by spaces.
pub const SETS: &str = "_sets";
/// The field that marks a document with sets of siblings.
pub const SIBLINGS: &str = "_siblings";

/// Whether a field of a document's hash is one of ours that not every document has. Users may add
/// others.
pub fn is_ours(field: &[u8]) -> bool {
    const OURS: [&[u8]; 7] = [
        b"author",
        b"category",
        b"tags",
        b"file",
        b"source",
        SETS.as_bytes(),
        SIBLINGS.as_bytes(),
    ];
    OURS.contains(&field) || field.starts_with(META.as_bytes())
}

/// A value of a field.
pub enum Value<'n, S> {
    Own(S),
    /// Borrowed from the layout: a name, a position, a word.
    Shared(&'n S),
    /// Shared by consecutive elements.
    Counted(Rc<S>),
}

impl<S> Value<'_, S> {
    pub fn get(&self) -> &S {
        match self {
            Value::Own(value) => value,
            Value::Shared(value) => value,
            Value::Counted(value) => value,
        }
    }
}

/// The fields of one hash.
pub type Fields<'n, S> = Vec<(&'n S, Value<'n, S>)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_add_to_a_document_is_theirs() {
        for (field, ours) in [
            ("author", true),
            ("meta.", true),
            ("meta.edition", true),
            ("_sets", true),
            ("_siblings", true),
            // Every document has them, so they are written over and never taken away.
            ("title", false),
            ("chunks", false),
            ("status", false),
            ("Author", false),
            ("", false),
        ] {
            assert_eq!(is_ours(field.as_bytes()), ours, "{field}");
        }
    }
}
