//! The fields of the hashes that a document and its parts are.

use std::rc::Rc;

use super::text::Text;

macro_rules! words {
    ($($field:ident = $text:literal,)*) => {
        /// Names of fields, which are the same in every document.
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
    /// Those that not every chunk has.
    pub fn optional(&self) -> [&S; 2] {
        [&self.tail, &self.header]
    }
}

/// In front of the names of fields that front matter is free to choose.
pub const META: &str = "meta.";
/// What `type` is in the hash of a document.
pub const DOCUMENT: &[u8] = b"document";
/// The field with the shared sets a document is in, without their scope, separated by spaces.
pub const SETS: &str = "_sets";
/// The field that says that there are keys of siblings.
pub const SIBLINGS: &str = "_siblings";

/// Whether a field of a document's hash comes from us, and not every document has it. Users may add
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
    /// One that the layout has anyway: a name, a position, a word.
    Shared(&'n S),
    /// One that some elements in a row have.
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
